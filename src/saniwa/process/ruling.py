"""What the gate answers: accepted, or refused with what is missing and who could do it."""

from typing import Any, Literal

import msgspec

from saniwa.process.artifact import Claim

Code = Literal[
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
"""Why an event was refused; in the order in which it is looked at."""


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """An event as somebody sends it. It names no state: that is the gate's business."""

    run_id: str
    """The run."""
    event_name: str
    """The event."""
    expected_revision: int
    """The revision the sender has seen."""
    idempotency_key: str
    """The sender's own name for this request; the same again changes nothing."""
    payload: dict[str, Any] = {}
    """What is sent with it."""
    artifacts: tuple[Claim, ...] = ()
    """The evidence that comes with it."""
    approval_digest: str = ""
    """For a decision: the digest of the review it was made on."""


class Problem(msgspec.Struct, frozen=True):
    """One thing wrong with what was sent."""

    path: str
    """Where, as a JSON pointer: `/artifact_paths/0`, `/payload/title`."""
    message: str
    """What."""


class MissingGuard(msgspec.Struct, frozen=True):
    """A condition that does not hold."""

    guard_name: str
    """The guard; empty for evidence the state itself asks for."""
    description: str
    """Its author's words."""
    current_status: str
    """What is missing."""


class Accepted(msgspec.Struct, frozen=True, kw_only=True):
    """The event stands in the log."""

    event_id: str
    """The event's own id."""
    from_state: str
    """The state before."""
    to_state: str
    """The state afterwards."""
    new_revision: int
    """The event's revision."""
    new_state_prompt: str = ""
    """What is to be done now."""
    replayed: bool = False
    """Whether it stood there before this request."""


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing was written, and the key is not spent."""

    code: Code
    """Why, for machines."""
    message: str
    """Why, for people."""
    hint: str = ""
    """What to do."""
    current_revision: int | None = None
    """Where the run stands, if there is one."""
    missing_guards: tuple[MissingGuard, ...] = ()
    """The conditions that do not hold."""
    validation_errors: tuple[Problem, ...] = ()
    """What is wrong with payload or artifacts."""
    who_may: tuple[str, ...] = ()
    """The roles that could send it."""


Ruling = Accepted | Refused
"""All the gate can answer."""


def answer(ruling: Ruling) -> dict[str, Any]:
    """The ruling in the published shape."""
    if isinstance(ruling, Accepted):
        result: dict[str, Any] = {
            "event_id": ruling.event_id,
            "accepted": True,
            "transition": {
                "from_state": ruling.from_state,
                "to_state": ruling.to_state,
            },
            "new_revision": ruling.new_revision,
        }
        if ruling.new_state_prompt:
            result["new_state_prompt"] = ruling.new_state_prompt
        if ruling.replayed:
            result["replayed"] = True
        return {"success": True, "result": result}
    return {"success": False, "error": _error(ruling)}


def _error(refused: Refused) -> dict[str, Any]:
    details: dict[str, Any] = {}
    if refused.current_revision is not None:
        details["current_revision"] = refused.current_revision
    for name in ("missing_guards", "validation_errors", "who_may"):
        told = getattr(refused, name)
        if told:
            details[name] = [msgspec.to_builtins(each) for each in told]
    error: dict[str, Any] = {
        "code": refused.code,
        "message": refused.message,
        "details": details,
    }
    if refused.hint:
        error["hint"] = refused.hint
    if refused.current_revision is not None:
        # The published contract has it here; the origin's clients look into details.
        error["current_revision"] = refused.current_revision
    return error
