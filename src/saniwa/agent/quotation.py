"""Text from the world and from people, made safe to stand in a prompt.

What is quoted is one line, has no control characters, and cannot end its own quotation
marks: a name or a speech that pretends to be an instruction stays a name or a speech.
"""

import re
import unicodedata
from functools import lru_cache

from saniwa.core.text import truncate

_JOINER = "\u200d"
_MARKS: dict[str, tuple[str, str]] = {"en": ("“", "”"), "ja": ("「", "」")}
_INNER_MARKS = str.maketrans(
    dict.fromkeys('“”„‟〝〞"＂', "'") | dict(zip("「」｢｣", "〈〉〈〉", strict=True))
)
"""Marks that would end a quotation."""
_PROMPT_MARKUP = str.maketrans("<>{}`[]", "＜＞｛｝｀［］")
"""Markup of prompts and of chat templates. The wide letters are the same to whoever hears
a name, and nothing to a template."""
_LINE_BREAK = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_LOOKAHEAD = 4
"""How many letters beyond its limit a text is looked at before it is cut."""


def quote(text: str, language: str, longest: int = 60) -> str:
    """The text between the language's quotation marks, on one line, at most so long."""
    first, last = _MARKS.get(language, _MARKS["en"])
    return f"{first}{_shorten_text(text[: longest * _LOOKAHEAD], longest)}{last}"


@lru_cache(maxsize=2048)
def _shorten_text(text: str, longest: int) -> str:
    """What is quoted; kept, because a memory is told again turn after turn."""
    return truncate(strip_marks(text), longest)


def strip_marks(text: str) -> str:
    """The text on one line, without anything that is not read as letters, or ends a mark."""
    return flatten_line(text).translate(_INNER_MARKS)


def flatten_line(text: str) -> str:
    """The text on one line, its control characters and its markup without meaning."""
    # Most texts have nothing to mend, and looking at each letter is dear.
    letters = (
        text if text.isascii() and text.isprintable() else _replace_unprintable(text)
    )
    return " ".join(letters.translate(_PROMPT_MARKUP).split())


def _replace_unprintable(text: str) -> str:
    return "".join(map(_replace_character, text))


def _replace_character(letter: str) -> str:
    category = unicodedata.category(letter)
    if category in ("Cs", "Co", "Cn"):
        return "\ufffd"
    return " " if category[0] in "CZ" and letter != _JOINER else letter


def quote_lines(text: str, longest: int) -> str:
    """The text as a quotation that nothing in it can end: every line begins with "> ".

    What is longer is cut, and the quotation says by how much.
    """
    more = len(text) - longest
    lines = [f"> {line}" for line in _LINE_BREAK.split(text[:longest])]
    if more > 0:
        lines.append(f"(letters left out: {more})")
    return "\n".join(lines)
