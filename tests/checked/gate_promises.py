"""What a gate's folder must hold at any end, whatever happened to whoever wrote to it."""

import shutil
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from saniwa.core.clock import FixedClock
from saniwa.process.record import Record
from saniwa.process.ruling import Accepted, Ruling, Submission
from saniwa.store.gate.files.folders import GateFolders
from saniwa.store.gate.files.log import FileLog
from saniwa.store.gate.files.table import rows_of
from tests.fakes.gate import next_record

PRIVATE = frozenset({"TRACE_UNWRITABLE", "LOG_UNCERTAIN"})
"""What only whoever met a fault may be told."""


class Said(NamedTuple):
    """What somebody sent, and what they were told."""

    caller: int
    """Who."""
    sent: Submission
    """What."""
    told: Ruling | str
    """The ruling; an error's code; empty if they never heard."""

    @property
    def short(self) -> str:
        """The answer in one word."""
        if isinstance(self.told, str):
            return self.told
        if isinstance(self.told, Accepted):
            return "replayed" if self.told.replayed else "accepted"
        return self.told.code


def opened(folder: Path) -> FileLog:
    """The log in a folder, as a process of its own opens it."""
    return FileLog(GateFolders.under(folder), clock=FixedClock())


def check_kept(folder: Path, run: str, said: Sequence[Said], first: int) -> None:
    """The history is whole, says what was told, and goes on.

    Args:
        folder: The gate's.
        run: The run.
        said: All that was told, and what was sent without an answer.
        first: Revisions there were before.
    """
    with closing(opened(folder)) as log:
        _check(folder, run, said, first, log)


def _check(
    folder: Path, run: str, said: Sequence[Said], first: int, log: FileLog
) -> None:
    entries = list(log.entries(run))
    records = [entry for entry in entries if isinstance(entry, Record)]
    _check_order(records)
    for each in said:
        _check_answer(each, records)
    _check_explained(records[first:], said)
    assert () == log.faults(run), "the files are not whole"
    table = GateFolders.under(folder).table(run).read_bytes()
    assert b"".join(rows_of(entries)) == table, "the table is not the record"
    _check_index(folder, run, log, records)


def _check_order(records: Sequence[Record]) -> None:
    revisions = [record.revision for record in records]
    assert list(range(1, len(records) + 1)) == revisions, f"revisions: {revisions}"
    keys = [record.key for record in records if record.key]
    assert len(set(keys)) == len(keys), f"a key twice: {keys}"


def _check_answer(said: Said, records: Sequence[Record]) -> None:
    """What was accepted is there once, where it was told to be."""
    if not isinstance(said.told, Accepted):
        return
    found = [r for r in records if r.event_id == said.told.event_id]
    assert 1 == len(found), f"{said.sent.idempotency_key} was accepted, and is not kept"
    expected = (said.told.new_revision, said.sent.idempotency_key, said.told.to_state)
    assert expected == (found[0].revision, found[0].key, found[0].state)


def _check_explained(records: Sequence[Record], said: Sequence[Said]) -> None:
    """What was refused has left nothing, and nobody has written what nobody sent."""
    may = {s.sent.idempotency_key for s in said if _may_be_kept(s)}
    for record in records:
        assert record.key in may, f"{record.key} is kept, and was not accepted"


def _may_be_kept(said: Said) -> bool:
    return isinstance(said.told, Accepted) or said.told in ("", "LOG_UNCERTAIN")


def _check_index(
    folder: Path, run: str, log: FileLog, records: Sequence[Record]
) -> None:
    """With the index and without it, the same; and the run goes on."""
    with log.passage(run) as passage:
        known = [passage.kept(record.key) for record in records if record.key]
        assert [record for record in records if record.key] == known
        assert passage.kept("nobody's") is None
        standing = passage.standing
        assert len(records) == standing.revision
        passage.append(next_record(standing, key="one more"))
    log.close()
    shutil.rmtree(folder / "index", ignore_errors=True)
    again = opened(folder)
    with_index, without = log.standing(run), again.standing(run)
    log.close()
    again.close()
    assert with_index == without, "the index tells another story"
