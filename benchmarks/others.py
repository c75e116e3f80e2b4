"""One action as a player types it, compared with two peers: Jericho, Evennia."""

import asyncio
from contextlib import closing
from functools import partial
from statistics import mean
from time import process_time_ns
from typing import Any

from benchmarks.benchmark_run import BenchmarkRun
from benchmarks.decide import build_strict_rulebook, judge_walk, time_per_action
from benchmarks.disk import open_disk_folder
from benchmarks.peer_questions import PeerRow
from benchmarks.peers import EVENNIA, JERICHO
from benchmarks.row import Measurements, ResultRow
from benchmarks.worlds import grow_walk
from saniwa.rulebook.loader import resolve_layers
from saniwa.runs.ports import RunStore
from saniwa.runs.run_factory import open_run
from saniwa.scenario.loader import load_scenario
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.store.sqlite_runs_and_plays import SqliteRunStore

ROOMS = 20
WARM_UP = 30
"""Commands before the clock counts."""
ZORK_MS = 0.036
"""What Jericho was once measured to need for a step of Zork I."""
TYPED = "parse one command, judge, apply and narrate it, 20 rooms, 40 things"
KEPT = "parse one command, judge, apply, store in SQLite and narrate it"


def measure(bench: BenchmarkRun) -> Measurements:
    """One action compared with Jericho and Evennia."""
    count = bench.choose_amount(600, 150)
    jericho = measure_jericho_walks(bench)
    with open_disk_folder() as folder:
        evennia = bench.ask(EVENNIA, bench.choose_amount(300, 90), folder)
        typed = _time_typed_commands(MemoryRunStore(), count)
        with closing(SqliteRunStore(folder / "typed.db")) as store:
            kept = _time_typed_commands(store, count)
    alone = time_per_action(judge_walk, [grow_walk(60, count)], build_strict_rulebook())
    return Measurements(
        rows=[*_make_jericho_rows(alone, typed, jericho), _make_evennia_row(kept, evennia)],
        growth=[],
    )


def measure_jericho_walks(bench: BenchmarkRun) -> dict[str, Any] | None:
    """Jericho's figures, measured once per run for all comparisons."""
    return bench.ask(JERICHO, bench.choose_amount(200, 60))


def _make_jericho_rows(
    alone: float, typed: float, jericho: dict[str, Any] | None
) -> list[ResultRow]:
    step = mean(game["step_ms"] for game in jericho["games"]) if jericho else None
    row = partial(ResultRow, asks=PeerRow.ACTION_TOO)
    return [
        row(
            work=TYPED,
            ours=typed,
            peer="Jericho, TextWorld's games compiled",
            theirs=step,
            note="CPU time, from words to words on both sides. No package registry has a story "
            "file, so TextWorld's Inform 7 compiles the games that TextWorld plays in its own "
            "row; Inform's library does much at every turn.",
        ),
        row(
            work=TYPED,
            ours=typed,
            peer="Jericho, Zork I, earlier figure",
            theirs=ZORK_MS,
            note="Zork I is in no package. The figure was measured earlier, in C, on hand-written "
            "code.",
        ),
        row(
            work="judge and apply one action, without parsing and narration",
            ours=alone,
            peer="Jericho, Zork I, earlier figure",
            theirs=ZORK_MS,
            note="ours without parsing and narration, theirs with both.",
        ),
    ]


def _make_evennia_row(kept: float, evennia: dict[str, Any] | None) -> ResultRow:
    return ResultRow(
        work=KEPT,
        ours=kept,
        peer="Evennia",
        theirs=evennia["step_cpu_ms"] if evennia else None,
        note="CPU time of take, drop and go in turn, as a player types them; Evennia stores what "
        "changed in its SQLite database, with its own settings, and Saniwa stores every turn.",
        asks=PeerRow.ACTION_TOO,
    )


def _time_typed_commands(store: RunStore, count: int) -> float:
    """CPU milliseconds of one command of a walk."""
    run = open_run(load_scenario(_make_scenario()), resolve_layers(), store)

    async def walk() -> list[float]:
        times, here = list[float](), 0
        while len(times) < WARM_UP + count:
            for said in (f"take the cup {here}", f"drop the cup {here}", "go north"):
                start = process_time_ns()
                told = await run.say(said)
                times.append((process_time_ns() - start) / 1e6)
                assert told.turn.applied_actions, f"refused: {told.turn}"
            here = (here + 3) % ROOMS
        return times[WARM_UP:]

    return mean(asyncio.run(walk()))


def _make_scenario() -> dict[str, Any]:
    rooms, props = {}, {}
    for n in range(ROOMS):
        ways = {"north": f"r{(n + 3) % ROOMS}", "south": f"r{(n - 1) % ROOMS}"}
        rooms[f"r{n}"] = {"name": f"room {n}", "exits": ways}
        for thing in ("cup", "key"):
            props[f"{thing}{n}"] = {"name": f"{thing} {n}", "location": f"r{n}"}
    return {
        "name": "walk",
        "locations": rooms,
        "props": props,
        "characters": {"you": {"name": "you", "location": "r0"}},
    }
