"""Tries the ordeals in turn, until the time is up."""

import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random  # noqa: TID251 - seeded by the caller

import msgspec

from tests.torture.ordeal import Ordeal, TrialTally

PATIENCE = 300
"""Seconds a trial may take; a longer one hangs, which is a broken promise."""


class TrialOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one trial."""

    ordeal: str
    """The name of the ordeal."""
    seed: str
    """The seed of the trial: `--seed` repeats it."""
    tally: TrialTally = TrialTally()
    """The counts, if every promise was kept."""
    broken: str = ""
    """The traceback of a broken promise; empty if none was broken."""


def iterate_trials(
    ordeals: Sequence[Ordeal], seed: str, goes_on: Callable[[], bool]
) -> Iterator[TrialOutcome]:
    """The outcomes of trial after trial, each ordeal in turn; the first round is always whole.

    The first round uses the seed as it is, so that the seed of any trial, given again, repeats
    that trial.
    """
    number = 0
    while number == 0 or goes_on():
        for ordeal in ordeals:
            if number and not goes_on():
                return
            yield try_ordeal(ordeal, f"{seed}/{number}" if number else seed)
        number += 1


def try_ordeal(ordeal: Ordeal, seed: str) -> TrialOutcome:
    """One trial in its own temporary folder."""
    with tempfile.TemporaryDirectory(prefix="saniwa-", ignore_cleanup_errors=True) as folder:  # fmt: skip
        try:
            with _limit_time(PATIENCE):
                tally = ordeal.trial(Path(folder), Random(f"{ordeal.name} {seed}"))
        except Exception:  # noqa: BLE001 - any failure is reported
            said = traceback.format_exc()
            return TrialOutcome(ordeal=ordeal.name, seed=seed, broken=said)
    return TrialOutcome(ordeal=ordeal.name, seed=seed, tally=tally)


@contextmanager
def _limit_time(seconds: float) -> Iterator[None]:
    """Raise an error if the block takes longer; for the main thread."""

    def raise_late(*_: object) -> None:
        raise AssertionError(f"it was not done after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, raise_late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
