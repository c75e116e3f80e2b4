"""Instructions, counted by valgrind: the same on an idle machine and on a busy one."""

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
"""Seconds one process may take."""
_COUNTED = re.compile(r"I +refs: +([\d,]+)")


class CannotCountError(Exception):
    """Nothing can be counted on this machine; the text says why, and the cure."""


def count_instructions(name: str) -> int:
    """The instructions of one piece of work, done once; of a command, from its start."""
    if name in COMMANDS:
        return _run_valgrind("-m", "saniwa", *COMMANDS[name])
    times = WORKS[name].times
    some, none = (_run_valgrind("-m", "benchmarks.self.child", name, str(n)) for n in (times, 0))
    return (some - none) // times


def _run_valgrind(*words: str) -> int:
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise CannotCountError("there is no valgrind. Try: apt-get install valgrind")
    counting = ["--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={os.devnull}"]  # fmt: skip
    # Once beforehand, so that Python has its bytecode: compiling is no part of the work.
    _run_command([sys.executable, *words])
    found = _COUNTED.search(_run_command([valgrind, *counting, sys.executable, *words]))
    if found is None:
        raise CannotCountError("valgrind did not say how many instructions it counted")
    return int(found[1].replace(",", ""))


def _run_command(command: list[str]) -> str:
    """What a process of ours says on its way; it must end well."""
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
