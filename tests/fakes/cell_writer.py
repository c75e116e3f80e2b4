"""A process that keeps cells, for tests with several writers and with killed ones.

Run as `python -m tests.fakes.cell_writer PLACE COUNT SIZE` it prints `ready`, waits for a
line, then keeps cells `k0`, `k1` … and prints `NUMBER True` or `NUMBER False` after each.
"""

import os
import sys

import msgspec

from saniwa.app.experiments.experiment_resources import open_outcome_store


def make_outcome(key: str, size: int = 10, by: int = 0) -> bytes:
    """Bytes that a store accepts as the outcome of the cell."""
    return msgspec.json.encode({"by": by, "filled": "x" * size, "key": key})


def _say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def _keep(place: str, count: int, size: int) -> None:
    shelf = open_outcome_store(place, "f" * 16)
    _say("ready")
    sys.stdin.readline()
    for number in range(count):
        key = f"k{number}"
        _say(number, shelf.keep(key, make_outcome(key, size, os.getpid())))


if __name__ == "__main__":
    _keep(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
