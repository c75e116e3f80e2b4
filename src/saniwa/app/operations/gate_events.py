"""Events of a gate run: sending them, their history, and the evidence in them.

Covers evidence, approvals, rejections, overrides and timers.
"""

from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal

import msgspec

from saniwa.app import describe
from saniwa.app.gate.remote_evidence import RemoteEvidenceReader
from saniwa.app.operations import operation
from saniwa.app.operations.gate_runs import GATE_READ_CODES, ask_gate
from saniwa.app.operations.operation import OperationAnswer, OperationCall, ResultPage, define
from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import ProcessError
from saniwa.core.text import quote_value
from saniwa.process.artifact import Artifact, Claim, Maker
from saniwa.process.automatic_transitions import FiredTimer
from saniwa.process.event_record import LogEntry, LogNote
from saniwa.process.gate import Gate
from saniwa.process.ruling import EventRefusal, render_ruling
from saniwa.process.run_state import ProcessRun
from saniwa.process.submission import Submission, build_claims
from saniwa.store.gate.evidence_reader import UnfitEvidenceError

PathText = Annotated[str, msgspec.Meta(max_length=2_000)]


class ArtifactRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A submitted artifact: exactly one of path, url and content."""

    type: operation.ShortName = ""
    """Its kind; derived from the file name if empty."""
    path: PathText = ""
    """A file inside the run's artifact folder."""
    url: PathText = ""
    """A URL; requires a hash, because it is not fetched."""
    content: Any = msgspec.UNSET
    """The content itself: text or any JSON value."""
    hash: operation.ShortName = ""
    """SHA-256 in hex."""
    metadata: dict[str, Any] = {}
    """Further information about it."""


class SendEventRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event with its evidence. The gate chooses the state, and the credential the role."""

    event_name: operation.ShortName
    """The name of the event."""
    payload: dict[str, Any] = {}
    """The payload of the event."""
    artifact_paths: Annotated[list[PathText], msgspec.Meta(max_length=100)] = []
    """Files of evidence, inside the run's artifact folder."""
    artifacts: Annotated[list[ArtifactRequest], msgspec.Meta(max_length=100)] = []
    """Evidence given directly."""
    approval_digest: operation.ShortName = ""
    """For a decision: the digest of the review that it is based on."""


class EventTransition(msgspec.Struct, frozen=True, kw_only=True):
    """The transition that the gate chose."""

    from_state: str
    """The state before."""
    to_state: str
    """The state after."""


class AcceptedEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The result of an accepted event."""

    event_id: str
    """The id of the event."""
    accepted: bool
    """Always true: the event is in the log."""
    transition: EventTransition
    """The transition it caused."""
    new_revision: int
    """The revision that the next event must expect."""
    new_state_prompt: str = ""
    """The instructions for the new state."""
    replayed: bool = False
    """Whether an earlier request with the same key had recorded the event."""


class SendEventAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The published answer to an accepted event."""

    ok: bool
    """Always true."""
    success: bool
    """The same as `ok`."""
    result: AcceptedEvent
    """The result."""


class TickResult(msgspec.Struct, frozen=True, kw_only=True):
    """The timed transitions that were taken."""

    fired: list[FiredTimer]
    """The transitions, in order."""


warm_decoders(Submission)


@define(
    "POST /gate/runs/{run}/events",
    f"{GATE_READ_CODES} FORBIDDEN GUARD_FAILED APPROVAL_STALE REVISION_CONFLICT "
    "INVALID_EVENT INVALID_PAYLOAD APPROVAL_UNBOUND IDEMPOTENCY_CONFLICT",
    tools=("emit_event",),
    needs="play",
    changes=True,
    needs_key=True,
    takes_text=True,
)
async def send_gate_event(
    call: OperationCall, body: SendEventRequest
) -> OperationAnswer[SendEventAnswer]:
    """Send an event with its evidence, or a decision."""
    sent = _build_submission(call, body)
    ruling = await ask_gate(call, lambda gate: gate.submit(sent))
    if isinstance(ruling, EventRefusal):
        raise make_refusal_error(ruling)
    call.workspace.notifier.notify(sent.run_id)
    return OperationAnswer(body=render_ruling(ruling), revision=ruling.new_revision)


