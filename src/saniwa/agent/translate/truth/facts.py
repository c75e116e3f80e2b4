"""All that a narration of one turn may speak of, as its viewer could know it."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from saniwa.turn.index import Names, names_of_world
from saniwa.turn.narrate import narrate
from saniwa.turn.play import worlds_after
from saniwa.turn.spoken import lowered
from saniwa.turn.trace import Turn
from saniwa.world.action import Speak
from saniwa.world.change import Moved
from saniwa.world.model import Entity, Id, Location, World
from saniwa.world.view import goal_reached, room_of, scope, within_reach


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
        lines = narrate(self.turn, self.before, self.after, self.viewer)
        return "\n".join(f"{line.speaker} {line.text}" for line in lines)

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
        """Every word the viewer could have met, folded: looks, states, what was said."""
        texts = [self.plain, self.turn.raw_text, *self.said, self.after.time.label]
        texts.append(self.looks)
        if goal_reached(self.after) and self.after.goal is not None:
            texts.append(self.after.goal.message)
        return flat("\n".join(texts))

    @cached_property
    def looks(self) -> str:
        """What everything in view is called and looks like, folded."""
        words = (
            each for seen in sorted(self.perceived) for each in self._words_of(seen)
        )
        return flat("\n".join(words))

    def _words_of(self, seen: Id) -> Iterator[str]:
        found = self.thing(seen)
        if isinstance(found, Location):
            yield from (found.name, *found.aliases, *(w.label for w in found.exits))
        elif found is not None:
            yield from (found.name, *found.aliases, *found.state, *found.status)
        # What one sees in another place, one does not see from here.
        if found is not None and (seen in self._rooms or self._still_seen(seen)):
            yield found.description

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
    def moved(self) -> frozenset[Id]:
        """Whatever is somewhere else than before, or was on the way."""
        return frozenset(
            change.entity_id
            for change in self.turn.changes
            if isinstance(change, Moved)
        )

    @cached_property
    def refused(self) -> frozenset[Id]:
        """Everything that was part of a deed that was refused."""
        judged = zip(
            self.turn.normalized_actions, self.turn.validation_results, strict=True
        )
        return frozenset(
            part
            for action, verdict in judged
            if not verdict.success
            for part in (getattr(action, role) for role in action.roles)
            if part is not None
        )

    @cached_property
    def took_part(self) -> frozenset[Id]:
        """Everybody and everything that had a part in what was done."""
        return frozenset(
            part
            for action in self.turn.applied_actions
            for part in (
                action.actor_id,
                *(getattr(action, role) for role in action.roles),
            )
            if part is not None
        )

    @property
    def anything_refused(self) -> bool:
        """Whether some of what was tried was refused or not understood."""
        judged = self.turn.validation_results
        return bool(self.turn.rejections) or not all(v.success for v in judged)

    @property
    def came_to_nothing(self) -> bool:
        """Whether something was tried and nothing of it happened."""
        return not self.turn.applied_actions
