"""A server that commits once for many players, and the callers of it."""

import asyncio
import shutil
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path

from saniwa.core.clock import FixedClock
from saniwa.core.errors import SaniwaError
from saniwa.core.ids import CountingIds
from saniwa.runs.playing import PlayRequest
from saniwa.runs.run import Run
from saniwa.runs.run_factory import resume_run
from saniwa.runs.scenario_playing import ScenarioPlaying
from saniwa.store.sqlite_runs_and_plays import SqliteRunStore
from tests.checked.explorer import ExplorationFigures, explore
from tests.checked.schedule_database import DatabaseRouter, ScheduleDatabase, disable_sync
from tests.checked.schedule_disk import DiskFault, lay
from tests.checked.schedule_run import ScheduleCaller, ScheduleRun
from tests.checked.stepped_loop import SteppedLoop
from tests.checked.unpowered_disk import Files
from tests.fakes.runs import open_courtyard_run

FILE, LOG = "runs.sqlite", "runs.sqlite-wal"


class SyncedBank(ScheduleDatabase):
    """Knows the durable part of a database: its log, as it was when the last commit ended."""

    def __init__(self, root: Path, fault: DiskFault | None) -> None:
        super().__init__()
        self.faults: set[DiskFault] = set()
        """Every commit that could have failed."""
        self.lasting: Files = {FILE: (root / FILE).read_bytes()}
        """What a power cut leaves in the worst case."""
        self._root, self._fault = root, fault

    def sync(self, caller: ScheduleCaller) -> None:
        """Fail if the fault is planned for this commit."""
        now = DiskFault(caller.number, caller.steps, "unsynced")
        self.faults.add(now)
        if now == self._fault:
            self.struck = True
            problem = sqlite3.OperationalError("disk I/O error")
            problem.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
            problem.sqlite_errorname = "SQLITE_IOERR_FSYNC"
            raise problem

    def note_commit(self) -> None:
        """What was committed is in the log and is durable."""
        self.lasting |= {LOG: (self._root / LOG).read_bytes()}


_Errand = tuple[Callable[[int], Awaitable[None]], int, "asyncio.Future[None]"]


class ServerWorld:
    """One schedule of a server, its players, each in a separate run, and an optional watcher."""

    def __init__(self, evenings: "ServerSchedules", playing: ScheduleRun) -> None:
        self._all = evenings
        root = evenings.folder / "served"
        shutil.rmtree(root, ignore_errors=True)
        lay(root, {FILE: evenings.begun})
        self.bank = evenings.banks.bank = SyncedBank(root, evenings.fault)
        self._loop = SteppedLoop(playing)
        # Tasks that an abandoned schedule leaves unfinished are not reported.
        self._loop.set_exception_handler(lambda *_: None)
        self.told: dict[int, str] = {}
        self._store = disable_sync(SqliteRunStore(root / FILE, mode="existing", together=True))
        # Resumed before any caller plays: only what is kept from now on is committed.
        self._open = [ScenarioPlaying(self._resume_server_run(run)) for run in evenings.runs]
        errands = [(self._answer, number) for number in range(len(evenings.runs))]
        errands += [(self._watch, 0)] if evenings.watched else []
        self._errands = [(*each, self._loop.create_future()) for each in errands]
        playing.add("the server", self._serve)
        for do, number, arrived in self._errands:
            playing.add(f"{do.__name__} {number}", self._make_arrival(arrived))

    def look(self) -> None:
        """Do nothing: the answers are checked when they are given."""

    def end(self) -> None:
        """Every player received an answer, and an error only if the disk failed."""
        assert len(self._all.runs) == len(self.told), f"received: {self.told}"
        may = {"done", "TRACE_UNWRITABLE"} if self.bank.struck else {"done"}
        assert may >= set(self.told.values()), f"received: {self.told}"
        self._all.faults |= self.bank.faults

    def close(self) -> None:
        """Close what is open."""
        self._loop.close()
        self._all.banks.bank = None
        self.bank.close()

    def _serve(self) -> None:
        async def take_up(errand: _Errand) -> None:
            do, number, arrived = errand
            await arrived
            await do(number)

        async def answer_all() -> None:
            await asyncio.gather(*map(take_up, self._errands))

        self._loop.run_until_complete(answer_all())

    async def _answer(self, number: int) -> None:
        """Play and answer; if asked, read the state of the run first, as the web page does."""
        try:
            if self._all.looking:
                await self._open[number].catch_up()
            await self._open[number].say(PlayRequest(revision=0), "look")
        except SaniwaError as problem:
            self.told[number] = problem.code
        else:
            self.told[number] = "done"
            self._all.check_lasts(self.bank.lasting, number)

    async def _watch(self, number: int) -> None:
        """Read the state of a run and report it, as a live stream does."""
        await self._open[number].catch_up()
        if self._open[number].revision:
            self._all.check_lasts(self.bank.lasting, number)

    def _resume_server_run(self, run: str) -> Run:
        return resume_run(run, self._store, ids=CountingIds(), clock=FixedClock())

    def _make_arrival(self, arrived: "asyncio.Future[None]") -> Callable[[], None]:
        return lambda: self._loop.post(arrived.set_result, None)


class ServerSchedules:
    """All schedules of a server with some players."""

    def __init__(
        self, folder: Path, players: int, *, watched: bool = False, looking: bool = True
    ) -> None:
        self.folder, self.watched, self.looking = folder, watched, looking
        self.banks = DatabaseRouter()
        self.fault: DiskFault | None = None
        self.faults: set[DiskFault] = set()
        store, ids = SqliteRunStore(folder / FILE), CountingIds()
        self.runs = [open_courtyard_run(store, ids=ids).id for _ in range(players)]
        store.close()
        self.begun = (folder / FILE).read_bytes()
        self._known: set[object] = set()

    def explore(self) -> ExplorationFigures:
        """Every schedule; with the fault, if there is one."""
        with self.banks.replace_connect():
            return explore(lambda playing: ServerWorld(self, playing))

    def explore_faults(self) -> ExplorationFigures:
        """Every schedule, and every one in which a commit fails."""
        figures = self.explore()
        for fault in sorted(self.faults):
            self.fault = fault
            figures += self.explore()
        self.fault = None
        return figures

    def check_lasts(self, files: Files, number: int) -> None:
        """The turn that a caller is shown would survive a power cut at this moment."""
        seen = (frozenset(files.items()), number)
        if seen in self._known:
            return
        folder = self.folder / "left"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, content in files.items():
            (folder / name).write_bytes(content)
        bank, self.banks.bank = self.banks.bank, None
        store = disable_sync(SqliteRunStore(folder / FILE, mode="existing"))
        self.banks.bank = bank
        turns = [turn.number for turn in store.read_turns(self.runs[number])]
        store.close()
        assert [0] == turns, f"player {number} received a turn that is not durable"
        self._known.add(seen)
