"""Sending: evidence, approvals, rejections, overrides, and what time does by itself."""

from typing import Annotated, Any

import msgspec

from saniwa.api.operation import Answer, Call, Operation
from saniwa.api.reading import sent_key
from saniwa.api.rooms.gate.asking import RUN, UNREAD, asked
from saniwa.core.errors import ProcessError
from saniwa.process.artifact import Claim
from saniwa.process.gate import Gate
from saniwa.process.passing.timing import Fired
from saniwa.process.ruling import Refused, Ruling, Submission, answer
from saniwa.process.weighing.request import claims_of

Named = Annotated[str, msgspec.Meta(max_length=200)]
Path = Annotated[str, msgspec.Meta(max_length=2_000)]


class HandedIn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An artifact handed in: exactly one of path, url and content."""

    type: Named = ""
    """Its kind; told by the file's name where it is empty."""
    path: Path = ""
    """A file inside the run's artifact folder."""
    url: Path = ""
    """An address; needs a hash, for nobody fetches it."""
    content: Any = msgspec.UNSET
    """The thing itself: text or any JSON value."""
    hash: Named = ""
    """SHA-256 in hex."""
    metadata: dict[str, Any] = {}
    """Whatever else is to be known of it."""


class SendEvent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event with its evidence. It names no state, and no role."""

    event_name: Named
    """The event."""
    payload: dict[str, Any] = {}
    """What it says."""
    artifact_paths: Annotated[list[Path], msgspec.Meta(max_length=100)] = []
    """Files of evidence, inside the run's artifact folder."""
    artifacts: Annotated[list[HandedIn], msgspec.Meta(max_length=100)] = []
    """Evidence handed in directly."""
    approval_digest: Named = ""
    """For a decision: the digest of the review it was made on."""


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """From a state to a state; the gate's choice."""

    from_state: str
    """Before."""
    to_state: str
    """Afterwards."""


class PassedEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an accepted event came to."""

    event_id: str
    """The event's own id."""
    accepted: bool
    """It stands in the log."""
    transition: Passage
    """Where it led."""
    new_revision: int
    """What the next event must expect."""
    new_state_prompt: str = ""
    """What is to be done now."""
    replayed: bool = False
    """Whether it stood there before this request."""


class SentEvent(msgspec.Struct, frozen=True, kw_only=True):
    """The published answer to an event that was accepted."""

    success: bool
    """It was."""
    result: PassedEvent
    """What it came to."""


class Ticked(msgspec.Struct, frozen=True, kw_only=True):
    """What time has done in a run."""

    fired: list[Fired]
    """The ways it took, in their order."""


async def send_event(call: Call) -> Answer:
    """Weigh an event and, if it may happen, write it down."""
    sent = _submission(call)
    ruling = await asked(call, lambda gate: gate.submit(sent))
    if isinstance(ruling, Refused):
        raise refusal(ruling)
    call.garden.bell.ring(sent.run_id)
    return Answer(body=answer(ruling), revision=ruling.new_revision)


def _submission(call: Call) -> Submission:
    body: SendEvent = call.body
    revision = call.request.revision
    assert call.asked is not None, "the operation needs a key"
    claims = [Claim(**msgspec.structs.asdict(each)) for each in body.artifacts]
    return Submission(
        run_id=call.path["run"],
        event_name=body.event_name,
        expected_revision=revision,
        # As it was sent: the log shows it, and other doors know it by that.
        idempotency_key=sent_key(call.asked, call.caller.name),
        payload=body.payload,
        artifacts=claims_of(body.artifact_paths, claims),
        approval_digest=body.approval_digest,
    )


def refusal(refused: Refused) -> ProcessError:
    """A refusal as the error HTTP tells, with what is missing and who could do it."""
    ruling: Ruling = refused
    told = answer(ruling)["error"]
    return ProcessError(
        refused.code,
        refused.message,
        hint=refused.hint,
        recoverable=refused.code in ("REVISION_CONFLICT", "GUARD_FAILED"),
        details=told["details"],
    )


async def tick(call: Call) -> Ticked:
    """Take the ways of a run whose time has come."""
    run_id = call.path["run"]

    def fire(gate: Gate) -> list[Fired]:
        return list(gate.tick(run_id))

    fired = await asked(call, fire)
    if fired:
        call.garden.bell.ring(run_id)
    return Ticked(fired=fired)


OPERATIONS = (
    Operation(
        name="sendGateEvent",
        method="POST",
        path="/gate/runs/{run}/events",
        summary="Send an event with its evidence, or a decision",
        run=send_event,
        takes=SendEvent,
        takes_text=True,
        answers=SentEvent,
        needs="play",
        changes=True,
        needs_key=True,
        tags=True,
        codes=(
            *UNREAD,
            "FORBIDDEN",
            "GUARD_FAILED",
            "APPROVAL_STALE",
            "REVISION_CONFLICT",
            "INVALID_EVENT",
            "INVALID_PAYLOAD",
            "APPROVAL_UNBOUND",
            "IDEMPOTENCY_CONFLICT",
        ),
        example={
            "event_name": "submit_hypothesis",
            "artifacts": [{"type": "hypothesis", "content": "It will rain."}],
        },
        path_examples=RUN,
    ),
    Operation(
        name="tickGateRun",
        method="POST",
        path="/gate/runs/{run}/tick",
        summary="Take the ways of a run whose time has come",
        run=tick,
        answers=Ticked,
        needs="play",
        codes=UNREAD,
        path_examples=RUN,
    ),
)
