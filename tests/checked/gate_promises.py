"""What a gate's folder must hold in the end, whatever happened to the processes that wrote it."""

import shutil
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from saniwa.core.clock import FixedClock
from saniwa.process.event_record import EventRecord
from saniwa.process.ruling import EventAcceptance, Ruling
from saniwa.process.submission import Submission
from saniwa.store.gate.csv_table import render_rows
from saniwa.store.gate.file_access import GateFolders
from saniwa.store.gate.file_log import FileGateLog
from tests.fakes.gate import make_next_record

PRIVATE = frozenset({"TRACE_UNWRITABLE", "LOG_UNCERTAIN"})
"""Codes that only the caller that met a fault may receive."""


class SentEvent(NamedTuple):
    """What a caller sent, and the answer it received."""

    caller: int
    """The number of the caller."""
    sent: Submission
    """The event that it sent."""
    told: Ruling | str
    """The ruling; an error's code; empty if no answer arrived."""

    @property
    def short(self) -> str:
        """The answer in one word."""
        if isinstance(self.told, str):
            return self.told
        if isinstance(self.told, EventAcceptance):
            return "replayed" if self.told.replayed else "accepted"
        return self.told.code


def open_log(folder: Path) -> FileGateLog:
    """The log in a folder, as a separate process opens it."""
    return FileGateLog(GateFolders.from_root(folder), clock=FixedClock())


def check_kept(folder: Path, run: str, said: Sequence[SentEvent], first: int) -> None:
    """Check that the history is whole, agrees with the answers, and can be continued.

    Args:
        folder: The gate's.
        run: The run.
        said: All answers, and what was sent without an answer.
        first: Revisions there were before.
    """
    with closing(open_log(folder)) as log:
        _check(folder, run, said, first, log)


def _check(folder: Path, run: str, said: Sequence[SentEvent], first: int, log: FileGateLog) -> None:
    entries = list(log.read_entries(run))
    records = [entry for entry in entries if isinstance(entry, EventRecord)]
    _check_order(records)
    for each in said:
        _check_answer(each, records)
    _check_explained(records[first:], said)
    assert () == log.find_faults(run), "the files are not whole"
    table = GateFolders.from_root(folder).locate_table(run).read_bytes()
    assert b"".join(render_rows(entries)) == table, "the table is not the record"
    _check_index(folder, run, log, records)


def _check_order(records: Sequence[EventRecord]) -> None:
    revisions = [record.revision for record in records]
    assert list(range(1, len(records) + 1)) == revisions, f"revisions: {revisions}"
    keys = [record.key for record in records if record.key]
    assert len(set(keys)) == len(keys), f"a key twice: {keys}"


def _check_answer(said: SentEvent, records: Sequence[EventRecord]) -> None:
    """Each accepted event is kept once, at the revision that the answer named."""
    if not isinstance(said.told, EventAcceptance):
        return
    found = [r for r in records if r.event_id == said.told.event_id]
    assert 1 == len(found), f"{said.sent.idempotency_key} was accepted, and is not kept"
    expected = (said.told.new_revision, said.sent.idempotency_key, said.told.to_state)
    assert expected == (found[0].revision, found[0].key, found[0].state)


def _check_explained(records: Sequence[EventRecord], said: Sequence[SentEvent]) -> None:
    """A refused event leaves no record, and every record is of an event that was sent."""
    may = {s.sent.idempotency_key for s in said if _may_be_kept(s)}
    for record in records:
        assert record.key in may, f"{record.key} is kept, and was not accepted"


def _may_be_kept(said: SentEvent) -> bool:
    return isinstance(said.told, EventAcceptance) or said.told in ("", "LOG_UNCERTAIN")


def _check_index(folder: Path, run: str, log: FileGateLog, records: Sequence[EventRecord]) -> None:
    """The run reads the same with and without the index, and can be continued."""
    with log.lock_run(run) as passage:
        known = [passage.find_by_key(record.key) for record in records if record.key]
        assert [record for record in records if record.key] == known
        assert passage.find_by_key("nobody's") is None
        standing = passage.run
        assert len(records) == standing.revision
        passage.append(make_next_record(standing, key="one more"))
    log.close()
    shutil.rmtree(folder / "index", ignore_errors=True)
    again = open_log(folder)
    with_index, without = log.load_run(run), again.load_run(run)
    log.close()
    again.close()
    assert with_index == without, "the index tells another story"
