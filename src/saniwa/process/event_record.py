"""One event as one record, and the CSV row that is made from it.

The row has only the six published columns; the author and the evidence are in the record.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from saniwa.core.clock import format_timestamp
from saniwa.core.text import LINE_END, escape_formulas, format_csv_row, quote_csv_cell
from saniwa.process.artifact import Artifact, Author

COLUMNS = ("timestamp", "state", "revision", "event", "idempotency_key", "artifact_paths")
"""The columns of a run's CSV file, in order."""
HEADER = ",".join(COLUMNS) + LINE_END
"""The first line of a run's CSV file."""
SEPARATOR = ";"
"""Separates two paths in a row."""


class ParentLink(msgspec.Struct, frozen=True, kw_only=True):
    """Which run began a run, and in which place."""

    run_id: str
    """The run that began it."""
    revision: int
    """The revision at which that run entered the state that began it."""
    name: str
    """The name of the children or the lane."""
    number: int
    """Which of them it is, from 0."""
    depth: int
    """How many runs are above it."""


class RunOpening(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a run stands on from this record on."""

    process_id: str
    """The process."""
    process_version: str
    """The author's name for the edition."""
    definition: str
    """The definition's hash."""
    folder: str = ""
    """The folder that paths of artifacts are relative to; empty for the run's own."""
    home: str = ""
    """The run in whose own folder the evidence is, for a lane; empty for this run."""
    parent: ParentLink | None = None
    """The run that started it; null if a caller did."""


class Approval(msgspec.Struct, frozen=True):
    """What a decision was made on: it counts for this and for nothing else."""

    revision: int
    """The revision that was shown."""
    digest: str
    """The digest of what was shown."""
    mac: str = ""
    """The person's signature; empty if no person's secret was available."""


class EventRecord(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="event"
):
    """One accepted event: one row of the log, and all that stands behind it."""

    revision: int
    """From 1, without a gap."""
    at: int
    """When, in milliseconds since 1970; the log is ordered by revision, not by this."""
    state: str
    """The state after the event."""
    event: str
    """The event's name."""
    event_id: str
    """The event's own id."""
    source: str = msgspec.field(name="from", default="")
    """The state before; empty for the first record."""
    key: str = ""
    """The idempotency key; empty for events that no caller sent."""
    digest: str = ""
    """The digest of the request, to tell a replay from another request."""
    role: str = ""
    """The role it was sent in."""
    author: Author
    """Who sent it."""
    payload: dict[str, Any] = {}
    """The data sent with it."""
    variables: dict[str, Any] = msgspec.field(name="context", default_factory=dict)
    """The variables it set."""
    artifacts: tuple[Artifact, ...] = ()
    """The evidence that came with it."""
    approval: Approval | None = None
    """What a decision was made on."""
    overridden: tuple[str, ...] = ()
    """The guards a person overrode."""
    opening: RunOpening | None = None
    """What the run is based on from here; in its first record and in a migration."""
    imported: str = ""
    """SHA-256 of the table it was taken from; empty for what this gate decided."""


class ChildBatch(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Child runs that a run begins: decided before the first of them exists."""

    name: str
    """The name of the children or the lane."""
    process_id: str
    """Their process."""
    definition: str = ""
    """The hash of the definition they are on; empty if none could be begun."""
    count: int = 0
    """How many there are."""
    is_lane: bool = False
    """Whether it is a lane."""


class ChildEnd(msgspec.Struct, frozen=True, kw_only=True):
    """A child run that has ended, as the gate found it in its log."""

    name: str
    """The name of the children or the lane."""
    number: int
    """Which of them, from 0."""
    state: str
    """The final state."""
    revision: int
    """Its revision."""
    digest: str
    """The digest of its state and all its evidence."""


class LogNote(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="note"
):
    """Something that happened besides the events: a hook that ran, a file that was repaired."""

    revision: int
    """The revision it belongs to."""
    at: int
    """When, in milliseconds since 1970."""
    about: str
    """What it is about: `hook`, `delivery`, `mended`, `children`, `child` or `timer`."""
    message: str = ""
    """What happened."""
    failed: bool = False
    """Whether a hook failed."""
    hook: int = -1
    """Which hook of that revision, from 0."""
    delivery: str = ""
    """The webhook it is about, as `REVISION:HOOK`: sent, or to be sent again."""
    variables: dict[str, Any] = msgspec.field(name="context", default_factory=dict)
    """Variables a hook set."""
    artifacts: tuple[Artifact, ...] = ()
    """Artifacts a hook wrote."""
    children: ChildBatch | None = None
    """Child runs that are begun."""
    ended: ChildEnd | None = None
    """A child run that has ended."""
    timer: str = ""
    """The timed transition that was refused, as `EVENT->STATE[GUARD]`."""


LogEntry = EventRecord | LogNote
"""Every kind of entry in a run's log."""


def render_row(record: EventRecord) -> str:
    """Render the record's row, line end included."""
    artifacts = record.artifacts
    paths = SEPARATOR.join([a.place for a in artifacts]) if artifacts else ""
    return (
        f"{format_timestamp(record.at)},{quote_csv_cell(record.state)},{record.revision},"
        f"{quote_csv_cell(record.event)},{quote_csv_cell(record.key)},{quote_csv_cell(paths)}{LINE_END}"
    )


def list_cells(record: EventRecord) -> tuple[str, ...]:
    """List the cells of the record's row, one text for each column."""
    paths = SEPARATOR.join([artifact.place for artifact in record.artifacts])
    at, revision = format_timestamp(record.at), str(record.revision)
    return at, record.state, revision, record.event, record.key, paths


def render_rows(entries: Iterable[LogEntry], *, safe: bool = False) -> Iterator[str]:
    """Yield the lines of a run's table, header first, line ends included.

    Only events have a row; notes have none.
    """
    yield HEADER
    for entry in entries:
        if isinstance(entry, EventRecord):
            cells = map(escape_formulas, list_cells(entry)) if safe else ()
            yield format_csv_row(cells) if safe else render_row(entry)
