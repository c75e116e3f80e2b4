"""What a person looks at before deciding, and the digest that binds the decision to it.

Builds and signs; whether a decision is allowed is up to `event_decision`.
"""

import hashlib
from copy import deepcopy
from pathlib import PurePosixPath
from typing import Any

import msgspec
import orjson

from saniwa.process.artifact import Artifact, Maker
from saniwa.process.child_groups import ChildGroupState, list_child_groups
from saniwa.process.definition import DECISIONS, OVERRIDE
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.event_record import EventRecord
from saniwa.process.ports import EvidenceChecker, Signer
from saniwa.process.run_state import PersonDecision, ProcessRun


def build_signature_message(run_id: str, record: EventRecord) -> bytes:
    """Build the bytes that are signed: the whole decision, without its signature.

    Signing and verifying both use this.
    """
    approval = record.approval
    opening = record.opening
    fields = {
        "run_id": run_id,
        "revision": record.revision,
        "from": record.source,
        "state": record.state,
        "event": record.event,
        "role": record.role,
        "payload": record.payload,
        "definition": opening.definition if opening is not None else "",
        "shown": approval.digest if approval is not None else "",
    }
    return orjson.dumps(fields, option=orjson.OPT_SORT_KEYS)


def sign_record(run_id: str, record: EventRecord, signer: Signer | None) -> EventRecord:
    """Sign the record; return it unchanged without a signer or an approval."""
    if signer is None or record.approval is None:
        return record
    mac = signer.sign(build_signature_message(run_id, record))
    approval = msgspec.structs.replace(record.approval, mac=mac)
    return msgspec.structs.replace(record, approval=approval)


class ReviewedArtifact(msgspec.Struct, frozen=True, kw_only=True):
    """One piece of evidence in a review."""

    type: str
    """Its kind."""
    place: str
    """The path, the URL, or the name of inline content."""
    hash: str
    """SHA-256 of what was submitted."""
    size: int
    """The size in bytes."""
    created_by: str
    """Who submitted it."""
    created_at: str = ""
    """When it was submitted; ISO 8601."""
    made_by: Maker
    """Who made it; `gate` for what the gate wrote or found out itself."""
    checked: str = ""
    """What the gate looked up itself and found; empty if nothing was checked."""
    check: str = ""
    """The guard whose check the gate ran to make it; empty for what was submitted."""
    claimed: bool = False
    """Whether that check rests on something that only its author says."""
    call: str = ""
    """The tool call that made it, as the agent's journal names it."""
    content: Any = msgspec.UNSET
    """The content, if it was submitted inline."""
    file: str = ""
    """Path of the file from here, if it is a file."""
    fault: str = ""
    """What happened to it after submission; empty if it is unchanged."""
    sent_back: bool = False
    """Whether it existed already when a person last sent the run back."""


def describe_provenance(piece: ReviewedArtifact) -> str:
    """Say who made a piece of evidence, and whether the gate checked it."""
    if piece.claimed:
        return f"claimed in part, not checked by the gate: {piece.checked}"
    if piece.check:
        return f"established by the gate: {piece.checked}"
    if piece.checked:
        return f"checked by the gate: {piece.checked}"
    if piece.made_by == "gate":
        return "written by the gate"
    if piece.made_by == "tool":
        return f"made by the agent's tool call {piece.call}, as its journal says"
    who = "the agent" if piece.made_by == "agent" else "a person"
    return f"claimed by {who}, not checked by the gate"


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """The evidence and state of a run, for the person who decides."""

    run_id: str
    """The run."""
    process_id: str
    """Its process."""
    state: str
    """The run's current state."""
    revision: int
    """The revision a decision is bound to."""
    decisions: tuple[str, ...]
    """The possible decisions: approve, reject, override_guard."""
    context: dict[str, Any]
    """The run's variables."""
    evidence: tuple[ReviewedArtifact, ...]
    """All evidence submitted so far."""
    digest: str
    """The digest that a decision must include; it covers everything above."""
    last_decision: PersonDecision | None = None
    """The last decision of a person, and its reason."""
    children: tuple[ChildGroupState, ...] = ()
    """The child runs and lanes last started under each name."""
    is_replaced: bool = False
    """Whether the process has the name of a shipped one, and another definition."""


def build_review(index: ProcessIndex, run: ProcessRun, evidence: EvidenceChecker) -> Review:
    """Build the review of a run."""
    folder = run.opening.folder
    home = evidence.locate_folder(run.home, folder)
    pieces = tuple(
        _build_reviewed_artifact(
            each,
            evidence.find_evidence_change(folder, each),
            home,
            sent_back=run.is_sent_back(each),
        )
        for each in run.list_artifacts()
    )
    here = {way.event for way in index.list_outgoing(run.state)}
    here |= {OVERRIDE} if here and OVERRIDE in index.events else set()
    return Review(
        run_id=run.run_id,
        process_id=run.opening.process_id,
        state=run.state,
        revision=run.revision,
        decisions=tuple(sorted(DECISIONS & here)),
        context=deepcopy(run.variables),
        evidence=pieces,
        digest=digest_review(run),
        last_decision=run.decided,
        children=list_child_groups(run),
    )


def digest_review(run: ProcessRun) -> str:
    """Compute one SHA-256, in hex, over the run's state and all its evidence."""
    shown = {
        "run_id": run.run_id,
        "revision": run.revision,
        "state": run.state,
        "definition": run.opening.definition,
        "context": run.variables,
        "evidence": [[a.type, a.place, a.hash] for a in run.list_artifacts()],
    }
    encoded = orjson.dumps(shown, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(encoded).hexdigest()


def _build_reviewed_artifact(
    artifact: Artifact, fault: str, home: str, *, sent_back: bool
) -> ReviewedArtifact:
    return ReviewedArtifact(
        type=artifact.type,
        place=artifact.place,
        hash=artifact.hash,
        size=artifact.size,
        created_by=f"{artifact.created_by.type}:{artifact.created_by.id}",
        created_at=artifact.created_at,
        made_by=artifact.made_by,
        checked=artifact.checked,
        check=artifact.check,
        claimed=artifact.claimed,
        call=artifact.call,
        content=deepcopy(artifact.content),
        file=str(PurePosixPath(home) / artifact.path) if artifact.path else "",
        fault=fault,
        sent_back=sent_back,
    )
