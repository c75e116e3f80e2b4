"""A table of two characters that models play: ours beside Concordia, models as stubs.

The same evening on both sides: Mara and Ito wait for a ferry, with a lamp and a bell. Each
side plays it twice, in processes with different hash seeds, to see whether the same answers
bring the same prompts.
"""

import json
import subprocess

from benchmarks import table_rows
from benchmarks.bench import Bench
from benchmarks.disk import on_disk
from benchmarks.peers import CONCORDIA, ROOT, ours
from benchmarks.row import Found
from benchmarks.table_rows import Report, Reports
from benchmarks.timing import as_users_have_it

SEEDS = ("1", "2")
"""Of Python's hashes, one for each process."""


def measured(bench: Bench) -> Found:
    """Everything about a table of two."""
    turns = bench.amount(40, 12)
    theirs = _concordia(bench, turns)
    count = bench.amount(400, 60)
    mine = _ours(count, SEEDS[0]), _ours(count, SEEDS[1])
    rows = [
        *table_rows.times(mine[0]["turns"], theirs[0]["turns"] if theirs else None),
        *table_rows.sizes(mine[0]["turns"], theirs[0]["turns"] if theirs else None),
        *table_rows.asked(mine[0]["turns"], theirs[0]["turns"] if theirs else None),
        table_rows.same(mine, theirs),
    ]
    return Found(rows=rows, growth=[])


def _concordia(bench: Bench, turns: int) -> Reports | None:
    reports = []
    for seed in SEEDS:
        with on_disk() as folder:
            told = bench.ask(CONCORDIA, turns, folder, variables={"PYTHONHASHSEED": seed})
        if told is None:
            return None
        reports.append(told)
    return reports[0], reports[1]


def _ours(turns: int, seed: str) -> Report:
    with on_disk() as folder:
        words = ["-m", "benchmarks.table_turns", str(turns), str(folder)]
        done = subprocess.run(
            [str(ours.python()), *words],
            check=True,
            capture_output=True,
            cwd=ROOT,
            env=as_users_have_it() | {"PYTHONHASHSEED": seed},
        )
    report: Report = json.loads(done.stdout)
    return report
