"""The bytes of a piece of evidence: only as they were handed in, and never as a program."""

from typing import Annotated, Final

import msgspec

from saniwa.api.operation import Answer, Call, Operation
from saniwa.api.rooms.gate.asking import RUN, UNREAD, asked
from saniwa.core.errors import ProcessError
from saniwa.core.quoted import quoted
from saniwa.process.artifact import Artifact
from saniwa.process.gate import Gate
from saniwa.process.standing import Standing
from saniwa.store.gate.evidence.walk import UnfitError
from saniwa.wiring.garden.evidence import GardenEvidence

TEXT: Final = "text/plain; charset=utf-8"
"""What every text is shown as, whatever it calls itself."""
UNKNOWN: Final = "application/octet-stream"
"""What is only saved, and never shown."""
_PICTURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
_HEADERS: Final = (
    ("Content-Security-Policy", "default-src 'none'; sandbox"),
    ("X-Content-Type-Options", "nosniff"),
)
_SAVED: Final = ("Content-Disposition", "attachment")


class Pointed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which evidence was meant."""

    hash: Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{64})?$")] = ""
    """Its SHA-256 as the review told it; other evidence under its number is not shown."""


async def read_evidence(call: Call) -> Answer:
    """The bytes of a piece of evidence."""
    kept = call.garden.gates.evidence
    query: Pointed = call.query

    def read(gate: Gate) -> bytes:
        standing = gate.log.standing(call.path["run"])
        piece = piece_of(standing, call.path["number"], query.hash)
        return content_of(kept, standing, piece)

    content = await asked(call, read)
    kind = kind_of(content)
    saved = (_SAVED,) if kind == UNKNOWN else ()
    return Answer(body=content, media=kind, headers=(*_HEADERS, *saved))


def piece_of(standing: Standing, number: str, hash: str) -> Artifact:
    """The evidence under a number of the review, counted from 1.

    Raises:
        ProcessError: `EVIDENCE_NOT_FOUND`.
    """
    pieces = list(standing.evidence())
    known = {str(nth): piece for nth, piece in enumerate(pieces, 1)}
    found = known.get(number)
    if found is None or hash not in ("", found.hash):
        raise ProcessError(
            "EVIDENCE_NOT_FOUND",
            f"the run has no such evidence under {quoted(number)}",
            hint=f"it has {len(pieces)}; review it again, the order may have changed",
        )
    return found


def content_of(kept: GardenEvidence, standing: Standing, piece: Artifact) -> bytes:
    """Its bytes, if they are what was handed in.

    Raises:
        ProcessError: `ARTIFACT_CHANGED`; `EVIDENCE_NOT_FOUND` for what lies elsewhere.
    """
    try:
        return kept.content(standing.opening.folder, piece)
    except UnfitError as problem:
        raise ProcessError(
            "EVIDENCE_NOT_FOUND" if piece.url else "ARTIFACT_CHANGED",
            f"{quoted(piece.place)} {problem}",
            hint="fetch it yourself, and compare its SHA-256"
            if piece.url
            else "have it handed in again, or bring it back as it was",
            details={"type": piece.type, "hash": piece.hash},
        ) from problem


def kind_of(content: bytes) -> str:
    """What bytes are shown as: told by themselves, never by a name."""
    for start, kind in _PICTURES:
        if content.startswith(start):
            return kind
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    if b"\x00" in content:
        return UNKNOWN
    try:
        content.decode()
    except UnicodeDecodeError:
        return UNKNOWN
    return TEXT


OPERATIONS = (
    Operation(
        name="readEvidence",
        method="GET",
        path="/gate/runs/{run}/evidence/{number}",
        summary="The bytes of a piece of evidence, as the review counts them",
        run=read_evidence,
        query=Pointed,
        answers=bytes,
        media="*/*",
        codes=(*UNREAD, "EVIDENCE_NOT_FOUND", "ARTIFACT_CHANGED"),
        path_examples={**RUN, "number": "1"},
    ),
)
