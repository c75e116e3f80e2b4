"""A definition as it was read, every part with its location; it may still be wrong.

`build_process` turns a draft without errors into a process.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from saniwa.documents.finding_collector import Findings, KeyPath
from saniwa.process.definition import (
    WILDCARD,
    ArtifactDefinition,
    ChildDefinition,
    EventDefinition,
    Guard,
    Hook,
    LaneDefinition,
    Process,
    RoleDefinition,
    StateDefinition,
    TransitionDefinition,
)

Part = TypeVar("Part", covariant=True)


@dataclass(frozen=True, slots=True)
class PlacedPart(Generic[Part]):
    """A part of a definition, and where its author wrote it."""

    part: Part
    """The part."""
    path: KeyPath
    """The path to it."""
    paths: Mapping[str, KeyPath] = field(default_factory=dict)
    """The paths to its fields, by their published names."""
    malformed: frozenset[str] = frozenset()
    """Fields that are present but malformed, so that their meaning is unknown."""
    inner: tuple["PlacedPart[ChildDefinition] | LaneDraft", ...] = ()
    """The children and lanes of a state."""

    def find_path(self, name: str, *steps: int) -> KeyPath:
        """Return the path to a field or an item of it; if absent, to the part."""
        found = self.paths.get(name)
        if found is None or not steps:
            return found or self.path
        return (*found, *steps)


@dataclass(frozen=True, slots=True)
class LaneDraft:
    """A lane as it was read, every part with its location."""

    lane: PlacedPart[LaneDefinition]
    """The lane."""
    states: list[PlacedPart[StateDefinition]]
    """Its states."""
    transitions: list[PlacedPart[TransitionDefinition]]
    """Its transitions."""
    partial: set[str]
    """Kinds of parts of which some or all could not be read."""


@dataclass(slots=True)
class ProcessDraft:
    """All parts that could be read."""

    header: dict[str, Any]
    """The fields of the process itself, by published names."""
    paths: dict[str, KeyPath]
    """The path to each of these."""
    states: list[PlacedPart[StateDefinition]] = field(default_factory=list)
    """In the author's order, like all parts."""
    events: list[PlacedPart[EventDefinition]] = field(default_factory=list)
    transitions: list[PlacedPart[TransitionDefinition]] = field(default_factory=list)
    guards: dict[str, PlacedPart[Guard]] = field(default_factory=dict)
    guard_names: frozenset[str] = frozenset()
    """The names of all guards, including those that could not be read."""
    artifacts: list[PlacedPart[ArtifactDefinition]] = field(default_factory=list)
    roles: list[PlacedPart[RoleDefinition]] = field(default_factory=list)
    lanes: list["ProcessDraft"] = field(default_factory=list)
    """The lanes of its states, each as a process with the other parts of this one."""
    unread: set[str] = field(default_factory=set)
    """Kinds of parts of which none could be read, so that nothing is known of them."""
    partial: set[str] = field(default_factory=set)
    """Kinds of parts of which some or all could not be read."""

    def has_parts(self, *kinds: str) -> bool:
        """Whether parts of all these kinds could be read, at least some of each."""
        return self.unread.isdisjoint(kinds)

    @property
    def every_state(self) -> list[PlacedPart[StateDefinition]]:
        """The states, and those of lanes."""
        return [*self.states, *(state for lane in self.lanes for state in lane.states)]

    @property
    def every_transition(self) -> list[PlacedPart[TransitionDefinition]]:
        """The transitions, and those of lanes."""
        return [*self.transitions, *(way for lane in self.lanes for way in lane.transitions)]

    def add_lane(self, lane: LaneDraft) -> None:
        """Add a lane of one of its states."""
        placed = lane.lane
        header = {"initial_state": placed.part.initial_state} if placed.part.initial_state else {}
        one = replace(
            self,
            header=header,
            paths=dict(placed.paths),
            states=lane.states,
            transitions=lane.transitions,
            lanes=[],
            partial=(self.partial - {"states", "transitions"}) | lane.partial,
        )
        self.lanes.append(one)
        self.partial |= lane.partial

    @property
    def initial_state(self) -> str:
        """The state a run starts in: the one named, else the first."""
        first = self.states[0].part.name if self.states else ""
        return str(self.header.get("initial_state", first))

    def find_path(self, name: str) -> KeyPath:
        """Return the path to a field of the process; if absent, to the document."""
        return self.paths.get(name, ())


def enumerate_names(names: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Enumerate the names in a list; those that could not be read are left out."""
    return ((nth, name) for nth, name in enumerate(names) if name)


def list_hooks(state: PlacedPart[StateDefinition]) -> Iterator[tuple[Hook, KeyPath]]:
    """Yield every hook of a state, with its path."""
    for field_, hooks in (("on_enter", state.part.on_enter), ("on_exit", state.part.on_exit)):
        for nth, hook in enumerate(hooks):
            yield hook, state.find_path(f"{field_}[{nth}]")


def build_process(draft: ProcessDraft) -> Process:
    """Build the process of a draft that has no errors."""
    header = draft.header
    return Process(
        process_id=header["process_id"],
        version=header["version"],
        name=header["name"],
        description=header.get("description", ""),
        initial_state=draft.initial_state,
        initial_variables=header.get("initial_context", {}),
        variables_schema=header.get("context_schema"),
        state_map=header.get("state_map", {}),
        states=tuple(placed.part for placed in draft.states),
        events=tuple(placed.part for placed in draft.events),
        transitions=tuple(placed.part for placed in draft.transitions),
        guards={name: placed.part for name, placed in draft.guards.items()},
        artifacts=tuple(placed.part for placed in draft.artifacts),
        roles=tuple(placed.part for placed in draft.roles),
    )


LONGEST_NAME = 100
"""Most characters a name may have."""

# Invisible characters, those that change the direction of writing, and the separator of
# paths.
_find_bad_character = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff;]"
).search
# A file's name and never a path: no separators, no drive, no hidden file.
_match_file_name = re.compile(r"\w[\w.-]*( [\w.-]+)*").fullmatch


def check_name(page: Findings, name: str, path: KeyPath, *, key: bool = False) -> bool:
    """Whether the text can be a name; adds a finding if not."""
    why = _find_name_fault(name)
    if why:
        page.report("NAME_UNUSABLE/name", path, key=key, name=name, why=why)
    return not why


def is_file_name(process_id: str) -> bool:
    """Whether an id can be a file name, and nothing but a file name."""
    return len(process_id) <= LONGEST_NAME and _match_file_name(process_id) is not None


def _find_name_fault(name: str) -> str:
    if not name.strip():
        return "is empty"
    if len(name) > LONGEST_NAME:
        return f"has {len(name)} characters, more than {LONGEST_NAME}"
    if name == WILDCARD:
        return "means every role"
    letter = _find_bad_character(name)
    if letter is None:
        return "" if name == name.strip() else "starts or ends with a space"
    if letter.group() == ";":
        return "has a ';', which separates paths in the log"
    return f"has the control character U+{ord(letter.group()):04X}"
