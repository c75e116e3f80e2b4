"""Burr's part of the comparison; run by the Python of its own environment.

An application of one action that is its own successor: two states, an event back and
forth, each kept by its SQLite persister before the next. Prints one JSON object.
"""

import json
import sqlite3
import sys
from contextlib import closing
from importlib.metadata import version
from statistics import median
from time import perf_counter_ns

from burr.core import ApplicationBuilder, State, action
from burr.core.persistence import SQLitePersister

OTHER = {"open": "shut", "shut": "open"}
WARM_UP = 20


@action(reads=["door"], writes=["door"])
def move(state: State) -> State:
    """Take the one transition there is."""
    return state.update(door=OTHER[state["door"]])


def main(steps: int, folder: str) -> None:
    """Measure, and print what was measured."""
    with closing(sqlite3.connect(f"{folder}/burr.db")) as file:
        file.execute("PRAGMA synchronous = FULL")
        keeper = SQLitePersister(f"{folder}/burr.db", "burr_state", connection=file)
        keeper.initialize()
        app = (
            ApplicationBuilder()
            .with_actions(move=move)
            .with_transitions(("move", "move"))
            .with_state(door="open")
            .with_entrypoint("move")
            .with_identifiers(app_id="run")
            .with_state_persister(keeper)
            .build()
        )
        times = []
        for _ in range(WARM_UP + steps):
            start = perf_counter_ns()
            app.step()
            times.append((perf_counter_ns() - start) / 1e6)
        (kept,) = file.execute("SELECT count(*) FROM burr_state").fetchone()
    assert kept >= WARM_UP + steps, f"only {kept} events are kept"
    report = {"version": version("burr"), "event_ms": median(times[WARM_UP:])}
    print(json.dumps(report))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
