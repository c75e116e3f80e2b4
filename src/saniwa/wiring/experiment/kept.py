"""Outcomes as they are taken from a shelf: of this very cell, or said to be none of it."""

from collections.abc import Iterator

import msgspec

from saniwa.core.quoted import quoted
from saniwa.experiment.cell import Cell
from saniwa.experiment.outcome import Outcome, decode
from saniwa.experiment.ports import Shelf
from saniwa.store.cells.label import corrupt


def outcome_of(shelf: Shelf, cell: Cell, plan: str = "") -> Outcome | None:
    """What came of a cell; None where it is not done.

    Args:
        shelf: Where it is kept.
        cell: The cell. What is kept under its key says itself which condition, scenario
            and seed it is of: something else under that key is refused.
        plan: The fingerprint of the prepared plan; empty where a recording is wanted,
            which another plan may have made.

    Raises:
        StoreError: `TRACE_CORRUPT`, or the shelf cannot be read.
    """
    kept = shelf.outcome(cell.key)
    if kept is None:
        return None
    try:
        outcome = decode(kept)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        raise corrupt(cell.key, f"it is no outcome: {problem}") from problem
    for what, found, wanted in _labels(outcome, cell, plan):
        if found != wanted:
            why = f"it is of the {what} {quoted(found)}, not {quoted(wanted)}"
            raise corrupt(cell.key, why)
    return outcome


def _labels(
    outcome: Outcome, cell: Cell, plan: str
) -> Iterator[tuple[str, object, object]]:
    yield "cell", outcome.key, cell.key
    if plan:
        yield "plan", outcome.plan, plan
    yield "condition", outcome.condition, cell.condition.name
    yield "scenario", outcome.scenario, cell.scenario
    yield "seed", outcome.seed, cell.seed
