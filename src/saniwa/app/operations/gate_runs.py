"""Processes and runs at the gate: their lists, their states, and what they wait for.

A process is shown as a graph, with all findings.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Annotated, Any, Final, TypeVar

import msgspec

from saniwa.app import describe
from saniwa.app.caller import make_sign_in_error
from saniwa.app.operations import operation
from saniwa.app.operations.operation import (
    OperationAnswer,
    OperationCall,
    ResultPage,
    build_view,
    define,
)
from saniwa.core.errors import ProcessError, StoreError
from saniwa.core.graph import Graph
from saniwa.process.child_groups import ChildGroupState
from saniwa.process.definition import (
    APPROVE,
    DECISIONS,
    Process,
    hash_process,
    is_person_role,
    list_roles,
)
from saniwa.process.diagram import build_graph
from saniwa.process.event_record import EventRecord, LogEntry
from saniwa.process.gate import Gate
from saniwa.process.library import BUNDLED_FOLDER, FolderProcessLibrary
from saniwa.process.reader import ProcessReadResult
from saniwa.process.review import Review
from saniwa.process.run_search import RunFilter, build_run_filter
from saniwa.process.run_view import ArtifactOrigin, ParentRun, RunState, SendableEvent


class StateShape(msgspec.Struct, frozen=True, kw_only=True):
    """A summary of a state."""

    name: str
    """Its name in the log."""
    description: str = ""
    """The author's description."""
    is_final: bool = False
    """Whether it is final."""


class ArtifactKindShape(msgspec.Struct, frozen=True, kw_only=True):
    """A summary of a kind of evidence."""

    type: str
    """Its name."""
    description: str = ""
    """The author's description."""
    forms: tuple[str, ...] = ()
    """The forms in which it may be submitted; any form if empty."""


class RoleShape(msgspec.Struct, frozen=True, kw_only=True):
    """A summary of a role."""

    name: str
    """Its name."""
    description: str = ""
    """The author's description."""
    person: bool = False
    """Whether only a person may have it."""


class ProcessShape(msgspec.Struct, frozen=True, kw_only=True):
    """A process: its graph, states, evidence and roles."""

    process_id: str
    """Its id."""
    version: str
    """Its version."""
    name: str
    """The name shown to people."""
    description: str
    """The description shown to people."""
    graph: Graph
    """Its states and transitions, without positions."""
    states: tuple[StateShape, ...]
    """Its states, in the author's order."""
    artifacts: tuple[ArtifactKindShape, ...]
    """The kinds of evidence."""
    roles: tuple[RoleShape, ...]
    """The roles."""


def build_process_shape(process: Process) -> ProcessShape:
    """Return the shape of a process."""
    roles = [
        build_view(RoleShape, each, person=is_person_role(each)) for each in list_roles(process)
    ]
    return build_view(ProcessShape, process, graph=build_graph(process), roles=roles)


class ProcessSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A process in a list."""

    process_id: str
    """Its id."""
    name: str
    """The name shown to people."""
    description: str = ""
    """The author's description."""
    version: str = ""
    """Its version."""
    shipped: bool = False
    """Whether it is included with Saniwa."""
    problem: str = ""
    """Why no run of it can start; empty if one can."""


class ProcessView(msgspec.Struct, frozen=True, kw_only=True):
    """A process in detail."""

    line: ProcessSummary
    """The process in short."""
    shape: ProcessShape | None = None
    """The parts to display; null if errors prevent its use."""
    definition: dict[str, Any] | None = None
    """The complete definition, in the published field names."""
    hash: str = ""
    """The hash of the definition."""
    findings: list[operation.FindingView] = []
    """All findings."""


