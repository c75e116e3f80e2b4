"""Every ordeal there is, by what is broken."""

from tests.torture.ordeal import Ordeal
from tests.torture.ordeals import (
    agents,
    clocks,
    damaged_files,
    databases,
    disks,
    experiments,
    files,
    gates,
    killed_players,
    killed_servers,
    killed_stories,
    models,
    requests,
    streams,
    tables,
)

ORDEALS: tuple[Ordeal, ...] = (
    *killed_players.ORDEALS,
    *killed_stories.ORDEALS,
    *gates.ORDEALS,
    *agents.ORDEALS,
    *disks.ORDEALS,
    *damaged_files.ORDEALS,
    *clocks.ORDEALS,
    *models.ORDEALS,
    *killed_servers.ORDEALS,
    *requests.ORDEALS,
    *streams.ORDEALS,
    *tables.ORDEALS,
    *files.ORDEALS,
    *experiments.ORDEALS,
    *databases.ORDEALS,
)
"""In the order in which they are tried."""
