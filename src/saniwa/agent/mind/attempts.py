"""The attempts of a turn, one by one, with the worlds before and after each.

From them a mind learns about locks, and gets guidance cards for what was refused.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from saniwa.agent.mind.model import GuidanceCard, MindEditor, MindMemory
from saniwa.agent.mind.wording import render_wording
from saniwa.core.text import truncate
from saniwa.turn.description import list_exits
from saniwa.turn.narration import find_own_words, render_action, render_refusal
from saniwa.turn.play import TurnAttempt, list_attempts
from saniwa.turn.record import Turn
from saniwa.world import actions
from saniwa.world.model import Id, World
from saniwa.world.view import find_room, is_within_reach


def isolate_attempt(turn: Turn, attempt: TurnAttempt) -> Turn:
    """Return a turn with nothing but this attempt, for a narrator."""
    return msgspec.structs.replace(
        turn,
        parsed_actions=(attempt.claim,),
        normalized_actions=(attempt.action,),
        validation_results=(attempt.verdict,),
        applied_actions=(attempt.action,) if attempt.verdict.success else (),
        rejections=(),
        claimed=(),
        clarification=None,
    )


_LOCK_RULES: Final = frozenset(
    {"door_locked", "target_locked", "already_locked", "already_unlocked"}
)
"""Reasons for a refusal that reveal the state of a lock."""


def learn_locks(notes: MindEditor, attempt: TurnAttempt) -> None:
    """Learn what the attempt reveals about locks to its witness, or to the actor."""
    own = attempt.action.actor_id == notes.who
    for thing in _list_touched(attempt):
        found = attempt.after.entities.get(thing)
        if found is None or not is_within_reach(attempt.after, notes.who, thing):
            continue
        before = attempt.before.entities.get(thing)
        changed = before is not None and before.locked != found.locked
        if found.lockable and (changed or (own and _has_tried_lock(attempt))):
            notes.set_lock(thing, found.locked)


def _list_touched(attempt: TurnAttempt) -> Iterator[Id]:
    yield from attempt.action.list_involved()
    if isinstance(attempt.action, actions.Move):
        for way in list_exits(attempt.before, attempt.action.actor_id):
            if way.to == attempt.action.target_id and way.door is not None:
                yield way.door


def _has_tried_lock(attempt: TurnAttempt) -> bool:
    """Whether the actor's own attempt or close look has revealed the lock."""
    verdict = attempt.verdict
    if verdict.success:
        return isinstance(attempt.action, actions.Inspect)
    stuck = isinstance(attempt.action, actions.Open) and verdict.reason_code == "LOCKED"
    return stuck or verdict.fail_reason in _LOCK_RULES


MOST_CARDS = 6
"""The most cards of one turn; the first refusals tell the most."""
_LONGEST_CARD_TEXT = 300


def build_cards(turn: Turn, before: World) -> tuple[GuidanceCard, ...]:
    """Build cards for the turn's refusals, rejections and question back, each once."""
    cards: dict[GuidanceCard, None] = {}
    if turn.clarification is not None:
        options = tuple(
            truncate(option.label, _LONGEST_CARD_TEXT) for option in turn.clarification.options
        )
        asked = truncate(turn.clarification.words, _LONGEST_CARD_TEXT)
        question = truncate(turn.clarification.question, _LONGEST_CARD_TEXT)
        cards[GuidanceCard(asked=asked, why=question, options=options)] = None
    for attempt in list_attempts(turn, before):
        if not attempt.verdict.success:
            cards[_build_card(attempt)] = None
    for rejection in turn.rejections:
        why = truncate(rejection.message, _LONGEST_CARD_TEXT)
        cards[GuidanceCard(why=why, hint=truncate(rejection.hint, _LONGEST_CARD_TEXT))] = None
    return tuple(cards)[:MOST_CARDS]


def build_refusal_memories(
    cards: Iterable[GuidanceCard], turn: Turn, before: World, at: int
) -> Iterator[MindMemory]:
    """Turn cards into memories; a question back gives none, as nothing was tried."""
    if turn.clarification is not None:
        return
    here = find_room(before, turn.actor_id)
    for card in cards:
        line = "tried" if card.asked else "tried.plainly"
        text = render_wording(before.language, line, asked=card.asked, why=card.why)
        yield MindMemory(at=at, text=text, place=here, by=turn.actor_id)


def _build_card(attempt: TurnAttempt) -> GuidanceCard:
    action, verdict, claim, world, _ = attempt
    words = find_own_words(action, claim, world)
    unseen = [r for r in action.roles if not _is_in_reach(action, r, world)]
    asked = ""
    if all(role in words for role in unseen):
        asked = render_action(action, world, words)
    return GuidanceCard(
        asked=truncate(asked, _LONGEST_CARD_TEXT),
        why=truncate(render_refusal(action, verdict, claim, world), _LONGEST_CARD_TEXT),
        hint=truncate(verdict.hint, _LONGEST_CARD_TEXT),
    )


def _is_in_reach(action: actions.Action, role: str, world: World) -> bool:
    named = getattr(action, role)
    if named is None or any(w.to == named for w in list_exits(world, action.actor_id)):
        return True
    return is_within_reach(world, action.actor_id, named)
