"""Mistakes put into the gate on purpose: each must be found, with the steps to it."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from saniwa.core import file_locks
from saniwa.process.declared_checks import CheckSession
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.event_decision import AllowedTransition
from saniwa.process.event_handler import EventHandler
from saniwa.process.event_record import EventRecord
from saniwa.process.evidence_intake import EvidenceIntake
from saniwa.process.ruling import Ruling
from saniwa.process.submission import Submission, digest_request
from saniwa.store.gate import log_entries
from saniwa.store.gate.run_files import RunFiles
from saniwa.store.gate.run_journal import RunJournal
from saniwa.store.gate.run_writer import FileGateRunWriter
from tests.checked.explorer import BrokenPromiseError
from tests.checked.gate_world import GateSchedules, make_knock, send_all

_append, _decide, _add = FileGateRunWriter.append, EventHandler._decide, RunFiles.append
Seed = tuple[type | Any, str, Callable[..., Any]]


def _append_unlocked(self: FileGateRunWriter, record: EventRecord) -> None:
    assert self._files is not None
    file_locks.release_lock(self._files.journal.fd)
    _append(self, record)


def _ask_key_first(self: EventHandler, sent: Submission) -> Ruling:
    """Decide as the handler does, but look the key up while holding a separate lock."""
    request = digest_request(sent)
    with self.log.lock_run(sent.run_id) as passage:
        known = self._replay(passage, sent, request)
    if known is not None:
        return known
    with (
        patch.object(EventHandler, "_replay", lambda *_: None),
        self.log.lock_run(sent.run_id) as passage,
    ):
        event_id = self.ids.create_id("evt")
        stamp = partial(self._make_stamp, sent.run_id, "", event_id)
        checks = CheckSession(None, self.evidence, stamp, ())
        ruling = _decide(self, passage, sent, request, EvidenceIntake(), event_id, checks)
    assert not isinstance(ruling, ProcessIndex | AllowedTransition)
    return ruling


def _write_row_first(self: RunFiles, entry: EventRecord) -> None:
    with patch.object(self._table, "append", lambda _: None):
        row = log_entries.render_new_row(entry)
        os.write(self._table._fd, row)
        _add(self, entry)
    self._table.size += len(row)


def _cut_and_no_more(self: RunJournal) -> None:
    os.ftruncate(self.fd, self.end)
    self._room = 0


SEEDS: dict[str, tuple[Seed, list[Submission], tuple[str, ...], str]] = {
    "the lock is given back before the event is written": (
        (FileGateRunWriter, "append", _append_unlocked),
        [make_knock("a"), make_knock("b")],
        (),
        "the table has what the record has not",
    ),
    "no caller takes the lock, so what was read may be old when it is written": (
        (file_locks, "try_lock", lambda *_: True),
        [make_knock("a"), make_knock("b")],
        (),
        "the table has what the record has not",
    ),
    "the key is looked up before the lock": (
        (EventHandler, "submit", _ask_key_first),
        [make_knock("a"), make_knock("a")],
        (),
        "the caller received",
    ),
    "the answer comes before the sync": (
        (RunJournal, "_sync", lambda _: None),
        [make_knock("a"), make_knock("b")],
        (),
        "after a power cut",
    ),
    "the row is written before its line": (
        (RunFiles, "append", _write_row_first),
        [make_knock("a"), make_knock("b")],
        (),
        "the table has what the record has not",
    ),
    "a dead writer's line is given its row before it lasts": (
        (RunJournal, "sync_foreign_lines", lambda _: None),
        [make_knock("a"), make_knock("b")],
        ("killed",),
        "LOG_DIVERGED",
    ),
    "what a short write left is cut off, and not for good": (
        (RunJournal, "truncate", _cut_and_no_more),
        [make_knock("a"), make_knock("b")],
        ("short",),
        "TRACE_CORRUPT",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_a_mistake_is_found(tmp_path: Path, seed: str) -> None:
    """A mistake in the gate is reported with the steps of both callers that lead to it."""
    (where, name, wrong), (one, other), kinds, why = SEEDS[seed]
    told = ["accepted", "REVISION_CONFLICT" if one != other else "replayed"]
    gathering = GateSchedules(tmp_path, send_all(one), send_all(other), outcomes=[told])
    with (
        patch.object(where, name, wrong),
        pytest.raises(BrokenPromiseError, match=r"after these steps:\n   1\. A begins") as found,
    ):
        gathering.explore_faults(kinds, [0])

    assert why in str(found.value.why)
    assert {"A", "B"} >= {step.partition(" ")[0] for step in found.value.schedule}
