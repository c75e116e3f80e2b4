"""Every ordeal there is, by what is broken."""

from tests.torture.ordeal import Ordeal
from tests.torture.ordeals import (
    agents,
    clocks,
    databases,
    disks,
    experiments,
    files,
    gates,
    models,
    playing,
    requests,
    serving,
    streams,
    tables,
    tearing,
    telling,
)

ORDEALS: tuple[Ordeal, ...] = (
    *playing.ORDEALS,
    *telling.ORDEALS,
    *gates.ORDEALS,
    *agents.ORDEALS,
    *disks.ORDEALS,
    *tearing.ORDEALS,
    *clocks.ORDEALS,
    *models.ORDEALS,
    *serving.ORDEALS,
    *requests.ORDEALS,
    *streams.ORDEALS,
    *tables.ORDEALS,
    *files.ORDEALS,
    *experiments.ORDEALS,
    *databases.ORDEALS,
)
"""In the order they are tried."""
