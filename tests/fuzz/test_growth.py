"""Every reader of foreign text takes time in proportion to the text."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from time import process_time

import pytest

from tests.fuzz.reader import Reader
from tests.fuzz.readers import READERS

_MARKS = (
    '"\\', "[", "[AA \"\\\"]", "[AA \\]", "[a](", "{", "{if ", "(", "<!--", " ", "\t", "_",
    "\n", "「", "＃", "［", "『", "*", "- ", "a: ", "---\n", "#", "|", "'", "`", "$", ":::", "@",
    "あ", "0", ",", "\\", "てから",
)  # fmt: skip
_BEFORE = ("", '{"a": "', "---\na: ", "[SAY ", "- ", "take ")
_LONG = 6_000
_TRIES = 4
_MOST_GROWTH = 9
_CLEAR = 0.06


def _texts(reader: Reader) -> Iterator[tuple[str, str]]:
    """What a hostile text begins with, and what it repeats."""
    seeds = [each.decode("utf-8", "replace") for each in reader.seeds()[:1]]
    yield from product((*_BEFORE, *seeds), (*_MARKS, *reader.words[:8]))


def _measure(reader: Reader, before: str, loop: str, size: int, folder: Path) -> float:
    content = (before + loop * (size // len(loop))).encode()
    began = process_time()
    reader.read(content, folder)
    return process_time() - began


def _is_linear(reader: Reader, before: str, loop: str, folder: Path) -> bool:
    """Whether four times the text costs about four times as much; one calm try is enough."""
    for _ in range(_TRIES):
        long = _measure(reader, before, loop, _LONG, folder)
        if long < _CLEAR:
            return True
        short = _measure(reader, before, loop, _LONG // 4, folder)
        if long < _MOST_GROWTH * short:
            return True
    return False
