"""Callers at a gate, as separate processes or as threads of one process."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from threading import Lock
from unittest.mock import patch

import msgspec

from saniwa.core.clock import FixedClock
from saniwa.core.errors import StoreError
from saniwa.process.event_record import LogEntry
from saniwa.process.gate import Gate
from saniwa.process.submission import Submission, Visitor
from saniwa.store.gate import file_log, run_journal, run_writer
from saniwa.store.gate import log_entries as gate_entries
from saniwa.store.gate.csv_table import render_rows
from saniwa.store.gate.file_log import FileGateLog
from tests.checked.explorer import ExplorationFigures, explore
from tests.checked.gate_promises import PRIVATE, SentEvent, check_kept, open_log
from tests.checked.own_ids import OwnIds
from tests.checked.schedule_disk import DiskFault, ScheduleDisk, lay, read_files
from tests.checked.schedule_run import ScheduleRun
from tests.checked.stepped_lock import SteppedLock
from tests.checked.system_calls import SystemCalls
from tests.checked.unpowered_disk import Files
from tests.fakes.gate import make_door_process, make_next_record, make_opening_record, make_run_id
from tests.fakes.paper_process import EvidenceFiles, ProcessCollection

RUN = make_run_id()
"""The run that all callers use."""

Errand = Callable[["GateWorld", int, FileGateLog], None]
"""What a caller does."""


def make_knock(key: str, revision: int = 1, **payload: str) -> Submission:
    """An event of the door process that knocks."""
    return Submission(
        run_id=RUN,
        event_name="knock",
        expected_revision=revision,
        idempotency_key=key,
        payload=dict(payload),
    )


def send_all(*submissions: Submission) -> Errand:
    """Sends events, one after the other, and notes the answers."""

    def do_errand(world: "GateWorld", caller: int, log: FileGateLog) -> None:
        gate = world.open_gate(caller, log)
        for sent in submissions:
            world.send(caller, gate, sent)

    return do_errand


def read_run(world: "GateWorld", caller: int, log: FileGateLog) -> None:
    """Reads the run's revision, then its history."""
    revision = log.load_run(RUN).revision
    entries = tuple(log.read_entries(RUN))
    world.histories.append(entries)
    assert revision <= entries[-1].revision, f"{caller} sees a history that goes back"


def audit_run(world: "GateWorld", caller: int, log: FileGateLog) -> None:
    """Audits a run that has no faults."""
    found = () if world.disk.struck else log.find_faults(RUN)
    assert () == found, f"{caller} finds fault with a run that is whole"


class GateWorld:
    """One schedule of callers at one gate."""

    def __init__(self, exploration: "GateSchedules", playing: ScheduleRun) -> None:
        self._all = exploration
        self._root = exploration.folder / "gate"
        shutil.rmtree(self._root, ignore_errors=True)
        self.disk = ScheduleDisk(playing, self._root, exploration.files, exploration.fault)
        exploration.calls.disk = self.disk
        self.said: list[SentEvent] = []
        """All that was sent, with the answers."""
        self.histories: list[tuple[LogEntry, ...]] = []
        """What readers saw."""
        self._looked = (-1, -1)
        shared = _open_shared_log(self._root) if exploration.shared else None
        for number, errand in enumerate(exploration.errands):
            playing.add(f"{'ABC'[number]}", self._bind_errand(number, errand, shared))

    def open_gate(self, caller: int, log: FileGateLog) -> Gate:
        """A gate for one caller."""
        visitor = Visitor("agent", name=f"caller-{caller}")
        ids, clock = OwnIds(caller), FixedClock(1_767_225_700_000)
        return Gate(log, ProcessCollection(), EvidenceFiles({}), visitor, clock=clock, ids=ids)

    def send(self, caller: int, gate: Gate, sent: Submission) -> None:
        """Send an event and note the answer."""
        place = len(self.said)
        self.said.append(SentEvent(caller, sent, ""))
        try:
            told = gate.submit(sent)
        except StoreError as problem:
            self.said[place] = SentEvent(caller, sent, problem.code)
        else:
            self.said[place] = SentEvent(caller, sent, told)

    def look(self) -> None:
        """The table has no more than the record, and a power cut loses nothing acknowledged."""
        now = (self.disk.asked, sum(1 for each in self.said if each.told))
        if now == self._looked:
            return
        self._looked = now
        if not self.disk.struck:
            self._all.check_table(self._root)
        for files in self.disk.platter.list_endings():
            self._all.check_cut(files, self.said)

    def end(self) -> None:
        """Every answer is true, and what was accepted is kept once."""
        if not self.disk.struck:
            assert () == open_log(self._root).find_faults(RUN), "left unfinished"
            outcome = sorted(each.short for each in self.said)
            assert outcome in self._all.outcomes, f"the caller received {outcome}"
        fault = self._all.fault
        for each in self.said:
            own = fault is not None and each.caller == fault.caller
            assert own or each.told not in ("", *PRIVATE), f"{each.caller}: {each.told}"
        self._all.faults |= self.disk.faults
        self._check_readers()
        self._all.check_files(read_files(self._root), self.said)

    def _check_readers(self) -> None:
        with closing(open_log(self._root)) as now:
            entries = tuple(now.read_entries(RUN)) if self.histories else ()
        for seen in self.histories:
            assert entries[: len(seen)] == seen, "a reader saw what was never there"

    def close(self) -> None:
        """Close what is open."""
        self.disk.close()
        self._all.calls.disk = None

    def _bind_errand(
        self, number: int, errand: Errand, shared: FileGateLog | None
    ) -> Callable[[], None]:
        def do_errand() -> None:
            log = shared or open_log(self._root)
            errand(self, number, log)
            if shared is None and self._all.leaves:
                log.close()

        return do_errand


