"""The turn itself: claims in, consequences out. Read `play_turn` first.

Plain, synchronous and total: no claim, however hostile, makes it raise, and the world it
was given stays as it was.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.judge import judge
from saniwa.rulebook.verdict import Verdict
from saniwa.turn.languages.tongue import told
from saniwa.turn.normalise import Understood, normalise
from saniwa.turn.question import empty_question
from saniwa.turn.spoken import blank
from saniwa.turn.spread import spread
from saniwa.turn.trace import Clarification, Rejection, Turn, Words
from saniwa.world.action import Action
from saniwa.world.apply import apply, pass_turn
from saniwa.world.canonical import fingerprint
from saniwa.world.change import Change, Moved
from saniwa.world.effect import Effect
from saniwa.world.model import Id, World

MOST_CLAIMS = 10_000
"""Claims one turn weighs; what comes after them is turned away unread."""
LONGEST_MEMORY = 8
"""How many things "it" can look back on."""


class Played(NamedTuple):
    """A turn and the world it left."""

    turn: Turn
    """The record."""
    world: World
    """What is true now."""


def play_turn(
    words: Words, claims: Sequence[object], world: World, book: Rulebook
) -> Played:
    """Weigh each claim against the world the last one left, and write it all down.

    A refused or rejected claim does not stop those after it. A claim that can be
    understood in two ways stops everything: the question is recorded, nothing happens.
    """
    if not claims and blank(words.text):
        return _asked(words, claims, world, book, empty_question(world))
    passage = _Passage(words, world)
    # One at a time, each against the world the last one left: "take the key, open
    # the door" must pass, and two hands on one cup must not.
    for index, claim in passage.each(claims):
        match normalise(claim, index, passage.words, passage.world):
            case Understood(action, hint):
                verdict = judge(action, passage.world, book)
                passage.note(index, action, verdict, hint)
            case Rejection() as rejection:
                passage.rejections.append(rejection)
            case Clarification() as question:
                question = passage.put_off(question)
                return _asked(words, claims, world, book, question)
    return passage.close(claims, world, book)


def reapply(turn: Turn, world: World) -> World:
    """The world after a recorded turn, taken at its word: applied, not judged again.

    For opening a run anew; `run.replay` judges again and compares.
    """
    for action, effects in _applied(turn):
        world = apply(action, world, effects).world
    return pass_turn(world).world if turn.applied_actions else world


def worlds_after(turn: Turn, world: World) -> Iterator[World]:
    """The world after each applied action of a recorded turn, in order.

    For telling what happened; like `reapply`, it takes the turn at its word.
    """
    for action, effects in _applied(turn):
        world = apply(action, world, effects).world
        yield world


def _applied(turn: Turn) -> Iterator[tuple[Action, tuple[Effect, ...]]]:
    """The actions that happened, each with what its verdict says comes of it."""
    allowed = (v.effects for v in turn.validation_results if v.success)
    for action in turn.applied_actions:
        yield action, next(allowed, ())


def mentioned_in(turn: Turn, before: tuple[Id, ...]) -> tuple[Id, ...]:
    """What has been spoken of after this turn, latest first."""
    for action in turn.normalized_actions:
        before = _remember(action, before)
    return before


def left_in(turn: Turn, before: Mapping[Id, Id]) -> Mapping[Id, Id]:
    """For everybody who has gone somewhere, the place they left last."""
    left = left_by(turn.actor_id, turn.changes)
    return before if left is None else {**before, turn.actor_id: left}


def left_by(actor: Id, changes: Sequence[Change]) -> Id | None:
    """The place the actor was in before the last of these changes that moved them."""
    moves = [c for c in changes if isinstance(c, Moved) and c.entity_id == actor]
    return moves[-1].before if moves else None


@dataclass(slots=True)
class _Passage:
    """A turn under way."""

    words: Words
    world: World
    claimed: list[int] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    applied: list[Action] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    last: tuple[Action, tuple[Change, ...]] | None = None

    def each(self, claims: Sequence[object]) -> Iterator[tuple[int, object]]:
        """The claims with their places; "all" as what is there when its turn comes."""
        count = 0
        for index, claim in enumerate(claims):
            self._look_back()
            for one in spread(claim, self.words, self.world):
                self._look_back()
                if count == MOST_CLAIMS:
                    self.rejections.append(_too_many(index, len(claims)))
                    return
                count += 1
                yield index, one

    def put_off(self, question: Clarification) -> Clarification:
        """The question; where something would have happened, it says that nothing did."""
        if not self.applied:
            return question
        yet = told(self.world.language, "ask.not yet", question=question.question)
        return msgspec.structs.replace(question, question=yet)

    def note(self, index: int, action: Action, verdict: Verdict, hint: str) -> None:
        if hint and not verdict.success and not verdict.hint:
            verdict = msgspec.structs.replace(verdict, hint=hint)
        self.claimed.append(index)
        self.actions.append(action)
        self.verdicts.append(verdict)
        changes: tuple[Change, ...] = ()
        if verdict.success:
            self.world, changes = apply(action, self.world, verdict.effects)
            self.applied.append(action)
            self.changes += changes
        self.last = (action, changes)

    def _look_back(self) -> None:
        """Let the next claim mean what the last one spoke of; most have none after them."""
        if self.last is None:
            return
        action, changes = self.last
        left = left_by(self.words.actor_id, changes)
        self.words = msgspec.structs.replace(
            self.words,
            mentioned=_remember(action, self.words.mentioned),
            came_from=left or self.words.came_from,
        )
        self.last = None

    def close(self, claims: Sequence[object], before: World, book: Rulebook) -> Played:
        if self.applied:
            self.world, changes = pass_turn(self.world)
            self.changes += changes
        turn = Turn(
            id=self.words.id,
            number=self.words.number,
            actor_id=self.words.actor_id,
            raw_text=self.words.text,
            parsed_actions=tuple(claims[:MOST_CLAIMS]),
            normalized_actions=tuple(self.actions),
            validation_results=tuple(self.verdicts),
            applied_actions=tuple(self.applied),
            timestamp=self.words.timestamp,
            rejections=tuple(self.rejections),
            claimed=self._several(),
            changes=tuple(self.changes),
            world_before=fingerprint(before),
            world_after=fingerprint(self.world),
            book=book.fingerprint,
            asked=self.words.asked,
        )
        return Played(turn, self.world)

    def _several(self) -> tuple[int, ...]:
        """The places of the claims, where one of them became several actions."""
        alone = len(set(self.claimed)) == len(self.claimed)
        return () if alone else tuple(self.claimed)


def _asked(
    words: Words,
    claims: Sequence[object],
    world: World,
    book: Rulebook,
    question: Clarification,
) -> Played:
    quiet = _Passage(words, world).close(claims, world, book)
    turn = msgspec.structs.replace(quiet.turn, clarification=question)
    return Played(turn, world)


def _too_many(index: int, count: int) -> Rejection:
    return Rejection(
        index=index,
        code="TOO_MANY_CLAIMS",
        message=f"{count} claims ask for more than one turn weighs ({MOST_CLAIMS})",
        hint="say the rest in another turn",
    )


def _remember(action: Action, before: tuple[Id, ...]) -> tuple[Id, ...]:
    named: list[Any] = [getattr(action, role) for role in action.roles]
    latest = tuple(name for name in named if name is not None)
    return (*latest, *(n for n in before if n not in latest))[:LONGEST_MEMORY]
