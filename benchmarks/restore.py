"""Going back: a state held, and a state written out and read again."""

from functools import partial
from statistics import mean
from typing import Any

from benchmarks.row import Row
from benchmarks.timing import cpu_ms
from benchmarks.worlds import grown, told
from saniwa.world.model import World
from saniwa.world.snapshot import restore, snapshot

SLOWEST = 0.05
"""Milliseconds to clone or restore a state."""
HELD = 10_000


def rows(report: dict[str, Any] | None) -> list[Row]:
    """A clone of a state, ours beside TextWorld's."""
    games = report["games"] if report else []
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
        ),
        Row(
            work="snapshot to a document and restore it, checked",
            ours=written,
            peer="TextWorld, copy",
            theirs=theirs,
        ),
    ]


def _held(world: World) -> list[World]:
    return [world for _ in range(HELD)]


def _written(world: World) -> World:
    return restore(snapshot(world))
