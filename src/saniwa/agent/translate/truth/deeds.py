"""What was done in a turn, and the words that tell it."""

from collections.abc import Iterator
from typing import Final

from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.ground import Ground
from saniwa.agent.translate.truth.reading import Reader
from saniwa.agent.translate.truth.statements import QUOTED, THEY, YOU
from saniwa.turn.sight import called
from saniwa.world import action as act
from saniwa.world.model import Entity, Exit, Id
from saniwa.world.view import room_of

_WITH_HANDS: Final = frozenset(act.ACTIONS) - {"move", "wait", "look", "speak"}


def deed_grounds(facts: Facts, reader: Reader) -> Iterator[Ground]:
    """A ground or two for everything that was done where the viewer could see it."""
    words = reader.words
    for action in facts.witnessed:
        kind = act.type_of(action)
        verbs, others = words.DEEDS.get(kind, (frozenset(), frozenset()))
        if not verbs:
            continue
        actor, people = _actor(action.actor_id, facts, reader)
        parts = frozenset(parts_of(action))
        things = parts | _around(action, facts)
        told = verbs | others | people | _more(action, facts, reader)
        things |= {action.actor_id}
        needs, undone = verbs | _spoken(action), _undone(action, facts)
        yield Ground(
            told, things, needs, _about(action, facts), actor, undone, tells=True
        )
        if kind in _WITH_HANDS:
            yield Ground(words.REACHING | people, things, words.REACHES, actor=actor)
        if isinstance(action, act.Give):
            yield _received(action, facts, reader)


def parts_of(action: act.Action) -> Iterator[Id]:
    """Everything that has a part in an action besides whoever acts."""
    for role in action.roles:
        part = getattr(action, role)
        if part is not None:
            yield part


def doors_of(action: act.Action, facts: Facts) -> frozenset[Id]:
    """The doors on the way somebody goes."""
    ways = _ways(action, facts) if isinstance(action, act.Move) else []
    return frozenset(way.door for way in ways if way.door)


def _actor(who: Id, facts: Facts, reader: Reader) -> tuple[str, frozenset[str]]:
    if who == facts.viewer:
        return YOU, frozenset({YOU})
    return who, reader.stems(called(facts.after, who, facts.viewer)) | {THEY}


def _spoken(action: act.Action) -> frozenset[str]:
    return frozenset({QUOTED}) if isinstance(action, act.Speak) else frozenset()


def _more(action: act.Action, facts: Facts, reader: Reader) -> frozenset[str]:
    """Words that only this deed brings along."""
    if isinstance(action, act.Speak):
        return reader.stems(action.content) | {QUOTED}
    if isinstance(action, act.Give):
        return frozenset({YOU, THEY})
    if isinstance(action, act.Move):
        return reader.stems(" ".join(way.label for way in _ways(action, facts)))
    return frozenset()


def _ways(action: act.Move, facts: Facts) -> list[Exit]:
    """The ways that lead where somebody went, from wherever they may have been."""
    rooms = {room_of(world, action.actor_id) for world in facts.worlds}
    found = (
        facts.before.locations.get(room or Id(""))
        for room in sorted(filter(None, rooms))
    )
    exits = (way for room in found if room is not None for way in room.exits)
    return [way for way in exits if way.to == action.target_id]


def _around(action: act.Action, facts: Facts) -> frozenset[Id]:
    """Where it was done: the room, what the thing was in, the door one went through."""
    if isinstance(action, act.Move):
        return doors_of(action, facts)
    found = facts.before.entities.get(getattr(action, "target_id", None) or Id(""))
    room = room_of(facts.before, action.actor_id)
    around = {room} if room else set()
    if isinstance(found, Entity) and isinstance(action, act.Take) and found.place:
        around.add(found.place)
    return frozenset(around) | _about(action, facts)


def _about(action: act.Action, facts: Facts) -> frozenset[Id]:
    """What it was done to, and with."""
    tool = getattr(action, "tool_id", None)
    target = getattr(action, "target_id", None)
    found = facts.before.entities.get(target or Id(""))
    if found is not None and isinstance(action, act.Lock | act.Unlock):
        tool = tool or found.required_key
    return frozenset(part for part in (target, tool) if part)


def _undone(action: act.Action, facts: Facts) -> bool:
    """Whether it is no longer so: then only who did it may be told, not how it is."""
    found = facts.after.entities.get(getattr(action, "target_id", None) or Id(""))
    if found is None:
        return False
    opened, locked = found.open, found.locked
    wanted = {"open": opened, "close": not opened, "lock": locked, "unlock": not locked}
    return not wanted.get(act.type_of(action), True)


def _received(action: act.Give, facts: Facts, reader: Reader) -> Ground:
    actor, people = _actor(action.recipient_id, facts, reader)
    _, giver = _actor(action.actor_id, facts, reader)
    return Ground(
        reader.words.RECEIVING | people | giver,
        frozenset({action.target_id, action.recipient_id, action.actor_id}),
        reader.words.RECEIVED,
        frozenset({action.target_id}),
        actor,
        named=True,
        tells=True,
    )
