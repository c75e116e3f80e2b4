"""A walkthrough tried out before anybody relies on it. Nothing is kept."""

from collections.abc import Sequence
from typing import NamedTuple

from saniwa.rulebook.book import Rulebook
from saniwa.run.trial import Trial
from saniwa.script.playing.player import Request
from saniwa.world.model import Id, World
from saniwa.world.view import goal_reached


class Rehearsed(NamedTuple):
    """What came of a walkthrough."""

    wins: bool
    """Whether the goal was reached."""
    lines: int
    """How many lines were played."""
    stumble: str = ""
    """Why the last of them did nothing, as a code; empty if it did something."""


def rehearse(
    world: World, book: Rulebook, actor: Id, lines: Sequence[str]
) -> Rehearsed:
    """Play the lines until the goal is reached, one does nothing, or all are played.

    Raises:
        RunError: `TEXT_UNREADABLE` for a line that is no text.
    """
    trial = Trial(world, book, actor)
    for number, line in enumerate(lines, start=1):
        outcome = trial.do(Request(line, spoken=True))
        if not outcome.allowed:
            return Rehearsed(False, number, outcome.reason)
        if goal_reached(trial.world):
            return Rehearsed(True, number)
    return Rehearsed(goal_reached(world), len(lines))
