"""What the gate's tools take and answer: as records, and as text for a model."""

import json
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from saniwa.app.operations.operation import FindingView
from saniwa.core.clock import format_timestamp
from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import ProcessError, StoreError
from saniwa.core.text import truncate
from saniwa.mcp.tool import ToolArguments, read_tool_texts
from saniwa.process.event_record import EventRecord, LogEntry, LogNote
from saniwa.process.gate import Gate
from saniwa.process.review import Review, ReviewedArtifact, describe_provenance
from saniwa.process.run_state import PersonDecision, summarize_run
from saniwa.process.run_view import ArtifactOrigin, RunState, SendableEvent
from saniwa.process.submission import KEY_PATTERN, LONGEST_KEY

TimeProblem = str | msgspec.UnsetType


class GateStateAnswer(RunState, frozen=True, kw_only=True):
    """Where a run stands."""

    time_problem: TimeProblem = msgspec.UNSET
    """Why transitions whose time has come were not taken; mostly not there."""


class WaitAnswer(GateStateAnswer, frozen=True, kw_only=True):
    """Where a run stands after a wait."""

    changed: bool
    """Whether it has changed since the revision that was named."""


class GateReviewAnswer(Review, frozen=True, kw_only=True):
    """The evidence and state of a run, for the person who decides."""

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
    """Why no run of it can start; the other fields are then empty."""


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
    """Why the run cannot be read; the other fields are then empty."""


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
    """Whether everything is consistent."""
    findings: tuple[VerificationFault, ...]
    """What is not."""
    evidence: tuple[ArtifactOrigin, ...] = ()
    """The run's evidence; each piece is attested or claimed."""


warm_decoders(GateRunEntry, VerificationFault)


MOST_LISTED = 200
"""The largest number of runs or history entries in one answer."""

Limit = Annotated[int, Meta(ge=1, le=MOST_LISTED)]


class GateRunArguments(ToolArguments, frozen=True, kw_only=True):
    """A run, and nothing else."""

    run_id: str = ""


class VerifyArguments(GateRunArguments, frozen=True, kw_only=True):
    """A run, and how to verify it."""

    rerun: bool = False


LONGEST_WAIT = 60
"""Seconds that a call waits at most."""


class WaitArguments(GateRunArguments, frozen=True, kw_only=True):
    """Which change is waited for, and for how long."""

    after: Annotated[int, Meta(ge=0)] | msgspec.UnsetType = msgspec.UNSET
    seconds: Annotated[float, Meta(ge=0, le=LONGEST_WAIT)] = 30


class ListEventsArguments(GateRunArguments, frozen=True, kw_only=True):
    """What could be sent."""

    include_blocked: bool = False


class SubmittedArtifact(ToolArguments, frozen=True, kw_only=True):
    """An artifact submitted inline: exactly one of path, url and content."""

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


LONGEST_VALUE = 500
"""The longest value in a text, in characters; the structured answer has all of it."""


def render_value(value: Any) -> str:
    """Render a value as JSON on one line, shortened if long."""
    text = value[: LONGEST_VALUE + 1] if isinstance(value, str) else value
    return escape_unprintable(truncate(json.dumps(text, ensure_ascii=False), LONGEST_VALUE))


def escape_unprintable(text: str) -> str:
    """Escape every character that is not printable, so that no line can be forged."""
    return "".join(c if c.isprintable() else _escape_character(c) for c in text)


def _escape_character(letter: str) -> str:
    number = ord(letter)
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


def render_state(state: RunState) -> str:
    """Render a run's state: what to do, what is missing, and where evidence goes."""
    return "\n".join(_render_state_lines(state))


def _render_state_lines(state: RunState) -> Iterator[str]:
    ended = ", and has ended" if state.is_final else ""
    yield f"{state.run_id} ({state.process_id} {escape_unprintable(state.process_version)})"
    yield f"is in state {state.current_state!r}, revision {state.revision}{ended}."
    if state.current_state_prompt:
        yield _render_prompt(state.current_state_prompt)
    if state.last_decision is not None:
        yield render_decision(state.last_decision)
    allowed = ", ".join(state.allowed_events) or "nothing"
    yield f"You may send: {allowed}."
    for kind in state.required_artifacts:
        yield f"Required artifact {kind.type!r}: {kind.status}."
    yield from _render_missing(guard.current_status for guard in state.missing_guards)
    for check in state.pending_checks:
        yield f"Check {check.guard_name!r}: {escape_unprintable(check.current_status)}."
    for due in state.due:
        overdue = ", overdue" if due.overdue else ""
        yield f"Timed: {due.event!r} to {due.to_state!r} at {due.due_at}{overdue}."
    if not state.is_final:
        yield f"Files of evidence go into: {escape_unprintable(state.artifact_base_path)}"


