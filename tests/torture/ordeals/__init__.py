"""Every ordeal there is, by what is broken."""

from tests.torture.ordeal import Ordeal
from tests.torture.ordeals import playing

ORDEALS: tuple[Ordeal, ...] = (*playing.ORDEALS,)
"""In the order they are tried."""
