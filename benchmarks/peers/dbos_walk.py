"""DBOS's part of the comparison; run by the Python of its own environment.

One workflow on its SQLite database whose every step is an event: two states, back and
forth. A step is the least that DBOS keeps. Prints one JSON object.
"""

import json
import sqlite3
import sys
from importlib.metadata import version
from statistics import median
from time import perf_counter_ns

from dbos import DBOS, DBOSConfig
from sqlalchemy import event as on
from sqlalchemy.engine import Engine

OTHER = {"open": "shut", "shut": "open"}
WARM_UP = 20


@on.listens_for(Engine, "connect")
def make_durable(connection: sqlite3.Connection, _: object) -> None:
    """Every commit waits for the disk."""
    connection.execute("PRAGMA synchronous = FULL")


@DBOS.step()
def move_door(state: str) -> str:
    """One event; its outcome is stored before the workflow continues."""
    return OTHER[state]


@DBOS.workflow()
def walk(steps: int) -> list[float]:
    """How long each event took."""
    state, times = "open", []
    for _ in range(WARM_UP + steps):
        start = perf_counter_ns()
        state = move_door(state)
        times.append((perf_counter_ns() - start) / 1e6)
    return times[WARM_UP:]


def main(steps: int, folder: str) -> None:
    """Measure, and print what was measured."""
    address = f"sqlite:///{folder}/dbos.db"
    DBOS(
        config=DBOSConfig(
            name="bench", system_database_url=address, run_admin_server=False, log_level="ERROR"
        )
    )
    DBOS.launch()
    try:
        times = walk(steps)
    finally:
        DBOS.destroy()
    print(json.dumps({"version": version("dbos"), "event_ms": median(times)}))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
