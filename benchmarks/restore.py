"""Going back: a state held, and a state written out and read again."""

from functools import partial
from statistics import mean
from typing import Any

from benchmarks.asked import Asked
from benchmarks.bench import Bench
from benchmarks.decide import walks_of_textworld
from benchmarks.others import walks_of_jericho
from benchmarks.row import Found, Row
from benchmarks.timing import cpu_ms
from benchmarks.worlds import grown, told
from saniwa.world.model import World
from saniwa.world.snapshot import restore_world, take_snapshot

SLOWEST = 0.05
"""Milliseconds to clone or restore a state."""
HELD = 10_000
DOCUMENT = "snapshot to a document and restore it, checked"


def measured(bench: Bench) -> Found:
    """Everything about going back."""
    found = rows(walks_of_textworld(bench), walks_of_jericho(bench))
    return Found(rows=found, growth=[])


def rows(report: dict[str, Any] | None, jericho: dict[str, Any] | None) -> list[Row]:
    """A clone of a state, ours beside TextWorld's and Jericho's."""
    games = report["games"] if report else []
    stories = jericho["games"] if jericho else []
    frozen = mean(g["clone_ms"] + g["restore_ms"] for g in stories) if stories else None
    worlds = [told(game["facts"]) for game in games] or [grown(60, 1).world]
    theirs = mean(game["copy_ms"] for game in games) if games else None
    held = mean(cpu_ms(partial(_held, w)) for w in worlds) / HELD
    written = mean(cpu_ms(partial(_written, w)) for w in worlds)
    return [
        Row(
            work="clone and restore a state, 20 rooms, 40 things",
            ours=held,
            peer="TextWorld, copy",
            theirs=theirs,
            mark=f"under {SLOWEST} ms",
            met=held < SLOWEST,
            note="a world is never edited, so to hold it is to have cloned it.",
            asks=Asked.RESTORE,
        ),
        Row(
            work="clone and restore a state, 20 rooms, 40 things",
            ours=held,
            peer="Jericho, get_state and set_state",
            theirs=frozen,
            asks=Asked.RESTORE,
        ),
        Row(work=DOCUMENT, ours=written, peer="TextWorld, copy", theirs=theirs, asks=Asked.RESTORE),
        Row(
            work=DOCUMENT,
            ours=written,
            peer="Jericho, get_state and set_state",
            theirs=frozen,
            note="ours becomes a JSON document that any later version reads and that is "
            "checked from end to end; Jericho copies the bytes of its machine.",
            asks=Asked.RESTORE,
        ),
    ]


def _held(world: World) -> list[World]:
    return [world for _ in range(HELD)]


def _written(world: World) -> World:
    return restore_world(take_snapshot(world))
