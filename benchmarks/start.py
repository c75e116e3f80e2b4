"""Cold start: from the command to its help."""

import resource
import subprocess
import sys
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.row import Row
from benchmarks.timing import as_users_have_it, once_ms

SLOWEST = 250.0
"""Milliseconds until help is there."""


def rows(rounds: int) -> list[Row]:
    """The time to the first help, beside what Python alone needs to start."""
    saniwa = Path(sys.executable).with_name("saniwa")
    _run(str(saniwa), "--help")  # from now on Python has its bytecode
    helped, bare, used = [], [], []
    # By turns, so that a busy machine slows both alike.
    for _ in range(rounds):
        before = _children_ms()
        helped.append(once_ms(partial(_run, str(saniwa), "--help")))
        used.append(_children_ms() - before)
        bare.append(once_ms(partial(_run, sys.executable, "-c", "pass")))
    ours = median(helped)
    return [
        Row(
            work="saniwa --help, fresh process",
            ours=ours,
            peer="python -c pass",
            theirs=median(bare),
            mark=f"under {SLOWEST / 1000:g} s",
            met=ours < SLOWEST,
            note=f"between {min(helped):.0f} and {max(helped):.0f} ms in {rounds} "
            f"starts, Python alone between {min(bare):.0f} and {max(bare):.0f} ms; "
            f"{median(used):.0f} ms of it is CPU, the rest is waiting for a core.",
        )
    ]


def _run(*command: str) -> None:
    environment = as_users_have_it()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)


def _children_ms() -> float:
    """CPU time of all processes we have started and seen the end of."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (spent.ru_utime + spent.ru_stime) * 1000
