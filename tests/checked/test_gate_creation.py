"""The creation of a run, while other callers create it, look for it or list the runs."""

import shutil
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from saniwa.core.errors import StoreError
from saniwa.process.event_record import EventRecord
from saniwa.store.gate.file_log import FileGateLog
from tests.checked.gate_promises import SentEvent, open_log
from tests.checked.gate_world import RUN, Errand, GateSchedules, GateWorld, make_knock
from tests.checked.promised_counts import read_promised_count
from tests.checked.schedule_disk import lay
from tests.checked.unpowered_disk import Files
from tests.fakes.gate import make_door_process, make_next_record, make_opening_record
from tests.fakes.nightly import NIGHTLY

KINDS = ("killed", "torn", *(("short", "full", "unsynced") if NIGHTLY else ()))


def create_run(world: GateWorld, caller: int, log: FileGateLog) -> None:
    """Creates the run."""
    place, process = len(world.said), make_door_process()
    world.said.append(SentEvent(caller, make_knock(""), ""))
    try:
        log.create(RUN, make_opening_record(process, event_id=f"event-{caller}"), process)
        told = "created"
    except StoreError as problem:
        told = problem.code
    world.said[place] = SentEvent(caller, make_knock(""), told)


def looks(world: GateWorld, caller: int, log: FileGateLog) -> None:
    """Looks for the run, which may not exist yet."""
    revision = 0
    try:
        revision = log.load_run(RUN).revision
    except StoreError as problem:
        if problem.code != "RUN_NOT_FOUND":
            raise AssertionError(f"{caller} is told {problem.code}") from problem
    assert revision in (0, 1)
    there = RUN in log.list_runs()
    assert there or not revision or world.disk.struck, "what was there is not any more"


class BirthSchedules(GateSchedules):
    """Schedules that start from a gate without the run."""

    def __init__(self, folder: Path, *errands: Errand, outcomes: Sequence[Sequence[str]]) -> None:
        super().__init__(folder, *errands, outcomes=outcomes)
        # The folders exist, and so does the definition of the run.
        kept = {n: c for n, c in self.files.items() if n.startswith("definitions")}
        self.files = kept | {"metadata/other": b"", "runs/other": b""}

    def check_table(self, root: Path) -> None:
        """Check nothing: there is no table at first."""

    def check_files(self, files: Files, said: Sequence[SentEvent]) -> None:
        """There is a whole run or none; and a run, if a caller's answer was that it was created."""
        told = frozenset((each.caller, each.short) for each in said)
        kept = (frozenset(files.items()), told)
        if kept in self._cuts:
            return
        self._cuts.add(kept)
        folder = self.folder / "left"
        shutil.rmtree(folder, ignore_errors=True)
        lay(folder, files)
        with closing(open_log(folder)) as log:
            self._check(log, [c for c, short in sorted(told) if short == "created"])

    def _check(self, log: FileGateLog, makers: Sequence[int]) -> None:
        assert len(makers) <= 1, "one run was begun twice"
        if RUN not in log.list_runs():
            assert not makers, "a run was begun, and there is none"
            return
        with log.lock_run(RUN) as passage:
            passage.append(make_next_record(passage.run))
        first, *_ = (e for e in log.read_entries(RUN) if isinstance(e, EventRecord))
        assert not makers or f"event-{makers[0]}" == first.event_id
        assert () == log.find_faults(RUN)


TWICE = ([create_run, create_run], [["RUN_EXISTS", "created"]])
SEEN = ([create_run, looks], [["created"]])


@pytest.mark.slow
@pytest.mark.parametrize(("errands", "outcomes"), [TWICE, SEEN], ids=["twice", "seen"])
def test_a_run_begins_once_and_whole(
    tmp_path: Path, errands: list[Errand], outcomes: list[list[str]]
) -> None:
    """Of two callers that create a run one succeeds, and a reader sees the whole run or none."""
    births = BirthSchedules(tmp_path, *errands, outcomes=outcomes)
    figures = births.explore_faults(KINDS, [0])

    assert read_promised_count("two processes that start one run") <= figures.schedules
    figures.log_figures("birth")
