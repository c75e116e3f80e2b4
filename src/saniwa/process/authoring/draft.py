"""A definition as it was read, every part with its place; it may still be wrong."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from saniwa.process.authoring.page import Path
from saniwa.process.definition import (
    ArtifactDefinition,
    EventDefinition,
    Guard,
    Hook,
    Process,
    RoleDefinition,
    State,
    Transition,
)

Part = TypeVar("Part", covariant=True)


@dataclass(frozen=True, slots=True)
class Placed(Generic[Part]):
    """A part of a definition, and where its author wrote it."""

    part: Part
    """The part."""
    path: Path
    """The way to it."""
    paths: Mapping[str, Path] = field(default_factory=dict)
    """The ways to its fields, by their published names."""
    malformed: frozenset[str] = frozenset()
    """Fields that are written, and not as they should be: nobody knows what is meant."""

    def at(self, name: str, *steps: int) -> Path:
        """The way to a field, or to an item of it; to the part where it is not written."""
        found = self.paths.get(name)
        if found is None or not steps:
            return found or self.path
        return (*found, *steps)


@dataclass(slots=True)
class Draft:
    """All parts that could be read."""

    header: dict[str, Any]
    """What is said of the whole, by published names."""
    paths: dict[str, Path]
    """Where each of these is said."""
    states: list[Placed[State]] = field(default_factory=list)
    """In the author's order, as all parts."""
    events: list[Placed[EventDefinition]] = field(default_factory=list)
    transitions: list[Placed[Transition]] = field(default_factory=list)
    guards: dict[str, Placed[Guard]] = field(default_factory=dict)
    guard_names: frozenset[str] = frozenset()
    """Guards that are written down, those included that could not be read."""
    artifacts: list[Placed[ArtifactDefinition]] = field(default_factory=list)
    roles: list[Placed[RoleDefinition]] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)
    """Kinds of parts of which none could be read: what they would be is not known."""
    partial: set[str] = field(default_factory=set)
    """Kinds of parts of which some could not be read, or none."""

    def knows(self, *kinds: str) -> bool:
        """Whether parts of all these kinds could be read, all but a few."""
        return self.unread.isdisjoint(kinds)

    @property
    def initial_state(self) -> str:
        """Where a run begins: as it is written, else in the first state."""
        first = self.states[0].part.name if self.states else ""
        return str(self.header.get("initial_state", first))

    def at(self, name: str) -> Path:
        """The way to something said of the whole; to the document where it is not."""
        return self.paths.get(name, ())


def numbered(names: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Names with their places in a list; those that could not be read are left out."""
    return ((nth, name) for nth, name in enumerate(names) if name)


def hooks_at(state: Placed[State]) -> Iterator[tuple[Hook, Path]]:
    """Every hook of a state, with the way to it."""
    for field_, hooks in (
        ("on_enter", state.part.on_enter),
        ("on_exit", state.part.on_exit),
    ):
        for nth, hook in enumerate(hooks):
            yield hook, state.at(f"{field_}[{nth}]")


def definition_of(draft: Draft) -> Process:
    """The process of a draft in which nothing is wrong."""
    header = draft.header
    return Process(
        process_id=header["process_id"],
        version=header["version"],
        name=header["name"],
        description=header.get("description", ""),
        initial_state=draft.initial_state,
        initial_variables=header.get("initial_context", {}),
        variables_schema=header.get("context_schema"),
        states=tuple(placed.part for placed in draft.states),
        events=tuple(placed.part for placed in draft.events),
        transitions=tuple(placed.part for placed in draft.transitions),
        guards={name: placed.part for name, placed in draft.guards.items()},
        artifacts=tuple(placed.part for placed in draft.artifacts),
        roles=tuple(placed.part for placed in draft.roles),
    )
