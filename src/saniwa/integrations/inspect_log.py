"""Reads the outcomes of cells from an inspect-ai log, without importing inspect-ai."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import msgspec

from saniwa.experiment.outcome import CellOutcome

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

OUTCOME_KEY: Final = "saniwa_outcome"
"""The key of a cell's outcome in its sample's store."""


def read_outcomes_from_log(log: "EvalLog") -> Iterator[CellOutcome]:
    """Yield the outcome of each cell in the log of an evaluation.

    Cells that were not played are skipped.

    Raises:
        msgspec.ValidationError: The value under `OUTCOME_KEY` is not an outcome.
    """
    for sample in log.samples or ():
        if OUTCOME_KEY in sample.store:
            yield msgspec.convert(sample.store[OUTCOME_KEY], CellOutcome)
