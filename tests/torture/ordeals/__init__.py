"""Every ordeal there is, by what is broken."""

from tests.torture.ordeal import Ordeal

ORDEALS: tuple[Ordeal, ...] = ()
"""In the order they are tried."""
