"""All that a narration of one turn may speak of, as its viewer could know it."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from saniwa.turn.index import Names, names_of_world
from saniwa.turn.narrate import Line, narrate
from saniwa.turn.play import worlds_after
from saniwa.turn.spoken import lowered
from saniwa.turn.trace import Turn
from saniwa.world.action import Action, Speak
from saniwa.world.change import Moved
from saniwa.world.model import Entity, Id, Location, World
from saniwa.world.view import room_of, scope, within_reach


def flat(text: str) -> str:
    """A text with width, composition and case made equal; long ones are not remembered."""
    return lowered(unicodedata.normalize("NFKC", text))


@dataclass(frozen=True)
class Facts:
    """One turn, the worlds around it, and who is told."""

    turn: Turn
    """The turn that is told."""
    before: World
    """What was true."""
    after: World
    """What is true now."""
    viewer: Id
    """Who is told."""

    @cached_property
    def plain(self) -> str:
        """The turn as the plain narrator tells it."""
        return "\n".join(f"{line.speaker} {line.text}" for line in self._lines)

    @cached_property
    def narrated(self) -> str:
        """The same without what people say: that need not be so."""
        return "\n".join(line.text for line in self._lines if not line.speaker)

    @cached_property
    def _lines(self) -> tuple[Line, ...]:
        return narrate(self.turn, self.before, self.after, self.viewer)

    @cached_property
    def worlds(self) -> tuple[World, ...]:
        """Before, after, and every world in between."""
        return (self.before, *worlds_after(self.turn, self.before), self.after)

    @cached_property
    def perceived(self) -> frozenset[Id]:
        """Everything and every place the viewer could perceive in this turn or now."""
        return frozenset(seen for world in self.worlds for seen in self._around(world))

    def _around(self, world: World) -> Iterator[Id]:
        yield from scope(world, self.viewer)
        room = world.locations.get(room_of(world, self.viewer) or Id(""))
        if room is None:
            return
        yield room.id
        for way in room.exits:
            door = world.entities.get(way.door) if way.door else None
            if door is None or not door.hidden:
                yield way.to

    @cached_property
    def names(self) -> tuple[Names, ...]:
        """What everything is called, before and after."""
        first, last = names_of_world(self.before), names_of_world(self.after)
        return (first,) if first is last else (first, last)

    @cached_property
    def said(self) -> tuple[str, ...]:
        """What was spoken aloud, folded."""
        spoken = self.turn.applied_actions
        return tuple(flat(act.content) for act in spoken if isinstance(act, Speak))

    @cached_property
    def corpus(self) -> str:
        """Every text the viewer could have met, folded: what may be quoted."""
        texts = [self.plain, self.turn.raw_text, *self.said, *self.descriptions]
        return flat("\n".join(texts))

    @cached_property
    def descriptions(self) -> tuple[str, ...]:
        """What everything in view looks like, and the states it is in."""
        words = (
            each for seen in sorted(self.perceived) for each in self._words_of(seen)
        )
        return tuple(dict.fromkeys(each for each in words if each))

    def _words_of(self, seen: Id) -> Iterator[str]:
        found = self.thing(seen)
        # What one sees in another place, one does not see from here.
        if found is None or not (seen in self._rooms or self._still_seen(seen)):
            return
        yield found.description
        if isinstance(found, Entity):
            yield from (f"{found.name} {how}" for how in (*found.state, *found.status))

    @cached_property
    def labels(self) -> str:
        """The hour, and what the ways out are called."""
        rooms = (self.after.locations.get(room or Id("")) for room in self._rooms)
        ways = (way.label for room in rooms if room is not None for way in room.exits)
        return "\n".join((self.after.time.label, *sorted(set(ways))))

    @cached_property
    def _rooms(self) -> frozenset[Id | None]:
        """Where the viewer was."""
        return frozenset(room_of(world, self.viewer) for world in self.worlds)

    def _still_seen(self, thing: Id) -> bool:
        """Whether it is no place, and neither left behind."""
        if thing in self.after.locations:
            return False
        stayed = len(self._rooms) == 1 or thing not in self.after.entities
        return stayed or within_reach(self.after, self.viewer, thing)

    def thing(self, who: Id) -> Entity | Location | None:
        """The entity or place, as it is now or was before."""
        for world in (self.after, self.before):
            found = world.entities.get(who) or world.locations.get(who)
            if found is not None:
                return found
        return None

    @cached_property
    def witnessed(self) -> tuple[Action, ...]:
        """Everything that was done where the viewer was."""
        return tuple(a for a in self.turn.applied_actions if self._watches(a.actor_id))

    def _watches(self, actor: Id) -> bool:
        rooms = {room_of(world, actor) for world in self.worlds}
        return actor == self.viewer or not rooms.isdisjoint(self._rooms)

    @cached_property
    def refused(self) -> tuple[Action, ...]:
        """Everything the viewer tried in vain."""
        judged = zip(
            self.turn.normalized_actions, self.turn.validation_results, strict=True
        )
        own = self.viewer == self.turn.actor_id
        return tuple(
            action for action, verdict in judged if own and not verdict.success
        )

    @cached_property
    def moved(self) -> frozenset[Id]:
        """Whatever is somewhere else than before, or was on the way."""
        moves = (each for each in self.turn.changes if isinstance(each, Moved))
        return frozenset(each.entity_id for each in moves)

    @property
    def came_to_nothing(self) -> bool:
        """Whether something was tried and nothing of it happened."""
        return not self.turn.applied_actions