def _build_submission(call: OperationCall, body: SendEventRequest) -> Submission:
    revision = call.request.revision
    claims = [Claim(**msgspec.structs.asdict(each)) for each in body.artifacts]
    return operation.build_view(
        Submission,
        body,
        run_id=call.path["run"],
        expected_revision=revision,
        idempotency_key=call.key,
        artifacts=build_claims(body.artifact_paths, claims),
    )


def make_refusal_error(refused: EventRefusal) -> ProcessError:
    """Return a refusal as an HTTP error, with what is missing and who could do it."""
    return ProcessError(
        refused.code,
        refused.message,
        hint=refused.hint,
        recoverable=refused.code in ("REVISION_CONFLICT", "GUARD_FAILED"),
        details=render_ruling(refused)["error"]["details"],
    )


@define("POST /gate/runs/{run}/tick", GATE_READ_CODES, needs="play")
async def tick_gate_run(call: OperationCall) -> TickResult:
    """Take the timed transitions that are due."""
    run_id = call.path["run"]
    fired = await ask_gate(call, lambda gate: list(gate.tick(run_id)))
    if fired:
        call.workspace.notifier.notify(run_id)
    return TickResult(fired=fired)


MAX_HISTORY_BYTES: Final = 1_000_000
"""Size of a history in bytes after which a page ends."""


class HistoryEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of evidence submitted with an event."""

    type: str
    """Its kind."""
    place: str
    """The path, the URL, or the name of inline content."""
    hash: str
    """SHA-256 in hex."""
    size: int
    """The size in bytes."""
    made_by: Maker
    """Who made it; `gate` for what the gate wrote or found out itself."""
    checked: str = ""
    """What the gate looked up itself and found; empty if nothing was checked."""
    check: str = ""
    """The guard whose check the gate ran to make it; empty for what was submitted."""


class HistoryEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An event or a note in the history of a run."""

    kind: Literal["event", "note"]
    """Whether it is an event or a note."""
    revision: int
    """The revision that it created or belongs to."""
    at: int
    """When; milliseconds since 1970."""
    event: str = ""
    """The name of the event."""
    from_state: str = ""
    """The state before; empty for the first event."""
    to_state: str = ""
    """The state afterwards."""
    author: str = ""
    """The sender."""
    author_type: str = ""
    """`agent`, `human` or `system`."""
    role: str = ""
    """The role of the sender."""
    reason: str = ""
    """The reason given by the person who decided."""
    payload: dict[str, Any] = {}
    """The payload."""
    variables: dict[str, Any] = {}
    """The variables it set."""
    evidence: list[HistoryEvidence] = []
    """The evidence submitted with it."""
    decided_on: str = ""
    """For a decision: the digest of the review that it is based on."""
    signed: bool = False
    """Whether a person signed it; `verify` checks the signature."""
    overridden: list[str] = []
    """The missing conditions that a person overrode."""
    edition: str = ""
    """The new version of the process, if it changed here."""
    about: str = ""
    """The subject of a note: `hook` or `mended`."""
    message: str = ""
    """The text of a note."""
    failed: bool = False
    """Whether a hook failed."""


class HistoryQuery(operation.RequestRecord, frozen=True, kw_only=True):
    """Which part of a history, the oldest first."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=500)] = 100
    """How many at most; a revision is never cut in two."""
    after: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 0
    """Only what came after this revision."""


@define("GET /gate/runs/{run}/events", GATE_READ_CODES, tools=("get_history",))
async def read_gate_history(call: OperationCall, query: HistoryQuery) -> ResultPage[HistoryEntry]:
    """List the events of a run, oldest first."""
    run_id, after, limit = call.path["run"], query.after, query.limit
    return await ask_gate(
        call, lambda gate: build_history_page(gate.read_history(run_id, after), limit)
    )


def build_history_page(entries: Iterable[LogEntry], limit: int) -> ResultPage[HistoryEntry]:
    """Return the first entries as a page, continued after their last revision."""
    found, more = take_whole_revisions(entries, limit)
    shown = [build_history_entry(each) for each in found]
    return ResultPage(shown, str(found[-1].revision) if more else None)


def take_whole_revisions(entries: Iterable[LogEntry], limit: int) -> tuple[list[LogEntry], bool]:
    """Return the first entries, and whether there are more; no revision is split."""
    found: list[LogEntry] = []
    size = 0
    for entry in entries:
        full = len(found) >= limit or size >= MAX_HISTORY_BYTES
        if full and entry.revision != found[-1].revision:
            return found, True
        found.append(entry)
        size += len(msgspec.json.encode(entry))
    return found, False


def build_history_entry(entry: LogEntry) -> HistoryEntry:
    """Return the view of an entry; the person's signature is not included."""
    if isinstance(entry, LogNote):
        return operation.build_view(HistoryEntry, entry, kind="note", evidence=entry.artifacts)
    approval, reason = entry.approval, entry.payload.get("reason", "")
    return operation.build_view(
        HistoryEntry,
        entry,
        kind="event",
        from_state=entry.source,
        to_state=entry.state,
        author=entry.author.id,
        author_type=entry.author.type,
        reason=reason if isinstance(reason, str) else "",
        evidence=entry.artifacts,
        decided_on=approval.digest if approval else "",
        signed=bool(approval and approval.mac),
        edition=entry.opening.process_version if entry.opening else "",
    )


