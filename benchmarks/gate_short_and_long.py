"""The gate on a long run beside a short one, and as a command; each held to its mark.

How it grows in between, without a mark, is in `long_gates`.
"""

import shutil
import subprocess
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter_ns

from benchmarks.asked import Asked
from benchmarks.gate_door import FOLDER, Door, long_run
from benchmarks.peers import ours
from benchmarks.row import Row
from benchmarks.timing import as_users_have_it, once_ms

MANY, FEW = 100_000, 10
"""Rows of a long run, and of a short one."""
SLICE, SLICES = 20, 40
"""Events by turns to both."""
STATES = 500
"""States asked for in one go."""
FLAT = 1.5
"""What the long run may cost over the short one."""
REOPENED = 400
"""Milliseconds to open a long run."""
HOOK = 120
"""Milliseconds of a command that a tool hook calls."""


def rows(folder: Path, starts: int) -> list[Row]:
    """Events, states, openings, and a command in a fresh process."""
    long, short = long_run(folder, MANY), ""
    with closing(Door(folder)) as door:
        short = door.begun()
        door.walk(short, 1, FEW - 1)
        few, many = _emitted(door, short, long)
        seen_few, seen_many = (door.seen(run_id, STATES) for run_id in (short, long))
    return [
        _flat(f"one durable event at {MANY:,} rows", many, few),
        _flat(f"the state of a run at {MANY:,} rows", seen_many, seen_few),
        *_reopened(folder, long),
        _command(folder, long, starts),
    ]


def _emitted(door: Door, short: str, long: str) -> tuple[float, float]:
    """Milliseconds of an event on either run; by turns, as a disk has its moods."""
    at, times = {short: FEW, long: MANY}, dict[str, list[float]]()
    for _ in range(SLICES):
        for run_id in (short, long):
            start = perf_counter_ns()
            at[run_id] = door.walk(run_id, at[run_id], SLICE)
            took = (perf_counter_ns() - start) / 1e6 / SLICE
            times.setdefault(run_id, []).append(took)
    # In the first slices files are opened, indexed and padded.
    return median(times[short][2:]), median(times[long][2:])


def _flat(work: str, many: float, few: float) -> Row:
    return Row(
        work=work,
        ours=many,
        peer=f"ours, from {FEW} rows on",
        theirs=few,
        mark=f"no growth: within {FLAT:g}×",
        met=many <= FLAT * few,
        asks=Asked.DURABLE,
    )


def _reopened(folder: Path, run_id: str) -> list[Row]:
    """Open the long run anew, with its index and after the index was lost."""
    index = folder / FOLDER / "index"
    opened, rebuilt = [], []
    for _ in range(3):
        opened.append(_opened(folder, run_id))
        shutil.rmtree(index)
        rebuilt.append(_opened(folder, run_id))
    return [_within("with its index", median(opened)), _within("its index lost", median(rebuilt))]


def _opened(folder: Path, run_id: str) -> float:
    """Milliseconds until the state is told; an index is written on leaving."""
    start = perf_counter_ns()
    with closing(Door(folder)) as door:
        assert door.gate.get_state(run_id).revision > MANY
        return (perf_counter_ns() - start) / 1e6


def _within(how: str, spent: float) -> Row:
    return Row(
        work=f"reopen a run of {MANY:,} rows, {how}",
        ours=spent,
        mark=f"under {REOPENED} ms",
        met=spent < REOPENED,
        why="without its index every row is read and its seal checked",
    )


def _command(folder: Path, run_id: str, starts: int) -> Row:
    """`saniwa gate state` as its users have it."""
    python = str(ours.python())
    state = [python, "-m", "saniwa", "gate", "state", run_id, "--json"]
    ask = partial(_run, state, folder)
    nothing = partial(_run, [python, "-c", "pass"], folder)
    ask()
    asked, bare = [], []
    for _ in range(starts):
        asked.append(once_ms(ask))
        bare.append(once_ms(nothing))
    spent = median(asked)
    return Row(
        work=f"saniwa gate state, fresh process, {MANY:,} rows",
        ours=spent,
        peer="python -c pass",
        theirs=median(bare),
        mark=f"under {HOOK} ms",
        met=spent < HOOK,
        why="a fresh process waits for a core, and half of it is Python's own start",
        note=f"between {min(asked):.0f} and {max(asked):.0f} ms in {starts} starts.",
    )


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(
        command,
        check=True,
        cwd=folder,
        env=as_users_have_it(),
        stdout=subprocess.DEVNULL,
        timeout=60,
    )
