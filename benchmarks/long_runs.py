"""How a run grows: the next turn, coming back, and its size, from 10 turns to 100,000."""

import asyncio
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time_ns
from typing import NamedTuple

from benchmarks.benchmark_run import BenchmarkRun
from benchmarks.disk import open_memory_folder
from benchmarks.keep import GARDEN, SAID
from benchmarks.peer_questions import PeerRow
from benchmarks.row import GrowthTable, Measurements, ResultRow, format_duration
from benchmarks.timing import time_cpu
from saniwa.rulebook.loader import resolve_layers
from saniwa.runs.run import Run
from saniwa.runs.run_factory import open_run, resume_run
from saniwa.scenario.loader import load_scenario
from saniwa.store.sqlite_runs_and_plays import SqliteRunStore

SIZES = (10, 100, 1_000, 10_000, 100_000)
NEXT = 100
"""Turns at each size that are measured."""
FLAT = 1.5
"""What a turn of the longest run may cost over one of the shortest."""


class RunLength(NamedTuple):
    """A run of so many turns."""

    turns: int
    """How many it has."""
    following: float
    """CPU milliseconds of the next one."""
    back: float
    """CPU milliseconds of opening it, for each turn."""
    size: float
    """Bytes of its store, for each turn."""


def measure(bench: BenchmarkRun) -> Measurements:
    """A run that is played on and on."""
    sizes = bench.choose_amount(SIZES, SIZES[:3])
    with open_memory_folder() as folder:
        found = [_measure_length(bench, folder / "runs.db", size) for size in sizes]
    return Measurements(
        rows=[_make_flat_row(found[0], found[-1])], growth=[_make_growth_table(found)]
    )


def _measure_length(bench: BenchmarkRun, file: Path, size: int) -> RunLength:
    """Play on to this size and look; the file is the run's from one size to the next."""
    bench.say(f"a run of {size:,} turns")
    with closing(SqliteRunStore(file)) as store:
        ids = [each.run_id for each in store.list_runs()]
        run = resume_run(ids[0], store) if ids else _open_benchmark_run(store)
        _time_spoken_turns(run, size - run.count)
        following = median(_time_spoken_turns(run, NEXT))
    with closing(SqliteRunStore(file)) as store:
        count = size + NEXT
        back = time_cpu(partial(resume_run, run.id, store), rounds=1 if size > 10_000 else 3)
    return RunLength(size, following, back / count, file.stat().st_size / count)


def _open_benchmark_run(store: SqliteRunStore) -> Run:
    return open_run(load_scenario(GARDEN), resolve_layers(), store)


def _time_spoken_turns(run: Run, count: int) -> list[float]:
    """CPU milliseconds of each of so many turns."""

    async def speak() -> list[float]:
        times = []
        for _ in range(count):
            said = SAID[run.count % len(SAID)]
            start = process_time_ns()
            told = await run.say(said)
            times.append((process_time_ns() - start) / 1e6)
            assert told.turn.applied_actions, f"refused: {told.turn}"
        return times

    return asyncio.run(speak())


def _make_flat_row(short: RunLength, long: RunLength) -> ResultRow:
    return ResultRow(
        work=f"the next turn from words after {long.turns:,}",
        ours=long.following,
        peer=f"Saniwa, after {short.turns}",
        theirs=short.following,
        mark=f"no growth: within {FLAT:g}×",
        met=long.following <= FLAT * short.following,
        note="CPU time: parse, judge, apply, store in SQLite and narrate.",
        asks=PeerRow.TURN,
    )


def _make_growth_table(found: list[RunLength]) -> GrowthTable:
    return GrowthTable(
        title=f"One run of 10 to {found[-1].turns:,} turns",
        headings=("turns", "the next turn", "opening it, a turn", "store, a turn"),
        lines=[
            (
                f"{each.turns:,}",
                format_duration(each.following),
                format_duration(each.back),
                f"{each.size:,.0f} bytes",
            )
            for each in found
        ],
        note="CPU time; a turn is parsed, judged, applied, stored in SQLite and narrated. Opening "
        "replays every turn and compares its fingerprints. The store of a short run is mostly "
        "its scenario and its rulebook.",
    )
