"""A server that syncs once for many players, and who asks it."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

from saniwa.app.group_sync import GroupSync
from saniwa.core.clock import FixedClock
from saniwa.core.errors import SaniwaError
from saniwa.core.ids import CountingIds
from saniwa.runs.playing import PlayRequest
from saniwa.runs.playing_scenario import ScenarioPlaying
from saniwa.runs.run import Run
from saniwa.runs.start import resume_run
from saniwa.store import group_commit, sqlite_file
from saniwa.store.group_commit import GroupCommit
from saniwa.store.sqlite_run_store import SqliteRunStore
from tests.checked.calls import Calls
from tests.checked.database import Bank, Banks, hasty
from tests.checked.disk import Disk, Fault
from tests.checked.explorer import Figures, explore
from tests.checked.platter import Files, Platter
from tests.checked.playing import Playing, here
from tests.checked.step import step
from tests.checked.stepped_loop import SteppedLoop
from tests.fakes.runs import garden_run

FILE, LOG = "runs.sqlite", "runs.sqlite-wal"


class Section:
    """A lock that guards a few assignments: taken, used and given back in one step."""

    inside = False

    def __enter__(self) -> None:
        found = here()
        # The server counts what it commits, its threads what they have synced.
        server = found is not None and found[1].number == 0
        thing = "_count" if server else "_durable"
        _point(f"changes {thing}", writes=(thing,))
        Section.inside = True

    def __exit__(self, *_: object) -> None:
        Section.inside = False


class SteppedWritten(GroupCommit):
    """What was written; each look at its numbers outside of a section is a step."""

    def __getattribute__(self, name: str) -> object:
        if name in ("_count", "_durable") and not Section.inside:
            _point(f"reads {name}", reads=(name,))
        return super().__getattribute__(name)


def _point(what: str, *, reads: tuple[str, ...] = (), writes: tuple[str, ...] = ()) -> None:
    found = here()
    if found is not None:
        found[0].point(step(what, reads=reads, writes=writes))


class _WalPlatter(Platter):
    """Knows what lasts of a database whose log is synced by us."""

    def __init__(self, root: Path) -> None:
        super().__init__({})
        self._root = root
        self._named = False
        self._log: bytes | None = None
        self._file = (root / FILE).read_bytes()

    def sync(self, name: str) -> None:
        """The log as it is now; or its name."""
        if name == LOG:
            self._log = (self._root / LOG).read_bytes()
        else:
            self._named = True

    def lasting(self) -> Files:
        """What a power cut leaves in the worst case."""
        files = {FILE: self._file}
        return files | {LOG: self._log} if self._named and self._log else files


class ServerWorld:
    """One schedule of a server and its players, each in a run of their own."""

    def __init__(self, evenings: "Evenings", playing: Playing) -> None:
        self._all = evenings
        root = evenings.folder / "served"
        shutil.rmtree(root, ignore_errors=True)
        self.disk = Disk(playing, root, {FILE: evenings.begun}, evenings.fault)
        self._platter = _WalPlatter(root)
        self.disk.platter = self._platter
        evenings.calls.disk = self.disk
        evenings.banks.bank = Bank()
        self._loop = SteppedLoop(playing)
        # What schedules that are given up leave unfinished is nobody's business.
        self._loop.set_exception_handler(lambda *_: None)
        self.told: dict[int, str] = {}
        self._store = SqliteRunStore(root / FILE, mode="existing", together=True)
        self._settling = GroupSync(lambda: [self._store.written])
        # Taken up before anybody plays: only what is kept from now on is settled.
        self._open = [ScenarioPlaying(self._taken_up(run)) for run in evenings.runs]
        self._arrived = [self._loop.create_future() for _ in evenings.runs]
        playing.add("the server", self._serve)
        for number in range(len(evenings.runs)):
            playing.add(f"player {number}", self._asking(number))

    def look(self) -> None:
        """Nothing but what was told matters, and that is seen when it is."""

    def end(self) -> None:
        """Everybody was told something; a disk that failed was believed by nobody."""
        assert len(self._all.runs) == len(self.told), f"told: {self.told}"
        may = {"done", "TRACE_UNWRITABLE"} if self.disk.struck else {"done"}
        assert may >= set(self.told.values()), f"told: {self.told}"
        self._all.faults |= self.disk.faults

    def close(self) -> None:
        """Close what is open."""
        self._loop.close()
        bank, self._all.banks.bank = self._all.banks.bank, None
        assert bank is not None, "a schedule was played"
        bank.close()
        self.disk.close()
        self._all.calls.disk = None

    def _serve(self) -> None:
        async def evening() -> None:
            await asyncio.gather(*(self._answer(n) for n in range(len(self._arrived))))

        self._loop.run_until_complete(evening())

    async def _answer(self, number: int) -> None:
        """As a route does it: play, wait until it lasts, tell."""
        await self._arrived[number]
        try:
            await self._open[number].say(PlayRequest(revision=0), "look")
            await self._settling.wait_until_durable()
        except SaniwaError as problem:
            self.told[number] = problem.code
        else:
            self.told[number] = "done"
            self._all.check_lasts(self._platter.lasting(), number)

    def _taken_up(self, run: str) -> Run:
        return resume_run(run, self._store, ids=CountingIds(), clock=FixedClock())

    def _asking(self, number: int) -> Callable[[], None]:
        return lambda: self._loop.post(self._arrived[number].set_result, None)


class Evenings:
    """All schedules of a server with some players."""

    def __init__(self, folder: Path, players: int) -> None:
        self.folder = folder
        self.calls, self.banks = Calls(), Banks()
        self.fault: Fault | None = None
        self.faults: set[Fault] = set()
        store, ids = SqliteRunStore(folder / FILE), CountingIds()
        self.runs = [garden_run(store, ids=ids).id for _ in range(players)]
        store.close()
        self.begun = (folder / FILE).read_bytes()
        self._known: set[object] = set()

    def explore(self) -> Figures:
        """Every schedule; with the fault, if there is one."""
        with (
            self.calls.heard(),
            self.banks.heard(),
            patch.object(sqlite_file, "GroupCommit", SteppedWritten),
            patch.object(group_commit, "Lock", Section),
        ):
            return explore(lambda playing: ServerWorld(self, playing))

    def explore_faults(self) -> Figures:
        """Every schedule in which a sync fails."""
        figures = self.explore()
        for fault in sorted(f for f in self.faults if f.kind == "unsynced"):
            self.fault = fault
            figures += self.explore()
        self.fault = None
        return figures

    def check_lasts(self, files: Files, number: int) -> None:
        """What somebody is told would survive a power cut right now."""
        seen = (frozenset(files.items()), number)
        if seen in self._known:
            return
        folder = self.folder / "left"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, content in files.items():
            (folder / name).write_bytes(content)
        bank, self.banks.bank = self.banks.bank, None
        store = hasty(SqliteRunStore(folder / FILE, mode="existing"))
        self.banks.bank = bank
        turns = [turn.number for turn in store.read_turns(self.runs[number])]
        store.close()
        assert [0] == turns, f"player {number} was told of a turn that does not last"
        self._known.add(seen)
