"""How far a search goes: a small part of it by day, all of it in `make nightly`."""

import os
from collections.abc import Iterable
from typing import Final, TypeVar

T = TypeVar("T")

NIGHTLY: Final = bool(os.environ.get("SANIWA_NIGHTLY"))
"""Whether there is a night's time; set by `make nightly`."""
_SHARE: Final = 5
_FEWEST: Final = 5


def scale_examples(nightly: int) -> int:
    """How many examples a property draws, of the number it draws in a night.

    By day it is a fifth, and always the same ones, so that a red test is red for everybody.
    """
    return nightly if NIGHTLY else max(nightly // _SHARE, min(nightly, _FEWEST))


def choose_cases(nightly: Iterable[T], *by_day: T) -> list[T]:
    """The cases of one rule: all of them in a night, and by day those that are named."""
    every = list(nightly)
    assert set(by_day) <= set(every)
    return every if NIGHTLY else [*by_day]


def sample_cases(every: Iterable[T], by_day: int) -> list[T]:
    """All cases in a night; by day about `by_day` of them, spread evenly, always the same."""
    cases = list(every)
    return cases if NIGHTLY else cases[:: max(1, len(cases) // by_day)]
