"""How much of a story some walks have reached, and what none of them has."""

from collections.abc import Iterable, Iterator

import msgspec

from saniwa.script.desk.exploring.walk import Walk
from saniwa.script.language.variation import Text, Words
from saniwa.script.program import End, Offer, Program, Speak


class Unreached(msgspec.Struct, frozen=True):
    """Something no walk came to."""

    name: str
    """Its words, or its name."""
    where: str
    """Its file, line and column."""


class Part(msgspec.Struct, frozen=True):
    """One kind of thing: how many there are, how many were reached."""

    reached: int
    """How many were."""
    total: int
    """How many there are."""
    missed: tuple[Unreached, ...]
    """Those that were not, in the order of the story."""


class Reach(msgspec.Struct, frozen=True):
    """What the walks reached."""

    lines: Part
    """Lines that were shown."""
    options: Part
    """Options that were taken."""
    sections: Part
    """Sections that were passed."""
    endings: Part
    """Endings that were come to."""


class Tally:
    """Counts up what walk after walk reaches."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._lines: set[str] = set()
        self._options: set[str] = set()
        self._sections: set[str] = set()
        self._endings: set[str] = set()

    def add(self, walk: Walk) -> None:
        """Count what a walk reached."""
        self._lines |= walk.lines
        self._options |= walk.options
        self._sections |= walk.sections
        if walk.ending is not None:
            self._endings.add(walk.ending)

    def reach(self) -> Reach:
        """What was reached so far."""
        return Reach(
            _part(self._written_lines(), self._lines),
            _part(self._written_options(), self._options),
            _part(self._written_sections(), self._sections),
            _part(self._written_endings(), self._endings),
        )

    def _written_lines(self) -> Iterator[tuple[str, Unreached]]:
        for address, op in enumerate(self._program.ops):
            if isinstance(op, Speak):
                yield op.id, Unreached(_source(op.words), self._at(address))

    def _written_options(self) -> Iterator[tuple[str, Unreached]]:
        for address, op in enumerate(self._program.ops):
            if isinstance(op, Offer):
                file = self._program.file_of(address)
                for way in op.ways:
                    place = f"{file}:{way.line}:{way.column}"
                    yield way.id, Unreached(_source(way.words), place)

    def _written_sections(self) -> Iterator[tuple[str, Unreached]]:
        for key, address in self._program.labels.items():
            yield key, Unreached(key, self._at(address))

    def _written_endings(self) -> Iterator[tuple[str, Unreached]]:
        for address, op in enumerate(self._program.ops):
            if isinstance(op, End) and op.ending is not None:
                yield op.ending, Unreached(op.ending, self._at(address))

    def _at(self, address: int) -> str:
        return str(self._program.where(address))


def _part(written: Iterable[tuple[str, Unreached]], reached: set[str]) -> Part:
    known: dict[str, Unreached] = {}
    for key, what in written:
        known.setdefault(key, what)
    missed = tuple(what for key, what in known.items() if key not in reached)
    return Part(len(known) - len(missed), len(known), missed)


def _source(words: Words) -> str:
    return words.source if isinstance(words, Text) else words
