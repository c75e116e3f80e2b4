"""Processes: the definitions the gate knows, as graphs, with all findings."""

import asyncio
from typing import Annotated, Any

import msgspec

from saniwa.core.graph import Graph
from saniwa.http.contract import (
    FindingView,
    Operation,
    OperationCall,
    ResultPage,
    build_finding_views,
)
from saniwa.process.definition import Process, hash_process, is_person_role, list_roles
from saniwa.process.graph import build_graph
from saniwa.process.library import BUNDLED_FOLDER, FolderProcessLibrary
from saniwa.process.reader import ProcessReadResult, read_process


class StateShape(msgspec.Struct, frozen=True, kw_only=True):
    """A state in few words."""

    name: str
    """What it is called in the log."""
    description: str = ""
    """Its author's words."""
    is_final: bool = False
    """Whether nothing comes after it."""


class ArtifactKindShape(msgspec.Struct, frozen=True, kw_only=True):
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
    artifacts: tuple[ArtifactKindShape, ...]
    """The kinds of evidence."""
    roles: tuple[RoleShape, ...]
    """Who takes part."""


def build_process_shape(process: Process) -> ProcessShape:
    """Return the shape of a process."""
    return ProcessShape(
        process_id=process.process_id,
        version=process.version,
        name=process.name,
        description=process.description,
        graph=build_graph(process),
        states=tuple(
            StateShape(name=each.name, description=each.description, is_final=each.is_final)
            for each in process.states
        ),
        artifacts=tuple(
            ArtifactKindShape(type=each.type, description=each.description, forms=each.forms)
            for each in process.artifacts
        ),
        roles=tuple(
            RoleShape(name=each.name, description=each.description, person=is_person_role(each))
            for each in list_roles(process)
        ),
    )


ShortName = Annotated[str, msgspec.Meta(max_length=200)]


class ProcessSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A process in one line."""

    process_id: str
    """What it is found by."""
    name: str
    """For people."""
    description: str = ""
    """Its author's words."""
    version: str = ""
    """Its author's word for the edition."""
    shipped: bool = False
    """Whether it comes with Saniwa."""
    problem: str = ""
    """Why no run of it can begin; empty if one can."""


class ProcessView(msgspec.Struct, frozen=True, kw_only=True):
    """A process, looked at."""

    line: ProcessSummary
    """What it is."""
    shape: ProcessShape | None = None
    """To be drawn; null where mistakes keep it from being used."""
    definition: dict[str, Any] | None = None
    """The whole of it, under the published names."""
    hash: str = ""
    """What tells this definition from every other."""
    findings: list[FindingView] = []
    """Everything found in it."""


class ProcessListQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which processes to list, by their ids."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 50
    """How many at most."""
    after: ShortName = ""
    """The process to go on behind."""


async def list_processes(call: OperationCall) -> ResultPage[ProcessSummary]:
    """List the processes a run can be begun of."""
    return await asyncio.to_thread(_list_summaries, call.workspace.gates.library, call.query)


def _list_summaries(
    library: FolderProcessLibrary, query: ProcessListQuery
) -> ResultPage[ProcessSummary]:
    remaining = [name for name in library.list_ids() if name > query.after]
    shown = remaining[: query.limit]
    lines = [summarize_process(name, *_read_definition(library, name)) for name in shown]
    return ResultPage(lines, shown[-1] if len(remaining) > len(shown) else None)


async def read_process_view(call: OperationCall) -> ProcessView:
    """Look at a process."""
    library, name = call.workspace.gates.library, call.path["process"]
    return await asyncio.to_thread(
        lambda: build_process_view(name, *_read_definition(library, name))
    )


def _read_definition(library: FolderProcessLibrary, name: str) -> tuple[ProcessReadResult, bool]:
    file = library.find_file(name)
    return read_process(file), file.parent == BUNDLED_FOLDER


def summarize_process(name: str, read: ProcessReadResult, shipped: bool) -> ProcessSummary:
    """Summarize a process in one line, even if it has errors."""
    process = read.process
    if process is None or process.process_id != name:
        return ProcessSummary(
            process_id=name, name=name, shipped=shipped, problem=_describe_problem(name, read)
        )
    return ProcessSummary(
        process_id=name,
        name=process.name,
        description=process.description,
        version=process.version,
        shipped=shipped,
    )


def _describe_problem(name: str, read: ProcessReadResult) -> str:
    if read.process is not None:
        return f"the file of {name!r} holds the process {read.process.process_id!r}"
    first = read.report.errors[0]
    return f"{first.code}: {first.message}"


def build_process_view(name: str, read: ProcessReadResult, shipped: bool) -> ProcessView:
    """Return the view of a process."""
    line, findings = (
        summarize_process(name, read, shipped),
        build_finding_views(read.report.findings),
    )
    process = read.process
    if process is None:
        return ProcessView(line=line, findings=findings)
    return ProcessView(
        line=line,
        shape=build_process_shape(process),
        definition=msgspec.to_builtins(process),
        hash=hash_process(process),
        findings=findings,
    )


PROCESS_OPERATIONS = (
    Operation(
        name="listProcesses",
        method="GET",
        path="/processes",
        summary="List the processes a run can be begun of",
        run=list_processes,
        query=ProcessListQuery,
        answers=ResultPage[ProcessSummary],
    ),
    Operation(
        name="readProcess",
        method="GET",
        path="/processes/{process}",
        summary="Look at a process: its graph, its definition, every mistake in it",
        run=read_process_view,
        answers=ProcessView,
        codes=("PROCESS_NOT_FOUND",),
        path_examples={"process": "exploration"},
    ),
)
