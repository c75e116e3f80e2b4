"""Where two playings of one cell first part."""

from typing import Any, NamedTuple

import msgspec

from saniwa.experiment.outcome import Outcome

Path = tuple[str | int, ...]


class Difference(NamedTuple):
    """The first thing of a cell that came out otherwise."""

    cell: str
    """Its key."""
    turn: int | None
    """In which turn; None where it is no matter of one."""
    field: str
    """Which part, such as `attempts.0.intents.0.allowed`."""
    recorded: Any
    """What is kept."""
    replayed: Any
    """What came out."""


def difference(cell: str, kept: Outcome, again: Outcome) -> Difference | None:
    """The first difference between two outcomes, in reading order; None if they agree."""
    if not kept.milestones:
        # It may have been kept before milestones were counted.
        again = msgspec.structs.replace(again, milestones=0, milestones_passed=0)
    if kept == again:
        return None
    found = _first(msgspec.to_builtins(kept), msgspec.to_builtins(again), ())
    assert found is not None, "records that differ differ somewhere"
    path, one, other = found
    turn = None
    if path[:1] == ("passages",) and len(path) > 1 and isinstance(path[1], int):
        turn, path = path[1], path[2:]
    return Difference(cell, turn, ".".join(map(str, path)), one, other)


def _first(one: Any, other: Any, path: Path) -> tuple[Path, Any, Any] | None:
    if one == other:
        return None
    pairs = _pairs(one, other)
    for name, mine, theirs in pairs:
        found = _first(mine, theirs, (*path, name))
        if found is not None:
            return found
    return path, one, other


def _pairs(one: Any, other: Any) -> list[tuple[str | int, Any, Any]]:
    """The parts of both that can be looked at in turn; none for what has no parts."""
    if isinstance(one, dict) and isinstance(other, dict):
        names = dict.fromkeys((*one, *other))
        return [(name, one.get(name), other.get(name)) for name in names]
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return list(zip(range(min(len(one), len(other))), one, other, strict=False))
    return []
