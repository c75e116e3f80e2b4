"""How far a search goes: a small part of it by day, all of it in `make nightly`."""

import os
import zlib
from collections.abc import Callable, Iterable
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


def sample_cases(every: Iterable[T], one_in: int, name_case: Callable[[T], str] = str) -> list[T]:
    """All cases in a night; by day about one in `one_in`, and at least one.

    The name of a case decides about it alone, so that a new case moves no other one.
    """
    cases = list(every)
    return cases if NIGHTLY else choose_by_name(cases, one_in, name_case)


def choose_by_name(cases: list[T], one_in: int, name_case: Callable[[T], str] = str) -> list[T]:
    """The cases whose names fall into the first of so many classes, or the first by hash."""
    hashes = {name_case(case): zlib.crc32(name_case(case).encode()) for case in cases}
    chosen = [case for case in cases if hashes[name_case(case)] % one_in == 0]
    return chosen or sorted(cases, key=lambda case: hashes[name_case(case)])[:1]
