"""Processes: the definitions the gate knows, as graphs, with all findings."""

from typing import Annotated, Any

import msgspec

from saniwa.app.operations import contract
from saniwa.app.operations.contract import OperationCall, ResultPage, build_view, define
from saniwa.core.graph import Graph
from saniwa.process import reader
from saniwa.process.definition import Process, hash_process, is_person_role, list_roles
from saniwa.process.graph import build_graph
from saniwa.process.library import BUNDLED_FOLDER, FolderProcessLibrary
from saniwa.process.reader import ProcessReadResult


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
    roles = [
        build_view(RoleShape, each, person=is_person_role(each)) for each in list_roles(process)
    ]
    return build_view(ProcessShape, process, graph=build_graph(process), roles=roles)


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
    findings: list[contract.FindingView] = []
    """Everything found in it."""


class ProcessListQuery(contract.RequestRecord, frozen=True, kw_only=True):
    """Which processes to list, by their ids."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 50
    """How many at most."""
    after: contract.ShortName = ""
    """The process to go on behind."""


@define("GET /processes", tools=("list_processes",))
def list_processes(call: OperationCall, query: ProcessListQuery) -> ResultPage[ProcessSummary]:
    """List the processes a run can be begun of."""
    library = call.workspace.gates.library
    remaining = [name for name in library.list_ids() if name > query.after]

    def summarize(name: str) -> ProcessSummary:
        return summarize_process(name, *_read_definition(library, name))

    return contract.build_page(remaining, query.limit, str, summarize)


@define("GET /processes/{process}", "PROCESS_NOT_FOUND")
def read_process(call: OperationCall) -> ProcessView:
    """Look at a process: its graph, its definition, every mistake in it."""
    name = call.path["process"]
    return build_process_view(name, *_read_definition(call.workspace.gates.library, name))


def _read_definition(library: FolderProcessLibrary, name: str) -> tuple[ProcessReadResult, bool]:
    file = library.find_file(name)
    return reader.read_process(file), file.parent == BUNDLED_FOLDER


def summarize_process(name: str, read: ProcessReadResult, shipped: bool) -> ProcessSummary:
    """Summarize a process in one line, even if it has errors."""
    process = read.process
    if process is not None and process.process_id == name:
        return build_view(ProcessSummary, process, shipped=shipped)
    if process is not None:
        problem = f"the file of {name!r} holds the process {process.process_id!r}"
    else:
        first = read.report.errors[0]
        problem = f"{first.code}: {first.message}"
    return ProcessSummary(process_id=name, name=name, shipped=shipped, problem=problem)


def build_process_view(name: str, read: ProcessReadResult, shipped: bool) -> ProcessView:
    """Return the view of a process."""
    line = summarize_process(name, read, shipped)
    findings = contract.build_finding_views(read.report.findings)
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
