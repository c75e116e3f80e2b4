"""What happened and what is to be decided on, for whoever reads text."""

from collections.abc import Iterator

import msgspec

from saniwa.mcp.gate_answers import History
from saniwa.mcp.gate_text import decision_line
from saniwa.mcp.shown import plain, shown
from saniwa.process.record import Entry, Note, Record, timestamp
from saniwa.process.weighing.review import Piece, Review, describe_provenance


def history_text(history: History) -> str:
    """A history, one entry a line."""
    if not history.entries:
        return "Nothing more has happened."
    lines = [plain(_entry_line(entry)) for entry in history.entries]
    if history.more:
        lines.append(f"More after revision {history.entries[-1].revision}.")
    return "\n".join(lines)


def _entry_line(entry: Entry) -> str:
    head = f"{entry.revision} {timestamp(entry.at)}"
    if isinstance(entry, Note):
        failed = " failed" * entry.failed
        return f"{head} note, {entry.about}{failed}: {entry.message}"
    who = f"{entry.author.type}:{entry.author.id}"
    return f"{head} {entry.event} by {who}: {entry.state}{''.join(_stands_on(entry))}"


def _stands_on(record: Record) -> Iterator[str]:
    if record.artifacts:
        yield f" on {', '.join(each.place for each in record.artifacts)}"
    if record.payload:
        yield f" with {shown(record.payload)}"
    if record.overridden:
        yield f", putting aside: {'; '.join(record.overridden)}"


def review_text(review: Review) -> str:
    """What somebody who decides has to look at."""
    return "\n".join(_review_lines(review))


def _review_lines(review: Review) -> Iterator[str]:
    yield (
        f"{review.run_id} ({review.process_id}) in {review.state!r}, "
        f"revision {review.revision}."
    )
    yield f"People decide here: {', '.join(review.decisions) or 'nothing'}."
    if review.context:
        yield f"Variables: {shown(review.context)}"
    if review.last_decision is not None:
        yield decision_line(review.last_decision)
    for piece in review.evidence:
        yield plain("".join(_piece(piece)))
    yield f"Digest: {review.digest}"


def _piece(piece: Piece) -> Iterator[str]:
    yield f"{piece.type or 'file'} {piece.place}, by {piece.created_by}"
    yield f"; {describe_provenance(piece)}"
    if piece.sent_back:
        yield "; from before the rejection"
    if piece.fault:
        yield f"; {piece.fault}"
    if piece.file:
        yield f"; look at {piece.file}"
    if piece.content is not msgspec.UNSET:
        yield f"; it says {shown(piece.content)}"
