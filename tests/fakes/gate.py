"""A tiny process and its records, made without a gate."""

from typing import Any

import msgspec

from saniwa.core.clock import format_timestamp
from saniwa.process.artifact import Artifact, Author
from saniwa.process.definition import (
    CREATED,
    ArtifactGuard,
    EventDefinition,
    Process,
    StateDefinition,
    TransitionDefinition,
    hash_process,
)
from saniwa.process.event_record import EventRecord, LogNote, RunOpening
from saniwa.process.run_state import ProcessRun

BEGUN = 1_767_225_600_000
"""The start time of every run here: 2026-01-01T00:00:00Z."""
AGENT = Author(type="agent", id="agent")
"""The author of every event here."""


def make_door_process(process_id: str = "door", **changes: Any) -> Process:
    """Three states: a closed door that can be knocked at, opened with a permit and passed."""
    process = Process(
        process_id=process_id,
        version="1.0.0",
        name="A door",
        initial_state="closed",
        initial_variables={"knocks": 0},
        states=(
            StateDefinition(name="closed", prompt="Find a permit."),
            StateDefinition(name="open"),
            StateDefinition(name="passed", is_final=True),
        ),
        events=(
            EventDefinition(name="knock", allowed_roles=("*",)),
            EventDefinition(name="open", allowed_roles=("agent",)),
            EventDefinition(name="pass", allowed_roles=("agent",)),
        ),
        transitions=(
            TransitionDefinition(source="closed", event="knock", to="closed"),
            TransitionDefinition(source="closed", event="open", to="open", guard="permitted"),
            TransitionDefinition(source="open", event="pass", to="passed"),
        ),
        guards={"permitted": ArtifactGuard(artifact_type="permit", condition="exists")},
    )
    return msgspec.structs.replace(process, **changes)


def make_run_id(number: int = 1) -> str:
    """The id of the test's run with that number; higher numbers sort later."""
    return f"run-00000000-0000-7000-8000-{number:012x}"


def make_opening_record(process: Process, **changes: Any) -> EventRecord:
    """The first record of a run of a process."""
    first = EventRecord(
        revision=1,
        at=BEGUN,
        state=process.initial_state,
        event=CREATED,
        event_id="event-1",
        role="agent",
        author=AGENT,
        variables=process.initial_variables,
        opening=RunOpening(
            process_id=process.process_id,
            process_version=process.version,
            definition=hash_process(process),
        ),
    )
    return msgspec.structs.replace(first, **changes)


def make_next_record(
    standing: ProcessRun, event: str = "knock", key: str = "", **changes: Any
) -> EventRecord:
    """The next record of a run of the door process.

    `knock` stays, `open` and `pass` move; each is a second after the one before. Without a
    given key the record gets a new one.
    """
    revision = standing.revision + 1
    following = EventRecord(
        revision=revision,
        at=standing.updated + 1000,
        state=_AFTER.get(event, standing.state),
        event=event,
        event_id=f"event-{revision}",
        source=standing.state,
        key=key or f"key-{revision}",
        digest=f"{revision:064x}",
        role="agent",
        author=AGENT,
    )
    return msgspec.structs.replace(following, **changes)


def make_artifact(
    path: str = "permit.md", run: str = "", kind: str = "permit", **changes: Any
) -> Artifact:
    """A piece of evidence, as a record has it."""
    piece = Artifact(
        artifact_id=f"artifact-{path}",
        run_id=run or make_run_id(),
        type=kind,
        path=path,
        hash="a" * 64,
        size=12,
        created_at=format_timestamp(BEGUN),
        created_by=AGENT,
    )
    return msgspec.structs.replace(piece, **changes)


def make_note(standing: ProcessRun, hook: int = -1, **changes: Any) -> LogNote:
    """A note at the current revision of a run."""
    told = LogNote(
        revision=standing.revision,
        at=standing.updated + 1,
        about="hook" if hook >= 0 else "mended",
        message="the table was completed from the record",
        hook=hook,
    )
    return msgspec.structs.replace(told, **changes)


_AFTER = {"open": "open", "pass": "passed"}
