"""Experiments: what a cell costs, compared with a sample of inspect-ai, and what workers add.

Characters are played by stand-ins, so only Saniwa's own code is measured.
"""

import asyncio
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks import peers
from benchmarks.benchmark_run import BenchmarkRun
from benchmarks.disk import open_disk_folder
from benchmarks.peer_questions import PeerRow
from benchmarks.row import Measurements, ResultRow
from benchmarks.timing import time_once
from saniwa.app.experiments.cell_models import make_stand_ins
from saniwa.app.experiments.experiment_resources import open_cluster_executor, open_outcome_store
from saniwa.app.experiments.plan_preparation import prepare_plan
from saniwa.core.clock import SystemClock
from saniwa.experiment.in_process_executor import InProcessExecutor
from saniwa.experiment.plan import PreparedPlan, count_cells, iterate_cells
from saniwa.experiment.plan_reader import read_plan
from saniwa.experiment.ports import CellExecutor

INSPECT = peers.Peer("inspect-ai", "0.3.285", "inspect_samples.py", also=("tiktoken==0.14.0",))
SAMPLE, PREPARED, LINEAR = 2.0, 1000.0, 1.6
"""Milliseconds of a cell of one call; of preparing; how much faster two workers are."""
MOST_MEMORY = 50.0
"""Megabytes that listing a large plan may take."""
LARGE = 10_000
"""Cells of a large plan."""


def measure(bench: BenchmarkRun) -> Measurements:
    """Everything about experiments."""
    samples, runs = bench.choose_amount(400, 100), bench.choose_amount(1000, 200)
    report = bench.ask(INSPECT, 20, 20 + samples)
    with open_disk_folder() as folder:
        places = (folder / f"cells-{number}" for number in count())
        rows = [
            _measure_sample(samples, report, next(places)),
            *_measure_runs(runs, places),
            *_measure_preparation(),
        ]
    return Measurements(rows=rows, growth=[])


def make_prepared_plan(**said: Any) -> PreparedPlan:
    """A plan made ready, as its options say."""
    usual = {"experiment_id": "bench", "scenarios": ["coffee_trap"]}
    read = read_plan(options=usual | said)
    assert read.authored is not None, read.report
    return prepare_plan(read.authored)


def _measure_sample(samples: int, report: dict[str, Any] | None, place: Path) -> ResultRow:
    plan = make_prepared_plan(seeds=samples, max_turns=1, conditions=["B"])
    spent = time_once(lambda: run_in_process(plan, place)) / samples
    return ResultRow(
        work="an experiment cell of one model call, stored on disk",
        ours=spent,
        peer="inspect-ai, a sample of one call, mockllm",
        theirs=report["ms"] if report else None,
        mark=f"under {SAMPLE:.0f} ms, offline",
        met=spent < SAMPLE,
        why="every outcome waits for the disk before it counts, and a stand-in thinks in "
        "Python; the disk's part moves with its mood",
        asks=PeerRow.SAMPLE,
        note="the cost of each further one; ours opens a world, calls a stand-in, judges, and "
        "syncs the outcome to disk; theirs writes a log that is not synced. Theirs has a stub "
        "for the word counts that it would fetch from the network.",
    )


def _measure_runs(runs: int, places: Iterator[Path]) -> list[ResultRow]:
    plan = make_prepared_plan(seeds=runs // 4, max_turns=10, conditions=["A", "B", "C", "D"])
    turns = count_cells(plan.plan) * plan.plan.max_turns
    spent = time_once(lambda: run_in_process(plan, next(places)))
    one, two = (_time_cluster(plan, next(places), workers) for workers in (1, 2))
    name = f"{count_cells(plan.plan):,} simulated runs of ten turns"
    return [
        ResultRow(
            work="a simulated turn, in process",
            ours=spent / turns,
            note=f"{turns / spent * 1000:,.0f} turns a second, retries and the disk "
            f"included; {name}, A to D.",
        ),
        ResultRow(
            work=f"{name}, two workers",
            ours=two,
            peer="one worker",
            theirs=one,
            mark=f"at least {LINEAR}× faster",
            met=one / two >= LINEAR,
            note="Dask on this machine, the cluster started before the clock; "
            f"{turns / two * 1000:,.0f} turns a second. The scheduler shares the two "
            "cores with the workers.",
        ),
    ]


def _measure_preparation() -> list[ResultRow]:
    said = {"seeds": LARGE // 4, "conditions": ["A", "B", "C", "D"]}
    spent = time_once(lambda: _count_plan_cells(make_prepared_plan(**said)))
    plan = make_prepared_plan(**said)
    tracemalloc.start()
    _count_plan_cells(plan)
    memory = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    work = f"a plan of {LARGE:,} cells"
    return [
        ResultRow(
            work=f"{work}, checked and prepared",
            ours=spent,
            mark="under a second",
            met=spent < PREPARED,
            note="everything it names is read and checked, and every cell listed once.",
        ),
        ResultRow(
            work=f"{work}, memory while its cells are listed",
            ours=memory,
            unit="MB",
            mark=f"under {MOST_MEMORY:.0f} MB",
            met=memory < MOST_MEMORY,
            note="the maximum at any moment: cells are created one at a time.",
        ),
    ]


def _count_plan_cells(plan: PreparedPlan) -> int:
    return sum(1 for _ in iterate_cells(plan.plan))


def run_in_process(plan: PreparedPlan, place: Path) -> None:
    """Work off all cells of a plan in this process, kept at the place."""
    cells = open_outcome_store(place, plan.fingerprint)
    asyncio.run(
        _run_cells(InProcessExecutor(make_stand_ins(plan.plan), cells, SystemClock()), plan)
    )


def _time_cluster(plan: PreparedPlan, place: Path, workers: int) -> float:
    """Milliseconds that running workers take: their first cell does not count."""
    open_outcome_store(place, plan.fingerprint).close()

    async def run_timed() -> float:
        crew = open_cluster_executor(place, workers=workers)
        try:
            await _run_cells(crew, plan, first=8 * workers)
            return await _time_awaitable(lambda: _run_cells(crew, plan))
        finally:
            await crew.close()

    return asyncio.run(run_timed())


async def _run_cells(crew: CellExecutor, plan: PreparedPlan, first: int | None = None) -> None:
    cells = (c for c in iterate_cells(plan.plan) if first is None or c.number < first)
    async for done in crew.run_cells(plan, cells):
        assert not done.error, done.message


async def _time_awaitable(work: Callable[[], Awaitable[None]]) -> float:
    loop = asyncio.get_running_loop()
    begun = loop.time()
    await work()
    return (loop.time() - begun) * 1000
