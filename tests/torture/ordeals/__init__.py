"""Every ordeal there is, by what is broken."""

from tests.torture.ordeal import Ordeal
from tests.torture.ordeals import (
    agents,
    disks,
    gates,
    playing,
    requests,
    serving,
    telling,
)

ORDEALS: tuple[Ordeal, ...] = (
    *playing.ORDEALS,
    *telling.ORDEALS,
    *gates.ORDEALS,
    *agents.ORDEALS,
    *disks.ORDEALS,
    *serving.ORDEALS,
    *requests.ORDEALS,
)
"""In the order they are tried."""
