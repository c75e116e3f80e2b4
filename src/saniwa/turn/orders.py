"""The orders in which people and agents may come round a table, by their names."""

from typing import Final, Literal, get_args

Order = Literal["order", "round_robin", "initiative"]
"""By the scenario's order, round the table, or by a throw in each round."""
ORDERS: Final[tuple[Order, ...]] = get_args(Order)
"""All of them, the usual one first."""
