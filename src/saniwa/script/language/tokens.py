"""The smallest parts of an expression: names, numbers, texts and marks."""

import re
import unicodedata
from typing import Literal, NamedTuple, cast

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
    r"""\s*+(?:
    (?P<name>[^\W\d]\w*)
  | (?P<number>[0-9]+(?:\.[0-9]+)?|\.[0-9]+)
  | (?P<mark>&&|\|\||[=!<>]=|[-+*/%()<>,!])
  | (?P<text>"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')
  | (?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL,
).match
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_NEW = {"&&": "and", "||": "or"}
_SMART = "“”„‟‘’‚‛«»＂＇「」『』"
_CURES = {
    "=": "write ==",
    "&": "write and",
    "|": "write or",
    "?": "write {expr: yes|no}",
}
_TURNED = {"=>": "write >=", "=<": "write <="}
"""What stands the wrong way round."""


def tokens(source: str) -> list[Token]:
    """All tokens in order, then `end`.

    Raises:
        ExpressionProblem: A letter that belongs to none; the column counts from 0.
    """
    found, at = [], 0
    while (match := _TOKEN(source, at)) is not None:
        kind = cast(Kind, match.lastgroup)
        begin, at = match.span(kind)
        if kind == "end":
            found.append(Token("end", "", len(source.rstrip())))
            return found
        if kind == "name":
            at = _name_end(source, at)
        text = source[begin:at]
        if kind == "mark":
            text = _NEW.get(text, text)
        elif kind == "text":
            text = _ESCAPED.sub(r"\1", text[1:-1])
        found.append(Token(kind, text, begin))
    raise _stray(source, len(source) - len(source[at:].lstrip()))


def _name_end(source: str, end: int) -> int:
    # Marks above and below letters belong to a name, but not to what `\w` matches.
    while end < len(source) and f"_{source[end]}".isidentifier():
        end += 1
    return end


def _stray(source: str, at: int) -> ExpressionProblem:
    letter = source[at]
    if letter in "\"'":
        hint = f"add {letter}, and write \\{letter} for one inside the text"
        return ExpressionProblem("a quoted text does not end", at, hint)
    if letter in _SMART:
        message = f"{letter!r} cannot stand in an expression"
        return ExpressionProblem(message, at, 'use straight quotes: "…"')
    narrow = unicodedata.normalize("NFKC", letter)
    hint = f"write {narrow}" if narrow != letter and narrow.isascii() else ""
    message = f"{letter!r} cannot stand in an expression"
    turned = _TURNED.get(source[at : at + 2], "")
    if letter == "=" and not turned:
        turned = _cure_equals(source, at)
    return ExpressionProblem(message, at, turned or _CURES.get(letter, hint))


def _cure_equals(source: str, at: int) -> str:
    """What to do about a stray `=`; empty where another one is missing."""
    if source[max(at - 2, 0) : at] in ("==", "!="):
        return f"write {source[at - 2 : at]} in place of {source[at - 2 : at + 1]}"
    if source[max(at - 1, 0) : at] in ("+", "-", "*", "/"):
        return f"set it on a line of its own: [SET {source.strip()}]"
    return ""
