"""Fuzzing a reader for a while: an input that reaches new lines is kept and mutated further."""

from collections.abc import Callable, Iterator
from random import Random  # noqa: TID251 - seeded by the caller

from tests.fuzz.corpus import read_corpus
from tests.fuzz.fuzz_reader import FuzzReader
from tests.fuzz.line_coverage import ReachedLines
from tests.fuzz.mutation.mutation import spoil_input
from tests.fuzz.reader_promise import BrokenPromise, try_reader
from tests.fuzz.shrinking import shrink_bytes

_LOOKED = 0.35
"""How often an input is read under observation, and how often a second time: both are slow,
and trying more inputs finds more.
"""
_LONG = 400
"""The size in bytes from which an input that is kept is shrunk first."""

Tell = Callable[[FuzzReader, bytes, BrokenPromise], None]
"""Called with a broken promise and a small input that breaks it."""


class FuzzedReader:
    """One reader under fuzzing."""

    def __init__(self, reader: FuzzReader, seed: str, tell: Tell) -> None:
        """Start from its valid inputs and its corpus; `tell` is called for each broken promise."""
        self.reader = reader
        self.chance = Random(f"{reader.name} {seed}")
        self.reach = ReachedLines()
        self.inputs = [*reader.seeds(), *read_corpus(reader)]
        """The inputs that later ones are made from."""
        self.tried = 0
        """How many inputs were read."""
        self.found = set[str]()
        """The broken promises and their places, each reported once."""
        self._tell = tell
        self._hurried = False
        self._words = tuple(each.encode() for each in reader.words)

    def begin(self) -> None:
        """Read the first inputs; a promise broken by one of them is reported too."""
        for content in list(self.inputs):
            self._try(content)
        self._hurried = True

    def grow(self, goes_on: Callable[[], bool]) -> None:
        """Mutate inputs and read them, until `goes_on` returns False."""
        while goes_on():
            content = self.chance.choice(self._choose_likely())
            content = spoil_input(content, self.chance, self.inputs, self._words)
            if self._try(content):
                self.inputs.append(content)

    def _choose_likely(self) -> list[bytes]:
        """All inputs, or those that were added last, which are more likely to reach new lines."""
        return self.inputs[-8:] if self.chance.random() < 0.3 else self.inputs

    def _try(self, content: bytes) -> bool:
        """Read an input; returns whether it reached new lines without breaking a promise."""
        self.tried += 1
        looked = not self._hurried or self.chance.random() < _LOOKED
        again = not self._hurried or self.chance.random() < _LOOKED
        around = self.reach.watch_call if looked else None
        broken = try_reader(self.reader, content, around, again=again)
        new = self.reach.take_new()
        if broken is not None:
            self._note(content, broken)
        return bool(new) and broken is None

    def _note(self, content: bytes, broken: BrokenPromise) -> None:
        place = f"{broken.promise}: {broken.place}"
        if place in self.found:
            return
        self.found.add(place)
        if broken.promise != "bounded":
            content = shrink_bytes(content, lambda less: self._breaks_the_same(less, broken))
        self._tell(self.reader, content, broken)

    def _breaks_the_same(self, content: bytes, broken: BrokenPromise) -> bool:
        again = try_reader(self.reader, content)
        return again is not None and again.place == broken.place


def iterate_mutations(reader: FuzzReader, seed: str, count: int) -> Iterator[bytes]:
    """That many inputs made from the reader's valid ones and its corpus, always the same."""
    chance = Random(f"{reader.name} {seed}")
    inputs = [*reader.seeds(), *read_corpus(reader)]
    words = tuple(each.encode() for each in reader.words)
    for _ in range(count):
        yield spoil_input(chance.choice(inputs), chance, inputs, words)


def shrink_input(reader: FuzzReader, content: bytes) -> bytes:
    """The input without the parts that it does not need to reach its lines."""
    if len(content) <= _LONG:
        return content
    whole = _find_lines(reader, content)
    return shrink_bytes(content, lambda less: whole <= _find_lines(reader, less), tries=40)


def _find_lines(reader: FuzzReader, content: bytes) -> set[tuple[object, int]]:
    reach = ReachedLines()
    try_reader(reader, content, reach.watch_call)
    return set(reach.take_new())
