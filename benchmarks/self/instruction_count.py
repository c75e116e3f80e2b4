"""Counts instructions with valgrind, which gives the same result on a busy machine."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.self.workloads import COMMANDS, WORKS
from benchmarks.timing import make_user_environment

ROOT = Path(__file__).parents[2]
LONGEST = 300
"""Seconds after which a process is stopped."""
_COUNTED = re.compile(r"I +refs: +([\d,]+)")


class CannotCountError(Exception):
    """Instructions cannot be counted on this machine; the text gives the reason and the cure."""


def count_instructions(name: str) -> int:
    """Count the instructions of one repetition of a piece of work, or of a whole command."""
    if name in COMMANDS:
        return _run_valgrind("-m", "saniwa", *COMMANDS[name])
    times = WORKS[name].times
    some, none = (_run_valgrind("-m", "benchmarks.self.child", name, str(n)) for n in (times, 0))
    return (some - none) // times


def _run_valgrind(*words: str) -> int:
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise CannotCountError("valgrind is not installed. Try: apt-get install valgrind")
    counting = ["--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={os.devnull}"]  # fmt: skip
    # Run once before counting, so that compiling Python's bytecode is not counted.
    _run_command([sys.executable, *words])
    found = _COUNTED.search(_run_command([valgrind, *counting, sys.executable, *words]))
    if found is None:
        raise CannotCountError("valgrind did not report a number of instructions")
    return int(found[1].replace(",", ""))


def _run_command(command: list[str]) -> str:
    """Return what a process writes to stderr; it must exit with status 0."""
    done = subprocess.run(
        command,
        env=make_user_environment() | {"PYTHONHASHSEED": "0", "COLUMNS": "80"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    if done.returncode:
        last = "\n".join(done.stderr.strip().split("\n")[-5:])
        raise CannotCountError(f"{' '.join(command)} failed:\n{last}")
    return done.stderr
