"""transitions' part of the comparison; run by the Python of its own environment.

Two states, an event back and forth, nothing kept. Prints one JSON object.
"""

import json
import sys
from collections.abc import Callable
from importlib.metadata import version
from statistics import median
from time import process_time_ns

from transitions import Machine

ROUNDS = 7
MOVES = [
    {"trigger": "move", "source": "open", "dest": "shut"},
    {"trigger": "move", "source": "shut", "dest": "open"},
]


class DoorModel:
    """What the machine moves; the library adds both attributes."""

    move: Callable[[], bool]
    state: str


def walk(door: DoorModel, steps: int) -> float:
    """CPU milliseconds of an event."""
    move, start = door.move, process_time_ns()
    for _ in range(steps):
        move()
    return (process_time_ns() - start) / 1e6 / steps


def main(steps: int) -> None:
    """Measure, and print what was measured."""
    door = DoorModel()
    Machine(door, states=["open", "shut"], transitions=MOVES, initial="open")
    walk(door, steps)
    spent = median(walk(door, steps) for _ in range(ROUNDS))
    assert door.state in ("open", "shut")
    print(json.dumps({"version": version("transitions"), "event_ms": spent}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
