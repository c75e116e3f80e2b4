"""A world that is only guessed at: every fact may be so, and may not."""

from collections.abc import Mapping
from typing import Final

from saniwa.core.chance import seeded
from saniwa.core.quoted import quoted
from saniwa.script.language.expression import Value

_NAMING: Final = frozenset({"place", "state"})
"""Facts that are names, which conditions compare with others."""


class Guess(str):
    """A name nobody knows: it is whatever it is compared with, or none of it."""

    __slots__ = ("so",)
    so: bool

    @classmethod
    def of(cls, so: bool) -> "Guess":
        """A name that is taken to be the one asked for, or not to be."""
        guess = cls("?" if so else "")
        guess.so = so
        return guess

    def __eq__(self, _: object) -> bool:
        return self.so

    def __ne__(self, _: object) -> bool:
        return not self.so

    def __hash__(self) -> int:
        return hash(self.so)


class Guesses:
    """Answers every question about a world by what is taken for true just now."""

    def __init__(self) -> None:
        self.asked: dict[str, bool] = {}
        """Every fact asked for since the last guess, and how it was answered."""
        self._taken: Mapping[str, bool] = {}

    def take(self, taken: Mapping[str, bool]) -> None:
        """Take these facts to be so or not so; all others are not."""
        self.asked, self._taken = {}, taken

    def fact(self, name: str, given: tuple[Value, ...]) -> Value:
        """The fact, as it is taken to be."""
        told = f"{name}({', '.join(quoted(each) for each in given)})"
        so = self.asked[told] = self.so(told)
        return Guess.of(so) if name in _NAMING else so

    def so(self, told: str) -> bool:
        """Whether a fact is so."""
        return self._taken.get(told, False)


class Chances(Guesses):
    """Facts that are so or not by chance, anew after every decision."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._seed = seed
        self._decisions = 0

    def go_on(self) -> None:
        """A decision was made: the world may be another."""
        self._decisions += 1

    def so(self, told: str) -> bool:
        """Whether a fact is so, by chance."""
        return seeded(self._seed, f"{told}/{self._decisions}") % 2 == 1