def _render_prompt(prompt: str) -> str:
    """Render the prompt; further lines are indented, as they may quote variables."""
    lines = prompt.replace("\t", "    ").strip("\n").split("\n")
    return "To do: " + "\n  ".join(escape_unprintable(line) for line in lines)


def render_decision(last: PersonDecision) -> str:
    """Render the last decision of a person, and its reason."""
    why = f": {render_value(last.reason)}" if last.reason else ", without a reason"
    return escape_unprintable(f"Last decision: {last.event} by {last.by} ({last.role}){why}")


def _render_missing(statuses: Iterable[str]) -> Iterator[str]:
    """Yield what is missing, each once: two guards may lack the same."""
    for status in dict.fromkeys(statuses):
        yield f"Missing: {escape_unprintable(status)}."


def render_time_problem(problem: str) -> str:
    """Render why a run is shown without the timers that are due."""
    return f"\nTimed transitions could not be taken: {escape_unprintable(problem)}"


def render_events(events: tuple[SendableEvent, ...]) -> str:
    """Render the events that can be sent, one on each line."""
    if not events:
        return "No event can be sent in this state."
    return "\n".join(_render_event(event) for event in events)


def _render_event(event: SendableEvent) -> str:
    targets = ", ".join(way.to_state for way in event.transitions)
    about = f": {escape_unprintable(event.description)}" if event.description else ""
    digest = " Needs the digest of a review." if event.needs_review else ""
    why = escape_unprintable(event.blocked_reason)
    blocked = f" Blocked: {why}." if why else ""
    form = _render_form(event.payload_schema)
    pending = dict.fromkeys(check for way in event.transitions for check in way.pending_checks)
    checks = "".join(
        f" Check {check.guard_name!r}: {escape_unprintable(check.current_status)}."
        for check in pending
    )
    targets = f"(could lead to: {targets}).{form}{digest}"
    return f"{event.event_name}{about} {targets}{blocked}{checks}"


def _render_form(schema: Any) -> str:
    """Render the form of a payload: its fields, else its schema."""
    if schema is None:
        return ""
    fields = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(fields, dict) or not fields:
        return f" Payload: {render_value(schema)}."
    required = schema.get("required", [])
    rendered = [_render_field(name, form, required) for name, form in fields.items()]
    return f" Payload: {', '.join(rendered)}."


def _render_field(name: str, form: Any, required: Any) -> str:
    kind = form.get("type", form.get("enum")) if isinstance(form, dict) else None
    parts = [] if kind is None else [kind if isinstance(kind, str) else render_value(kind)]
    parts += ["required"] if isinstance(required, list) and name in required else []
    return escape_unprintable(f"{name} ({', '.join(parts)})" if parts else name)


def render_ruling(answer: dict[str, Any]) -> str:
    """Render an accepted event, or why it was refused and what to do."""
    if answer["success"]:
        return "\n".join(_render_accepted(answer["result"]))
    return "\n".join(_render_refused(answer["error"]))


def _render_accepted(result: dict[str, Any]) -> Iterator[str]:
    way = result["transition"]
    again = " before; nothing was done again" if result.get("replayed") else ""
    yield (
        f"Accepted{again}: {way['from_state']!r} to {way['to_state']!r}, "
        f"revision {result['new_revision']}."
    )
    if "new_state_prompt" in result:
        yield _render_prompt(result["new_state_prompt"])


