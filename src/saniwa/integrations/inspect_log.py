"""What came of cells, found again in the log of an evaluation; inspect-ai itself is not needed."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import msgspec

from saniwa.experiment.outcome import CellOutcome

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

OUTCOME_KEY: Final = "saniwa_outcome"
"""Where a sample's store holds what came of its cell."""


def read_outcomes_from_log(log: "EvalLog") -> Iterator[CellOutcome]:
    """What came of each cell, from the log of an evaluation; unplayed cells are left out.

    Raises:
        msgspec.ValidationError: The log holds something else under our name.
    """
    for sample in log.samples or ():
        if OUTCOME_KEY in sample.store:
            yield msgspec.convert(sample.store[OUTCOME_KEY], CellOutcome)
