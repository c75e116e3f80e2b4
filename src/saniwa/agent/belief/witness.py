"""A deed as somebody witnesses it: what is remembered, and what it tells them.

Who neither saw the doer before the deed nor after it learns nothing.
"""

from saniwa.agent.belief.attempts import Attempt, told_alone
from saniwa.agent.belief.hearsay import believe_statements
from saniwa.agent.belief.locks import feel_locks
from saniwa.agent.belief.model import Memory
from saniwa.agent.belief.notebook import Notebook
from saniwa.agent.belief.phrases import phrase
from saniwa.agent.belief.seeing import look, notice
from saniwa.core.quoted import cut
from saniwa.turn.narrate import narrate
from saniwa.turn.sight import the
from saniwa.turn.trace import Turn
from saniwa.world import action as act
from saniwa.world.model import Id, World
from saniwa.world.view import room_of, within_reach

LONGEST_MEMORY = 400
"""Letters of one memory."""
_UNCHANGING = (act.Look, act.Wait, act.Inspect, act.Speak, act.Move)
_REVEALING = (act.Open, act.Search)


def witness(notes: Notebook, attempt: Attempt, turn: Turn) -> None:
    """Add to the notes what their owner can perceive of something that came to pass."""
    action, own = attempt.action, attempt.action.actor_id == notes.who
    if isinstance(action, act.Speak):
        if own or _hears(notes, attempt):
            _hear(notes, action, attempt, own)
    elif own or _sees(notes, attempt):
        _remember(notes, attempt, turn, own)
        _learn(notes, attempt, own)
        feel_locks(notes, attempt)


def _hears(notes: Notebook, attempt: Attempt) -> bool:
    room = room_of(attempt.before, notes.who)
    return room is not None and room == room_of(attempt.before, attempt.action.actor_id)


def _sees(notes: Notebook, attempt: Attempt) -> bool:
    places = attempt.after.locations
    return _in_scope(notes, attempt, attempt.action.actor_id) and all(
        each in places or _in_scope(notes, attempt, each) for each in attempt.named
    )


def _in_scope(notes: Notebook, attempt: Attempt, thing: Id) -> bool:
    return any(
        within_reach(w, notes.who, thing) for w in (attempt.before, attempt.after)
    )


def _hear(notes: Notebook, action: act.Speak, attempt: Attempt, own: bool) -> None:
    known = own or within_reach(attempt.before, notes.who, action.actor_id)
    by = action.actor_id if known else None
    if known and not own:
        notice(notes, attempt.before, action.actor_id)
    text = cut(action.content, LONGEST_MEMORY)
    notes.remember(Memory(at=notes.now, text=text, place=notes.place, by=by, said=True))
    if not own:
        believe_statements(notes, action.content, by)


def _remember(notes: Notebook, attempt: Attempt, turn: Turn, own: bool) -> None:
    notes.remember(
        Memory(
            at=notes.now,
            text=cut(_told(notes, attempt, turn, own), LONGEST_MEMORY),
            place=notes.place,
            by=attempt.action.actor_id,
            changed=not isinstance(attempt.action, _UNCHANGING),
        )
    )


def _told(notes: Notebook, attempt: Attempt, turn: Turn, own: bool) -> str:
    """The narrator's words; of one's own ways and looks only that they were."""
    world = attempt.after
    if own and isinstance(attempt.action, act.Move):
        place = the(world, attempt.action.target_id)
        return phrase(world.language, "went", place=place)
    if own and _looks_around(attempt.action, world):
        return phrase(world.language, "looked")
    alone = told_alone(turn, attempt)
    lines = narrate(alone, attempt.before, attempt.after, notes.who)
    return " ".join(line.text for line in lines)


def _looks_around(action: act.Action, world: World) -> bool:
    if isinstance(action, act.Inspect):
        return action.target_id in world.locations
    return isinstance(action, act.Look)


def _learn(notes: Notebook, attempt: Attempt, own: bool) -> None:
    action, after = attempt.action, attempt.after
    if isinstance(action, act.Move):
        _follow(notes, action, attempt, own)
        return
    for thing in (action.actor_id, *attempt.named):
        notice(notes, after, thing)
        if thing not in after.entities and thing not in after.locations:
            notes.end(thing)
        if isinstance(action, _REVEALING):
            for inner in after.inside(thing):
                notice(notes, after, inner)


def _follow(notes: Notebook, action: act.Move, attempt: Attempt, own: bool) -> None:
    """Somebody went somewhere: oneself, or a person in view."""
    if own:
        look(notes, attempt.after)
    elif within_reach(attempt.after, notes.who, action.actor_id):
        notice(notes, attempt.after, action.actor_id)
    else:
        notes.know_place(attempt.after, action.target_id)
        notes.infer_place(action.actor_id, action.target_id)