def _render_refused(error: dict[str, Any]) -> Iterator[str]:
    details, message = error["details"], error["message"]
    yield f"Refused, {error['code']}: {escape_unprintable(message)}"
    missing = [each["current_status"] for each in details.get("missing_guards", ())]
    yield from _render_missing(each for each in missing if each not in message)
    for wrong in details.get("validation_errors", ()):
        if wrong["message"] not in message:
            yield escape_unprintable(f"{wrong['path']}: {wrong['message']}")
    who = details.get("who_may")
    if who and error["code"] == "FORBIDDEN":
        yield f"Could send it: {', '.join(who)}."
    cure = read_tool_texts()["cures"].get(error["code"]) or error.get("hint")
    if cure:
        yield f"What to do: {escape_unprintable(cure)}{'' if cure.endswith(('.', '?', '!')) else '.'}"


def render_processes(listed: ProcessesAnswer) -> str:
    """Render processes, one on each line."""
    lines = []
    for each in listed.processes:
        about = each.problem or f"{each.name}. {each.description}".strip()
        lines.append(escape_unprintable(f"{each.process_id}: {about}"))
    return "\n".join(lines) or "There are no processes."


def render_runs(listed: GateRunsAnswer) -> str:
    """Render runs, one on each line."""
    if not listed.runs:
        return "There are no runs. Start one with create_run."
    lines = [render_run(run) for run in listed.runs]
    return "\n".join(lines + ["There are older ones."] * listed.more)


def render_run(run: GateRunEntry) -> str:
    """Render a run in one line."""
    if run.problem:
        return escape_unprintable(f"{run.run_id} cannot be read: {run.problem}")
    return (
        f"{run.run_id} {run.process_id}: {run.current_state}, "
        f"revision {run.revision}, {run.updated_at}"
    )


def render_verification(report: VerifyAnswer) -> str:
    """Render the result of verifying a run."""
    lines = [escape_unprintable(f"[{f.code}] {f.message}") for f in report.findings]
    if report.passed:
        lines.insert(0, f"{report.run_id} is as it was written.")
    lines += (escape_unprintable(f"{e.standing}: {e.place}") for e in report.evidence)
    return "\n".join(lines)


def render_history(history: HistoryAnswer) -> str:
    """Render a history, one entry on each line."""
    if not history.entries:
        return "Nothing more has happened."
    lines = [escape_unprintable(_render_entry(entry)) for entry in history.entries]
    if history.more:
        lines.append(f"More after revision {history.entries[-1].revision}.")
    return "\n".join(lines)


def _render_entry(entry: LogEntry) -> str:
    head = f"{entry.revision} {format_timestamp(entry.at)}"
    if isinstance(entry, LogNote):
        failed = " failed" * entry.failed
        return f"{head} note, {entry.about}{failed}: {entry.message}"
    who = f"{entry.author.type}:{entry.author.id}"
    return f"{head} {entry.event} by {who}: {entry.state}{''.join(_render_evidence(entry))}"


def _render_evidence(record: EventRecord) -> Iterator[str]:
    if record.artifacts:
        yield f" on {', '.join(each.place for each in record.artifacts)}"
    if record.payload:
        yield f" with {render_value(record.payload)}"
    if record.overridden:
        yield f", overriding: {'; '.join(record.overridden)}"


def render_review(review: Review) -> str:
    """Render what a person must look at before deciding."""
    return "\n".join(_render_review_lines(review))


def _render_review_lines(review: Review) -> Iterator[str]:
    yield (
        f"{review.run_id} ({review.process_id}) in {review.state!r}, revision {review.revision}."
    )
    yield f"People decide here: {', '.join(review.decisions) or 'nothing'}."
    if review.is_replaced:
        yield "Its process differs from the one that comes with this version of Saniwa."
    if review.context:
        yield f"Variables: {render_value(review.context)}"
    if review.last_decision is not None:
        yield render_decision(review.last_decision)
    for piece in review.evidence:
        yield escape_unprintable("".join(_render_piece(piece)))
    yield f"Digest: {review.digest}"


def _render_piece(piece: ReviewedArtifact) -> Iterator[str]:
    yield f"{piece.type or 'file'} {piece.place}, by {piece.created_by}"
    yield f"; {describe_provenance(piece)}"
    if piece.sent_back:
        yield "; submitted before the rejection"
    if piece.fault:
        yield f"; {piece.fault}"
    if piece.file:
        yield f"; see {piece.file}"
    if piece.content is not msgspec.UNSET:
        yield f"; it says {render_value(piece.content)}"
