"""Play words against a world without storing them.

Used to check a walkthrough or a story before players rely on it.
"""

from collections.abc import Hashable, Sequence
from typing import Final, NamedTuple, Self

from saniwa.rulebook.book import Rulebook, add_manners
from saniwa.runs import presentation
from saniwa.runs.run import Run, TurnResult
from saniwa.runs.story_run_cursor import to_story_outcome
from saniwa.runs.story_world import WorldFacts
from saniwa.runs.timeline import WorldPoint
from saniwa.runs.word_interpreter import check_encodable, interpret_phrases
from saniwa.story.player import RequestOutcome
from saniwa.story.step_builder import WorldRequest
from saniwa.story.value_operations import Value
from saniwa.turn.play import play_turn
from saniwa.turn.record import Turn
from saniwa.world.fingerprint import compute_fingerprint
from saniwa.world.model import Id, World
from saniwa.world.queries import get_turn_actor, is_goal_reached

_MOST_CACHED: Final = 20_000
"""Outcomes that are cached, since most paths through a story repeat the same deeds."""


class TrialState(WorldPoint, frozen=True, kw_only=True):
    """The state of a trial at one moment."""

    last: Turn | None = None
    """The last turn."""


class WorldTrial:
    """A world played without a store."""

    def __init__(self, world: World, book: Rulebook, actor: Id) -> None:
        """Start a trial of a world under a rulebook.

        `actor` is the reader's character.
        """
        self._book = book
        self._actor = actor
        world = add_manners(world, book)
        self._now = TrialState(world=world)
        self._done: dict[Hashable, tuple[RequestOutcome, TrialState]] = {}
        self._facts = WorldFacts(lambda: self._now.world, world, actor)

    @classmethod
    def from_run(cls, run: Run) -> Self:
        """Start a trial in the run's current state; the run does not change."""
        return cls(run.world, run.book, run.actor)

    @property
    def world(self) -> World:
        """The current world."""
        return self._now.world

    def do(self, request: WorldRequest) -> RequestOutcome:
        """Play the words of a request and return the outcome.

        Raises:
            RunError: `TEXT_UNREADABLE` for text that cannot be encoded.
        """
        left = frozenset(self._now.came_from.items())
        known = (request.words, self._now.mentioned, left, self.fingerprint())
        if known not in self._done:
            if len(self._done) >= _MOST_CACHED:
                self._done.clear()
            self._done[known] = self._play_request(request)
        outcome, self._now = self._done[known]
        return outcome

    def _play_request(self, request: WorldRequest) -> tuple[RequestOutcome, TrialState]:
        now = self._now
        words = now.make_words(self._actor, check_encodable(request.words))
        claims, _ = interpret_phrases(words, now.world, now.last)
        turn, world = play_turn(words, claims, now.world, self._book)
        result = TurnResult(turn, presentation.present_turn(turn, now.world, world))
        return to_story_outcome(result), now.follow(turn, world, last=turn)

    def look_up_fact(self, name: str, given: tuple[Value, ...]) -> Value:
        """The value of `flag`, `place`, `holds`, `here` or `state`.

        Raises:
            ScriptError: `FACT_UNKNOWN` for a name the world does not have.
        """
        return self._facts.look_up_fact(name, given)

    def mark(self) -> TrialState:
        """The current state, for `go_back`."""
        return self._now

    def go_back(self, mark: TrialState) -> None:
        """Return to an earlier state."""
        self._now = mark

    def fingerprint(self) -> Hashable:
        """A value that is equal for states in which words have the same effect.

        It covers the world, whose turn it is, where "back" leads, and the open
        question. It leaves out what was last mentioned and where things were taken
        from, otherwise no two states would be equal.
        """
        now = self._now
        asked = now.last.clarification if now.last is not None else None
        question = "" if asked is None else repr(asked)
        back = now.came_from.get(self._actor, "")
        return compute_fingerprint(now.world), get_turn_actor(now.world), back, question


class RehearsalResult(NamedTuple):
    """The result of playing a walkthrough."""

    wins: bool
    """Whether the goal was reached."""
    lines: int
    """How many lines were played."""
    stumble: str = ""
    """Why the last line did nothing, as a code; empty if it did something."""


def rehearse_walkthrough(
    world: World, book: Rulebook, actor: Id, lines: Sequence[str]
) -> RehearsalResult:
    """Play the lines until the goal is reached, one does nothing, or all are played.

    Raises:
        RunError: `TEXT_UNREADABLE` for a line that cannot be encoded.
    """
    trial = WorldTrial(world, book, actor)
    for number, line in enumerate(lines, start=1):
        outcome = trial.do(WorldRequest(line, spoken=True))
        if not outcome.allowed:
            return RehearsalResult(False, number, outcome.reason)
        if is_goal_reached(trial.world):
            return RehearsalResult(True, number)
    return RehearsalResult(is_goal_reached(world), len(lines))