TEXT_MEDIA: Final = "text/plain; charset=utf-8"
"""The media type of every text, whatever its name says."""
BINARY_MEDIA: Final = "application/octet-stream"
"""The media type of files that are downloaded and never shown."""
_IMAGE_SIGNATURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
_EVIDENCE_HEADERS: Final = (
    ("Content-Security-Policy", "default-src 'none'; sandbox"),
    ("X-Content-Type-Options", "nosniff"),
)
_ATTACHMENT_HEADER: Final = ("Content-Disposition", "attachment")


class EvidenceQuery(operation.RequestRecord, frozen=True, kw_only=True):
    """Which evidence was meant."""

    hash: Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{64})?$")] = ""
    """Its SHA-256 as the review told it; other evidence under its number is not shown."""


@define(
    "GET /gate/runs/{run}/evidence/{number}",
    f"{GATE_READ_CODES} EVIDENCE_NOT_FOUND ARTIFACT_CHANGED",
    media="*/*",
)
async def read_evidence(call: OperationCall, query: EvidenceQuery) -> OperationAnswer[bytes]:
    """Download a piece of evidence, numbered as in the review."""
    reader = call.workspace.gates.evidence

    def read(gate: Gate) -> bytes:
        run = gate.log.load_run(call.path["run"])
        piece = find_evidence(run, call.path["number"], query.hash)
        return load_evidence(reader, run, piece)

    content = await ask_gate(call, read)
    kind = detect_media_type(content)
    saved = (_ATTACHMENT_HEADER,) if kind == BINARY_MEDIA else ()
    return OperationAnswer(body=content, media=kind, headers=(*_EVIDENCE_HEADERS, *saved))


def find_evidence(run: ProcessRun, number: str, hash: str) -> Artifact:
    """Return the evidence with a number of the review, counted from 1.

    Raises:
        ProcessError: `EVIDENCE_NOT_FOUND`.
    """
    pieces = list(run.list_artifacts())
    known = {str(nth): piece for nth, piece in enumerate(pieces, 1)}
    found = known.get(number)
    if found is None or hash not in ("", found.hash):
        raise describe("EVIDENCE_NOT_FOUND", number=number, pieces=len(pieces)).to_error(
            ProcessError
        )
    return found


def load_evidence(reader: RemoteEvidenceReader, run: ProcessRun, piece: Artifact) -> bytes:
    """Return the bytes of evidence, if they are what was submitted.

    Raises:
        ProcessError: `ARTIFACT_CHANGED`; `EVIDENCE_NOT_FOUND` for evidence at a URL.
    """
    try:
        return reader.read_content(run.opening.folder, piece)
    except UnfitEvidenceError as problem:
        raise ProcessError(
            "EVIDENCE_NOT_FOUND" if piece.url else "ARTIFACT_CHANGED",
            f"{quote_value(piece.place)} {problem}",
            hint="fetch it yourself and compare its SHA-256"
            if piece.url
            else "have it submitted again, or restore it",
            details={"type": piece.type, "hash": piece.hash},
        ) from problem


def detect_media_type(content: bytes) -> str:
    """Return the media type of bytes, from their content and never from a name."""
    for start, kind in _IMAGE_SIGNATURES:
        if content.startswith(start):
            return kind
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    if b"\x00" in content:
        return BINARY_MEDIA
    try:
        content.decode()
    except UnicodeDecodeError:
        return BINARY_MEDIA
    return TEXT_MEDIA