class ProcessListQuery(operation.RequestRecord, frozen=True, kw_only=True):
    """Which processes to list, by their ids."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 50
    """How many at most."""
    after: operation.ShortName = ""
    """The process to go on behind."""


@define("GET /processes", tools=("list_processes",))
def list_processes(call: OperationCall, query: ProcessListQuery) -> ResultPage[ProcessSummary]:
    """List the processes."""
    library = call.workspace.gates.library
    remaining = [name for name in library.list_ids() if name > query.after]

    def summarize(name: str) -> ProcessSummary:
        return summarize_process(name, *_read_definition(library, name))

    return operation.build_page(remaining, query.limit, str, summarize)


@define("GET /processes/{process}", "PROCESS_NOT_FOUND")
def read_process(call: OperationCall) -> ProcessView:
    """Get a process: its graph, its definition, its findings."""
    name = call.path["process"]
    return build_process_view(name, *_read_definition(call.workspace.gates.library, name))


def _read_definition(library: FolderProcessLibrary, name: str) -> tuple[ProcessReadResult, bool]:
    file = library.find_file(name)
    return library.read(name), file.parent == BUNDLED_FOLDER


def summarize_process(name: str, read: ProcessReadResult, shipped: bool) -> ProcessSummary:
    """Summarize a process in one line, even if it has errors."""
    process = read.process
    if process is not None and process.process_id == name:
        return build_view(ProcessSummary, process, shipped=shipped)
    if process is not None:
        problem = f"the file of {name!r} contains the process {process.process_id!r}"
    else:
        first = read.report.errors[0]
        problem = f"{first.code}: {first.message}"
    return ProcessSummary(process_id=name, name=name, shipped=shipped, problem=problem)


def build_process_view(name: str, read: ProcessReadResult, shipped: bool) -> ProcessView:
    """Return the view of a process."""
    line = summarize_process(name, read, shipped)
    findings = operation.build_finding_views(read.report.findings)
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


GATE_READ_CODES = "RUN_NOT_FOUND LOCK_TIMEOUT"

Given = TypeVar("Given")

"""Example values for the path."""
"""Error codes of reading a run."""


async def ask_gate(call: OperationCall, ask: Callable[[Gate], Given]) -> Given:
    """Call the gate for the caller of the operation.

    Raises:
        SaniwaError: Any error of the gate.
    """
    caller = call.caller
    return await call.workspace.gates.ask(caller.visitor, caller.person, ask)


MAX_RUNS_READ: Final = 500
"""Runs that are read for one answer; a filter may skip most of them."""
_MAX_MISSING_SHOWN: Final = 3


class GateRunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A run of a process in a list."""

    run_id: str
    """The run."""
    process_id: str = ""
    """Its process."""
    current_state: str = ""
    """Its current state."""
    is_final: bool = False
    """Whether it has ended."""
    revision: int = 0
    """The number of events so far."""
    missing: list[str] = []
    """The first three conditions that block transitions."""
    more_missing: int = 0
    """The number of further conditions."""
    decisions: list[str] = []
    """The decisions that a person can take now."""
    ready: bool = False
    """Whether only a person's approval is missing."""
    yours: list[str] = []
    """The decisions that the caller can take now."""
    overdue: bool = False
    """Whether a timed transition is overdue."""
    parent: ParentRun | None = None
    """The run that started it; null if a caller did."""
    children: tuple[ChildGroupState, ...] = ()
    """The child runs and lanes last started under each name."""
    created_at: str = ""
    """The start; ISO 8601."""
    updated_at: str = ""
    """The time of the last event; ISO 8601."""
    problem: str = ""
    """Why the run cannot be read; the other fields are then empty."""


class GateRunListQuery(operation.RequestRecord, frozen=True, kw_only=True):
    """Which runs to list; the newest first."""

    process: operation.ShortName = ""
    """Only runs of this process."""
    state: operation.ShortName = ""
    """Only runs in this state."""
    variable: Annotated[str, msgspec.Meta(max_length=1_000)] = ""
    """Only runs with this value of a variable: `NAME=VALUE`."""
    since: operation.ShortName = ""
    """Only runs whose last event was then or later: a date, a time, or how long ago."""
    until: operation.ShortName = ""
    """Only runs whose last event was before."""
    person: operation.ShortName = ""
    """Only runs with an event that was sent by them."""
    parent: operation.ShortName = ""
    """Only runs that this run began."""
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 50
    """How many at most; a page may have fewer and still not be the last."""
    after: operation.ShortName = ""
    """The run to go on behind."""


class BeginGateRunRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The process to start, and the initial values of its variables."""

    process_id: operation.ShortName
    """The process."""
    variables: dict[str, Any] = {}
    """Initial values of the run's variables."""
    folder: Annotated[str, msgspec.Meta(max_length=1_000)] = ""
    """The folder for evidence: one that the server's owner allows, or a folder in it; empty for a
    new folder. Only for signed-in people."""


@define("GET /gate/runs", "SEARCH_UNUSABLE RUN_NOT_FOUND", tools=("list_runs",))
async def list_gate_runs(
    call: OperationCall, query: GateRunListQuery
) -> ResultPage[GateRunSummary]:
    """List the runs of processes, newest first."""
    return await ask_gate(call, lambda gate: _list_summaries(gate, query))


