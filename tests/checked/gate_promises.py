"""What a gate's folder must hold at any end, whatever happened to whoever wrote to it."""

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
from saniwa.store.gate.file_log import FileGateLog
from saniwa.store.gate.log_files import GateFolders
from tests.fakes.gate import make_next_record

PRIVATE = frozenset({"TRACE_UNWRITABLE", "LOG_UNCERTAIN"})
"""What only whoever met a fault may be told."""


class SentEvent(NamedTuple):
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
        if isinstance(self.told, EventAcceptance):
            return "replayed" if self.told.replayed else "accepted"
        return self.told.code


def open_log(folder: Path) -> FileGateLog:
    """The log in a folder, as a process of its own opens it."""
    return FileGateLog(GateFolders.from_root(folder), clock=FixedClock())


def check_kept(folder: Path, run: str, said: Sequence[SentEvent], first: int) -> None:
    """The history is whole, says what was told, and goes on.

    Args:
        folder: The gate's.
        run: The run.
        said: All that was told, and what was sent without an answer.
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
    """What was accepted is there once, where it was told to be."""
    if not isinstance(said.told, EventAcceptance):
        return
    found = [r for r in records if r.event_id == said.told.event_id]
    assert 1 == len(found), f"{said.sent.idempotency_key} was accepted, and is not kept"
    expected = (said.told.new_revision, said.sent.idempotency_key, said.told.to_state)
    assert expected == (found[0].revision, found[0].key, found[0].state)


def _check_explained(records: Sequence[EventRecord], said: Sequence[SentEvent]) -> None:
    """What was refused has left nothing, and nobody has written what nobody sent."""
    may = {s.sent.idempotency_key for s in said if _may_be_kept(s)}
    for record in records:
        assert record.key in may, f"{record.key} is kept, and was not accepted"


def _may_be_kept(said: SentEvent) -> bool:
    return isinstance(said.told, EventAcceptance) or said.told in ("", "LOG_UNCERTAIN")


def _check_index(folder: Path, run: str, log: FileGateLog, records: Sequence[EventRecord]) -> None:
    """With the index and without it, the same; and the run goes on."""
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
