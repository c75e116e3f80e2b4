"""The one place where TextWorld's words and Saniwa's actions are mapped to each other.

A book with its own verbs is compared by a dialect with more words.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from random import Random  # noqa: TID251 - seeded: the same seed asks the same

from saniwa.integrations.textworld.game_format import OPPOSITE
from saniwa.world import actions as world_actions
from saniwa.world.model import Entity, Id, Location, World
from saniwa.world.queries import find_room

PLAYER = Id("P")
Types = Mapping[str, str]
"""The type of every id that the game has, or has had."""


class StrictDialect:
    """The words of TextWorld's own logic, for the `strict` book."""

    book = "strict"
    """The book that is compared."""
    unspoken: tuple[str, ...] = ("inventory",)
    """Commands that are not actions in Saniwa: an inventory is shown, not played."""
    idle: tuple[str, ...] = ("look", "examine")
    """Commands that change nothing: compared in every state, and never used on a walk."""
    unknown: tuple[str, ...] = ("edible",)
    """Predicates that are not compared: no rule uses `edible`, some games leave it out,
    and comparing the allowed commands covers whether food can be eaten.
    """

    def render_action(self, action: world_actions.Action, world: World) -> str:
        """The command for an action; one that no game uses if TextWorld has none for it."""
        match action:
            case world_actions.Move():
                return f"go {_find_direction(action.target_id, world)}"
            case world_actions.Take():
                return f"take {action.target_id}{_render_source(action, world)}"
            case (
                world_actions.Drop()
                | world_actions.Open()
                | world_actions.Close()
                | world_actions.Eat()
            ):
                return f"{world_actions.get_action_type(action)} {action.target_id}"
            case world_actions.Put():
                into = world.entities.get(action.destination_id)
                if into is not None and into.kind == "container":
                    return f"insert {action.target_id} into {into.id}"
                return f"put {action.target_id} on {action.destination_id}"
            case world_actions.Lock() | world_actions.Unlock():
                return f"{world_actions.get_action_type(action)} {action.target_id} with {action.tool_id}"
            case world_actions.Inspect():
                return f"examine {action.target_id}"
            case world_actions.Look():
                return "look"
        return ""

    def list_commands(self, actions: Iterable[world_actions.Action], world: World) -> set[str]:
        """The commands for actions, without those that TextWorld has no word for."""
        # TextWorld can examine things and doors; only Saniwa can also look at oneself or at
        # the current place.
        beyond = {"", f"examine {PLAYER}", f"examine {find_room(world, PLAYER)}"}
        return {self.render_action(action, world) for action in actions} - beyond

    def iterate_sayable(self, world: World, types: Types) -> Iterator[world_actions.Action]:
        """Every action over the vocabulary of the game: each verb with each id that fits it."""
        things, boxes = _list_of_type(types, "okf"), _list_of_type(types, "cs")
        shut, keys = _list_of_type(types, "cd"), _list_of_type(types, "k")
        for where in (*_list_of_type(types, "r"), *_list_nowhere(world)):
            yield world_actions.Move(actor_id=PLAYER, target_id=where)
        for thing, box in product(things, boxes):
            yield world_actions.Put(actor_id=PLAYER, target_id=thing, destination_id=box)
            yield world_actions.Take(actor_id=PLAYER, target_id=thing, source_id=box)
        for thing in things:
            yield world_actions.Take(actor_id=PLAYER, target_id=thing)
            yield world_actions.Drop(actor_id=PLAYER, target_id=thing)
            yield world_actions.Eat(actor_id=PLAYER, target_id=thing)
        for lock in shut:
            yield world_actions.Open(actor_id=PLAYER, target_id=lock)
            yield world_actions.Close(actor_id=PLAYER, target_id=lock)
        for lock, key in product(shut, keys):
            yield world_actions.Lock(actor_id=PLAYER, target_id=lock, tool_id=key)
            yield world_actions.Unlock(actor_id=PLAYER, target_id=lock, tool_id=key)
        for thing in _list_of_type(types, "okfcsd"):
            yield world_actions.Inspect(actor_id=PLAYER, target_id=thing)

    def draw_nonsense(self, chance: Random, types: Types) -> world_actions.Action:
        """An action with any verb and any ids, of any type."""
        ids = [Id(id) for id, type in types.items() if type not in ("P", "I", "r")]
        one, other = chance.choice(ids), chance.choice(ids)
        made: tuple[world_actions.Action, ...] = (
            world_actions.Take(actor_id=PLAYER, target_id=one, source_id=other),
            world_actions.Take(actor_id=PLAYER, target_id=one),
            world_actions.Drop(actor_id=PLAYER, target_id=one),
            world_actions.Put(actor_id=PLAYER, target_id=one, destination_id=other),
            world_actions.Open(actor_id=PLAYER, target_id=one),
            world_actions.Close(actor_id=PLAYER, target_id=one),
            world_actions.Lock(actor_id=PLAYER, target_id=one, tool_id=other),
            world_actions.Unlock(actor_id=PLAYER, target_id=one, tool_id=other),
            world_actions.Eat(actor_id=PLAYER, target_id=one),
            world_actions.Move(actor_id=PLAYER, target_id=one),
        )
        return chance.choice(made)

    def list_facts(self, world: World, types: Types) -> set[str]:
        """Every true fact, as TextWorld writes it."""
        found = {f"eaten({id})" for id in _list_of_type(types, "f") if id not in world.entities}
        for room in world.locations.values():
            found |= _list_ways(room, world)
        for thing in world.entities.values():
            found |= _list_place_facts(thing, world) | _list_state_facts(thing)
        return found


