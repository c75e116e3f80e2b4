"""Answers that broke the format: how many in each condition, and the worst of them."""

from collections import Counter
from typing import Final, NamedTuple

from saniwa.experiment.outcome import Attempt, Outcome

MOST: Final = 3
"""Examples of one condition."""


class Example(NamedTuple):
    """An answer that broke the format."""

    key: str
    """The cell."""
    turn: int
    """The turn, from 0."""
    attempt: Attempt
    """The answer."""


class Breaks:
    """Gathers format breaks as cells go by; keeps no more than it will show."""

    def __init__(self) -> None:
        self._worst = dict[str, list[Example]]()
        self._counts = Counter[str]()

    def gather(self, outcome: Outcome) -> None:
        """Look through a cell, every attempt of it."""
        found = [
            Example(outcome.key, passage.number, attempt)
            for passage in outcome.passages
            for attempt in passage.attempts
            if attempt.break_type != "NONE"
        ]
        if found:
            name = outcome.condition
            self._counts[name] += len(found)
            ranked = sorted([*self._worst.get(name, ()), *found], key=_rank)
            self._worst[name] = ranked[:MOST]

    def conditions(self) -> list[str]:
        """Those in which the format was broken, in order of name."""
        return sorted(self._worst)

    def count(self, condition: str) -> int:
        """How often it was broken."""
        return self._counts[condition]

    def worst(self, condition: str) -> list[Example]:
        """The examples, the most steps of repair first, then as they came."""
        return self._worst[condition]


def _rank(example: Example) -> int:
    return -example.attempt.repair_steps
