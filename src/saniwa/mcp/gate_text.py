"""What the gate's answers say to whoever reads text; short, with all that is needed."""

from collections.abc import Iterable, Iterator
from typing import Any

from saniwa.mcp.gate_answers import Processes, RunLine, Runs, Verified
from saniwa.mcp.shown import plain, shown
from saniwa.process.standing import Decision
from saniwa.process.weighing.view import Due, RunState, Sendable

_CURES = {
    "REVISION_CONFLICT": "call get_state, look whether your evidence still fits, and "
    "send it again with the new revision and the same key",
    "GUARD_FAILED": "bring what is missing as an artifact and send the event again; "
    "asking differently does not help",
    "FORBIDDEN": "leave it to them; nothing that is said here changes who you are",
}


def state_text(state: RunState) -> str:
    """Where a run stands, what to do there, what is missing, where evidence goes."""
    return "\n".join(_state_lines(state))


def _state_lines(state: RunState) -> Iterator[str]:
    ended = ", and has ended" if state.is_final else ""
    yield f"{state.run_id} ({state.process_id} {plain(state.process_version)})"
    yield f"stands in state {state.current_state!r}, revision {state.revision}{ended}."
    if state.current_state_prompt:
        yield _prompt_line(state.current_state_prompt)
    if state.last_decision is not None:
        yield decision_line(state.last_decision)
    allowed = ", ".join(state.allowed_events) or "nothing"
    yield f"You may send: {allowed}."
    for kind in state.required_artifacts:
        yield f"Required artifact {kind.type!r}: {kind.status}."
    yield from _missing(guard.current_status for guard in state.missing_guards)
    for due in state.due:
        yield _due_line(due)
    if not state.is_final:
        yield f"Files of evidence go into: {plain(state.artifact_base_path)}"


def _prompt_line(prompt: str) -> str:
    """What is to be done; its further lines are set in, for they may quote variables."""
    lines = prompt.replace("\t", "    ").strip("\n").split("\n")
    return "To do: " + "\n  ".join(plain(line) for line in lines)


def decision_line(last: Decision) -> str:
    """What a person has decided last, and why."""
    why = f": {shown(last.reason)}" if last.reason else ", without a reason"
    return plain(f"Last decision: {last.event} by {last.by} ({last.role}){why}")


def _due_line(due: Due) -> str:
    overdue = ", overdue" if due.overdue else ""
    return f"By itself: {due.event!r} to {due.to_state!r} at {due.due_at}{overdue}."


def _missing(told: Iterable[str]) -> Iterator[str]:
    """What is missing, each once: two guards may miss the same."""
    for status in dict.fromkeys(told):
        yield f"Missing: {plain(status)}."


def time_text(problem: str) -> str:
    """That a run is told about as it was, not as time would have left it."""
    return f"\nTime could not be taken into account: {plain(problem)}"


def events_text(events: tuple[Sendable, ...]) -> str:
    """What can be sent, one event a line."""
    if not events:
        return "Nothing can be sent from here."
    return "\n".join(_event_line(event) for event in events)


def _event_line(event: Sendable) -> str:
    leads = ", ".join(way.to_state for way in event.transitions)
    told = f": {plain(event.description)}" if event.description else ""
    digest = " Needs the digest of a review." if event.needs_review else ""
    why = plain(event.blocked_reason)
    blocked = f" Blocked: {why}." if why else ""
    form = _form(event.payload_schema)
    return f"{event.event_name}{told} (could lead to: {leads}).{form}{digest}{blocked}"


def _form(schema: Any) -> str:
    """What a payload must look like: its fields, else its schema."""
    if schema is None:
        return ""
    fields = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(fields, dict) or not fields:
        return f" Payload: {shown(schema)}."
    asked = schema.get("required", [])
    told = [_field(name, form, asked) for name, form in fields.items()]
    return f" Payload: {', '.join(told)}."


def _field(name: str, form: Any, asked: Any) -> str:
    kind = form.get("type", form.get("enum")) if isinstance(form, dict) else None
    said = [] if kind is None else [kind if isinstance(kind, str) else shown(kind)]
    said += ["required"] if isinstance(asked, list) and name in asked else []
    return plain(f"{name} ({', '.join(said)})" if said else name)


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
        yield _prompt_line(result["new_state_prompt"])


def _refused_lines(error: dict[str, Any]) -> Iterator[str]:
    details, message = error["details"], error["message"]
    yield f"Refused, {error['code']}: {plain(message)}"
    missing = [each["current_status"] for each in details.get("missing_guards", ())]
    yield from _missing(each for each in missing if each not in message)
    for wrong in details.get("validation_errors", ()):
        if wrong["message"] not in message:
            yield plain(f"{wrong['path']}: {wrong['message']}")
    who = details.get("who_may")
    if who and error["code"] == "FORBIDDEN":
        yield f"Could send it: {', '.join(who)}."
    cure = _CURES.get(error["code"]) or error.get("hint")
    if cure:
        yield f"What to do: {plain(cure)}{'' if cure.endswith(('.', '?', '!')) else '.'}"


def processes_text(listed: Processes) -> str:
    """Processes, one a line."""
    lines = []
    for each in listed.processes:
        about = each.problem or f"{each.name}. {each.description}".strip()
        lines.append(plain(f"{each.process_id}: {about}"))
    return "\n".join(lines) or "There are no processes."


def runs_text(listed: Runs) -> str:
    """Runs, one a line."""
    if not listed.runs:
        return "There are no runs. Begin one with create_run."
    lines = [run_line(run) for run in listed.runs]
    return "\n".join(lines + ["There are older ones."] * listed.more)


def run_line(run: RunLine) -> str:
    """A run in one line."""
    if run.problem:
        return plain(f"{run.run_id} cannot be read: {run.problem}")
    return (
        f"{run.run_id} {run.process_id}: {run.current_state}, "
        f"revision {run.revision}, {run.updated_at}"
    )


def verified_text(report: Verified) -> str:
    """What reading a run again has shown."""
    lines = [plain(f"[{f.code}] {f.message}") for f in report.findings]
    if report.passed:
        lines.insert(0, f"{report.run_id} is as it was written.")
    return "\n".join(lines)
