"""Keeping: durable turns beside a bare commit, a whole spoken turn, coming back."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter_ns

import msgspec

from benchmarks.peers import ENVIRONMENTS
from benchmarks.row import Row
from benchmarks.timing import once_ms, wall_ms
from saniwa.rulebook.load import layers_of
from saniwa.run.conductor import Run, open_run, resume
from saniwa.run.ports import Store
from saniwa.scenario.load import load
from saniwa.store.memory import MemoryStore
from saniwa.store.sqlite import SqliteStore
from saniwa.turn.trace import Turn

MOST = 1.5
"""What a durable turn may cost over a bare commit of the same bytes."""
BEYOND = 1.0
"""Milliseconds a whole spoken turn may take beyond that commit."""
CHUNK = 20
"""Commits of one kind before the other has its turn: a disk's moods hit both alike."""
SAID = ("take the cup", "put the cup into the box", "take the cup", "drop the cup")
GARDEN = {
    "name": "bench",
    "locations": {
        "yard": {"name": "Yard", "exits": ["shed"]},
        "shed": {"name": "Shed", "exits": ["yard"]},
    },
    "props": {
        "cup": {"name": "cup", "location": "yard"},
        "box": {"name": "box", "kind": "container", "open": True, "location": "yard"},
    },
    "characters": {"you": {"name": "you", "location": "yard"}},
}


def rows(commits: int, turns: int) -> list[Row]:
    """Durable turns, spoken turns, and coming back to a run of so many turns."""
    with _folder() as folder:
        ours, bare, size = _durable(folder, commits)
        with closing(SqliteStore(folder / "spoken.db")) as store:
            run = _opened(store)
            spoken = _spoken(run, turns)
            back = wall_ms(lambda: resume(run.id, store), rounds=3)
    quick, slow = spoken[: turns // 4], spoken[-turns // 4 :]
    return [
        Row(
            work=f"keep one turn ({size:,} bytes), durably",
            ours=ours,
            peer="bare SQLite commit of the same bytes",
            theirs=bare,
            mark=f"within {MOST:g}×",
            met=ours <= MOST * bare,
            note=f"WAL, synchronous=FULL; {1000 / ours:,.0f} turns a second, "
            f"bare {1000 / bare:,.0f}; medians of {commits}, taken by turns.",
        ),
        Row(
            work="a whole spoken turn: hear, judge, apply, keep, tell",
            ours=median(spoken),
            peer="bare SQLite commit of the same bytes",
            theirs=bare,
            mark=f"{BEYOND:g} ms beyond it",
            met=median(spoken) <= bare + BEYOND,
        ),
        Row(
            work=f"the same, last quarter of {turns:,} turns",
            ours=median(slow),
            peer="ours, first quarter",
            theirs=median(quick),
            mark="no growth: within 1.25×",
            met=median(slow) <= 1.25 * median(quick),
        ),
        Row(
            work=f"resume a run of {turns:,} turns",
            ours=back,
            note=f"{back / turns * 1000:.0f} µs a turn, each checked as it is followed.",
        ),
    ]


@contextmanager
def _folder() -> Iterator[Path]:
    """A fresh folder on the disk that the checkout is on: `/tmp` may be memory."""
    ENVIRONMENTS.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=ENVIRONMENTS, prefix="store-") as folder:
        yield Path(folder)


def _opened(store: Store) -> Run:
    return open_run(load(GARDEN), layers_of(), store)


def _spoken(run: Run, count: int) -> list[float]:
    """Speak so many turns; how long each took."""

    async def speak() -> list[float]:
        times = []
        for n in range(count):
            start = perf_counter_ns()
            told = await run.say(SAID[n % len(SAID)])
            times.append((perf_counter_ns() - start) / 1e6)
            assert told.turn.applied_actions, f"refused: {told.turn}"
        return times

    return asyncio.run(speak())


def _durable(folder: Path, commits: int) -> tuple[float, float, int]:
    """Milliseconds for one turn in our store, for one bare commit; bytes of a turn."""
    run = _opened(MemoryStore())
    _spoken(run, commits)
    turns = list(run.turns())
    with (
        closing(SqliteStore(folder / "ours.db")) as store,
        closing(_bare(folder / "bare.db")) as file,
    ):
        store.create(run.record)
        ours: list[float] = []
        bare: list[float] = []
        for start in range(0, commits, CHUNK):
            chunk = turns[start : start + CHUNK]
            ours += [once_ms(lambda t=turn: store.append(run.id, t)) for turn in chunk]
            bare += [_committed(file, turn) for turn in chunk]
    size = int(median(len(msgspec.json.encode(turn)) for turn in turns))
    return median(ours), median(bare), size


def _bare(path: Path) -> sqlite3.Connection:
    """The least SQLite can do: one row, one commit, one sync."""
    file = sqlite3.connect(path, isolation_level=None)
    file.execute("PRAGMA journal_mode = WAL")
    file.execute("PRAGMA synchronous = FULL")
    file.execute("CREATE TABLE turns (number INTEGER PRIMARY KEY, turn BLOB)")
    return file


def _committed(file: sqlite3.Connection, turn: Turn) -> float:
    row = (turn.number, msgspec.json.encode(turn))
    return once_ms(lambda: file.execute("INSERT INTO turns VALUES (?, ?)", row))
