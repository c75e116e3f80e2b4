"""How many runs at once: what a turn and a run cost among 1 to 1,000 in one process."""

import asyncio
import gc
import tracemalloc
from collections.abc import Sequence
from contextlib import closing
from statistics import median
from time import process_time_ns

from benchmarks.benchmark_run import BenchmarkRun
from benchmarks.disk import open_memory_folder
from benchmarks.keep import GARDEN, SAID
from benchmarks.row import GrowthTable, Measurements, ResultRow, format_duration
from saniwa.rulebook.loader import resolve_layers
from saniwa.runs.ports import RunStore
from saniwa.runs.run import Run
from saniwa.runs.run_factory import open_run
from saniwa.scenario.loader import load_scenario
from saniwa.store.sqlite_runs_and_plays import SqliteRunStore

SIZES = (1, 10, 100, 1_000)
ROUNDS = 12
"""Turns of each run; of the first, none counts."""
LEAST = 600
"""Turns that are measured of however few runs."""
FLAT = 1.5
"""What a turn among a thousand runs may cost over one alone."""


def measure(bench: BenchmarkRun) -> Measurements:
    """Runs that are played in turn, all of them open."""
    sizes = bench.choose_amount(SIZES, SIZES[:3])
    found = {size: _measure_size(bench, size) for size in sizes}
    lines = [
        (f"{size:,}", format_duration(turn), f"{memory:,.0f} KB")
        for size, (turn, memory) in found.items()
    ]
    few, many = sizes[0], sizes[-1]
    row = ResultRow(
        work=f"a turn from words among {many:,} open runs",
        ours=found[many][0],
        peer="Saniwa, alone",
        theirs=found[few][0],
        mark=f"flat: within {FLAT:g}×",
        met=found[many][0] <= FLAT * found[few][0],
        note="CPU time; the runs take turns one after the other.",
        why="a thousand runs do not fit into the processor's caches",
    )
    return Measurements(rows=[row], growth=[_make_growth_table(lines)])


def _measure_size(bench: BenchmarkRun, size: int) -> tuple[float, float]:
    """CPU milliseconds of a turn, and kilobytes that one more run holds."""
    bench.say(f"{size:,} runs at once")
    with open_memory_folder() as folder, closing(SqliteRunStore(folder / "runs.db")) as store:
        _open_runs(store, 1)
        gc.collect()
        tracemalloc.start()
        runs = _open_runs(store, size)
        asyncio.run(_time_round(runs, 0))
        gc.collect()
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return _time_turn(runs, max(ROUNDS, LEAST // size)), held / size / 1024


def _open_runs(store: RunStore, count: int) -> list[Run]:
    return [open_run(load_scenario(GARDEN), resolve_layers(), store) for _ in range(count)]


def _time_turn(runs: list[Run], rounds: int) -> float:
    times = [asyncio.run(_time_round(runs, number)) for number in range(1, rounds)]
    return median(times)


async def _time_round(runs: list[Run], number: int) -> float:
    """CPU milliseconds of one turn of each run, on average."""
    said, start = SAID[number % len(SAID)], process_time_ns()
    for run in runs:
        told = await run.say(said)
        assert told.turn.applied_actions, f"refused: {told.turn}"
    return (process_time_ns() - start) / 1e6 / len(runs)


def _make_growth_table(lines: Sequence[tuple[str, ...]]) -> GrowthTable:
    return GrowthTable(
        title="1 to 1,000 runs at once in one process",
        headings=("runs", "a spoken turn", "memory, a run"),
        lines=lines,
        note="All runs are open and take turns, in one SQLite store; CPU time, with storage. Memory is what Python has allocated for one more run after its first turn, "
        "including the world, the rulebook and the scenario.",
    )
