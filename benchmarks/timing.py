"""How long something takes, in milliseconds.

Computing is measured in CPU time, so that a busy neighbour counts little; whatever waits
for a disk or another process is measured by the clock on the wall.
"""

import os
import time
from collections.abc import Callable
from statistics import median

ROUNDS = 7


def time_cpu(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The median CPU time of one call, after a call that does not count."""
    return _time_median(work, rounds, time.process_time_ns)


def time_wall(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The median time of one call as it passes on the wall, after one more."""
    return _time_median(work, rounds, time.perf_counter_ns)


def time_once(work: Callable[[], object]) -> float:
    """The time of one call as it passes on the wall."""
    start = time.perf_counter_ns()
    work()
    return (time.perf_counter_ns() - start) / 1e6


def make_user_environment() -> dict[str, str]:
    """The environment of a fresh process, in which Python keeps its bytecode."""
    unusual = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
    return {name: value for name, value in os.environ.items() if name not in unusual}


def _time_median(work: Callable[[], object], rounds: int, clock: Callable[[], int]) -> float:
    work()
    times = []
    for _ in range(rounds):
        start = clock()
        work()
        times.append(clock() - start)
    return median(times) / 1e6
