"""Short texts for messages, text that UTF-8 can encode, and CSV cells.

`repr` follows a value as deep and as long as it goes, so no message uses it for values
from outside. CSV rows are quoted according to RFC 4180, and safe to open in a
spreadsheet.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final

LINE_END: Final = "\r\n"
"""The end of a row."""
_NEEDS_QUOTES: Final = re.compile(r'[",\r\n]').search
_BEFORE_FORMULA: Final = re.compile(r"""(?:\A|(?<=[,;\t\r\n]))(?=[" ]*[=+\-@\t\r\n＝＋－＠])""")


def format_csv_row(cells: Iterable[str]) -> str:
    """Format one row, with quotes where they are needed and the line end."""
    return ",".join([quote_csv_cell(cell) for cell in cells]) + LINE_END


def quote_csv_cell(text: str) -> str:
    """Quote one cell, if it needs quotes."""
    if not text or _NEEDS_QUOTES(text) is None:
        return text
    return '"' + text.replace('"', '""') + '"'


def escape_formulas(cell: str) -> str:
    """Put an apostrophe before every part of a cell that could be a formula.

    That is every part that begins with one of `= + - @`, their full-width forms, a tab
    or a line end. Parts are separated by commas, semicolons, tabs and line ends: a
    spreadsheet may split a row at any of them, even inside quotes.
    """
    return _BEFORE_FORMULA.sub("'", cell)


LONGEST_QUOTE = 60
"""The most characters of a quoted value."""
_LEVELS = 3
_ITEMS = 4
_BITS = 200
_JOINER = "\u200d"
_MOST_BACKTRACK = 32
"""How far back the beginning of a visible character is searched; a longer sequence is
cut."""


def quote_value(value: Any) -> str:
    """Render a value for a message, cut if it is long or deep."""
    return truncate(_render_value(value, _LEVELS), LONGEST_QUOTE)


def truncate(text: str, longest: int) -> str:
    """Shorten a text to at most `longest` characters, with an ellipsis at the end.

    Accents stay on their character, and joined emoji stay together.
    """
    if len(text) <= longest:
        return text
    end = max(longest - 1, 0)
    for back in range(min(_MOST_BACKTRACK, end)):
        if not _splits_character(text, end - back):
            end -= back
            break
    return text[:end] + "…" if longest > 0 else ""


def _splits_character(text: str, end: int) -> bool:
    """Whether a cut here would divide one visible character."""
    return (
        unicodedata.category(text[end]).startswith("M")
        or text[end] == _JOINER
        or text[end - 1] == _JOINER
    )


def _render_value(value: Any, levels: int) -> str:
    if isinstance(value, str):
        return repr(value[: LONGEST_QUOTE + 1])
    if isinstance(value, Mapping):
        pairs = (f"{_render_value(k, 0)}: {_render_value(v, levels - 1)}" for k, v in value.items())
        return "{" + _join_first(pairs, len(value), levels) + "}"
    if isinstance(value, list | tuple):
        items = (_render_value(each, levels - 1) for each in value)
        return "[" + _join_first(items, len(value), levels) + "]"
    if isinstance(value, int) and value.bit_length() > _BITS:
        return f"a number of {value.bit_length()} bits"
    if value is None or isinstance(value, int | float):
        return repr(value)
    return f"a {type(value).__name__}"


def _join_first(shown: Any, count: int, levels: int) -> str:
    if levels == 0:
        return "…" if count else ""
    more = ["…"] if count > _ITEMS else []
    return ", ".join([*islice(shown, _ITEMS), *more])


def measure_width(text: str) -> int:
    """Return how many columns the text takes on a screen."""
    if text.isascii():
        return len(text)
    return sum(
        2 if unicodedata.east_asian_width(char) in "WF" else 0 if unicodedata.combining(char) else 1
        for char in text
    )


def escape_control_characters(text: str) -> str:
    """Make control characters visible, so that an author cannot move the cursor."""
    return "".join(
        letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1] for letter in text
    )


_SURROGATES: Final = re.compile(r"[\ud800-\udfff]")


def is_encodable(text: str) -> bool:
    """Whether UTF-8 can encode the text: it has no lone surrogates."""
    return text.isascii() or _SURROGATES.search(text) is None


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode.

    Each becomes U+FFFD, so that a text and its pieces give the same result.
    """
    return text if is_encodable(text) else _SURROGATES.sub("\ufffd", text)


def is_storable_text(text: str) -> bool:
    """Whether every backend can store the text: no NUL, no lone surrogates."""
    return "\x00" not in text and is_encodable(text)
