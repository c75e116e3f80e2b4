"""A process as a page draws it: states, ways, kinds of evidence, roles."""

import msgspec

from saniwa.core.drawing.graph import Graph
from saniwa.process.authoring.drawing import graph_of
from saniwa.process.definition import Process, is_persons, roles_of


class StateShape(msgspec.Struct, frozen=True, kw_only=True):
    """A state in few words."""

    name: str
    """What it is called in the log."""
    description: str = ""
    """Its author's words."""
    is_final: bool = False
    """Whether nothing comes after it."""


class KindShape(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of evidence in few words."""

    type: str
    """What it is called."""
    description: str = ""
    """Its author's words."""
    forms: tuple[str, ...] = ()
    """How it may be handed in; in every way where none is named."""


class RoleShape(msgspec.Struct, frozen=True, kw_only=True):
    """A role in few words."""

    name: str
    """What it is called."""
    description: str = ""
    """Its author's words."""
    person: bool = False
    """Whether only a person may have it."""


class ProcessShape(msgspec.Struct, frozen=True, kw_only=True):
    """A process, to be drawn and read."""

    process_id: str
    """What it is found by."""
    version: str
    """Its author's word for the edition."""
    name: str
    """For people."""
    description: str
    """For people."""
    graph: Graph
    """States and the ways between them, without positions."""
    states: tuple[StateShape, ...]
    """In the author's order."""
    artifacts: tuple[KindShape, ...]
    """The kinds of evidence."""
    roles: tuple[RoleShape, ...]
    """Who takes part."""


def shape_of(process: Process) -> ProcessShape:
    """The shape of a process."""
    return ProcessShape(
        process_id=process.process_id,
        version=process.version,
        name=process.name,
        description=process.description,
        graph=graph_of(process),
        states=tuple(
            StateShape(
                name=each.name, description=each.description, is_final=each.is_final
            )
            for each in process.states
        ),
        artifacts=tuple(
            KindShape(type=each.type, description=each.description, forms=each.forms)
            for each in process.artifacts
        ),
        roles=tuple(
            RoleShape(
                name=each.name, description=each.description, person=is_persons(each)
            )
            for each in roles_of(process)
        ),
    )
