"""The tables of runs: seats, and agents who take their turns."""

from saniwa.api.rooms.tables.asked import OPERATIONS

__all__ = ["OPERATIONS"]
