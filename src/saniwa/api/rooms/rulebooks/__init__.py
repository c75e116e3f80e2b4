"""Rulebooks: read, checked, tried out, and laid over a run's own."""

from saniwa.api.rooms.rulebooks.asked import OPERATIONS

__all__ = ["OPERATIONS"]
