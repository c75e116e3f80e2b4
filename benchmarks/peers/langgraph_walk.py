"""LangGraph's part of the comparison; run by the Python of its own environment.

One thread with two states, an event back and forth, kept by its SQLite checkpointer with
`durability="sync"`. Prints one JSON object: what an event costs, and the result of
the events of two processes on one thread.
"""

import json
import operator
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from importlib.metadata import version
from multiprocessing import get_context
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from statistics import median
from time import perf_counter_ns
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

OTHER = {"open": "shut", "shut": "open"}
WARM_UP = 20
THREAD = {"configurable": {"thread_id": "run"}}


class DoorThread(TypedDict, total=False):
    """What a thread of the walk knows."""

    state: str
    key: str


class DoorHistory(DoorThread, total=False):
    """What a thread of two writers knows: also every event that reached it."""

    seen: Annotated[list[str], operator.add]


def move_door(door: DoorThread) -> DoorThread:
    """Take the one transition there is."""
    return {"state": OTHER[door.get("state", "open")]}


def note_event(door: DoorHistory) -> DoorHistory:
    """Take the transition, and write down whose event it was."""
    return {**move_door(door), "seen": [door["key"]]}


@contextmanager
def open_graph(path: str, shape: type, node: Callable[[Any], Any]) -> Iterator[CompiledStateGraph]:
    """A graph of one node on a file where every commit waits for the disk."""
    with closing(sqlite3.connect(path, check_same_thread=False, timeout=60)) as file:
        saver = SqliteSaver(file)
        saver.setup()
        file.execute("PRAGMA synchronous = FULL")
        graph = StateGraph(shape)
        graph.add_node("move", node)
        graph.add_edge(START, "move")
        graph.add_edge("move", END)
        yield graph.compile(checkpointer=saver)


def send_event(graph: CompiledStateGraph, key: str) -> None:
    """One event, durable when this returns."""
    graph.invoke({"key": key}, THREAD, durability="sync")


def walk(folder: str, steps: int) -> list[float]:
    """How long each event of one writer took."""
    times = []
    with open_graph(f"{folder}/langgraph.db", DoorThread, move_door) as graph:
        for n in range(WARM_UP + steps):
            start = perf_counter_ns()
            send_event(graph, str(n))
            times.append((perf_counter_ns() - start) / 1e6)
    return times[WARM_UP:]


def write(path: str, name: str, steps: int, together: Barrier, accepted: "Queue[int]") -> None:
    """One of two writers: say how many events came back without an error."""
    with open_graph(path, DoorHistory, note_event) as graph:
        together.wait(60)
        count = 0
        for n in range(steps):
            send_event(graph, f"{name}-{n}")
            count += 1
        accepted.put(count)


def race_processes(folder: str, steps: int) -> dict[str, int]:
    """Two processes on one thread: what was accepted, and what the thread knows then."""
    path, fresh = f"{folder}/langgraph-race.db", get_context("spawn")
    together, accepted = fresh.Barrier(2), fresh.Queue()
    with open_graph(path, DoorHistory, note_event) as graph:
        graph.get_state(THREAD)  # create the tables before both processes write
    writers = [
        fresh.Process(target=write, args=(path, name, steps, together, accepted))
        for name in ("a", "b")
    ]
    for writer in writers:
        writer.start()
    count = sum(accepted.get(timeout=120) for _ in writers)
    for writer in writers:
        writer.join(30)
    with open_graph(path, DoorHistory, note_event) as graph:
        seen = graph.get_state(THREAD).values["seen"]
    return {"accepted": count, "kept": len(set(seen))}


def main(steps: int, folder: str, each: int) -> None:
    """Measure, and print what was measured."""
    report = {
        "version": version("langgraph"),
        "event_ms": median(walk(folder, steps)),
        "race": race_processes(folder, each),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
