"""A walkthrough tried out before anybody relies on it. Nothing is kept."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Self

from saniwa.language.parse import parse
from saniwa.rulebook.book import Rulebook, add_manners
from saniwa.runs import presentation
from saniwa.runs.listener import (
    Interpretation,
    check_encodable,
    interpret_by_form,
    to_json_claims,
)
from saniwa.runs.run import Run, TurnResult
from saniwa.runs.story_run import to_story_outcome
from saniwa.runs.story_world import WorldFacts
from saniwa.story.evaluation import Value
from saniwa.story.player import RequestOutcome
from saniwa.story.step_builder import WorldRequest
from saniwa.turn.play import play_turn, update_left_places, update_mentioned
from saniwa.turn.record import SpokenWords, Turn
from saniwa.world.canonical import compute_fingerprint
from saniwa.world.model import Id, World
from saniwa.world.view import get_turn_actor, is_goal_reached

_MOST_CACHED: Final = 20_000
"""Deeds whose outcome is remembered, since most ways come to the same ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialState:
    """How a trial stood at one moment."""

    world: World
    """What was true."""
    last: Turn | None = None
    """The last turn."""
    mentioned: tuple[Id, ...] = ()
    """What had been spoken of, latest first."""
    left: Mapping[Id, Id] = field(default_factory=dict)
    """For whoever had gone somewhere, the place they had left last."""


class WorldTrial:
    """A world without a store, at its beginning."""

    def __init__(self, world: World, book: Rulebook, actor: Id) -> None:
        """A trial of a world under a book, with the actor whom the reader plays."""
        self._book = book
        self._actor = actor
        world = add_manners(world, book)
        self._now = TrialState(world=world)
        self._done: dict[Hashable, tuple[RequestOutcome, TrialState]] = {}
        self._facts = WorldFacts(lambda: self._now.world, world, actor)

    @classmethod
    def from_run(cls, run: Run) -> Self:
        """A trial that begins where a run stands; the run stays as it is."""
        return cls(run.world, run.book, run.actor)

    @property
    def world(self) -> World:
        """What is true now."""
        return self._now.world

    def do(self, request: WorldRequest) -> RequestOutcome:
        """What comes of a request.

        Raises:
            RunError: `TEXT_UNREADABLE` for words that are no text.
        """
        known = (request.words, self._now.mentioned, self.fingerprint())
        if known not in self._done:
            if len(self._done) >= _MOST_CACHED:
                self._done.clear()
            self._done[known] = self._play_request(request)
        outcome, self._now = self._done[known]
        return outcome

    def _play_request(self, request: WorldRequest) -> tuple[RequestOutcome, TrialState]:
        now = self._now
        words = SpokenWords(
            actor_id=self._actor,
            text=check_encodable(request.words),
            mentioned=now.mentioned,
            came_from=now.left.get(self._actor),
        )
        turn, world = play_turn(
            words, self._interpret(words).claims, now.world, self._book
        )
        after = TrialState(
            world=world,
            last=turn,
            mentioned=update_mentioned(turn, now.mentioned),
            left=update_left_places(turn, now.left),
        )
        told = TurnResult(turn, presentation.present_turn(turn, now.world, world))
        return to_story_outcome(told), after

    def look_up_fact(self, name: str, given: tuple[Value, ...]) -> Value:
        """The value of `flag`, `place`, `holds`, `here` or `state`.

        Raises:
            ScriptError: `FACT_UNKNOWN` for a name the world does not have.
        """
        return self._facts.look_up_fact(name, given)

    def mark(self) -> TrialState:
        """This moment, to be gone back to."""
        return self._now

    def go_back(self, mark: TrialState) -> None:
        """Stand where the trial stood at a moment."""
        self._now = mark

    def fingerprint(self) -> Hashable:
        """Equal where words lead to the same.

        What is true, whose turn it is, where "back" leads, and what was asked all count.
        What was last spoken of does not, or no two moments would be the same.
        """
        now = self._now
        asked = now.last.clarification if now.last is not None else None
        question = "" if asked is None else repr(asked)
        back = now.left.get(self._actor, "")
        return compute_fingerprint(now.world), get_turn_actor(now.world), back, question

    def _interpret(self, words: SpokenWords) -> Interpretation:
        world, last = self._now.world, self._now.last
        known = interpret_by_form(words, world, last)
        if known is not None:
            return known
        return Interpretation(to_json_claims(parse(words.text, words.actor_id, world)))


class RehearsalResult(NamedTuple):
    """What came of a walkthrough."""

    wins: bool
    """Whether the goal was reached."""
    lines: int
    """How many lines were played."""
    stumble: str = ""
    """Why the last of them did nothing, as a code; empty if it did something."""


def rehearse_walkthrough(
    world: World, book: Rulebook, actor: Id, lines: Sequence[str]
) -> RehearsalResult:
    """Play the lines until the goal is reached, one does nothing, or all are played.

    Raises:
        RunError: `TEXT_UNREADABLE` for a line that is no text.
    """
    trial = WorldTrial(world, book, actor)
    for number, line in enumerate(lines, start=1):
        outcome = trial.do(WorldRequest(line, spoken=True))
        if not outcome.allowed:
            return RehearsalResult(False, number, outcome.reason)
        if is_goal_reached(trial.world):
            return RehearsalResult(True, number)
    return RehearsalResult(is_goal_reached(world), len(lines))
