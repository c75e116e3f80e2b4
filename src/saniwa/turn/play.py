"""Play a turn: claims in, consequences out. Read `play_turn` first.

Synchronous and total: no claim, however hostile, makes it raise, and the world it was
given is not changed.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from saniwa.language.name_index import index_world_names
from saniwa.language.phrasebook import render_sentence
from saniwa.language.text import fold_text, is_blank
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.judge import judge
from saniwa.rulebook.verdict import Verdict
from saniwa.turn.claim_form import classify_question
from saniwa.turn.claim_resolution import ResolvedClaim, resolve_claim
from saniwa.turn.clarification import ask_for_words
from saniwa.turn.dialogue import compute_reply
from saniwa.turn.record import (
    Clarification,
    QuestionAnswer,
    Rejection,
    SpokenWords,
    Turn,
    list_action_claims,
)
from saniwa.turn.references import expand_all
from saniwa.world.actions import Action, Speak, takes_time
from saniwa.world.apply import apply_action, pass_turn
from saniwa.world.changes import Change, MoveChange
from saniwa.world.fingerprint import compute_fingerprint
from saniwa.world.model import Id, World

MOST_CLAIMS = 10_000
"""The most claims that one turn judges; claims beyond them are rejected unread."""
LONGEST_MEMORY = 8
"""The most mentioned things that "it" can refer to."""


class TurnOutcome(NamedTuple):
    """A turn and the world after it."""

    turn: Turn
    """The record of the turn."""
    world: World
    """The world after it."""


def play_turn(
    words: SpokenWords, claims: Sequence[object], world: World, book: Rulebook
) -> TurnOutcome:
    """Judge each claim against the world the last one left, and record everything.

    Questions are recorded without an answer; `turn.answers` answers them. A refused or
    rejected claim does not stop the claims after it. An ambiguous claim
    stops the turn: the question is recorded, and nothing happens.
    """
    if not claims and is_blank(words.text):
        return _TurnBuilder(words, world).build_outcome(claims, world, book, ask_for_words(world))
    builder = _TurnBuilder(words, world)
    # One at a time, each against the world the last one left: "take the key, open
    # the door" must pass, and two hands on one cup must not.
    for index, claim in builder.iterate_claims(claims):
        kind = classify_question(claim)
        if kind:
            builder.answers.append(QuestionAnswer(index=index, kind=kind))
            continue
        match resolve_claim(claim, index, builder.words, builder.world):
            case ResolvedClaim(action, hint):
                verdict = judge(action, builder.world, book)
                if isinstance(action, Speak) and verdict.success:
                    verdict = builder.add_reply(action, verdict)
                builder.add_verdict(index, action, verdict, hint)
            case Rejection() as rejection:
                builder.rejections.append(rejection)
            case Clarification() as question:
                question = builder.postpone_question(question)
                return _TurnBuilder(words, world).build_outcome(claims, world, book, question)
    return builder.build_outcome(claims, world, book)


def reapply_turn(turn: Turn, world: World) -> World:
    """The world after a recorded turn, which is applied but not judged again.

    Used to open a stored run; `runs.replay` judges again and compares.
    """
    *_, world = (world, *replay_worlds(turn, world))
    return pass_turn(world).world if takes_time(turn.applied_actions) else world


def replay_worlds(turn: Turn, world: World) -> Iterator[World]:
    """The world after each applied action of a recorded turn, in order.

    Used for narration; like `reapply_turn`, it does not judge again.
    """
    allowed = (v.effects for v in turn.validation_results if v.success)
    for action in turn.applied_actions:
        world = apply_action(action, world, next(allowed, ())).world
        yield world


class TurnAttempt(NamedTuple):
    """One action and its result."""

    action: Action
    """The action that was tried."""
    verdict: Verdict
    """Whether it was allowed."""
    claim: object
    """The raw claim it was made from."""
    before: World
    """The world in which it was tried."""
    after: World
    """The world after it; the same one if it was refused."""


_Replayed = tuple[tuple[Verdict, ...], Sequence[object], Sequence[World]]
"""The verdicts of a turn, the claims, and the worlds before, between and after its actions."""
_latest = deque[_Replayed](maxlen=8)
_MOST_REMEMBERED = 50
"""The most actions of a turn whose worlds are remembered."""


def list_attempts(turn: Turn, before: World) -> tuple[TurnAttempt, ...]:
    """List each action of a recorded turn in order, refused ones included.

    The worlds of the latest turns are remembered, since several characters perceive a turn.
    """
    for known in tuple(_latest):
        if known[0] is turn.validation_results and known[2][0] is before:
            break
    else:
        known = _replay_verdicts(turn, before)
        if len(known[0]) <= _MOST_REMEMBERED:
            _latest.appendleft(known)
    verdicts, claims, worlds = known
    parts = zip(turn.normalized_actions, verdicts, claims, worlds, worlds[1:], strict=False)
    return tuple(map(TurnAttempt._make, parts))


def _replay_verdicts(turn: Turn, before: World) -> _Replayed:
    worlds, replayed = [before], replay_worlds(turn, before)
    for verdict in turn.validation_results:
        worlds.append(next(replayed) if verdict.success else worlds[-1])
    return turn.validation_results, list_action_claims(turn), worlds


def update_mentioned(turn: Turn, before: tuple[Id, ...]) -> tuple[Id, ...]:
    """The ids mentioned up to and including this turn, latest first."""
    for action in turn.normalized_actions:
        before = _add_mentions(action, before)
    return before


def update_left_places(
    actor: Id, changes: Sequence[Change], before: Mapping[Id, Id]
) -> Mapping[Id, Id]:
    """The place left last by each character who moved and each thing that was taken."""
    left = {
        change.entity_id: change.before
        for change in changes
        if isinstance(change, MoveChange)
        and change.before is not None
        # A thing that is put down keeps the place from which it was taken.
        and actor in (change.entity_id, change.after)
    }
    return {**before, **left} if left else before


@dataclass(slots=True)
class _TurnBuilder:
    """A turn being played."""

    words: SpokenWords
    world: World
    claimed: list[int] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    applied: list[Action] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    answers: list[QuestionAnswer] = field(default_factory=list)
    worlds: list[World] = field(default_factory=list)
    last: tuple[Action, tuple[Change, ...]] | None = None

    def iterate_claims(self, claims: Sequence[object]) -> Iterator[tuple[int, object]]:
        """The claims with their indexes; "all" is expanded when its claim comes up."""
        count = 0
        for index, claim in enumerate(claims):
            self._update_context()
            for one in expand_all(claim, self.words, self.world):
                self._update_context()
                if count == MOST_CLAIMS:
                    self.rejections.append(_reject_excess_claims(index, len(claims)))
                    return
                count += 1
                yield index, one

    def postpone_question(self, question: Clarification) -> Clarification:
        """The question; if actions were already allowed, it says that none happened."""
        if not self.applied:
            return question
        yet = render_sentence(self.world.language, "ask.not yet", question=question.question)
        return msgspec.structs.replace(question, question=yet)

    def add_reply(self, action: Speak, verdict: Verdict) -> Verdict:
        """The verdict with the effects of the answer, if there is one to be given."""
        effects = compute_reply(action, self.world, self.words.played)
        return msgspec.structs.replace(verdict, effects=effects) if effects else verdict

    def _list_played(self) -> Iterator[Id]:
        """The characters spoken to that a person or an agent plays.

        Speech without a recipient could have reached each of them who has written answers.
        """
        spoken_to = {a.recipient_id for a in self.actions if isinstance(a, Speak)}
        for who in self.words.played if spoken_to else ():
            person = self.world.entities.get(who)
            written = person is not None and person.dialogue is not None
            if who in spoken_to or (None in spoken_to and written):
                yield who

    def add_verdict(self, index: int, action: Action, verdict: Verdict, hint: str) -> None:
        if hint and not verdict.success and not verdict.hint:
            verdict = msgspec.structs.replace(verdict, hint=hint)
        self.claimed.append(index)
        self.actions.append(action)
        self.verdicts.append(verdict)
        changes: tuple[Change, ...] = ()
        if verdict.success:
            self.world, changes = apply_action(action, self.world, verdict.effects)
            self.applied.append(action)
            self.changes += changes
        self.worlds.append(self.world)
        self.last = (action, changes)

    def _update_context(self) -> None:
        """Let the next claim refer to what the last one mentioned.

        Done only when there is a next claim, since most turns have one claim.
        """
        if self.last is None:
            return
        action, changes = self.last
        self.words = msgspec.structs.replace(
            self.words,
            mentioned=_add_mentions(action, _add_called(action, self.world, self.words.mentioned)),
            came_from=update_left_places(self.words.actor_id, changes, self.words.came_from),
        )
        self.last = None

    def build_outcome(
        self,
        claims: Sequence[object],
        before: World,
        book: Rulebook,
        question: Clarification | None = None,
    ) -> TurnOutcome:
        if takes_time(self.applied):
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
            answers=tuple(self.answers),
            # The indexes are recorded only if one claim became several actions.
            claimed=tuple(self.claimed) if len(set(self.claimed)) < len(self.claimed) else (),
            clarification=question,
            changes=tuple(self.changes),
            world_before=compute_fingerprint(before),
            world_after=compute_fingerprint(self.world),
            book=book.fingerprint,
            asked=self.words.asked,
            played=tuple(self._list_played()),
        )
        if len(self.worlds) <= _MOST_REMEMBERED:
            made_from = [*map(claims.__getitem__, self.claimed)]
            _latest.appendleft((turn.validation_results, made_from, [before, *self.worlds]))
        return TurnOutcome(turn, self.world)


def _reject_excess_claims(index: int, count: int) -> Rejection:
    return Rejection(
        index=index,
        code="TOO_MANY_CLAIMS",
        message=f"{count} claims are more than a turn may have ({MOST_CLAIMS})",
        hint="send the rest in another turn",
    )


def _add_called(action: Action, world: World, before: tuple[Id, ...]) -> tuple[Id, ...]:
    """The mentions, after the people whom speech without a recipient names."""
    if not isinstance(action, Speak) or action.recipient_id is not None:
        return before
    index = index_world_names(world)
    people = {*world.cast} - {action.actor_id}
    named = [
        w for n in index.find_in_text(fold_text(action.content)) for w in index.find_bearers(n)
    ]
    latest = tuple(dict.fromkeys(who for who in reversed(named) if who in people))
    return (*latest, *(n for n in before if n not in latest))[:LONGEST_MEMORY]


def _add_mentions(action: Action, before: tuple[Id, ...]) -> tuple[Id, ...]:
    latest = action.list_involved()
    return (*latest, *(n for n in before if n not in latest))[:LONGEST_MEMORY]
