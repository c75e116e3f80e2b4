"""Strict JSON with the place of every value.

The standard library reads JSON without places and accepts `NaN`, repeated keys and lone
surrogates; this parser reads the same texts and accepts none of these.
"""

import re
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]  # not in typeshed
from typing import Any, NamedTuple

from saniwa.core.text import is_encodable
from saniwa.documents.document_tree import (
    DEEPEST,
    FEWER,
    FLATTER,
    MOST_NODES,
    DocumentTree,
    DuplicateKey,
    Offsets,
    TextError,
    parse_fraction,
    parse_whole_number,
)

_CURES = {
    "a value": "write a text in double quotes, a number, true, false, null, a list "
    "in [] or a mapping in {}",
    "a key in double quotes": 'write "key": value, with ordinary double quotes',
    "':'": 'write "key": value',
    "',' or ']'": "put ',' between two items and ']' after the last",
    "',' or '}'": "put ',' between two keys and '}' after the last",
}
_IN_TEXTS = {
    "Unterminated": "close the double quote where the text ends",
    "Invalid control": "write \\n for a line end and \\t for a tab",
    "Invalid \\": 'write \\\\ for a backslash and \\" for a quote',
}


def find_cure(wanted: str, before: str, found: str) -> str:
    """Return the hint for an unexpected character; `found` is empty at the end.

    `before` is the character before it, spaces skipped.
    """
    if found.startswith(("//", "/*", "#")):
        return "JSON has no comments; use YAML for comments"
    if before == "," and found[:1] in ("]", "}"):
        return "remove the comma before the closing bracket"
    if before == "," and found[:1] == ",":
        return "remove one of the commas"
    return _CURES[wanted]


def find_cure_in_text(complaint: str) -> str:
    """Return the hint for a mistake inside a quoted text, by the library's message."""
    found = (cure for begin, cure in _IN_TEXTS.items() if complaint.startswith(begin))
    return next(found, "")


_SPACE = re.compile(r"[ \t\n\r]*").match
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?").match
_WHOLE = "write the character itself, or both of its \\u escapes"
_WORDS: tuple[tuple[str, Any], ...] = (("true", True), ("false", False), ("null", None))


def parse_json(text: str) -> DocumentTree:
    """Parse the text as JSON.

    Raises:
        TextError: At the first character that is not JSON.
    """
    reader = _JsonParser(text)
    found = reader.read_value(_skip_space(text, 0), (), 0)
    end = _skip_space(text, found.end)
    if end != len(text):
        message = f"{text[end]!r} follows after the document has ended"
        raise TextError(end, message, "a file contains one document, and JSON has no comments")
    return DocumentTree(found.plain, found.spot, tuple(reader.repeats))


class _ParsedValue(NamedTuple):
    plain: Any
    spot: Offsets
    end: int


_Path = tuple[str | int, ...]


class _JsonParser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.repeats: list[DuplicateKey] = []
        self._nodes = 0

    def read_value(self, at: int, path: _Path, depth: int) -> _ParsedValue:
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise TextError(at, f"there are more than {MOST_NODES} values", FEWER)
        letter = self.text[at : at + 1]
        if letter == '"':
            text, end = self.read_string(at)
            return _ParsedValue(text, at, end)
        if letter in ("{", "["):
            if depth >= DEEPEST:
                raise TextError(at, f"this is nested deeper than {DEEPEST} levels", FLATTER)
            inner = self.read_mapping if letter == "{" else self.read_list
            return inner(at, path, depth + 1)
        return self.read_scalar(at)

    def read_string(self, at: int) -> tuple[str, int]:
        try:
            text, end = scanstring(self.text, at + 1, True)
        except JSONDecodeError as problem:
            cure = find_cure_in_text(problem.msg)
            raise TextError(problem.pos, _lower_first(problem.msg), cure) from problem
        if not is_encodable(text):
            raise TextError(at, "the text contains half of a surrogate pair", _WHOLE)
        return text, end

    def read_scalar(self, at: int) -> _ParsedValue:
        for word, meaning in _WORDS:
            if self.text.startswith(word, at):
                return _ParsedValue(meaning, at, at + len(word))
        number = _NUMBER(self.text, at)
        if number is None:
            raise _make_unexpected_error(self.text, at, "a value")
        digits, part, power = number.groups()
        if part is None and power is None:
            return _ParsedValue(parse_whole_number(digits, 10, at), at, number.end())
        return _ParsedValue(parse_fraction(number.group(), at), at, number.end())

    def read_list(self, at: int, path: _Path, depth: int) -> _ParsedValue:
        values: list[Any] = []
        spots: list[Offsets] = []
        here = _skip_space(self.text, at + 1)
        if self.text.startswith("]", here):
            return _ParsedValue(values, (at, spots), here + 1)
        while True:
            found = self.read_value(here, (*path, len(values)), depth)
            values.append(found.plain)
            spots.append(found.spot)
            here = _skip_space(self.text, found.end)
            if self.text.startswith("]", here):
                return _ParsedValue(values, (at, spots), here + 1)
            here = self._skip_past(here, ",", "',' or ']'")

    def read_mapping(self, at: int, path: _Path, depth: int) -> _ParsedValue:
        values: dict[str, Any] = {}
        spots: dict[str, tuple[int, Offsets]] = {}
        here = _skip_space(self.text, at + 1)
        if self.text.startswith("}", here):
            return _ParsedValue(values, (at, spots), here + 1)
        while True:
            if not self.text.startswith('"', here):
                raise _make_unexpected_error(self.text, here, "a key in double quotes")
            start = here
            key, here = self.read_string(start)
            here = self._skip_past(_skip_space(self.text, here), ":", "':'")
            found = self.read_value(here, (*path, key), depth)
            if key in values:
                self.repeats.append(DuplicateKey((*path, key), start, spots[key][0]))
            else:
                values[key] = found.plain
                spots[key] = (start, found.spot)
            here = _skip_space(self.text, found.end)
            if self.text.startswith("}", here):
                return _ParsedValue(values, (at, spots), here + 1)
            here = self._skip_past(here, ",", "',' or '}'")

    def _skip_past(self, at: int, letter: str, wanted: str) -> int:
        if not self.text.startswith(letter, at):
            raise _make_unexpected_error(self.text, at, wanted)
        return _skip_space(self.text, at + 1)


def _skip_space(text: str, at: int) -> int:
    found = _SPACE(text, at)
    assert found is not None, "the pattern matches anything"
    return found.end()


def _make_unexpected_error(text: str, at: int, wanted: str) -> TextError:
    before = text[:at].rstrip(" \t\n\r")[-1:]
    cure = find_cure(wanted, before, text[at : at + 2])
    if at >= len(text):
        return TextError(at, f"the text ends where {wanted} is expected", cure)
    for word in ("NaN", "Infinity", "-Infinity"):
        if text.startswith(word, at):
            return TextError(at, f"{word} is not JSON", "use a number or null")
    return TextError(at, f"expected {wanted}, not {text[at]!r}", cure)


def _lower_first(message: str) -> str:
    return message[:1].lower() + message[1:].removesuffix(" at").rstrip(":")
