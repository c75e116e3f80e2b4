"""What a language must bring to be told in: one table, every sentence by name."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from saniwa.world.model import Exit


class Grammar(Protocol):
    """How one language joins names into sentences."""

    def add_indefinite_article(self, name: str) -> str:
        """The name as something new: "a brass key"."""
        ...

    def add_definite_article(self, name: str) -> str:
        """The name as something known: "the brass key"."""
        ...

    def name_place(self, name: str) -> str:
        """The name of a place, as one goes there: "the Orchard"."""
        ...

    def conjugate_deed(self, verb: str, *, mine: bool) -> str:
        """A verb as it tells what has happened: "slice", or "slices" of somebody else."""
        ...

    def join_names(self, names: Sequence[str]) -> str:
        """Names in a row: "a, b and c"."""
        ...

    def describe_exit(
        self, label: str, place: str, way: Exit, door: str, shut: bool | None
    ) -> str:
        """One way out, with its door's state where that is to be told."""
        ...


class Phrasebook(NamedTuple):
    """One language to tell in."""

    grammar: Grammar
    """How names become phrases."""
    lines: Mapping[str, str]
    """Every sentence, by name, with `{}` fields."""
    plans: Mapping[str, str]
    """What each action would be, by its wire name and the roles it fills."""
