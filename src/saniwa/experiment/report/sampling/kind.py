"""What a turn is an example of."""

from collections.abc import Iterator
from typing import Final

from saniwa.experiment.outcome import Passage

KINDS: Final[dict[str, str]] = {
    "stands": "impossible, and it stands",
    "mended": "refused, guided, mended in silence",
    "sorry": "refused, guided, mended with an apology",
    "given_up": "given up",
    "repaired": "format broken and repaired",
    "invented": "acts on what does not exist",
    "standstill": "standstill announced",
    "unheard": "addressed to somebody who cannot hear",
    "unclear": "asked back",
    "kept": "possible at once",
}
"""The kinds of turns, the most telling first, and what they are called."""


def kinds_of(passage: Passage) -> tuple[str, ...]:
    """All kinds a turn is an example of, in the order of `KINDS`."""
    found = frozenset(_found(passage))
    return tuple(kind for kind in KINDS if kind in found)


def codes_of(passage: Passage) -> tuple[str, ...]:
    """The codes of all refusals in a turn, in order and once each."""
    refused = (each for attempt in passage.attempts for each in attempt.refused)
    return tuple(sorted({each.deny_code for each in refused if each.deny_code}))


def _found(passage: Passage) -> Iterator[str]:
    final, retried = passage.final, len(passage.attempts) > 1
    if final.refused and not passage.give_up:
        yield "stands"
    if retried and final.valid:
        yield "mended" if passage.silent_correction else "sorry"
    if passage.give_up:
        yield "given_up"
    if any(each.repaired_output is not None for each in passage.attempts):
        yield "repaired"
    if any(each.invented for attempt in passage.attempts for each in attempt.refused):
        yield "invented"
    yield from _remarks(passage)
    if not retried and final.valid and final.intents:
        yield "kept"


def _remarks(passage: Passage) -> Iterator[str]:
    if passage.stall_event:
        yield "standstill"
    if passage.addressing:
        yield "unheard"
    if any(attempt.question for attempt in passage.attempts):
        yield "unclear"
