"""What the gate's tools take, under the published names."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from saniwa.process.weighing.request import KEY_PATTERN, KEY_RULE, LONGEST_KEY

MOST = 200
"""Runs or entries of a history in one answer."""

RunId = Annotated[
    str,
    Meta(
        description="The run, such as run-019471a2-7c8d-7000-8000-000000000001, or "
        "last for the newest. May be left out where the server was given one."
    ),
]
Limit = Annotated[int, Meta(ge=1, le=MOST, description="How many to tell of at most.")]


class _Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of a tool; a name that is none of them is refused."""


class Nothing(_Arguments, frozen=True, kw_only=True):
    """No arguments."""


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
        str, Meta(description="A file, relative to artifact_base_path.")
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
            f"repeat the very same request; it is then applied once. {KEY_RULE}.",
            # Stated, and checked by the gate itself, which answers with a refusal.
            extra_json_schema={
                "minLength": 1,
                "maxLength": LONGEST_KEY,
                "pattern": KEY_PATTERN,
            },
        ),
    ]
    payload: Annotated[
        dict[str, Any],
        Meta(description="What the event says; see its payload_schema."),
    ] = {}
    artifact_paths: Annotated[
        tuple[str, ...],
        Meta(description="Files of evidence, relative to artifact_base_path."),
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

    process_id: Annotated[str, Meta(description="An id that list_processes told.")]
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
