"""The gate on a long run, compared with a short one, and as a command; each has a mark.

How it grows in between, without a mark, is in `long_gates`.
"""

import shutil
import subprocess
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter_ns

from benchmarks.gate_door import FOLDER, GateDoor, write_long_run
from benchmarks.peer_questions import PeerRow
from benchmarks.peers import saniwa_environment
from benchmarks.row import ResultRow
from benchmarks.timing import make_user_environment, time_once

MANY, FEW = 100_000, 10
"""Rows of a long run, and of a short one."""
SLICE, SLICES = 20, 40
"""Events, alternately to both."""
STATES = 500
"""States asked for in one go."""
FLAT = 1.5
"""What the long run may cost over the short one."""
REOPENED = 400
"""Milliseconds to open a long run."""
HOOK = 120
"""Milliseconds of a command that a tool hook calls."""


def measure_rows(folder: Path, starts: int) -> list[ResultRow]:
    """Events, states, openings, and a command in a fresh process."""
    long, short = write_long_run(folder, MANY), ""
    with closing(GateDoor(folder)) as door:
        short = door.begin_run()
        door.walk(short, 1, FEW - 1)
        few, many = _time_events(door, short, long)
        seen_few, seen_many = (door.time_state(run_id, STATES) for run_id in (short, long))
    return [
        _make_flat_row(f"one durable event at {MANY:,} rows", many, few),
        _make_flat_row(f"the state of a run at {MANY:,} rows", seen_many, seen_few),
        *_measure_reopening(folder, long),
        _measure_command(folder, long, starts),
    ]


def _time_events(door: GateDoor, short: str, long: str) -> tuple[float, float]:
    """Milliseconds of an event on either run; alternately, because the disk's speed varies."""
    at, times = {short: FEW, long: MANY}, dict[str, list[float]]()
    for _ in range(SLICES):
        for run_id in (short, long):
            start = perf_counter_ns()
            at[run_id] = door.walk(run_id, at[run_id], SLICE)
            took = (perf_counter_ns() - start) / 1e6 / SLICE
            times.setdefault(run_id, []).append(took)
    # In the first slices files are opened, indexed and padded.
    return median(times[short][2:]), median(times[long][2:])


def _make_flat_row(work: str, many: float, few: float) -> ResultRow:
    return ResultRow(
        work=work,
        ours=many,
        peer=f"Saniwa, from {FEW} rows on",
        theirs=few,
        mark=f"no growth: within {FLAT:g}×",
        met=many <= FLAT * few,
        asks=PeerRow.DURABLE,
    )


def _measure_reopening(folder: Path, run_id: str) -> list[ResultRow]:
    """Open the long run again, with its index and after the index was lost."""
    index = folder / FOLDER / "index"
    opened, rebuilt = [], []
    for _ in range(3):
        opened.append(_time_opening(folder, run_id))
        shutil.rmtree(index)
        rebuilt.append(_time_opening(folder, run_id))
    return [
        _make_reopening_row("with its index", median(opened)),
        _make_reopening_row("without its index", median(rebuilt)),
    ]


def _time_opening(folder: Path, run_id: str) -> float:
    """Milliseconds until the state is printed; an index is written on exit."""
    start = perf_counter_ns()
    with closing(GateDoor(folder)) as door:
        assert door.gate.get_state(run_id).revision > MANY
        return (perf_counter_ns() - start) / 1e6


def _make_reopening_row(how: str, spent: float) -> ResultRow:
    return ResultRow(
        work=f"reopen a run of {MANY:,} rows, {how}",
        ours=spent,
        mark=f"under {REOPENED} ms",
        met=spent < REOPENED,
        why="without its index every row is read and its seal checked",
    )


def _measure_command(folder: Path, run_id: str, starts: int) -> ResultRow:
    """`saniwa gate state` as its users have it."""
    python = str(saniwa_environment.find_python())
    state = [python, "-m", "saniwa", "gate", "state", run_id, "--json"]
    ask = partial(_run, state, folder)
    nothing = partial(_run, [python, "-c", "pass"], folder)
    ask()
    asked, bare = [], []
    for _ in range(starts):
        asked.append(time_once(ask))
        bare.append(time_once(nothing))
    spent = median(asked)
    return ResultRow(
        work=f"saniwa gate state, fresh process, {MANY:,} rows",
        ours=spent,
        peer="python -c pass",
        theirs=median(bare),
        mark=f"under {HOOK} ms",
        met=spent < HOOK,
        why="a fresh process waits for a core, and half of the time is the start of Python",
        note=f"between {min(asked):.0f} and {max(asked):.0f} ms in {starts} starts.",
    )


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(
        command,
        check=True,
        cwd=folder,
        env=make_user_environment(),
        stdout=subprocess.DEVNULL,
        timeout=60,
    )
