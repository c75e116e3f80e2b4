"""Cold start: from the command to its help."""

import subprocess
import sys
from pathlib import Path

from benchmarks.row import Row
from benchmarks.timing import wall_ms

SLOWEST = 250.0
"""Milliseconds until help is there."""


def rows(rounds: int) -> list[Row]:
    """The time to the first help, beside what Python alone needs to start."""
    saniwa = Path(sys.executable).with_name("saniwa")
    ours = wall_ms(lambda: _run(str(saniwa), "--help"), rounds)
    bare = wall_ms(lambda: _run(sys.executable, "-c", "pass"), rounds)
    return [
        Row(
            work="saniwa --help, fresh process",
            ours=ours,
            peer="python -c pass",
            theirs=bare,
            mark=f"under {SLOWEST / 1000:g} s",
            met=ours < SLOWEST,
        )
    ]


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
