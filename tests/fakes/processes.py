"""Processes that a test starts, and that end with it."""

import subprocess
from typing import Any, AnyStr

_STARTED: list[subprocess.Popen[Any]] = []


def end_with_test(process: subprocess.Popen[AnyStr]) -> subprocess.Popen[AnyStr]:
    """Have a process killed and its pipes closed after the test, whatever its result.

    Otherwise a process that a failed test leaves behind is reported in another test.
    """
    _STARTED.append(process)
    return process


def end_processes() -> None:
    """Kill the processes that the test has left running."""
    while _STARTED:
        with _STARTED.pop() as process:
            process.kill()
