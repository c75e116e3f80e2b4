"""A rulebook, read and ready to judge by."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulebook:
    """Rules per action type."""

    id: str
    """Its name."""
    fingerprint: str
    """16 hex digits that differ when any rule differs."""
