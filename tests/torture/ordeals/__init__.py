"""Every ordeal there is, by what is broken."""

from tests.torture.ordeal import Ordeal
from tests.torture.ordeals import gates, playing, telling

ORDEALS: tuple[Ordeal, ...] = (*playing.ORDEALS, *telling.ORDEALS, *gates.ORDEALS)
"""In the order they are tried."""