def _list_of_type(types: Types, wanted: str) -> list[Id]:
    return [Id(id) for id, type in types.items() if type in wanted]


def _find_direction(to: Id, world: World) -> str:
    room = find_room(world, PLAYER)
    ways = world.locations[room].exits if room is not None else ()
    # A word for a place without an exit to it, which no game uses.
    return next((way.label for way in ways if way.to == to), f"to {to}")


def _list_nowhere(world: World) -> list[Id]:
    """The directions without an exit, which a command may still name."""
    room = find_room(world, PLAYER)
    there = {way.label for way in world.locations[room].exits} if room else set()
    return [Id(direction) for direction in OPPOSITE if direction not in there]


def _render_source(action: world_actions.Take, world: World) -> str:
    thing = world.entities.get(action.target_id)
    place = thing.place if thing is not None else None
    # TextWorld has no word for the floor that something is taken from.
    if action.source_id is not None and action.source_id != place:
        return f" from {action.source_id}"
    return f" from {place}" if place in world.entities else ""


def _list_ways(room: Location, world: World) -> set[str]:
    found = set()
    for way in room.exits:
        found.add(f"{way.label}_of({way.to}, {room.id})")
        door = world.entities[way.door] if way.door is not None else None
        if door is not None:
            found.add(f"link({room.id}, {door.id}, {way.to})")
        if door is None or door.open:
            found.add(f"free({room.id}, {way.to})")
    return found


def _list_place_facts(thing: Entity, world: World) -> set[str]:
    if thing.place is None:
        return set()
    if thing.place in world.locations:
        return {f"at({thing.id}, {thing.place})"}
    if thing.place == PLAYER:
        return {f"in({thing.id}, I)"}
    held = "on" if world.entities[thing.place].kind == "supporter" else "in"
    return {f"{held}({thing.id}, {thing.place})"}


def _list_state_facts(thing: Entity) -> set[str]:
    found = set()
    if thing.openable:
        stands = "open" if thing.open else "locked" if thing.locked else "closed"
        found.add(f"{stands}({thing.id})")
    if thing.required_key is not None:
        found.add(f"match({thing.required_key}, {thing.id})")
    return found
