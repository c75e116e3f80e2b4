"""How a gate's run grows: events, states, opening and size, from 10 rows to 100,000.

The long one, compared with the short one and its mark, is in `gate_short_and_long`.
"""

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter_ns

from benchmarks.benchmark_run import BenchmarkRun
from benchmarks.disk import open_disk_folder
from benchmarks.gate_door import GateDoor, write_long_run
from benchmarks.row import GrowthTable, Measurements, format_duration
from benchmarks.timing import time_once

SIZES = (10, 100, 1_000, 10_000, 100_000)
SLICE, SLICES = 20, 20
"""Events, alternately to all of them."""
STATES = 200
"""States asked for in one go."""


def measure(bench: BenchmarkRun) -> Measurements:
    """Runs of every length behind one gate."""
    sizes = bench.choose_amount(SIZES, SIZES[:3])
    with open_disk_folder() as folder:
        runs = dict[int, str]()
        for size in sizes:
            bench.say(f"a gate's run of {size:,} rows")
            runs[size] = write_long_run(folder, size)
        opened = {size: _time_opening(folder, run_id) for size, run_id in runs.items()}
        with closing(GateDoor(folder)) as door:
            rows = {n: door.locate_record(run).stat().st_size / n for n, run in runs.items()}
            events = _time_events(door, runs)
            states = {size: door.time_state(run_id, STATES) for size, run_id in runs.items()}
    lines = [
        (
            f"{size:,}",
            format_duration(events[size]),
            format_duration(states[size]),
            format_duration(opened[size]),
            f"{rows[size]:,.0f} bytes",
        )
        for size in sizes
    ]
    return Measurements(rows=[], growth=[_make_growth_table(lines)])


def _time_events(door: GateDoor, runs: dict[int, str]) -> dict[int, float]:
    """Milliseconds of an event on each run; alternately, because the disk's speed varies."""
    at, times = {n: n for n in runs}, {n: list[float]() for n in runs}
    for _ in range(SLICES):
        for size, run_id in runs.items():
            start = perf_counter_ns()
            at[size] = door.walk(run_id, at[size], SLICE)
            times[size].append((perf_counter_ns() - start) / 1e6 / SLICE)
    # In the first slices files are opened, indexed and padded.
    return {size: median(each[2:]) for size, each in times.items()}


def _time_opening(folder: Path, run_id: str) -> float:
    """Milliseconds until a gate that was closed returns the state of a run."""

    def ask() -> None:
        with closing(GateDoor(folder)) as door:
            door.gate.get_state(run_id)

    ask()
    return median(time_once(partial(ask)) for _ in range(3))


def _make_growth_table(lines: Sequence[tuple[str, ...]]) -> GrowthTable:
    return GrowthTable(
        title="One gate's run of 10 to 100,000 rows",
        headings=("rows", "one durable event", "its state", "opening it", "a row"),
        lines=lines,
        note="An event is synced to this disk and measured in wall time; a state in CPU time. "
        "Opening is measured with a gate that was closed, with the run's index.",
    )
