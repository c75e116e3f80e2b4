"""Updates a mind with what its owner perceives: what is in its scope, and no more.

What is in view is a fact; what should be in view and is not is no longer there. Whether a thing is
locked cannot be seen: only trying it or a close look reveals it. Attempts are read one
by one, with the worlds before and after each.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from saniwa.agent.mind.hearsay import believe_statements
from saniwa.agent.mind.mind import (
    NEVER,
    Belief,
    GuidanceCard,
    KnownExit,
    KnownPlace,
    Mind,
    MindEditor,
    MindMemory,
)
from saniwa.agent.mind.rendering import render_wording
from saniwa.core.text import truncate
from saniwa.turn.description import name_for_viewer, name_known
from saniwa.turn.dialogue import list_replies
from saniwa.turn.exits import list_exits
from saniwa.turn.narration import find_own_words, narrate_attempt, render_action, render_refusal
from saniwa.turn.play import TurnAttempt, list_attempts
from saniwa.turn.record import Turn
from saniwa.world import actions
from saniwa.world.model import NOWHERE, Entity, Id, World
from saniwa.world.queries import find_room, is_closed, is_within_reach, list_scope

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
    """Build cards for the turn's refusals, rejections and question, each once."""
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
    """Turn cards into memories; a question to the character gives none, as nothing was tried."""
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


def observe_scene(notes: MindEditor, world: World) -> None:
    """Observe the whole scene."""
    notes.place = find_room(world, notes.who)
    if notes.place is not None:
        _learn_location(notes, world, notes.place)
    seen = frozenset(list_scope(world, notes.who)) - {notes.who}
    for thing in sorted(notes.view - seen):
        if thing in notes.beliefs:
            stamped = msgspec.structs.replace(notes.beliefs[thing], seen=notes.now)
            notes.beliefs[thing] = stamped
    notes.view = seen
    for thing in sorted(seen):
        _observe_visible(notes, world, world.entities[thing])
    _drop_missing(notes)


def observe_entity(notes: MindEditor, world: World, thing: Id) -> None:
    """Observe one thing other than the owner, if it is in scope."""
    entity = world.entities.get(thing)
    if entity is None or thing == notes.who:
        return
    if is_within_reach(world, notes.who, thing):
        _observe_visible(notes, world, entity)


def _learn_location(notes: MindEditor, world: World, place: Id) -> None:
    here, known = world.locations[place], notes.places.get(place)
    for way in (ways := list_exits(world, notes.who)):
        notes.learn_place(world, way.to)
    exits = tuple(KnownExit(to=w.to, label=w.label, door=w.door) for w in ways)
    seen = KnownPlace(
        id=place, name=here.name, description=here.description, exits=exits, visited=True
    )
    if known is None:
        notes.set_names(place, (here.name, *here.aliases))
    if known != seen:
        notes.places[place] = seen


def _observe_visible(notes: MindEditor, world: World, entity: Entity) -> None:
    known = notes.beliefs.get(entity.id)
    name = name_for_viewer(world, entity.id, notes.who)
    if known is None or known.name != name:
        notes.set_names(entity.id, (name, *entity.aliases))
    locked = known.locked if known is not None else None
    if locked is not None and not is_closed(entity):
        # A thing that is known to have a lock and is open is unlocked.
        locked = False
    seen = Belief(
        id=entity.id,
        name=name,
        kind=entity.kind,
        place=notes.place if entity.kind == "door" else entity.place,
        closed=is_closed(entity),
        locked=locked,
        state=entity.state,
        since=notes.now,
    )
    if known is not None and known.seen == NEVER:
        # It was in view before: it may be unchanged since then.
        unchanged = msgspec.structs.replace(seen, since=known.since)
        seen = known if known == unchanged else seen
    if seen is not known:
        notes.set_belief(seen)


def _drop_missing(notes: MindEditor) -> None:
    """Drop beliefs about things that should be in view and are not."""
    for place in (notes.place, notes.who, *sorted(notes.view)):
        inside = notes.list_inside(place)
        if not inside or not notes.is_fully_visible(place):
            continue
        for thing in inside:
            if thing in notes.view or thing == notes.who:
                continue
            # "It is in the kitchen" may mean a drawer there: not seeing it in the open
            # does not disprove it.
            if place != notes.place or notes.beliefs[thing].how != "told":
                _revert_hearsay(notes, thing)


def _revert_hearsay(notes: MindEditor, thing: Id) -> None:
    """Return to what was seen before a false statement, if it may still be so."""
    known = notes.beliefs[thing]
    back = known.seen_place
    if known.how != "told" or back is None or notes.is_fully_visible(back):
        notes.lose_track(thing)
        return
    notes.set_belief(
        msgspec.structs.replace(
            known, place=back, how="seen", since=notes.now, by=None, seen_place=None
        )
    )


LONGEST_MEMORY = 400
"""The most characters of one memory."""
_PASSIVE_ACTIONS = (
    actions.Look,
    actions.Wait,
    actions.Inspect,
    actions.Speak,
    actions.Move,
    actions.Emote,
)
_REVEALING_ACTIONS = (actions.Open, actions.Search)