def _list_summaries(gate: Gate, query: GateRunListQuery) -> ResultPage[GateRunSummary]:
    wanted = build_run_filter(
        now=gate.clock.now(),
        process_id=query.process,
        state=query.state,
        variables=(query.variable,) if query.variable else (),
        since=query.since,
        until=query.until,
        person=query.person,
        parent=query.parent,
    )
    ids = sorted(gate.list_runs(query.parent), reverse=True)
    remaining = [id for id in ids if not query.after or id < query.after]
    lines: list[GateRunSummary] = []
    for number, id in enumerate(remaining[:MAX_RUNS_READ], 1):
        line = _summarize_or_fault(gate, id, wanted)
        if line is not None:
            lines.append(line)
        if len(lines) == query.limit:
            return ResultPage(lines, id if number < len(remaining) else None)
    rest = remaining[MAX_RUNS_READ - 1 :]
    return ResultPage(lines, rest[0] if len(rest) > 1 else None)


def _summarize_or_fault(gate: Gate, run_id: str, wanted: RunFilter) -> GateRunSummary | None:
    """Summarize a run; None if it is not what is looked for.

    A broken run is listed with its problem, and hides no other.
    """
    try:
        if not wanted.fits(gate.log.load_run(run_id), gate.log):
            return None
        events = gate.list_events(run_id, include_blocked=True)
        return summarize_gate_run(gate.get_state(run_id), events)
    except StoreError as problem:
        if not wanted.is_empty:
            return None
        return GateRunSummary(run_id=run_id, problem=f"{problem.code}: {problem.message}")


def summarize_gate_run(state: RunState, events: Iterable[SendableEvent]) -> GateRunSummary:
    """Summarize a run in one line, from its state and its possible events."""
    found = {each.event_name: each for each in events}
    decisions = [name for name in found if name in DECISIONS]
    missing = [each.current_status for each in state.missing_guards]
    return operation.build_view(
        GateRunSummary,
        state,
        missing=missing[:_MAX_MISSING_SHOWN],
        more_missing=max(0, len(missing) - _MAX_MISSING_SHOWN),
        decisions=decisions,
        ready=APPROVE in found
        and any(way.guard_status != "unsatisfied" for way in found[APPROVE].transitions),
        yours=[each for each in decisions if each in state.allowed_events],
        overdue=any(each.overdue for each in state.due),
    )


@define(
    "POST /gate/runs",
    "PROCESS_NOT_FOUND INVALID_PROCESS INVALID_CONTEXT FILE_OUTSIDE IDEMPOTENCY_CONFLICT",
    tools=("create_run",),
    needs="play",
    creates=True,
    tags=True,
)
async def begin_gate_run(
    call: OperationCall, body: BeginGateRunRequest
) -> OperationAnswer[RunState]:
    """Start a run of a process."""
    _check_folder(call, body.folder)
    state = await ask_gate(call, lambda gate: _begin_once(call, gate, body))
    header = operation.build_location_header("gate/runs", state.run_id)
    return OperationAnswer(body=state, headers=(header,))


def _begin_once(call: OperationCall, gate: Gate, body: BeginGateRunRequest) -> RunState:
    create = partial(gate.create_run, body.process_id, body.variables, folder=body.folder)
    run_id = _claim_run_id(call, gate)
    try:
        if not _is_known_run(gate, run_id):
            create(run_id=run_id)
    except StoreError as problem:
        if problem.code != "RUN_EXISTS":
            raise
        # Sent twice at once, and the other request has begun it; or a process was
        # killed before it had begun it.
        if not _is_known_run(gate, run_id):
            run_id = _claim_run_id(call, gate, spent=run_id)
            create(run_id=run_id)
    return gate.get_state(run_id)


def _claim_run_id(call: OperationCall, gate: Gate, spent: str = "") -> str:
    workspace, owner = call.workspace, f"gate/{call.caller.name}"
    fresh = workspace.ids.create_id("run")
    is_known = partial(_is_known_run, gate)
    return workspace.creations.claim_run_id(owner, call.asked, fresh, is_known, spent=spent)


def _is_known_run(gate: Gate, run_id: str) -> bool:
    try:
        gate.log.load_run(run_id)
    except StoreError as problem:
        if problem.code != "RUN_NOT_FOUND":
            raise
        return False
    return True


