"""What the gate's tools take and give, under the published names."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from saniwa.process.view import Sendable

MOST = 200
"""Runs or entries of a history in one answer."""

RunId = Annotated[
    str,
    Meta(
        description="The run, such as run-019471a2-7c8d-7000-8000-000000000001. "
        "May be left out where the server was given one."
    ),
]
Limit = Annotated[int, Meta(ge=1, le=MOST, description="How many to tell of at most.")]


class _Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of a tool; a name that is none of them is refused."""


class OfRun(_Arguments, frozen=True, kw_only=True):
    """A run, and nothing else."""

    run_id: RunId = ""


class ListEvents(OfRun, frozen=True, kw_only=True):
    """What could be sent."""

    include_blocked: Annotated[
        bool, Meta(description="Also what this server's role may not send, and why.")
    ] = False


class HandedIn(_Arguments, frozen=True, kw_only=True):
    """An artifact handed in directly: exactly one of path, url and content."""

    type: Annotated[
        str, Meta(description="The kind of artifact, as the process names it.")
    ] = ""
    path: Annotated[
        str, Meta(description="A file inside the run's artifact folder.")
    ] = ""
    url: Annotated[str, Meta(description="An address; needs a hash.")] = ""
    content: Annotated[
        Any, Meta(description="The thing itself: text or any JSON value.")
    ] = msgspec.UNSET
    hash: Annotated[str, Meta(description="SHA-256 in hex.")] = ""
    metadata: Annotated[
        dict[str, Any], Meta(description="Whatever else is to be known of it.")
    ] = {}


class EmitEvent(OfRun, frozen=True, kw_only=True):
    """An event with its evidence. It names no state."""

    event_name: Annotated[str, Meta(description="The event, as list_events names it.")]
    expected_revision: Annotated[
        int, Meta(description="The revision you have seen in get_state.")
    ]
    idempotency_key: Annotated[
        str,
        Meta(
            description="Your own name for this request. Send the same key only to "
            "repeat the very same request; it is then applied once."
        ),
    ]
    payload: Annotated[
        dict[str, Any],
        Meta(description="What the event says; see its payload_schema."),
    ] = {}
    artifact_paths: Annotated[
        tuple[str, ...],
        Meta(description="Files of evidence, relative to the run's artifact folder."),
    ] = ()
    artifacts: Annotated[
        tuple[HandedIn, ...], Meta(description="Evidence handed in directly.")
    ] = ()
    approval_digest: Annotated[
        str,
        Meta(description="For a person's decision: the digest that review showed."),
    ] = ""


class CreateRun(_Arguments, frozen=True, kw_only=True):
    """Which process, and what the run begins with."""

    process_id: Annotated[str, Meta(description="The process to begin a run of.")]
    variables: Annotated[
        dict[str, Any], Meta(description="First values of the run's variables.")
    ] = msgspec.field(name="context", default_factory=dict)


class ListRuns(_Arguments, frozen=True, kw_only=True):
    """Which runs."""

    process_id: Annotated[str, Meta(description="Only runs of this process.")] = ""
    limit: Limit = 50


class GetHistory(OfRun, frozen=True, kw_only=True):
    """Which part of a history."""

    after: Annotated[
        int, Meta(description="Only what came after this revision.", ge=0)
    ] = 0
    limit: Limit = 100


class Events(msgspec.Struct, frozen=True, kw_only=True):
    """What can be sent now."""

    events: tuple[Sendable, ...]
    """In the order of the definition."""


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """From a state to a state; the gate's choice."""

    from_state: str
    """Before."""
    to_state: str
    """Afterwards."""


class Passed(msgspec.Struct, frozen=True, kw_only=True):
    """What an accepted event came to."""

    event_id: str
    """The event's own id."""
    accepted: Literal[True]
    """It stands in the log."""
    transition: Way
    """Where it led."""
    new_revision: int
    """What the next event must expect."""
    new_state_prompt: str = ""
    """What is to be done now."""
    replayed: bool = False
    """Whether it stood there before this request."""


class Emitted(msgspec.Struct, frozen=True, kw_only=True):
    """The event was accepted."""

    success: Literal[True]
    """It was."""
    result: Passed
    """What it came to."""


class Begun(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
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


class RunLine(msgspec.Struct, frozen=True, kw_only=True):
    """One run in a list."""

    run_id: str
    """Its id."""
    process_id: str
    """Its process."""
    current_state: str
    """Where it stands."""
    revision: int
    """What the next event must expect."""
    created_at: str
    """When it began."""
    updated_at: str
    """When the last event was."""


class Runs(msgspec.Struct, frozen=True, kw_only=True):
    """Runs, the newest first."""

    runs: tuple[RunLine, ...]
    """As many as were asked for."""
    more: bool
    """Whether there are older ones."""


class Happened(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One entry of a history."""

    kind: Literal["event", "note"]
    """A row of the log, or something beside it."""
    revision: int
    """Where it belongs."""
    timestamp: str
    """When; ISO 8601."""
    event: str = ""
    """What happened."""
    from_state: str = ""
    """Before."""
    to_state: str = ""
    """Afterwards."""
    role: str = ""
    """In which role it was sent."""
    author: str = ""
    """By whom: `agent:NAME`, `human:NAME`, `system:NAME`."""
    idempotency_key: str = ""
    """The sender's name for it."""
    payload: dict[str, Any] = {}
    """What was sent with it."""
    artifact_paths: tuple[str, ...] = ()
    """The evidence that came with it."""
    overridden: tuple[str, ...] = ()
    """Guards that a person put aside."""
    message: str = ""
    """What a note says."""


class History(msgspec.Struct, frozen=True, kw_only=True):
    """What happened in a run, the oldest first."""

    run_id: str
    """The run."""
    entries: tuple[Happened, ...]
    """As many as were asked for."""
    more: bool
    """Whether there are later ones; ask again after the last revision."""


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is not as it should be."""

    code: str
    """Upper-case words, explained in the documentation."""
    severity: str
    """`error`, `warning` or `note`."""
    message: str
    """What."""
    where: str
    """Where; empty if there is no place."""
    hint: str
    """What to do."""


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """What reading a run again has shown."""

    run_id: str
    """The run."""
    passed: bool
    """Whether everything is as it was written."""
    findings: tuple[Fault, ...]
    """What is not."""