class GateSchedules:
    """All schedules of some callers, with every fault that one of them may meet."""

    def __init__(
        self,
        folder: Path,
        *errands: Errand,
        outcomes: Sequence[Sequence[str]],
        before: int = 1,
        shared: bool = False,
        leaves: bool = True,
    ) -> None:
        self.folder = folder
        self.errands = errands
        self.outcomes = [sorted(each) for each in outcomes]
        """The sets of answers that the callers may receive when no fault occurs."""
        self.before = before
        self.shared = shared
        self.leaves = leaves
        """Whether callers close their logs when they are done."""
        self.calls = SystemCalls()
        self.fault: DiskFault | None = None
        self.faults: set[DiskFault] = set()
        self.files = make_run_files(folder / "begun", before)
        self._cuts: set[object] = set()
        self._tables: set[object] = set()

    def explore(self) -> ExplorationFigures:
        """Every schedule without a fault."""
        # A log shared by threads creates its locks when it needs them.
        lock = SteppedLock if self.shared else Lock
        with self.calls.replace_calls(), patch.object(run_writer, "Lock", lock):
            return explore(lambda playing: GateWorld(self, playing))

    def explore_faults(self, kinds: Sequence[str], callers: Sequence[int]) -> ExplorationFigures:
        """Every schedule with one fault, at every step of these callers."""
        figures = self.explore()
        possible = {f for f in self.faults if f.caller in callers and f.kind in kinds}
        for fault in sorted(possible):
            self.fault = fault
            figures += self.explore()
        self.fault = None
        return figures

    def check_table(self, root: Path) -> None:
        """At any moment the table has the first rows of the record and nothing else."""
        record = (root / f"metadata/{RUN}.jsonl").read_bytes()
        table = (root / f"runs/{RUN}.csv").read_bytes()
        if (record, table) in self._tables:
            return
        self._tables.add((record, table))
        rows = b"".join(render_rows(_list_entries(record)))
        assert rows.startswith(table), "the table has what the record has not"

    def check_cut(self, files: Files, said: Sequence[SentEvent]) -> None:
        """The files after a power cut are whole and have all that was acknowledged."""
        try:
            self.check_files(files, said)
        except Exception as problem:
            raise AssertionError(f"after a power cut: {problem}") from problem

    def check_files(self, files: Files, said: Sequence[SentEvent]) -> None:
        """The files as given are whole and have all that was acknowledged."""
        answers = frozenset((s.caller, s.sent.idempotency_key, s.short) for s in said)
        kept = (frozenset(files.items()), answers)
        if kept in self._cuts:
            return
        folder = self.folder / "left"
        shutil.rmtree(folder, ignore_errors=True)
        lay(folder, files)
        check_kept(folder, RUN, said, self.before)
        self._cuts.add(kept)


def make_run_files(folder: Path, revisions: int) -> Files:
    """The files of a run with that many revisions."""
    log = open_log(folder)
    process = make_door_process()
    log.create(RUN, make_opening_record(process), process)
    for _ in range(revisions - 1):
        with log.lock_run(RUN) as passage:
            passage.append(make_next_record(passage.run))
    log.close()
    return read_files(folder)


def _open_shared_log(root: Path) -> FileGateLog:
    """One log for all callers, whose locks between threads are steps."""
    with patch.object(file_log, "Lock", SteppedLock):
        return open_log(root)


def _list_entries(record: bytes) -> Iterator[LogEntry]:
    for line in record.split(b"\n"):
        try:
            yield gate_entries.decode_entry(run_journal.extract_body(line))
        except msgspec.DecodeError:
            return
