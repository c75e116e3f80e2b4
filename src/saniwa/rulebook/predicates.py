"""What a predicate is: a name, its parameters, and the test they make.

Predicates are data in a book and plain closures once the book is compiled. A predicate
on anything absent is false, never an exception. Installed plugins can add predicates.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, Literal, Protocol

from saniwa.rulebook.case import ROLES, ActionCase
from saniwa.world.model import Entity, Id, Location

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


_RECORDED = {*Entity.__struct_fields__, *Location.__struct_fields__} - {"attributes"}
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
