"""What a predicate is: a name, its parameters, and the test of a case that they make.

Predicates are data in a book and plain closures once the book is compiled. A predicate
on anything absent is false, never an exception. Installed plugins can add predicates.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final, Literal, NamedTuple, Protocol

from saniwa.world.actions import Action, get_action_type
from saniwa.world.model import Entity, Exit, Id, Location, World
from saniwa.world.queries import find_room, is_closed, is_within_reach

Subject = Entity | Location


@dataclass(slots=True)
class ActionCase:
    """One judgement in progress: the claim, the world, and cached look-ups."""

    world: World
    """What is true now."""
    actor_id: Id
    """The actor."""
    type: str
    """The action's wire name."""
    target_id: Id | None = None
    """What is acted on."""
    tool_id: Id | None = None
    """What it is done with."""
    source_id: Id | None = None
    """What it is taken from."""
    destination_id: Id | None = None
    """What it is put into or onto."""
    recipient_id: Id | None = None
    """Who receives it."""
    metadata: dict[str, Any] | None = None
    """The description of a new entity, for `introduce`."""
    manner: str = ""
    """The craft by which something is used; empty for plain use."""
    relation: str = ""
    """Whether something is put `in` or `on`, if the action says so."""
    reach: dict[Id, bool] = field(default_factory=dict)
    """Cached answers of `is_in_scope`; valid as long as the case."""
    listed: dict[object, tuple[Id | None, ...]] = field(default_factory=dict)
    """Cached lists of candidates, by the function or step that made them."""

    def is_in_scope(self, thing: Id) -> bool:
        """Whether the actor can perceive and touch the thing now."""
        known = self.reach.get(thing)
        if known is None:
            known = is_within_reach(self.world, self.actor_id, thing)
            self.reach[thing] = known
        return known


def make_case(action: Action, world: World) -> ActionCase:
    """Build the case of an action in a world."""
    case = ActionCase(world, action.actor_id, get_action_type(action))
    for name in action.roles:
        setattr(case, name, getattr(action, name))
    if case.type == "introduce":
        case.metadata = getattr(action, "metadata", None)
    elif case.type == "use":
        case.manner = getattr(action, "manner", "")
    elif case.type == "put":
        case.relation = getattr(action, "relation", "")
    return case


Resolve = Callable[[ActionCase], Subject | None]


class ActionRole(NamedTuple):
    """One role in an action, and how it is resolved."""

    resolve: Resolve
    """Finds who or what has the role; None if there is none."""
    reads: str
    """The action's field it depends on; empty if it depends on the actor only."""
    named: bool
    """Whether the field names it directly."""


def find_way(case: ActionCase, place: Id | None) -> Exit | None:
    """Find the exit the actor would take to a place: an open one if there is a choice.

    An exit with a hidden door is not seen, so it does not count.
    """
    room = find_room(case.world, case.actor_id)
    here = case.world.locations.get(room) if room is not None else None
    shut: Exit | None = None
    for way in here.exits if here else ():
        if way.to != place:
            continue
        door = case.world.entities.get(way.door) if way.door else None
        if door is None or not (door.hidden or door.locked or is_closed(door)):
            return way
        if shut is None and not door.hidden:
            shut = way
    return shut


def _make_field_role(name: str) -> ActionRole:
    read = attrgetter(name)

    def resolve(case: ActionCase) -> Subject | None:
        named: Id | None = read(case)
        if named is None:
            return None
        return case.world.entities.get(named) or case.world.locations.get(named)

    return ActionRole(resolve, name, named=True)


def _find_actor(case: ActionCase) -> Subject | None:
    return case.world.entities.get(case.actor_id)


def _find_actor_room(case: ActionCase) -> Subject | None:
    room = find_room(case.world, case.actor_id)
    return case.world.locations.get(room) if room is not None else None


def _find_target_room(case: ActionCase) -> Subject | None:
    room = find_room(case.world, case.target_id) if case.target_id is not None else None
    return case.world.locations.get(room) if room is not None else None


def _find_door(case: ActionCase) -> Subject | None:
    way = find_way(case, case.target_id)
    return case.world.entities.get(way.door) if way and way.door else None


def _find_key(case: ActionCase) -> Subject | None:
    lock = case.world.entities.get(case.target_id) if case.target_id else None
    if lock is None or lock.required_key is None:
        return None
    return case.world.entities.get(lock.required_key)


def _find_holder(case: ActionCase) -> Subject | None:
    inner = case.world.entities.get(case.target_id) if case.target_id else None
    if inner is None or inner.place is None:
        return None
    return case.world.entities.get(inner.place) or case.world.locations.get(inner.place)


ROLES: Final[dict[str, ActionRole]] = {
    "actor": ActionRole(_find_actor, "", named=False),
    "target": _make_field_role("target_id"),
    "tool": _make_field_role("tool_id"),
    "source": _make_field_role("source_id"),
    "destination": _make_field_role("destination_id"),
    "recipient": _make_field_role("recipient_id"),
    "actorRoom": ActionRole(_find_actor_room, "", named=False),
    "targetRoom": ActionRole(_find_target_room, "target_id", named=False),
    "door": ActionRole(_find_door, "target_id", named=False),
    "key": ActionRole(_find_key, "target_id", named=False),
    "holder": ActionRole(_find_holder, "target_id", named=False),
}
"""Every role a condition may name. `door` blocks a move, `key` is the key the target
needs, `holder` is what the target is directly in, on or held by."""


