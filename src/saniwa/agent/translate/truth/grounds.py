"""Everything a narration of a turn may stand on, in any language."""

from collections.abc import Iterator
from types import ModuleType

from saniwa.agent.translate.truth.deeds import deed_grounds
from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.ground import Ground
from saniwa.agent.translate.truth.reading import Reader
from saniwa.agent.translate.truth.refusals import refusal_grounds
from saniwa.agent.translate.truth.statements import THEY, YOU
from saniwa.world.model import Entity, Id
from saniwa.world.view import room_of, scope


def grounds(facts: Facts, reader: Reader) -> Iterator[Ground]:
    """What the plain narrator says, what was done, what was not, and what is seen."""
    yield from reader.as_told(facts.narrated, tells=True)
    yield from deed_grounds(facts, reader)
    yield from refusal_grounds(facts, reader.words)
    yield from _seen(facts, reader.words)
    yield from _places(facts, reader)
    for text in facts.descriptions:
        yield from reader.as_told(text, tells=False)


def _seen(facts: Facts, words: ModuleType) -> Iterator[Ground]:
    """Everything in view now: where it is, and that it is seen."""
    around = scope(facts.after, facts.viewer)
    for who in sorted(around):
        thing = facts.after.entities.get(who)
        if thing is None or who == facts.viewer:
            continue
        if thing.kind == "character":
            yield from _person(thing, facts, words)
        elif thing.place == facts.viewer:
            tells = who in facts.moved
            yield Ground(words.OWNED | {YOU}, frozenset({who}), actor=YOU, tells=tells)
        else:
            yield from _thing(thing, facts, words)


def _person(thing: Entity, facts: Facts, words: ModuleType) -> Iterator[Ground]:
    room = room_of(facts.after, facts.viewer) or Id("")
    both = frozenset({thing.id, room})
    here = words.HERE | words.PERSON | {THEY}
    yield Ground(here | {YOU}, both, actor=thing.id, named=True)
    yield Ground(words.HERE | {YOU, THEY}, both, needs=words.PERCEPTION, actor=YOU)


def _thing(thing: Entity, facts: Facts, words: ModuleType) -> Iterator[Ground]:
    room = room_of(facts.after, facts.viewer) or Id("")
    holder = facts.after.entities.get(thing.place or Id(""))
    things = frozenset({thing.id, room} | ({holder.id} if holder else set()))
    if holder is not None and holder.kind == "character":
        yield Ground(
            words.HELD | {THEY},
            things,
            words.HELD,
            actor=holder.id,
            about=frozenset({thing.id}),
            tells=thing.id in facts.moved,
        )
        return
    how = words.HERE | _placed(holder, words) | _condition(thing, words)
    yield Ground(how, things, about=frozenset({thing.id}))
    yield Ground(
        how | {YOU}, things, words.PERCEPTION, about=frozenset({thing.id}), actor=YOU
    )


def _placed(holder: Entity | None, words: ModuleType) -> frozenset[str]:
    if holder is None:
        return frozenset()
    inside: frozenset[str] = words.INSIDE if holder.kind == "container" else words.ON
    return inside


def _condition(thing: Entity, words: ModuleType) -> frozenset[str]:
    """What can be seen of how it is; whether it is locked cannot."""
    if not thing.openable:
        return frozenset()
    how: frozenset[str] = words.OPEN if thing.open else words.CLOSED
    return how


def _places(facts: Facts, reader: Reader) -> Iterator[Ground]:
    """Where the viewer is, at what hour, and which ways lead on."""
    here = facts.after.locations.get(room_of(facts.after, facts.viewer) or Id(""))
    hour = reader.stems(facts.after.time.label)
    if here is None:
        yield Ground(hour | {YOU})
        return
    yield Ground(hour | {YOU}, frozenset({here.id}), actor=YOU)
    for way in here.exits:
        door = facts.after.entities.get(way.door) if way.door else None
        if door is not None and door.hidden:
            continue
        things = {way.to} | ({door.id} if door else set())
        yield Ground(reader.words.WAY | reader.stems(way.label), frozenset(things))
