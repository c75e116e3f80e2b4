"""How deep and how large a book's document may be, wherever it comes from.

Asked before anything else reads the document, so that nothing else need be careful.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from saniwa.rulebook.notes import Notes, Path

DEEPEST = 100
"""Levels a book may nest."""
MOST_VALUES = 20_000
"""Values a book may hold; what is shared counts wherever it stands."""
_SHOWN = 9

_Way = tuple[Any, str | int] | None
"""The way to a value, from its end: the way before it, and the last step."""


def within_bounds(document: object, notes: Notes) -> bool:
    """Whether a document is no deeper and no larger than a book may be; else noted."""
    waiting: list[tuple[object, int, _Way]] = [(document, 0, None)]
    count = 0
    while waiting:
        value, depth, way = waiting.pop()
        if depth > DEEPEST:
            notes.bad(
                _path(way)[:_SHOWN], f"the book nests deeper than {DEEPEST} levels"
            )
            return False
        # Counted before it is looked into: one list may be larger than all is allowed.
        count += _size(value)
        if count > MOST_VALUES:
            notes.bad((), f"the book holds more than {MOST_VALUES} values")
            return False
        waiting += [(part, depth + 1, (way, step)) for step, part in _parts(value)]
    return True


def _size(value: object) -> int:
    return len(value) if isinstance(value, Mapping | list | tuple) else 0


def _parts(value: object) -> Iterable[tuple[Any, object]]:
    if isinstance(value, Mapping):
        return value.items()
    return enumerate(value) if isinstance(value, list | tuple) else ()


def _path(way: _Way) -> Path:
    steps: list[str | int] = []
    while way is not None:
        way, step = way
        steps.append(step if isinstance(step, int) else str(step))
    return tuple(reversed(steps))
