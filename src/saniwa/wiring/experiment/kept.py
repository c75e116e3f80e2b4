"""Outcomes as they are taken from a shelf: read, or said to be unreadable."""

import msgspec

from saniwa.core.errors import StoreError
from saniwa.core.quoted import quoted
from saniwa.experiment.outcome import Outcome, decode
from saniwa.experiment.ports import Shelf


def outcome_of(shelf: Shelf, key: str) -> Outcome | None:
    """What came of a cell; None where it is not done.

    Raises:
        StoreError: `TRACE_CORRUPT`, or the shelf cannot be read.
    """
    kept = shelf.outcome(key)
    if kept is None:
        return None
    try:
        return decode(kept)
    except msgspec.MsgspecError as problem:
        raise StoreError(
            "TRACE_CORRUPT",
            f"what is kept of the cell {quoted(key)} is no outcome: {problem}",
            hint="take its file away and resume: it is done again",
            details={"cell": key},
        ) from problem
