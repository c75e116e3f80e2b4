"""Every reader of foreign text takes time in proportion to the length of the text."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import cycle, product
from pathlib import Path
from time import process_time

import pytest

from saniwa.core.errors import SaniwaError
from tests.fakes.nightly import NIGHTLY
from tests.fuzz.fuzz_reader import FuzzReader
from tests.fuzz.readers import READERS

_MARKS = (
    '"\\', "[", "[AA \"\\\"]", "[AA \\]", "[a](", "{", "{if ", "(", "<!--", " ", "\t", "_",
    "\n", "「", "＃", "［", "『", "*", "- ", "a: ", "---\n", "#", "|", "'", "`", "$", ":::", "@",
    "あ", "0", ",", "\\", "てから",
)  # fmt: skip
_BEFORE = ("", "---\na: ", "[SAY ", "take ")
_READ = (
    "scenario-yaml", "scenario-json", "registry", "rulebook", "process", "agent", "plan",
    "story", "words-en", "words-ja",
)  # fmt: skip
"""Readers of texts that strangers send and authors write."""
_LONG = 6_000
_TRIES = 4
_MOST_GROWTH = 9
_CLEAR = 0.06


def _iterate_texts(reader: FuzzReader) -> Iterator[tuple[str, str]]:
    """What a hostile text starts with and what it repeats; by default each mark once."""
    marks = (*_MARKS, *filter(None, reader.words[:4]))
    yield from product(_BEFORE, marks) if NIGHTLY else zip(cycle(_BEFORE), marks, strict=False)


def _measure(reader: FuzzReader, before: str, loop: str, size: int, folder: Path) -> float:
    content = (before + loop * (size // len(loop))).encode()
    began = process_time()
    with suppress(SaniwaError):
        reader.read(content, folder)
    return process_time() - began


def _is_linear(reader: FuzzReader, before: str, loop: str, folder: Path) -> bool:
    """Whether four times the text takes about four times as long; one such try is enough."""
    for _ in range(_TRIES):
        long = _measure(reader, before, loop, _LONG, folder)
        if long < _CLEAR:
            return True
        short = _measure(reader, before, loop, _LONG // 4, folder)
        if long < _MOST_GROWTH * short:
            return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("name", _READ)
def test_a_reader_takes_no_longer_than_its_text_is(name: str, tmp_path: Path) -> None:
    """Endless brackets, quotation marks and unclosed openings take no longer than words."""
    reader = next(each for each in READERS if each.name == name)
    slow = [
        (before, loop)
        for before, loop in _iterate_texts(reader)
        if not _is_linear(reader, before, loop, tmp_path)
    ]

    assert [] == slow
