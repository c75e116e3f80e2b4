"""A table of two characters that models play: Saniwa compared with Concordia, models as stubs.

The same story on both sides: Mara and Ito wait for a ferry, with a lamp and a bell. Each
side plays it twice, in processes with different hash seeds, to see whether the same answers
bring the same prompts.
"""

import json
import subprocess

from benchmarks import table_rows
from benchmarks.benchmark_run import BenchmarkRun
from benchmarks.disk import open_disk_folder
from benchmarks.peers import CONCORDIA, ROOT, saniwa_environment
from benchmarks.row import Measurements
from benchmarks.table_rows import Report, Reports
from benchmarks.timing import make_user_environment

SEEDS = ("1", "2")
"""Of Python's hashes, one for each process."""


def measure(bench: BenchmarkRun) -> Measurements:
    """Everything about a table of two."""
    turns = bench.choose_amount(40, 12)
    theirs = _measure_concordia(bench, turns)
    count = bench.choose_amount(400, 60)
    mine = _measure_ours(count, SEEDS[0]), _measure_ours(count, SEEDS[1])
    rows = [
        *table_rows.make_time_rows(mine[0]["turns"], theirs[0]["turns"] if theirs else None),
        *table_rows.make_size_rows(mine[0]["turns"], theirs[0]["turns"] if theirs else None),
        *table_rows.make_call_rows(mine[0]["turns"], theirs[0]["turns"] if theirs else None),
        table_rows.compare_prompts(mine, theirs),
    ]
    return Measurements(rows=rows, growth=[])


def _measure_concordia(bench: BenchmarkRun, turns: int) -> Reports | None:
    reports = []
    for seed in SEEDS:
        with open_disk_folder() as folder:
            told = bench.ask(CONCORDIA, turns, folder, variables={"PYTHONHASHSEED": seed})
        if told is None:
            return None
        reports.append(told)
    return reports[0], reports[1]


def _measure_ours(turns: int, seed: str) -> Report:
    with open_disk_folder() as folder:
        words = ["-m", "benchmarks.table_turns", str(turns), str(folder)]
        done = subprocess.run(
            [str(saniwa_environment.find_python()), *words],
            check=True,
            capture_output=True,
            cwd=ROOT,
            env=make_user_environment() | {"PYTHONHASHSEED": seed},
        )
    report: Report = json.loads(done.stdout)
    return report
