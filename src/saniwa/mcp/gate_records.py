"""Arguments and answers of the gate's tools, under the published names."""

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from saniwa.app.operations.contract import FindingView
from saniwa.core.errors import ProcessError, StoreError
from saniwa.core.json_values import warm_decoders
from saniwa.mcp.tool import ToolArguments
from saniwa.process.gate import Gate
from saniwa.process.record import EventRecord, LogNote
from saniwa.process.review import Review
from saniwa.process.ruling import KEY_PATTERN, LONGEST_KEY
from saniwa.process.run import summarize_run
from saniwa.process.view import ArtifactOrigin, RunState, SendableEvent

TimeProblem = str | msgspec.UnsetType


class GateStateAnswer(RunState, frozen=True, kw_only=True):
    """Where a run stands."""

    time_problem: TimeProblem = msgspec.UNSET
    """Why transitions whose time has come were not taken; mostly not there."""


class GateReviewAnswer(Review, frozen=True, kw_only=True):
    """A run as it is shown to the person who decides."""

    time_problem: TimeProblem = msgspec.UNSET
    """As for `GateStateAnswer`."""


class EventsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What can be sent now."""

    events: tuple[SendableEvent, ...]
    """In the order of the definition."""
    time_problem: TimeProblem = msgspec.UNSET
    """As for `GateStateAnswer`."""


class GateProcessEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One process in a list."""

    process_id: str
    """What create_run takes."""
    name: str = ""
    """Its name for people."""
    description: str = ""
    """Its author's words."""
    initial_state: str = ""
    """Where a run begins."""
    problem: str = ""
    """Why no run of it can begin; then nothing else is told."""


class ProcessesAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The processes a run can be begun of."""

    processes: tuple[GateProcessEntry, ...]
    """By their ids."""


class CreateRunAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A run that has begun."""

    run_id: str
    """Its id; name it from now on."""
    process_id: str
    """Its process."""
    process_version: str
    """The edition it stands on."""
    initial_state: str
    """The state it stands in."""
    revision: int
    """What the first event must expect."""
    current_state_prompt: str = ""
    """What is to be done there."""


class GateRunEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One run in a list."""

    run_id: str
    """Its id."""
    process_id: str = ""
    """Its process."""
    current_state: str = ""
    """Where it stands."""
    revision: int = 0
    """What the next event must expect."""
    created_at: str = ""
    """When it began."""
    updated_at: str = ""
    """When the last event was."""
    problem: str = ""
    """Why it cannot be told where it stands; then nothing else is."""


class GateRunsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Runs, the newest first."""

    runs: tuple[GateRunEntry, ...]
    """As many as were asked for."""
    more: bool
    """Whether there are older ones."""


class HistoryAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What happened in a run, the oldest first."""

    run_id: str
    """The run."""
    entries: tuple[EventRecord | LogNote, ...]
    """As they are kept; as many as were asked for."""
    more: bool
    """Whether there are later ones; ask again after the last revision."""


class VerificationFault(FindingView, frozen=True, kw_only=True):
    """Something that is not as it should be."""

    details: dict[str, Any]
    """The values involved."""


class VerifyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What reading a run again has shown."""

    run_id: str
    """The run."""
    passed: bool
    """Whether everything is as it was written."""
    findings: tuple[VerificationFault, ...]
    """What is not."""
    evidence: tuple[ArtifactOrigin, ...] = ()
    """The run's evidence, each piece attested or claimed."""


warm_decoders(GateRunEntry, VerificationFault)


MOST_LISTED = 200
"""The largest number of runs or history entries in one answer."""

Limit = Annotated[int, Meta(ge=1, le=MOST_LISTED)]


class GateRunArguments(ToolArguments, frozen=True, kw_only=True):
    """A run, and nothing else."""

    run_id: str = ""


class ListEventsArguments(GateRunArguments, frozen=True, kw_only=True):
    """What could be sent."""

    include_blocked: bool = False


class SubmittedArtifact(ToolArguments, frozen=True, kw_only=True):
    """An artifact handed in directly: exactly one of path, url and content."""

    type: str = ""
    path: str = ""
    url: str = ""
    content: Any = msgspec.UNSET
    hash: str = ""
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)


class EmitEventArguments(GateRunArguments, frozen=True, kw_only=True):
    """An event with its evidence. It names no state."""

    event_name: str
    expected_revision: int
    # Published here, and checked by the gate itself, which answers with a refusal.
    idempotency_key: Annotated[
        str,
        Meta(extra_json_schema={"minLength": 1, "maxLength": LONGEST_KEY, "pattern": KEY_PATTERN}),
    ]
    payload: dict[str, Any] = msgspec.field(default_factory=dict)
    artifact_paths: tuple[str, ...] = ()
    artifacts: tuple[SubmittedArtifact, ...] = ()
    approval_digest: str = ""


class CreateRunArguments(ToolArguments, frozen=True, kw_only=True):
    """Which process, and what the run begins with."""

    process_id: str
    variables: dict[str, Any] = msgspec.field(name="context", default_factory=dict)


class ListRunsArguments(ToolArguments, frozen=True, kw_only=True):
    """Which runs."""

    process_id: str = ""
    limit: Limit = 50


class GetHistoryArguments(GateRunArguments, frozen=True, kw_only=True):
    """Which part of a history."""

    after: Annotated[int, Meta(ge=0)] = 0
    limit: Limit = 100


def iterate_newest_runs(gate: Gate, before: str = "") -> Iterator[GateRunEntry]:
    """Yield runs, the newest first; with `before`, only those older than that one."""
    for run_id in sorted(gate.list_runs(), reverse=True):
        if not before or run_id < before:
            yield _read_run_entry(gate, run_id)


def _read_run_entry(gate: Gate, run_id: str) -> GateRunEntry:
    try:
        line = summarize_run(gate.log.load_run(run_id))
        return msgspec.convert(line, GateRunEntry, from_attributes=True)
    except StoreError as problem:
        text = f"{problem.code}: {problem.message}"
        return GateRunEntry(run_id=run_id, problem=text)


def iterate_processes(gate: Gate) -> Iterator[GateProcessEntry]:
    """Yield the processes that a run can be created from, sorted by id."""
    for process_id in gate.library.list_ids():
        yield _read_process_entry(gate, process_id)


def _read_process_entry(gate: Gate, process_id: str) -> GateProcessEntry:
    try:
        found = gate.library.find(process_id)
    except ProcessError as problem:
        text = f"{problem.code}: {problem.message}"
        return GateProcessEntry(process_id=process_id, problem=text)
    return GateProcessEntry(
        process_id=process_id,
        name=found.name,
        description=found.description,
        initial_state=found.initial_state,
    )
