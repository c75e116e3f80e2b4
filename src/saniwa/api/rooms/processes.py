"""Processes: what the gate knows, drawn, and every mistake in it."""

import asyncio
from typing import Annotated, Any

import msgspec

from saniwa.api.finding import FindingView, finding_views
from saniwa.api.operation import Call, Operation, Page
from saniwa.api.rooms.process_shape import ProcessShape, shape_of
from saniwa.process.authoring.library import SHIPPED, FolderLibrary
from saniwa.process.authoring.reading import Read, read_process
from saniwa.process.definition import hash_of

Named = Annotated[str, msgspec.Meta(max_length=200)]


class ProcessLine(msgspec.Struct, frozen=True, kw_only=True):
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

    line: ProcessLine
    """What it is."""
    shape: ProcessShape | None = None
    """To be drawn; null where mistakes keep it from being used."""
    definition: dict[str, Any] | None = None
    """The whole of it, under the published names."""
    hash: str = ""
    """What tells this definition from every other."""
    findings: list[FindingView] = []
    """Everything found in it."""


class Processes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which processes to list, by their ids."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 50
    """How many at most."""
    after: Named = ""
    """The process to go on behind."""


async def list_processes(call: Call) -> Page[ProcessLine]:
    """List the processes a run can be begun of."""
    return await asyncio.to_thread(_listed, call.garden.gates.library, call.query)


def _listed(library: FolderLibrary, query: Processes) -> Page[ProcessLine]:
    behind = [name for name in library.names() if name > query.after]
    shown = behind[: query.limit]
    lines = [line_of(name, *_read(library, name)) for name in shown]
    return Page(lines, shown[-1] if len(behind) > len(shown) else None)


async def read_one(call: Call) -> ProcessView:
    """Look at a process."""
    library, name = call.garden.gates.library, call.path["process"]
    return await asyncio.to_thread(lambda: view_of(name, *_read(library, name)))


def _read(library: FolderLibrary, name: str) -> tuple[Read, bool]:
    file = library.file_of(name)
    return read_process(file), file.parent == SHIPPED


def line_of(name: str, read: Read, shipped: bool) -> ProcessLine:
    """A process in one line, also where it is full of mistakes."""
    process = read.process
    if process is None or process.process_id != name:
        return ProcessLine(
            process_id=name, name=name, shipped=shipped, problem=_why(name, read)
        )
    return ProcessLine(
        process_id=name,
        name=process.name,
        description=process.description,
        version=process.version,
        shipped=shipped,
    )


def _why(name: str, read: Read) -> str:
    if read.process is not None:
        return f"the file of {name!r} holds the process {read.process.process_id!r}"
    first = read.report.errors[0]
    return f"{first.code}: {first.message}"


def view_of(name: str, read: Read, shipped: bool) -> ProcessView:
    """A process as it is answered."""
    line, findings = line_of(name, read, shipped), finding_views(read.report.findings)
    process = read.process
    if process is None:
        return ProcessView(line=line, findings=findings)
    return ProcessView(
        line=line,
        shape=shape_of(process),
        definition=msgspec.to_builtins(process),
        hash=hash_of(process),
        findings=findings,
    )


OPERATIONS = (
    Operation(
        name="listProcesses",
        method="GET",
        path="/processes",
        summary="List the processes a run can be begun of",
        run=list_processes,
        query=Processes,
        answers=Page[ProcessLine],
    ),
    Operation(
        name="readProcess",
        method="GET",
        path="/processes/{process}",
        summary="Look at a process: its graph, its definition, every mistake in it",
        run=read_one,
        answers=ProcessView,
        codes=("PROCESS_NOT_FOUND",),
        path_examples={"process": "exploration"},
    ),
)
