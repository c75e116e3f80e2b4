"""Every ordeal there is, by what is broken."""

from tests.torture.ordeal import Ordeal
from tests.torture.ordeals import playing, telling

ORDEALS: tuple[Ordeal, ...] = (*playing.ORDEALS, *telling.ORDEALS)
"""In the order they are tried."""
