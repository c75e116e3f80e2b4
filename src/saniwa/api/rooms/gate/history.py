"""History: every event and note of a run, from the first."""

from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal

import msgspec

from saniwa.api.operation import Call, Operation, Page
from saniwa.api.rooms.gate.asking import RUN, UNREAD, asked
from saniwa.process.artifact import Artifact
from saniwa.process.gate import Gate
from saniwa.process.record import Entry, Note, Record

MOST_BYTES: Final = 1_000_000
"""Bytes of a history after which a page ends."""


class Handed(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of evidence that came with an event."""

    type: str
    """Its kind."""
    place: str
    """Path, address, or the name of what was handed in directly."""
    hash: str
    """SHA-256 in hex."""
    size: int
    """How many bytes."""


class Happening(msgspec.Struct, frozen=True, kw_only=True):
    """One event, or one note beside the log."""

    kind: Literal["event", "note"]
    """Which of the two."""
    revision: int
    """The revision it made, or belongs to."""
    at: int
    """When; milliseconds since 1970."""
    event: str = ""
    """What happened."""
    from_state: str = ""
    """The state before; empty for the first event."""
    to_state: str = ""
    """The state afterwards."""
    author: str = ""
    """Who sent it."""
    author_type: str = ""
    """`agent`, `human` or `system`."""
    role: str = ""
    """The role it was sent in."""
    reason: str = ""
    """Why, in the words of who decided."""
    payload: dict[str, Any] = {}
    """What was sent with it."""
    variables: dict[str, Any] = {}
    """The variables it set."""
    evidence: list[Handed] = []
    """What came with it."""
    decided_on: str = ""
    """For a decision: the digest of the review it was made on."""
    signed: bool = False
    """Whether the person's mark is under it; `verify` says if it is theirs."""
    overridden: list[str] = []
    """What was missing, and a person put aside."""
    edition: str = ""
    """The edition of the process the run stands on from here, where that changed."""
    about: str = ""
    """What a note tells of: `hook` or `mended`."""
    message: str = ""
    """What a note says."""
    failed: bool = False
    """Whether a hook did not do what it should."""


class Reading(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which part of a history, the oldest first."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=500)] = 100
    """How many at most; a revision is never cut in two."""
    after: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 0
    """Only what came after this revision."""


async def read_history(call: Call) -> Page[Happening]:
    """What happened in a run."""
    query: Reading = call.query

    def read(gate: Gate) -> Page[Happening]:
        return page_of(gate.history(call.path["run"], query.after), query.limit)

    return await asked(call, read)


def page_of(entries: Iterable[Entry], limit: int) -> Page[Happening]:
    """The first entries, cut between revisions so that none is lost in paging."""
    found: list[Happening] = []
    size = 0
    for entry in entries:
        full = len(found) >= limit or size >= MOST_BYTES
        if full and entry.revision != found[-1].revision:
            return Page(found, str(found[-1].revision))
        found.append(happening_of(entry))
        size += len(msgspec.json.encode(found[-1]))
    return Page(found)


def happening_of(entry: Entry) -> Happening:
    """An entry as it is answered; a person's mark stays here."""
    return _noted(entry) if isinstance(entry, Note) else _happened(entry)


def _happened(record: Record) -> Happening:
    approval, reason = record.approval, record.payload.get("reason", "")
    return Happening(
        kind="event",
        revision=record.revision,
        at=record.at,
        event=record.event,
        from_state=record.source,
        to_state=record.state,
        author=record.author.id,
        author_type=record.author.type,
        role=record.role,
        reason=reason if isinstance(reason, str) else "",
        payload=record.payload,
        variables=record.variables,
        evidence=_handed(record.artifacts),
        decided_on=approval.digest if approval else "",
        signed=bool(approval and approval.mac),
        overridden=list(record.overridden),
        edition=record.opening.process_version if record.opening else "",
    )


def _noted(note: Note) -> Happening:
    return Happening(
        kind="note",
        revision=note.revision,
        at=note.at,
        variables=note.variables,
        evidence=_handed(note.artifacts),
        about=note.about,
        message=note.message,
        failed=note.failed,
    )


def _handed(artifacts: Iterable[Artifact]) -> list[Handed]:
    return [
        Handed(type=each.type, place=each.place, hash=each.hash, size=each.size)
        for each in artifacts
    ]


OPERATIONS = (
    Operation(
        name="readGateHistory",
        method="GET",
        path="/gate/runs/{run}/events",
        summary="What happened in a run, the oldest first",
        run=read_history,
        query=Reading,
        answers=Page[Happening],
        codes=UNREAD,
        path_examples=RUN,
    ),
)
