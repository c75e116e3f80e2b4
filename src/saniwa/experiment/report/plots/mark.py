"""A mean with its interval, ready to be drawn."""

from typing import NamedTuple

from saniwa.experiment.measure.model import Estimate


class Mark(NamedTuple):
    """Where something is, and how far it may be from there."""

    mean: float
    """Where it is."""
    low: float
    """The lower end; the same where no interval is known."""
    high: float
    """The upper end."""


def mark_of(estimate: Estimate | None) -> Mark | None:
    """The mark of an estimate; None where nothing was counted."""
    if estimate is None or estimate.mean is None:
        return None
    if estimate.low is None or estimate.high is None:
        return Mark(estimate.mean, estimate.mean, estimate.mean)
    return Mark(estimate.mean, estimate.low, estimate.high)