def _check_folder(call: OperationCall, folder: str) -> None:
    """Check a folder for evidence: every caller who sees the run can read it."""
    if not folder:
        return
    visitor = call.caller.visitor
    if visitor.person and call.workspace.gates.evidence.is_usable_folder(folder):
        return
    if not visitor.person and not call.caller.name:
        raise make_sign_in_error("no user has signed in")
    if visitor.person:
        raise describe("FILE_OUTSIDE/evidence", folder=folder).to_error(ProcessError)
    raise describe("FILE_OUTSIDE/role", role=visitor.role).to_error(ProcessError)


class TransitionCount(msgspec.Struct, frozen=True, kw_only=True):
    """How often a run took a transition."""

    from_state: str
    """The state before."""
    to_state: str
    """The state after."""
    times: int
    """How often it was taken."""
    last: int
    """The revision when it was last taken."""


class GateRunView(msgspec.Struct, frozen=True, kw_only=True):
    """A run of a process in detail."""

    state: RunState
    """The current state, in the published field names."""
    events: tuple[SendableEvent, ...]
    """The possible events, including those that the caller may not send."""
    process: ProcessShape
    """The definition the run uses; the process's file may be newer."""
    trail: list[TransitionCount]
    """The transitions taken so far."""


class GateVerification(msgspec.Struct, frozen=True, kw_only=True):
    """The result of verifying a run from its first record."""

    run_id: str
    """The run."""
    passed: bool
    """Whether everything is consistent."""
    findings: list[operation.FindingView]
    """Inconsistencies, and what could not be checked."""
    evidence: tuple[ArtifactOrigin, ...] = ()
    """The run's evidence; each piece is attested or claimed."""


@define(
    "GET /gate/runs/{run}",
    GATE_READ_CODES,
    tools=("get_state", "list_events", "wait_for_change"),
    tags=True,
)
async def read_gate_run(call: OperationCall) -> OperationAnswer[GateRunView]:
    """Get a run's state, what is missing, and the possible events."""
    view = await ask_gate(call, lambda gate: _build_view(gate, call.path["run"]))
    return OperationAnswer(body=view, revision=view.state.revision)


def _build_view(gate: Gate, run_id: str) -> GateRunView:
    state = gate.get_state(run_id)
    return GateRunView(
        state=state,
        events=gate.list_events(run_id, include_blocked=True),
        process=build_process_shape(gate.log.load_definition(state.process_hash)),
        trail=count_transitions(gate.read_history(run_id)),
    )


def count_transitions(entries: Iterable[LogEntry]) -> list[TransitionCount]:
    """Return the transitions in a history, each once, in their order."""
    found: dict[tuple[str, str], TransitionCount] = {}
    for entry in entries:
        if not isinstance(entry, EventRecord) or not entry.source:
            continue
        way = entry.source, entry.state
        times = found[way].times + 1 if way in found else 1
        found[way] = TransitionCount(
            from_state=way[0], to_state=way[1], times=times, last=entry.revision
        )
    return list(found.values())


@define("GET /gate/runs/{run}/review", GATE_READ_CODES, tools=("review",), tags=True)
async def review_gate_run(call: OperationCall) -> Review:
    """Get the evidence for a decision, and the digest that the decision must include."""
    return await ask_gate(call, lambda gate: gate.review_run(call.path["run"]))


class VerificationQuery(operation.RequestRecord, frozen=True, kw_only=True):
    """How to verify a run."""

    rerun: bool = False
    """Whether the gate's own checks are run again too."""


@define("POST /gate/runs/{run}/verify", GATE_READ_CODES, tools=("verify",))
async def verify_gate_run(call: OperationCall, query: VerificationQuery) -> GateVerification:
    """Verify the complete log of a run and report every inconsistency."""
    run_id = call.path["run"]
    report, evidence = await ask_gate(
        call, lambda gate: (gate.verify(run_id, rerun=query.rerun), gate.list_origins(run_id))
    )
    return GateVerification(
        run_id=run_id,
        passed=report.has_passed,
        findings=operation.build_finding_views(report.findings),
        evidence=evidence,
    )


@define("GET /gate/runs/{run}/live", GATE_READ_CODES, media="text/event-stream")
async def watch_gate_run(call: OperationCall) -> operation.RevisionStream:
    """Stream the events of a run, as server-sent events."""
    run_id = call.path["run"]

    async def look() -> int:
        return await ask_gate(call, lambda gate: gate.log.load_run(run_id).revision)

    await look()
    return operation.RevisionStream(run_id, look)
