"""Watching: turns, the world as a map, what is believed, and playing it again."""

from saniwa.api.rooms.watching.asked import OPERATIONS

__all__ = ["OPERATIONS"]
