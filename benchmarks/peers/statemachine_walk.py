"""python-statemachine's part of the comparison; run by its own environment's Python.

Two states, an event back and forth, nothing kept. Prints one JSON object.
"""

import json
import sys
from importlib.metadata import version
from statistics import median
from time import process_time_ns

from statemachine import State, StateMachine

ROUNDS = 7


class DoorMachine(StateMachine):
    """The machine."""

    open = State(initial=True)
    shut = State()
    move = open.to(shut) | shut.to(open)


def walk(door: DoorMachine, steps: int) -> float:
    """CPU milliseconds of an event."""
    start = process_time_ns()
    for _ in range(steps):
        door.send("move")
    return (process_time_ns() - start) / 1e6 / steps


def main(steps: int) -> None:
    """Measure, and print what was measured."""
    door = DoorMachine()
    walk(door, steps)
    spent = median(walk(door, steps) for _ in range(ROUNDS))
    print(json.dumps({"version": version("python-statemachine"), "event_ms": spent}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