def witness_attempt(notes: MindEditor, attempt: TurnAttempt, turn: Turn) -> None:
    """Add what the owner can perceive of an action that was allowed."""
    action, own = attempt.action, attempt.action.actor_id == notes.who
    if isinstance(action, actions.Speak):
        room = find_room(attempt.before, notes.who)
        heard = room is not None and room == find_room(attempt.before, action.actor_id)
        for said in (action, *list_replies(attempt.verdict)) if own or heard else ():
            _learn_speech(notes, said, attempt, said.actor_id == notes.who)
    elif own or _can_see(notes, attempt):
        _add_attempt_memory(notes, attempt, turn, own)
        _learn_effects(notes, attempt, own)
        learn_locks(notes, attempt)


def _can_see(notes: MindEditor, attempt: TurnAttempt) -> bool:
    places = attempt.after.locations
    return _is_in_scope(notes, attempt, attempt.action.actor_id) and all(
        each in places or _is_in_scope(notes, attempt, each)
        for each in attempt.action.list_involved()
    )


def _is_in_scope(notes: MindEditor, attempt: TurnAttempt, thing: Id) -> bool:
    return any(is_within_reach(w, notes.who, thing) for w in (attempt.before, attempt.after))


def _learn_speech(
    notes: MindEditor, action: actions.Speak, attempt: TurnAttempt, own: bool
) -> None:
    known = own or is_within_reach(attempt.before, notes.who, action.actor_id)
    by = action.actor_id if known else None
    if known and not own:
        observe_entity(notes, attempt.before, action.actor_id)
    text = truncate(action.content, LONGEST_MEMORY)
    notes.remember(MindMemory(at=notes.now, text=text, place=notes.place, by=by, said=True))
    if not own:
        believe_statements(notes, action.content, by)


def _add_attempt_memory(notes: MindEditor, attempt: TurnAttempt, turn: Turn, own: bool) -> None:
    notes.remember(
        MindMemory(
            at=notes.now,
            text=truncate(_render_attempt(notes, attempt, turn, own), LONGEST_MEMORY),
            place=notes.place,
            by=attempt.action.actor_id,
            changed=not isinstance(attempt.action, _PASSIVE_ACTIONS),
        )
    )


def _render_attempt(notes: MindEditor, attempt: TurnAttempt, turn: Turn, own: bool) -> str:
    """Render an attempt in the narrator's words.

    Of the owner's own moves and looks only that they happened.
    """
    world = attempt.after
    if own and isinstance(attempt.action, actions.Move):
        place = name_known(world, attempt.action.target_id)
        return render_wording(world.language, "went", place=place)
    around = isinstance(attempt.action, actions.Look) or (
        isinstance(attempt.action, actions.Inspect) and attempt.action.target_id in world.locations
    )
    if own and around:
        return render_wording(world.language, "looked")
    return " ".join(line.text for line in narrate_attempt(attempt, notes.who, turn.played))


def _learn_effects(notes: MindEditor, attempt: TurnAttempt, own: bool) -> None:
    action, after = attempt.action, attempt.after
    if isinstance(action, actions.Move):
        _follow_move(notes, action, attempt, own)
        return
    for thing in (action.actor_id, *attempt.action.list_involved()):
        observe_entity(notes, after, thing)
        if thing not in after.entities and thing not in after.locations:
            notes.forget_entity(thing)
        if isinstance(action, _REVEALING_ACTIONS):
            for inner in after.list_contents(thing):
                observe_entity(notes, after, inner)


def _follow_move(notes: MindEditor, action: actions.Move, attempt: TurnAttempt, own: bool) -> None:
    """Follow a move of the owner, or of a person in view."""
    if own:
        observe_scene(notes, attempt.after)
    elif is_within_reach(attempt.after, notes.who, action.actor_id):
        observe_entity(notes, attempt.after, action.actor_id)
    else:
        notes.learn_place(attempt.after, action.target_id)
        notes.infer_place(action.actor_id, action.target_id)


def build_opening_mind(world: World, who: Id) -> Mind:
    """Build a character's mind before the first turn: what it perceives and wants."""
    own = world.entities[who]
    # As others call it: a character the author named "you" is "you" to every viewer.
    name = name_for_viewer(world, who, NOWHERE)
    mind = Mind(who=who, name=name, goals=own.goals, language=world.language)
    notes = MindEditor(mind, world.time.turn)
    observe_scene(notes, world)
    return notes.build_mind(world)


def perceive(mind: Mind, turn: Turn, before: World, after: World) -> Mind:
    """Return the mind after a recorded turn, with what its owner could perceive of it.

    What was done in its scope is witnessed action by action; then the present scene
    corrects its beliefs. Asides are not perceived.
    """
    if turn.aside is not None:
        return mind
    notes = MindEditor(mind, after.time.turn)
    for attempt in list_attempts(turn, before):
        if attempt.verdict.success:
            witness_attempt(notes, attempt, turn)
        else:
            learn_locks(notes, attempt)
    if turn.actor_id == mind.who:
        cards = build_cards(turn, before)
        notes.guidance = cards
        for refusal in build_refusal_memories(cards, turn, before, notes.now):
            notes.remember(refusal)
    observe_scene(notes, after)
    return notes.build_mind(after)
