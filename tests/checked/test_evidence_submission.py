"""Two workers who submit evidence for one revision: the first killed before any of its calls.

A worker holds a lock on the run's folder while it submits, so two never write at once; what
matters is where the first stops. Every place is tried: each system call that Python reports
to an audit hook.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from saniwa.agent.gate_agent_port import GateAgentPort
from saniwa.app.gate.gate_opening import open_gate
from saniwa.core.clock import FixedClock
from saniwa.core.ids import CountingIds
from saniwa.process.artifact import Claim
from saniwa.process.event_record import EventRecord
from saniwa.process.gate import Gate
from saniwa.process.ruling import EventAcceptance, Ruling
from saniwa.process.submission import Submission
from saniwa.store.gate.submission_folder import BACKUP_FOLDER, DiskSubmissionFolder

_TOLD = ("open", "os.", "fcntl.", "shutil.")
_MOST = 1_000


class _EvidenceWorker:
    """One of two workers who send the same event at the same revision."""

    def __init__(self, place: Path, name: str, *more: str) -> None:
        self.gate = open_gate(place, clock=FixedClock(), ids=CountingIds())
        self.name = name
        self.files = {path: f"from {name}".encode() for path in ("hypothesis.md", *more)}
        self._place = place

    def hand_in(self, run_id: str) -> Ruling:
        """Write the files and send the event that has them as evidence."""
        home = self._place / "artifacts" / run_id
        sent = Submission(
            run_id=run_id,
            event_name="submit_hypothesis",
            expected_revision=1,
            idempotency_key=self.name,
            artifacts=tuple(Claim(path=path) for path in self.files),
        )
        bench = DiskSubmissionFolder(home)
        held = GateAgentPort(self.gate, run_id, bench).lock_log
        return bench.hand_in(self.files, self.name, lambda: self.gate.submit(sent), held)


def _kill_worker(worker: _EvidenceWorker, run_id: str, after: int) -> bool:
    """Submit in a process that ends before one of its calls; False if it finished."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] != 0
    left = [after]

    def count(event: str, _: Any) -> None:
        if event.startswith(_TOLD):
            left[0] -= 1
            if left[0] < 0:
                os._exit(9)

    sys.addaudithook(count)
    worker.hand_in(run_id)
    os._exit(0)


def _is_begun(name: str) -> bool:
    """Whether this is the temporary file of an interrupted write, which is not evidence."""
    return name.startswith(".saniwa-") and name.endswith(".new")


def _read_files(home: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and BACKUP_FOLDER not in path.parts and not _is_begun(path.name)
    }


def _run_two_workers(place: Path, before: Mapping[str, bytes]) -> set[str]:
    """The workers that were accepted, over every place at which the first was killed."""
    first, second = (
        _EvidenceWorker(place, "a", "only-a.md"),
        _EvidenceWorker(place, "b", "only-b.md"),
    )
    won, killed = set[str](), True
    for after in range(_MOST):
        if not killed:
            return won
        run_id = second.gate.create_run("exploration").run_id
        home = place / "artifacts" / run_id
        home.mkdir(parents=True)
        for path, content in before.items():
            (home / path).write_bytes(content)
        killed = _kill_worker(first, run_id, after)
        told = second.hand_in(run_id)
        winner = second if isinstance(told, EventAcceptance) else first
        _check(second.gate, run_id, winner, _read_files(home))
        won.add(winner.name)
    raise AssertionError("it was never done")


def _check(gate: Gate, run_id: str, winner: _EvidenceWorker, found: dict[str, bytes]) -> None:
    kept = [each for each in gate.read_history(run_id) if isinstance(each, EventRecord)]
    assert ["", winner.name] == [each.key for each in kept]
    assert winner.files == found, f"files besides those of {winner.name}"
    assert gate.verify(run_id).has_passed


@pytest.mark.parametrize("before", [{}, {"hypothesis.md": b"a draft"}], ids=["new", "replaced"])
def test_only_the_accepted_evidence_is_there(tmp_path: Path, before: dict[str, bytes]) -> None:
    """Wherever the first worker is killed, one is accepted, and only its files are there."""
    assert {"a", "b"} == _run_two_workers(tmp_path / ".state_gate", before)


def test_unsettled_files_are_found_out(tmp_path: Path) -> None:
    """If the files of the refused worker were not removed, the check would fail."""
    unsettled = patch.object(DiskSubmissionFolder, "_settle_note", lambda *_: None)
    with unsettled, pytest.raises(AssertionError, match="files besides those of b"):
        _run_two_workers(tmp_path / ".state_gate", {})
