"""The corpus: few and small inputs that reach lines which valid inputs do not."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from types import CodeType

from tests.fuzz.fuzz_reader import FuzzReader
from tests.fuzz.line_coverage import ReachedLines
from tests.fuzz.reader_promise import try_reader

CORPUS = Path(__file__).parent / "corpus"
MOST_BYTES = 6_000
"""How large one reader's folder may be."""


def read_corpus(reader: FuzzReader) -> list[bytes]:
    """The inputs in the reader's folder, in order of name."""
    files = sorted((CORPUS / reader.name).glob("*"))
    return [each.read_bytes() for each in files]


def name_input(content: bytes) -> str:
    """The name of an input, derived from its bytes."""
    return hashlib.sha256(content).hexdigest()[:12]


def keep(reader: FuzzReader, inputs: Sequence[bytes]) -> None:
    """Make the reader's folder hold these inputs and nothing else."""
    folder = CORPUS / reader.name
    folder.mkdir(parents=True, exist_ok=True)
    names = {name_input(each): each for each in inputs}
    for file in folder.glob("*"):
        if file.name not in names:
            file.unlink()
    for name, content in names.items():
        (folder / name).write_bytes(content)


def choose_fewest(
    reader: FuzzReader, inputs: Sequence[bytes], room: int = MOST_BYTES
) -> list[bytes]:
    """Choose few inputs that reach all lines that any of them reaches, as far as there is room.

    Chosen greedily: the input with the most new lines for its size comes first.
    """
    seeds = set(reader.seeds())
    sound = set[tuple[CodeType, int]]()
    for seed in seeds:
        sound |= _find_reached(reader, seed)
    left = {each: _find_reached(reader, each) - sound for each in {*inputs} - seeds}
    chosen = list[bytes]()
    while left:
        best = max(left, key=lambda each: (len(left[each]) / (len(each) + 40), each))
        new = left.pop(best)
        if new and len(best) <= room:
            chosen.append(best)
            room -= len(best)
            left = {each: lines - new for each, lines in left.items()}
    return chosen


def _find_reached(reader: FuzzReader, content: bytes) -> set[tuple[CodeType, int]]:
    reach = ReachedLines()
    try_reader(reader, content, reach.watch_call)
    return reach.take_new()
