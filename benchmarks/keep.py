"""Keeping: durable turns compared with a bare commit, a complete turn from words, resuming."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter_ns, process_time_ns

import msgspec

from benchmarks.benchmark_run import BenchmarkRun
from benchmarks.disk import open_disk_folder
from benchmarks.row import Measurements, ResultRow
from benchmarks.timing import time_once, time_wall
from saniwa.rulebook.loader import resolve_layers
from saniwa.runs.ports import RunStore
from saniwa.runs.run import Run
from saniwa.runs.run_factory import open_run, resume_run
from saniwa.scenario.loader import load_scenario
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.store.sqlite_runs_and_plays import SqliteRunStore
from saniwa.turn.record import Turn

MOST = 1.5
"""What a durable turn may cost over a bare commit of the same bytes."""
BEYOND = 1.0
"""Milliseconds a whole spoken turn may take beyond that commit."""
FLAT = 1.25
"""What late turns of a run may cost over early ones."""
BARE = "bare SQLite commit of the same bytes"
PADDING = b"x" * 5_000_000
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


def measure(bench: BenchmarkRun) -> Measurements:
    """Everything about keeping."""
    found = measure_rows(bench.choose_amount(1000, 200), bench.choose_amount(1000, 200))
    return Measurements(rows=found, growth=[])


def measure_rows(commits: int, turns: int) -> list[ResultRow]:
    """Durable turns, spoken turns, and coming back to a run of so many turns."""
    with open_disk_folder() as folder:
        ours, bare, size = _measure_durable_turns(folder, commits)
        spoken, beside, back = _measure_spoken_turns(folder, turns)
    thought = _time_spoken_turns(_open_benchmark_run(MemoryRunStore()), turns, process_time_ns)
    early, late = median(thought[: turns // 4]), median(thought[-turns // 4 :])
    return [
        ResultRow(
            work=f"store one turn ({size:,} bytes) durably",
            ours=ours,
            peer=BARE,
            theirs=bare,
            mark=f"within {MOST:g}×",
            met=ours <= MOST * bare,
            why="ours also encodes the turn, seals it, and looks whether it is the next",
            note=f"WAL, synchronous=FULL; {1000 / ours:,.0f} turns a second, "
            f"bare {1000 / bare:,.0f}; ours also encodes the turn, seals it, and checks "
            "that it is the run's next. Lower quartiles.",
        ),
        ResultRow(
            work="a turn from words: parse, judge, apply, store, narrate",
            ours=spoken,
            peer=BARE,
            theirs=beside,
            mark=f"{BEYOND:g} ms more",
            met=spoken <= beside + BEYOND,
        ),
        ResultRow(
            work=f"the same without a disk, last quarter of {turns:,} turns",
            ours=late,
            peer="Saniwa, first quarter",
            theirs=early,
            mark=f"no growth: within {FLAT:g}×",
            met=late <= FLAT * early,
        ),
        ResultRow(
            work=f"resume a run of {turns:,} turns",
            ours=back,
            note=f"{back / turns * 1000:.0f} µs a turn, each of which is checked.",
        ),
    ]


def _open_benchmark_run(store: RunStore) -> Run:
    return open_run(load_scenario(GARDEN), resolve_layers(), store)


def _time_spoken_turns(
    run: Run,
    count: int,
    clock: Callable[[], int] = perf_counter_ns,
    after: Callable[[Turn], None] | None = None,
) -> list[float]:
    """Speak so many turns; how long each took by that clock."""

    async def speak() -> list[float]:
        times = []
        for n in range(count):
            start = clock()
            told = await run.say(SAID[n % len(SAID)])
            times.append((clock() - start) / 1e6)
            assert told.turn.applied_actions, f"refused: {told.turn}"
            if after is not None:
                after(told.turn)
        return times

    return asyncio.run(speak())


def _measure_spoken_turns(folder: Path, turns: int) -> tuple[float, float, float]:
    """Milliseconds for a spoken turn, a bare commit after it, and resuming them all."""
    bare: list[float] = []
    with (
        closing(open_worn_store(folder / "spoken.db")) as store,
        closing(open_bare_file(folder / "beside.db")) as file,
    ):
        run = _open_benchmark_run(store)
        times = _time_spoken_turns(
            run, turns, after=lambda turn: bare.append(time_commit(file, turn))
        )
        back = time_wall(partial(resume_run, run.id, store), rounds=3)
    return _take_lower_quartile(times), _take_lower_quartile(bare), back


def _measure_durable_turns(folder: Path, commits: int) -> tuple[float, float, int]:
    """Milliseconds for one turn in our store, for one bare commit; bytes of a turn."""
    run = _open_benchmark_run(MemoryRunStore())
    _time_spoken_turns(run, commits)
    turns = list(run.read_turns())
    with (
        closing(open_worn_store(folder / "ours.db")) as store,
        closing(open_bare_file(folder / "bare.db")) as file,
    ):
        store.create(run.record)
        ours, bare = [], []
        # Alternately, so that changes of the disk's speed affect both.
        for turn in turns:
            ours.append(time_once(partial(_append, store, run.id, turn)))
            bare.append(time_commit(file, turn))
    size = int(median(len(msgspec.json.encode(turn)) for turn in turns))
    return _take_lower_quartile(ours), _take_lower_quartile(bare), size


def _append(store: RunStore, run_id: str, turn: Turn) -> None:
    # Alone, and without other tasks: nothing to wait for but the disk.
    with suppress(StopIteration):
        store.append(run_id, turn).send(None)


def _take_lower_quartile(times: list[float]) -> float:
    """The lower quartile: a disk that others use would hide any difference of Saniwa."""
    return quantiles(times, n=4)[0]


def open_worn_store(path: Path) -> SqliteRunStore:
    """A store whose write-ahead log has its full length.

    While that file still grows, every sync costs more, and a program that
    writes less at a time stays slow for longer.
    """
    store = SqliteRunStore(path)
    record = _open_benchmark_run(MemoryRunStore()).record
    padded = msgspec.structs.replace(record, scenario={"padding": PADDING.decode()})
    store.create(padded)
    return store


def open_bare_file(path: Path) -> sqlite3.Connection:
    """The least SQLite can do: one row, one commit, one sync. Worn in as well."""
    file = sqlite3.connect(path, isolation_level=None)
    file.execute("PRAGMA journal_mode = WAL")
    file.execute("PRAGMA synchronous = FULL")
    file.execute("CREATE TABLE turns (number INTEGER PRIMARY KEY, turn BLOB)")
    file.execute("INSERT INTO turns VALUES (-1, ?)", (PADDING,))
    return file


def time_commit(file: sqlite3.Connection, turn: Turn) -> float:
    """Milliseconds of a bare commit of a turn's bytes."""
    row = (turn.number, msgspec.json.encode(turn))
    return time_once(partial(file.execute, "INSERT INTO turns VALUES (?, ?)", row))
