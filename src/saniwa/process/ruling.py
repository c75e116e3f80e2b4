"""Answers of the gate: an event was accepted, or refused with what is missing."""

from typing import Any, Literal

import msgspec

from saniwa.process.submission import Submission, SubmissionProblem, find_form_problem

RefusalCode = Literal[
    "RUN_NOT_FOUND",
    "PROCESS_NOT_FOUND",
    "IDEMPOTENCY_CONFLICT",
    "INVALID_PAYLOAD",
    "REVISION_CONFLICT",
    "INVALID_EVENT",
    "FORBIDDEN",
    "APPROVAL_UNBOUND",
    "APPROVAL_STALE",
    "GUARD_FAILED",
]
"""Why an event was refused; in the order of the checks."""


class MissingGuard(msgspec.Struct, frozen=True):
    """A condition that is not met."""

    guard_name: str
    """The guard; empty for evidence that the state itself requires."""
    description: str
    """The author's description."""
    current_status: str
    """What is missing."""


class EventAcceptance(msgspec.Struct, frozen=True, kw_only=True):
    """The event is in the log."""

    event_id: str
    """The event's own id."""
    from_state: str
    """The state before the event."""
    to_state: str
    """The state after the event."""
    new_revision: int
    """The event's revision."""
    new_state_prompt: str = ""
    """The instructions for the new state."""
    replayed: bool = False
    """Whether the event was in the log before this request."""


class EventRefusal(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing was written, and the key can be used again."""

    code: RefusalCode
    """Why, for machines."""
    message: str
    """Why, for people."""
    hint: str = ""
    """What the caller can do."""
    current_revision: int | None = None
    """The run's revision, if there is a run."""
    missing_guards: tuple[MissingGuard, ...] = ()
    """The guards that do not hold."""
    validation_errors: tuple[SubmissionProblem, ...] = ()
    """What is wrong with payload or artifacts."""
    who_may: tuple[str, ...] = ()
    """The roles that could send it."""


Ruling = EventAcceptance | EventRefusal
"""Every kind of answer of the gate."""


def render_ruling(ruling: Ruling) -> dict[str, Any]:
    """Render the ruling in the published shape."""
    if isinstance(ruling, EventAcceptance):
        result: dict[str, Any] = {
            "event_id": ruling.event_id,
            "accepted": True,
            "transition": {"from_state": ruling.from_state, "to_state": ruling.to_state},
            "new_revision": ruling.new_revision,
        }
        if ruling.new_state_prompt:
            result["new_state_prompt"] = ruling.new_state_prompt
        if ruling.replayed:
            result["replayed"] = True
        return {"ok": True, "success": True, "result": result}
    return {"ok": False, "success": False, "error": _render_refusal(ruling)}


def _render_refusal(refused: EventRefusal) -> dict[str, Any]:
    details: dict[str, Any] = {}
    if refused.current_revision is not None:
        details["current_revision"] = refused.current_revision
    for name in ("missing_guards", "validation_errors", "who_may"):
        values = getattr(refused, name)
        if values:
            details[name] = [msgspec.to_builtins(each) for each in values]
    error: dict[str, Any] = {"code": refused.code, "message": refused.message, "details": details}
    if refused.hint:
        error["hint"] = refused.hint
    if refused.current_revision is not None:
        # The published contract has it here; clients of the original system look in
        # details.
        error["current_revision"] = refused.current_revision
    return error


def refuse_malformed(sent: Submission) -> EventRefusal | None:
    """Refuse a request that cannot be processed; None if it can."""
    problem = find_form_problem(sent)
    return None if problem is None else refuse_payload(problem.path, problem.message)


def refuse_payload(path: str, told: str) -> EventRefusal:
    """Refuse a request because of one problem in it."""
    return EventRefusal(
        code="INVALID_PAYLOAD",
        message=f"the request cannot be accepted: {path}: {told}",
        hint="fix this and send it again",
        validation_errors=(SubmissionProblem(path, told),),
    )
