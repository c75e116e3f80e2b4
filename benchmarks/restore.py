"""Going back: a state held, and a state written out and read again."""

from functools import partial
from statistics import mean
from typing import Any

from benchmarks.benchmark_run import BenchmarkRun
from benchmarks.decide import measure_textworld_walks
from benchmarks.others import measure_jericho_walks
from benchmarks.peer_questions import PeerRow
from benchmarks.row import Measurements, ResultRow
from benchmarks.timing import time_cpu
from benchmarks.worlds import build_textworld, grow_walk
from saniwa.world.model import World
from saniwa.world.snapshot import restore_world, take_snapshot

SLOWEST = 0.05
"""Milliseconds to clone or restore a state."""
HELD = 10_000
DOCUMENT = "snapshot to a document and restore it, checked"


def measure(bench: BenchmarkRun) -> Measurements:
    """Everything about going back."""
    found = measure_rows(measure_textworld_walks(bench), measure_jericho_walks(bench))
    return Measurements(rows=found, growth=[])


def measure_rows(report: dict[str, Any] | None, jericho: dict[str, Any] | None) -> list[ResultRow]:
    """A clone of a state, compared with TextWorld and Jericho."""
    games = report["games"] if report else []
    stories = jericho["games"] if jericho else []
    frozen = mean(g["clone_ms"] + g["restore_ms"] for g in stories) if stories else None
    worlds = [build_textworld(game["facts"]) for game in games] or [grow_walk(60, 1).world]
    theirs = mean(game["copy_ms"] for game in games) if games else None
    held = mean(time_cpu(partial(_hold_worlds, w)) for w in worlds) / HELD
    written = mean(time_cpu(partial(_copy_through_snapshot, w)) for w in worlds)
    return [
        ResultRow(
            work="clone and restore a state, 20 rooms, 40 things",
            ours=held,
            peer="TextWorld, copy",
            theirs=theirs,
            mark=f"under {SLOWEST} ms",
            met=held < SLOWEST,
            note="a world never changes, so a reference to it is a clone.",
            asks=PeerRow.RESTORE,
        ),
        ResultRow(
            work="clone and restore a state, 20 rooms, 40 things",
            ours=held,
            peer="Jericho, get_state and set_state",
            theirs=frozen,
            asks=PeerRow.RESTORE,
        ),
        ResultRow(
            work=DOCUMENT, ours=written, peer="TextWorld, copy", theirs=theirs, asks=PeerRow.RESTORE
        ),
        ResultRow(
            work=DOCUMENT,
            ours=written,
            peer="Jericho, get_state and set_state",
            theirs=frozen,
            note="ours becomes a JSON document that any later version reads and that is "
            "checked from end to end; Jericho copies the bytes of its machine.",
            asks=PeerRow.RESTORE,
        ),
    ]


def _hold_worlds(world: World) -> list[World]:
    return [world for _ in range(HELD)]


def _copy_through_snapshot(world: World) -> World:
    return restore_world(take_snapshot(world))