Test = Callable[[ActionCase], bool]
"""A compiled condition."""

Args = Mapping[str, Any]
"""A predicate's arguments by name, checked and complete."""

Options = Iterable[Id | None]
Provider = Callable[[ActionCase], Options]
"""Lists every value a field could have for a condition to hold, and perhaps more."""

Narrow = Callable[[Args, str, frozenset[str]], Provider | None]
"""Given a field and those already known, returns the provider for it; None if any value
may satisfy the predicate."""

ParamKind = Literal["role", "kind", "kinds", "text", "texts", "truth", "value"]


class _Required:
    """Marks a parameter that has no default."""


REQUIRED: Final = _Required()


@dataclass(frozen=True, slots=True)
class PredicateParam:
    """One parameter of a predicate."""

    name: str
    """Its name in a book, in camelCase."""
    kind: ParamKind
    """The type of its value."""
    default: Any = REQUIRED
    """Its value if the book gives none."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """One predicate that a book may apply to a case."""

    name: str
    """Its name in a book, in camelCase."""
    params: tuple[PredicateParam, ...]
    """Its parameters; the first may be given without its name."""
    build: Callable[[Args], Test]
    """Makes the test from checked arguments."""
    narrow: Narrow | None = None
    """How it narrows down a field, if it does."""
    exact: bool = False
    """Whether what it lists for its `role` is exactly what satisfies it."""
    free: bool = False
    """Whether it takes any arguments and may read the whole case, as plugins do."""

    def list_fields_read(self, args: Args) -> frozenset[str] | None:
        """Return the action's fields it depends on; None for all of them."""
        if self.free:
            return None
        roles = (args[p.name] for p in self.params if p.kind == "role")
        return frozenset(ROLES[role].reads for role in roles) - {""}


def is_named_by_field(role: str, field: str) -> bool:
    """Whether this field of the action names the role directly."""
    return ROLES[role].named and ROLES[role].reads == field


def is_resolvable(role: str, known: frozenset[str]) -> bool:
    """Whether the role can be resolved once the known fields are."""
    return not ROLES[role].reads or ROLES[role].reads in known


def make_entity_resolver(role: str) -> Callable[[ActionCase], Entity | None]:
    """Return a function from a case to the role's entity; None for places or absence."""
    resolve, field, named = ROLES[role]
    if named:
        read = attrgetter(field)
        return lambda case: case.world.entities.get(read(case))

    def entity(case: ActionCase) -> Entity | None:
        found = resolve(case)
        return found if isinstance(found, Entity) else None

    return entity


def make_attribute_reader(name: str) -> Callable[[Entity | Location], Any]:
    """Return a function that reads an attribute: a record's field, else the author's.

    A dotted name reads nested attributes of the author, such as `use.needs`. The
    function returns None if there is no such attribute.
    """
    if name in ("type", "kind"):
        return get_kind
    field = _FIELDS.get(name)
    if field is None:
        return lambda thing: _read_own_fact(getattr(thing, "attributes", {}), name)

    def read(thing: Entity | Location) -> Any:
        value = getattr(thing, field, None)
        return list(value) if isinstance(value, tuple) else value

    return read


def _read_own_fact(facts: dict[str, Any], name: str) -> Any:
    if name in facts:
        return facts[name]
    value: Any = facts
    for part in name.split("."):
        if not isinstance(value, dict) or part not in value:
            return None
        value = value[part]
    return value


def get_kind(thing: Entity | Location) -> str:
    """Return the kind of a thing; `location` for a place."""
    return thing.kind if isinstance(thing, Entity) else "location"


def _to_camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


_HIDDEN = {"attributes", "dialogue", "reply_counts"}
_RECORDED = {*Entity.__struct_fields__, *Location.__struct_fields__} - _HIDDEN
_FIELDS: Final[dict[str, str]] = {
    spelling: name for name in _RECORDED for spelling in (name, _to_camel(name))
}


ENTRY_POINT_GROUP: Final = "saniwa.predicates"
"""The entry point group of plugins."""


class PluginAnswer(Protocol):
    """The function that a plugin provides."""

    def __call__(self, case: ActionCase, args: Mapping[str, Any], /) -> bool:
        """Whether the predicate holds in this case."""


@dataclass(frozen=True, slots=True)
class PredicatePlugin:
    """One predicate from an installed package."""

    predicate: Predicate
    """The predicate it adds."""
    origin: str
    """Its distribution and version; part of a book's fingerprint."""


PluginFinder = Callable[[str], PredicatePlugin | None]
"""Finds a plugin by name; None if it is not installed."""


def make_plugin(name: str, answer: PluginAnswer, origin: str) -> PredicatePlugin:
    """Make a plugin of a function."""

    def build(args: Args) -> Test:
        return lambda case: bool(answer(case, args))

    return PredicatePlugin(Predicate(name, (), build, free=True), origin)


def load_installed_plugin(name: str) -> PredicatePlugin | None:
    """Load the installed plugin of that name; None if there is none."""
    # Imported late: few books need it.
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINT_GROUP, name=name):
        source = point.dist
        origin = f"{source.name} {source.version}" if source else point.value
        return make_plugin(name, point.load(), origin)
    return None
