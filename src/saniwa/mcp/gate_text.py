"""What the gate's answers say to whoever reads text; short, with all that is needed."""

from collections.abc import Iterator
from typing import Any

from saniwa.mcp.gate_answers import Happened, History, RunLine, Runs, Verified
from saniwa.process.weighing.review import Review
from saniwa.process.weighing.view import RunState, Sendable

_CURES = {
    "REVISION_CONFLICT": "call get_state, look whether your evidence still fits, and "
    "send it again with the new revision and the same key",
    "GUARD_FAILED": "bring what is missing as an artifact and send the event again; "
    "asking differently does not help",
    "FORBIDDEN": "leave it to them; nothing that is said here changes who you are",
}


def state_text(state: RunState) -> str:
    """Where a run stands, what to do there, what is missing."""
    return "\n".join(_state_lines(state))


def _state_lines(state: RunState) -> Iterator[str]:
    ended = ", and has ended" if state.is_final else ""
    yield f"{state.run_id} ({state.process_id} {state.process_version})"
    yield f"stands in state {state.current_state!r}, revision {state.revision}{ended}."
    if state.current_state_prompt:
        yield f"To do: {state.current_state_prompt}"
    allowed = ", ".join(state.allowed_events) or "nothing"
    yield f"You may send: {allowed}."
    for kind in state.required_artifacts:
        yield f"Required artifact {kind.type!r}: {kind.status}."
    for guard in state.missing_guards:
        yield f"Missing: {guard.current_status}."
    for due in state.due:
        yield f"By itself: {due.event!r} to {due.to_state!r} at {due.due_at}."


def events_text(events: tuple[Sendable, ...]) -> str:
    """What can be sent, one event a line."""
    if not events:
        return "Nothing can be sent from here."
    return "\n".join(_event_line(event) for event in events)


def _event_line(event: Sendable) -> str:
    leads = ", ".join(way.to_state for way in event.transitions)
    told = f": {event.description}" if event.description else ""
    blocked = f" Blocked: {event.blocked_reason}." if event.blocked_reason else ""
    return f"{event.event_name}{told} (could lead to: {leads}).{blocked}"


def ruling_text(answer: dict[str, Any]) -> str:
    """An accepted event, or why it was refused and what to do."""
    if answer["success"]:
        return "\n".join(_accepted_lines(answer["result"]))
    return "\n".join(_refused_lines(answer["error"]))


def _accepted_lines(result: dict[str, Any]) -> Iterator[str]:
    way = result["transition"]
    again = " before; nothing was done again" if result.get("replayed") else ""
    yield (
        f"Accepted{again}: {way['from_state']!r} to {way['to_state']!r}, "
        f"revision {result['new_revision']}."
    )
    if "new_state_prompt" in result:
        yield f"To do: {result['new_state_prompt']}"


def _refused_lines(error: dict[str, Any]) -> Iterator[str]:
    details = error["details"]
    yield f"Refused, {error['code']}: {error['message']}"
    for guard in details.get("missing_guards", ()):
        yield f"Missing: {guard['current_status']}."
    for wrong in details.get("validation_errors", ()):
        yield f"{wrong['path']}: {wrong['message']}"
    who = details.get("who_may")
    if who and error["code"] == "FORBIDDEN":
        yield f"Could send it: {', '.join(who)}."
    cure = _CURES.get(error["code"]) or error.get("hint")
    if cure:
        yield f"What to do: {cure}."


def runs_text(listed: Runs) -> str:
    """Runs, one a line."""
    if not listed.runs:
        return "There are no runs. Begin one with create_run."
    lines = [run_line(run) for run in listed.runs]
    return "\n".join(lines + ["There are older ones."] * listed.more)


def run_line(run: RunLine) -> str:
    """A run in one line."""
    if run.problem:
        return f"{run.run_id} cannot be read: {run.problem}"
    return (
        f"{run.run_id} {run.process_id}: {run.current_state}, "
        f"revision {run.revision}, {run.updated_at}"
    )


def history_text(history: History) -> str:
    """A history, one entry a line."""
    if not history.entries:
        return "Nothing more has happened."
    lines = [_entry_line(entry) for entry in history.entries]
    if history.more:
        lines.append(f"More after revision {history.entries[-1].revision}.")
    return "\n".join(lines)


def _entry_line(entry: Happened) -> str:
    head = f"{entry.revision} {entry.timestamp}"
    if entry.kind == "note":
        return f"{head} note: {entry.message}"
    evidence = f" on {', '.join(entry.artifact_paths)}" * bool(entry.artifact_paths)
    return f"{head} {entry.event} by {entry.author}: {entry.to_state}{evidence}"


def review_text(shown: Review) -> str:
    """What somebody who decides has to look at."""
    lines = [
        f"{shown.run_id} ({shown.process_id}) in {shown.state!r}, "
        f"revision {shown.revision}.",
        f"Can be decided here: {', '.join(shown.decisions) or 'nothing'}.",
    ]
    for piece in shown.evidence:
        fault = f"; {piece.fault}" if piece.fault else ""
        kind = piece.type or "file"
        lines.append(f"{kind} {piece.place}, by {piece.created_by}{fault}")
    return "\n".join([*lines, f"Digest: {shown.digest}"])


def verified_text(report: Verified) -> str:
    """What reading a run again has shown."""
    if not report.findings:
        return f"{report.run_id} is as it was written."
    return "\n".join(f"[{f.code}] {f.message}" for f in report.findings)
