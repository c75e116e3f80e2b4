"""A step: one thing a caller does that others could see, named before it is done."""

from collections.abc import Callable
from typing import NamedTuple


class Step(NamedTuple):
    """What a caller is about to do."""

    what: str
    """A description for the reader of a schedule."""
    reads: frozenset[str] = frozenset()
    """The things whose state it depends on."""
    writes: frozenset[str] = frozenset()
    """The things it may change."""
    ready: Callable[[], bool] | None = None
    """Whether it can be done now; None for always."""

    @property
    def is_enabled(self) -> bool:
        """Whether it can be done now."""
        return self.ready is None or self.ready()


def make_step(
    what: str,
    *,
    reads: tuple[str, ...] = (),
    writes: tuple[str, ...] = (),
    ready: Callable[[], bool] | None = None,
) -> Step:
    """A step, from plain tuples."""
    return Step(what, frozenset(reads), frozenset(writes), ready)


def is_dependent(one: Step, other: Step) -> bool:
    """Whether the order of two steps could make a difference."""
    return not (
        one.writes.isdisjoint(other.writes)
        and one.writes.isdisjoint(other.reads)
        and other.writes.isdisjoint(one.reads)
    )
