"""Everything a narration of one turn may mention, as far as its viewer could know it."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from saniwa.language.name_index import WorldNames, index_world_names
from saniwa.language.text import lower_text
from saniwa.turn.description import NarrationLine
from saniwa.turn.narration import narrate
from saniwa.turn.play import replay_worlds
from saniwa.turn.record import Turn
from saniwa.world.actions import Action, Speak
from saniwa.world.changes import MoveChange
from saniwa.world.model import Entity, Id, Location, World
from saniwa.world.queries import find_room, is_within_reach, list_scope


def fold_text(text: str) -> str:
    """Normalize width, composition and case; not cached, as texts may be long."""
    return lower_text(unicodedata.normalize("NFKC", text))


@dataclass(frozen=True)
class NarrationFacts:
    """One turn, the worlds around it, and the viewer."""

    turn: Turn
    """The turn to narrate."""
    before: World
    """The world before it."""
    after: World
    """The world after it."""
    viewer: Id
    """The viewer for whom it is narrated."""

    @cached_property
    def plain_text(self) -> str:
        """The turn in the plain narrator's words."""
        return "\n".join(f"{line.speaker} {line.text}" for line in self._lines)

    @cached_property
    def narration(self) -> str:
        """The same without speech, which need not be true."""
        return "\n".join(line.text for line in self._lines if not line.speaker)

    @cached_property
    def _lines(self) -> tuple[NarrationLine, ...]:
        return narrate(self.turn, self.before, self.after, self.viewer)

    @cached_property
    def worlds(self) -> tuple[World, ...]:
        """Before, after, and every world in between."""
        return (self.before, *replay_worlds(self.turn, self.before), self.after)

    @cached_property
    def perceived_ids(self) -> frozenset[Id]:
        """Every thing and place the viewer could perceive in this turn or now."""
        return frozenset(seen for world in self.worlds for seen in self._list_around(world))

    def _list_around(self, world: World) -> Iterator[Id]:
        yield from list_scope(world, self.viewer)
        room = world.locations.get(find_room(world, self.viewer) or Id(""))
        if room is None:
            return
        yield room.id
        for way in room.exits:
            door = world.entities.get(way.door) if way.door else None
            if door is None or not door.hidden:
                yield way.to

    @cached_property
    def names(self) -> tuple[WorldNames, ...]:
        """The names of everything, before and after."""
        first, last = index_world_names(self.before), index_world_names(self.after)
        return (first,) if first is last else (first, last)

    @cached_property
    def speeches(self) -> tuple[str, ...]:
        """What was spoken aloud, folded."""
        spoken = self.turn.applied_actions
        return tuple(fold_text(act.content) for act in spoken if isinstance(act, Speak))

    @cached_property
    def corpus(self) -> str:
        """Every text the viewer could have met, folded: what may be quoted."""
        texts = [self.plain_text, self.turn.raw_text, *self.speeches, *self.descriptions]
        return fold_text("\n".join(texts))

    @cached_property
    def descriptions(self) -> tuple[str, ...]:
        """The descriptions and states of everything in view."""
        words = (each for seen in sorted(self.perceived_ids) for each in self._list_words(seen))
        return tuple(dict.fromkeys(each for each in words if each))

    def _list_words(self, seen: Id) -> Iterator[str]:
        found = self.find_entity(seen)
        # What is in another place cannot be seen from here.
        if found is None or not (seen in self._rooms or self._is_still_seen(seen)):
            return
        yield found.description
        if isinstance(found, Entity):
            yield from (f"{found.name} {how}" for how in (*found.state, *found.status))

    @cached_property
    def labels(self) -> str:
        """The time of day, and the labels of the exits."""
        rooms = (self.after.locations.get(room or Id("")) for room in self._rooms)
        ways = (way.label for room in rooms if room is not None for way in room.exits)
        return "\n".join((self.after.time.label, *sorted(set(ways))))

    @cached_property
    def _rooms(self) -> frozenset[Id | None]:
        """Where the viewer was."""
        return frozenset(find_room(world, self.viewer) for world in self.worlds)

    def _is_still_seen(self, thing: Id) -> bool:
        """Whether it is not a place, and was not left behind."""
        if thing in self.after.locations:
            return False
        stayed = len(self._rooms) == 1 or thing not in self.after.entities
        return stayed or is_within_reach(self.after, self.viewer, thing)

    def find_entity(self, who: Id) -> Entity | Location | None:
        """Find the entity or place, as it is now or was before."""
        for world in (self.after, self.before):
            found = world.entities.get(who) or world.locations.get(who)
            if found is not None:
                return found
        return None

    @cached_property
    def witnessed_actions(self) -> tuple[Action, ...]:
        """Everything that was done where the viewer was."""
        return tuple(
            action
            for action in self.turn.applied_actions
            if action.actor_id == self.viewer
            or any(find_room(world, action.actor_id) in self._rooms for world in self.worlds)
        )

    @cached_property
    def refused_actions(self) -> tuple[Action, ...]:
        """Everything the viewer tried without success."""
        judged = zip(self.turn.normalized_actions, self.turn.validation_results, strict=True)
        own = self.viewer == self.turn.actor_id
        return tuple(action for action, verdict in judged if own and not verdict.success)

    @cached_property
    def moved_ids(self) -> frozenset[Id]:
        """Everything that has moved in this turn."""
        moves = (each for each in self.turn.changes if isinstance(each, MoveChange))
        return frozenset(each.entity_id for each in moves)

    @property
    def has_no_effect(self) -> bool:
        """Whether something was tried and nothing happened."""
        return not self.turn.applied_actions
