"""The smallest parts of an expression: names, numbers, texts and marks."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Literal, NamedTuple

LONGEST = 2_000
"""Letters an expression may have."""

Kind = Literal["name", "number", "text", "mark", "end"]
"""What a token is; `end` stands after the last."""


class Token(NamedTuple):
    """One part, with its place."""

    kind: Kind
    """What it is."""
    text: str
    """As written; old spellings of marks in their new one, texts without quotes."""
    at: int
    """How many letters stand before it in the expression."""


class ExpressionProblem(ValueError):  # noqa: N818 - a reader meets it, not a person
    """An expression that cannot be read. Whoever reads the file makes it a finding."""

    def __init__(
        self, message: str, column: int, hint: str = "", line: int = 0
    ) -> None:
        super().__init__(message)
        self.message = message
        """What is wrong, in one plain sentence."""
        self.column = column
        """Where, in the file's own line."""
        self.hint = hint
        """What to do."""
        self.line = line
        """On which line."""


def place(text: str, at: int, line: int, column: int) -> tuple[int, int]:
    """Line and column of a letter in a text that begins at `line` and `column`."""
    before = text.count("\n", 0, at)
    if not before:
        return line, column + at
    return line + before, at - text.rfind("\n", 0, at)


_TOKEN = re.compile(
    r"""
    (?P<name>[^\W\d]\w*)
  | (?P<number>[0-9]+(?:\.[0-9]+)?|\.[0-9]+)
  | (?P<text>"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')
  | (?P<mark>&&|\|\||[=!<>]=|[-+*/%()<>,!])
    """,
    re.VERBOSE | re.DOTALL,
)
_BLANKS = re.compile(r"\s*")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_NEW = {"&&": "and", "||": "or"}
_CURES = {
    "=": "write ==",
    "&": "write and",
    "|": "write or",
    "?": "write {expr: yes|no}",
}


def tokens(source: str) -> Iterator[Token]:
    """All tokens in order, then `end`.

    Raises:
        ExpressionProblem: A letter that belongs to none; the column counts from 0.
    """
    at = _blanks(source, 0)
    while at < len(source):
        found = _TOKEN.match(source, at)
        if found is None:
            raise _stray(source, at)
        end = found.end()
        if found.lastgroup == "name":
            end = _name_end(source, end)
        yield _token(found, source[at:end])
        at = _blanks(source, end)
    yield Token("end", "", len(source.rstrip()))


def _token(found: re.Match[str], text: str) -> Token:
    at = found.start()
    if found.lastgroup == "name":
        return Token("name", text, at)
    if found.lastgroup == "number":
        return Token("number", text, at)
    if found.lastgroup == "text":
        return Token("text", _ESCAPED.sub(r"\1", text[1:-1]), at)
    return Token("mark", _NEW.get(text, text), at)


def _name_end(source: str, end: int) -> int:
    # Marks above and below letters belong to a name, but not to what `\w` matches.
    while end < len(source) and f"_{source[end]}".isidentifier():
        end += 1
    return end


def _blanks(source: str, at: int) -> int:
    found = _BLANKS.match(source, at)
    return found.end() if found else at


def _stray(source: str, at: int) -> ExpressionProblem:
    letter = source[at]
    if letter in "\"'":
        return ExpressionProblem("a quoted text does not end", at, f"add {letter}")
    narrow = unicodedata.normalize("NFKC", letter)
    hint = f"write {narrow}" if narrow != letter and narrow.isascii() else ""
    message = f"{letter!r} cannot stand in an expression"
    return ExpressionProblem(message, at, _CURES.get(letter, hint))
