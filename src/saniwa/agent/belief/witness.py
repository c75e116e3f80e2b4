"""One deed as somebody witnesses it: what is remembered, and what it tells them.

Who neither saw the doer before the deed nor after it learns nothing.
"""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from saniwa.agent.belief.hearsay import believe_statements
from saniwa.agent.belief.model import Memory
from saniwa.agent.belief.notebook import Notebook
from saniwa.agent.belief.phrases import phrase
from saniwa.agent.belief.shortened import shortened
from saniwa.turn.narrate import narrate
from saniwa.turn.own_words import claims_of_actions
from saniwa.turn.play import worlds_after
from saniwa.turn.sight import the
from saniwa.turn.trace import Turn
from saniwa.world import action as act
from saniwa.world.model import Id, World
from saniwa.world.view import room_of, within_reach

LONGEST_MEMORY = 400
"""Letters of one memory."""
_UNCHANGING = (act.Look, act.Wait, act.Inspect, act.Speak, act.Move)
_REVEALING = (act.Open, act.Search)


class Deed(NamedTuple):
    """One action that happened, with the worlds around it."""

    action: act.Action
    turn: Turn
    """A turn of nothing but this action."""
    before: World
    after: World


def deeds_of(turn: Turn, before: World) -> Iterator[Deed]:
    """What happened in the turn, one by one."""
    happened = [
        (action, verdict, claim)
        for action, verdict, claim in zip(
            turn.normalized_actions,
            turn.validation_results,
            claims_of_actions(turn),
            strict=True,
        )
        if verdict.success
    ]
    for (action, verdict, claim), after in zip(
        happened, worlds_after(turn, before), strict=True
    ):
        alone = msgspec.structs.replace(
            turn,
            parsed_actions=(claim,),
            normalized_actions=(action,),
            validation_results=(verdict,),
            applied_actions=(action,),
            rejections=(),
            claimed=(),
            clarification=None,
        )
        yield Deed(action, alone, before, after)
        before = after


def witness(notes: Notebook, deed: Deed) -> None:
    """Add to the notes what their owner can perceive of the deed."""
    action, own = deed.action, deed.action.actor_id == notes.who
    if isinstance(action, act.Speak):
        if own or _hears(notes, deed):
            _hear(notes, action, deed, own)
    elif own or _sees(notes, deed):
        _remember(notes, deed, own)
        _learn(notes, deed, own)


def _hears(notes: Notebook, deed: Deed) -> bool:
    room = room_of(deed.before, notes.who)
    return room is not None and room == room_of(deed.before, deed.action.actor_id)


def _sees(notes: Notebook, deed: Deed) -> bool:
    named = (getattr(deed.action, role) for role in deed.action.roles)
    places = deed.after.locations
    return _in_scope(notes, deed, deed.action.actor_id) and all(
        each in places or _in_scope(notes, deed, each)
        for each in named
        if each is not None
    )


def _in_scope(notes: Notebook, deed: Deed, thing: Id) -> bool:
    return any(within_reach(w, notes.who, thing) for w in (deed.before, deed.after))


def _hear(notes: Notebook, action: act.Speak, deed: Deed, own: bool) -> None:
    known = own or within_reach(deed.before, notes.who, action.actor_id)
    by = action.actor_id if known else None
    if known and not own:
        notes.notice(deed.before, action.actor_id)
    text = shortened(action.content, LONGEST_MEMORY)
    notes.remember(Memory(at=notes.now, text=text, place=notes.place, by=by, said=True))
    if not own:
        believe_statements(notes, action.content, by)


def _remember(notes: Notebook, deed: Deed, own: bool) -> None:
    notes.remember(
        Memory(
            at=notes.now,
            text=shortened(_told(notes, deed, own), LONGEST_MEMORY),
            place=notes.place,
            by=deed.action.actor_id,
            changed=not isinstance(deed.action, _UNCHANGING),
        )
    )


def _told(notes: Notebook, deed: Deed, own: bool) -> str:
    """The narrator's words; of one's own ways and looks only that they were."""
    world = deed.after
    if own and isinstance(deed.action, act.Move):
        place = the(world, deed.action.target_id)
        return phrase(world.language, "went", place=place)
    if own and _looks_around(deed.action, world):
        return phrase(world.language, "looked")
    lines = narrate(deed.turn, deed.before, deed.after, notes.who)
    return " ".join(line.text for line in lines)


def _looks_around(action: act.Action, world: World) -> bool:
    if isinstance(action, act.Inspect):
        return action.target_id in world.locations
    return isinstance(action, act.Look)


def _learn(notes: Notebook, deed: Deed, own: bool) -> None:
    action, after = deed.action, deed.after
    if isinstance(action, act.Move):
        _follow(notes, action, deed, own)
        return
    named = [getattr(action, role) for role in action.roles]
    for thing in (action.actor_id, *named):
        if thing is None:
            continue
        notes.notice(after, thing)
        if thing not in after.entities and thing not in after.locations:
            notes.end(thing)
        if isinstance(action, _REVEALING):
            for inner in after.inside(thing):
                notes.notice(after, inner)


def _follow(notes: Notebook, action: act.Move, deed: Deed, own: bool) -> None:
    """Somebody went somewhere: oneself, or a person in view."""
    if own:
        notes.look(deed.after)
    elif within_reach(deed.after, notes.who, action.actor_id):
        notes.notice(deed.after, action.actor_id)
    else:
        notes.know_place(deed.after, action.target_id)
        notes.infer_place(action.actor_id, action.target_id)
