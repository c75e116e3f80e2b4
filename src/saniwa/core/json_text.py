"""Strict JSON with the place of every value.

The standard library reads JSON without places and lets `NaN`, repeated keys and half
surrogate pairs through; this reads the same texts and lets nothing through.
"""

import re
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from saniwa.core.json_words import cure_in_text, cure_of
from saniwa.core.tree import (
    DEEPEST,
    FEWER,
    FLATTER,
    MOST_NODES,
    Repeat,
    Spot,
    TextError,
    Tree,
    fraction,
    whole_number,
)

_SPACE = re.compile(r"[ \t\n\r]*").match
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?").match
_WHOLE = "write the letter itself, or both of its \\u escapes"
_HALF = re.compile("[\ud800-\udfff]").search
_WORDS: tuple[tuple[str, Any], ...] = (("true", True), ("false", False), ("null", None))


def read_json(text: str) -> Tree:
    """The text as JSON.

    Raises:
        TextError: at the first character that is not JSON.
    """
    reader = _Reader(text)
    found = reader.value(_space(text, 0), (), 0)
    end = _space(text, found.end)
    if end != len(text):
        told = f"{text[end]!r} follows after the document has ended"
        raise TextError(end, told, "one file, one document; and JSON has no comments")
    return Tree(found.plain, found.spot, tuple(reader.repeats))


class _Found(NamedTuple):
    plain: Any
    spot: Spot
    end: int


_Path = tuple[str | int, ...]


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.repeats: list[Repeat] = []
        self._nodes = 0

    def value(self, at: int, path: _Path, depth: int) -> _Found:
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise TextError(at, f"there are more than {MOST_NODES} values", FEWER)
        letter = self.text[at : at + 1]
        if letter == '"':
            text, end = self.string(at)
            return _Found(text, at, end)
        if letter in ("{", "["):
            if depth >= DEEPEST:
                raise TextError(at, f"this nests deeper than {DEEPEST} levels", FLATTER)
            inner = self.mapping if letter == "{" else self.list
            return inner(at, path, depth + 1)
        return self.scalar(at)

    def string(self, at: int) -> tuple[str, int]:
        try:
            text, end = scanstring(self.text, at + 1, True)
        except JSONDecodeError as problem:
            cure = cure_in_text(problem.msg)
            raise TextError(problem.pos, _lowered(problem.msg), cure) from problem
        if not text.isascii() and _HALF(text):
            raise TextError(at, "the text has one half of a surrogate pair", _WHOLE)
        return text, end

    def scalar(self, at: int) -> _Found:
        for word, meaning in _WORDS:
            if self.text.startswith(word, at):
                return _Found(meaning, at, at + len(word))
        number = _NUMBER(self.text, at)
        if number is None:
            raise _unexpected(self.text, at, "a value")
        whole, part, power = number.groups()
        if part is None and power is None:
            return _Found(whole_number(whole, 10, at), at, number.end())
        return _Found(fraction(number.group(), at), at, number.end())

    def list(self, at: int, path: _Path, depth: int) -> _Found:
        values: list[Any] = []
        spots: list[Spot] = []
        here = _space(self.text, at + 1)
        if self.text.startswith("]", here):
            return _Found(values, (at, spots), here + 1)
        while True:
            found = self.value(here, (*path, len(values)), depth)
            values.append(found.plain)
            spots.append(found.spot)
            here = _space(self.text, found.end)
            if self.text.startswith("]", here):
                return _Found(values, (at, spots), here + 1)
            here = self._past(here, ",", "',' or ']'")

    def mapping(self, at: int, path: _Path, depth: int) -> _Found:
        values: dict[str, Any] = {}
        spots: dict[str, tuple[int, Spot]] = {}
        here = _space(self.text, at + 1)
        if self.text.startswith("}", here):
            return _Found(values, (at, spots), here + 1)
        while True:
            if not self.text.startswith('"', here):
                raise _unexpected(self.text, here, "a key in double quotes")
            start = here
            key, here = self.string(start)
            here = self._past(_space(self.text, here), ":", "':'")
            found = self.value(here, (*path, key), depth)
            if key in values:
                self.repeats.append(Repeat((*path, key), start, spots[key][0]))
            else:
                values[key] = found.plain
                spots[key] = (start, found.spot)
            here = _space(self.text, found.end)
            if self.text.startswith("}", here):
                return _Found(values, (at, spots), here + 1)
            here = self._past(here, ",", "',' or '}'")

    def _past(self, at: int, letter: str, wanted: str) -> int:
        if not self.text.startswith(letter, at):
            raise _unexpected(self.text, at, wanted)
        return _space(self.text, at + 1)


def _space(text: str, at: int) -> int:
    found = _SPACE(text, at)
    assert found is not None, "the pattern matches anything"
    return found.end()


def _unexpected(text: str, at: int, wanted: str) -> TextError:
    before = text[:at].rstrip(" \t\n\r")[-1:]
    cure = cure_of(wanted, before, text[at : at + 2])
    if at >= len(text):
        return TextError(at, f"the text ends where {wanted} should stand", cure)
    for word in ("NaN", "Infinity", "-Infinity"):
        if text.startswith(word, at):
            return TextError(at, f"{word} is not JSON", "use a number or null")
    return TextError(at, f"{text[at]!r} stands where {wanted} should", cure)


def _lowered(message: str) -> str:
    return message[:1].lower() + message[1:].removesuffix(" at").rstrip(":")
