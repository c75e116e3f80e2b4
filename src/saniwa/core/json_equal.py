"""Equality of JSON values."""

from typing import Any


def is_same_json(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same: `true` is not 1, and 1 is 1.0."""
    if isinstance(one, str):
        return bool(one == other)
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same_json, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same_json(one[k], other[k]) for k in one)
    return bool(one == other)
