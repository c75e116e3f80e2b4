"""How wide a search is: a small part of it by default, all of it in `make nightly`."""

import os
import zlib
from collections.abc import Callable, Iterable
from typing import Final, TypeVar

T = TypeVar("T")

NIGHTLY: Final = bool(os.environ.get("SANIWA_NIGHTLY"))
"""Whether the wide search is on, which `make nightly` sets."""
_SHARE: Final = 5
_FEWEST: Final = 5


def scale_examples(nightly: int) -> int:
    """How many examples a property draws, given the number for `make nightly`.

    By default it is a fifth, and always the same ones, so that a red test is red on every
    machine.
    """
    return nightly if NIGHTLY else max(nightly // _SHARE, min(nightly, _FEWEST))


def choose_cases(nightly: Iterable[T], *by_day: T) -> list[T]:
    """The cases of one rule: all of them in `make nightly`, otherwise those in `by_day`."""
    every = list(nightly)
    assert set(by_day) <= set(every)
    return every if NIGHTLY else [*by_day]


def sample_cases(every: Iterable[T], one_in: int, name_case: Callable[[T], str] = str) -> list[T]:
    """All cases in `make nightly`; otherwise about one in `one_in`, and at least one.

    Only its own name decides about a case, so a new case does not change the choice of others.
    """
    cases = list(every)
    return cases if NIGHTLY else choose_by_name(cases, one_in, name_case)


def choose_by_name(cases: list[T], one_in: int, name_case: Callable[[T], str] = str) -> list[T]:
    """The cases whose name has a hash divisible by `one_in`, or else the one with the lowest."""
    hashes = {name_case(case): zlib.crc32(name_case(case).encode()) for case in cases}
    chosen = [case for case in cases if hashes[name_case(case)] % one_in == 0]
    return chosen or sorted(cases, key=lambda case: hashes[name_case(case)])[:1]
