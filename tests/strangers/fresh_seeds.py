"""Fresh random seeds, drawn when a test runs and printed when it fails.

`SANIWA_SEED=N` repeats one; `SANIWA_NIGHTLY=1` tries many more.
"""

import os
from collections.abc import Iterable
from typing import Final

from tests.fakes.nightly import NIGHTLY

_GIVEN: Final = os.environ.get("SANIWA_SEED", "")
_BYTES: Final = 5


def list_rounds(everyday: int, nightly: int) -> Iterable[int]:
    """The numbers of the rounds to run; only one if a seed is given."""
    if _GIVEN:
        return range(1)
    return range(nightly if NIGHTLY else everyday)


def draw_seed(nth: int, sorts: int = 1) -> int:
    """A fresh seed for a round, or the given one.

    The seed modulo `sorts` is the round's number modulo `sorts`, so that every sort is tried,
    and the seed alone says which one it was.
    """
    if _GIVEN:
        return int(_GIVEN)
    return int.from_bytes(os.urandom(_BYTES)) * sorts + nth % sorts


def render_command(seed: int, test: str) -> str:
    """The command that repeats a seed."""
    return f"SANIWA_SEED={seed} .venv/bin/pytest {test}"
