"""TextWorldExpress' part of the comparison; run by the Python of its own environment.

Walks through its largest cooking game and prints one JSON object. Every step of this
engine works out all valid actions as well, so the cost of a step is that of listing them.
"""

import json
import sys
from importlib.metadata import version
from os import sysconf
from pathlib import Path
from random import Random  # noqa: TID251 - seeded: every walk is the same walk
from statistics import mean, median
from time import perf_counter_ns, process_time_ns
from typing import Any

from textworld_express import TextWorldExpressEnv

LARGEST = "numLocations=11,numIngredients=5,numDistractorItems=10,includeDoors=1"
WARM_UP = 1000
"""Steps before the clock starts: the Java machine compiles while it runs."""
IDLE = ("examine", "look", "inventory", "read")


def read_machine_ms(pid: int) -> float:
    """CPU time the Java machine has used so far, all its threads together."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / sysconf("SC_CLK_TCK")


def walk(
    env: Any, infos: dict[str, Any], steps: int
) -> tuple[list[float], list[int], dict[str, Any]]:
    """Take `steps` steps; how long each took, and how many actions were valid."""
    chance, times, counts = Random(steps), [], []
    for _ in range(steps):
        does = [a for a in infos["validActions"] if not a.startswith(IDLE)]
        command = chance.choice(sorted(does))
        start = perf_counter_ns()
        _, _, done, infos = env.step(command)
        times.append((perf_counter_ns() - start) / 1e6)
        counts.append(len(infos["validActions"]))
        if done:
            _, infos = env.reset()
    return times, counts, infos


def main(steps: int) -> None:
    """Measure, and print what was measured."""
    env = TextWorldExpressEnv(envStepLimit=10**9)
    java = env._gateway.java_process
    try:
        _, infos = env.reset(seed=1, gameFold="train", gameName="cookingworld", gameParams=LARGEST)
        _, _, infos = walk(env, infos, WARM_UP)
        used = read_machine_ms(java.pid) + process_time_ns() / 1e6
        times, counts, _ = walk(env, infos, steps)
        used = read_machine_ms(java.pid) + process_time_ns() / 1e6 - used
    finally:
        env.close()
        java.wait(timeout=20)
    report = {
        "version": version("textworld-express"),
        "step_ms": median(times),
        "step_cpu_ms": used / steps,
        "admissible": mean(counts),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(int(sys.argv[1]))
