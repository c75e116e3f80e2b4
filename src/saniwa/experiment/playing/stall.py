"""Whether a conversation has come to a standstill: a score from 0 to 1, and the alarm.

The score weighs three signs: what is said was said before, nothing changes in the world,
and little is said at all.
"""

from collections.abc import Sequence
from typing import Final

from saniwa.experiment.outcome import Severity

REPETITION: Final = 0.70
NO_CHANGE: Final = 0.20
SHORT: Final = 0.10
"""The weights of the three signs."""
FEW_LETTERS: Final = 20
"""What has fewer letters is short."""
STALLED: Final = 0.8
"""The score at which a standstill is announced."""
COOLDOWN: Final = 5
"""Turns after an alarm before the next."""
LOOKED_AT: Final = 6
"""Earlier speeches that a new one is compared with."""
_BORDERS: Final[tuple[tuple[float, Severity], ...]] = (
    (0.9, "critical"),
    (STALLED, "stalled"),
    (0.3, "warning"),
)


def stall_score(speech: str, before: Sequence[str], *, changed: bool) -> float:
    """How far the talk has stalled with this speech, to three digits; 0 with none before.

    `before` are the speeches so far that count: those a game master made somebody say
    again do not.
    """
    if not before:
        return 0.0
    score = REPETITION * _repetition(speech, before[-LOOKED_AT:])
    score += NO_CHANGE * (not changed) + SHORT * (len(speech.strip()) < FEW_LETTERS)
    return round(score, 3)


def severity(score: float) -> Severity:
    """The score as a word."""
    return next((word for border, word in _BORDERS if score >= border), "active")


def alarms(score: float, since: int | None) -> bool:
    """Whether to announce a standstill; `since` are the turns since the last alarm."""
    return score >= STALLED and (since is None or since >= COOLDOWN)


def _repetition(speech: str, before: Sequence[str]) -> float:
    """How much of the speech was said before, by its pairs of letters: 0 none, 1 all."""
    said = _pairs(speech)
    if not said:
        return 1.0 if any(not _pairs(earlier) for earlier in before) else 0.0
    return max(_likeness(said, _pairs(earlier)) for earlier in before)


def _pairs(text: str) -> frozenset[str]:
    bare = "".join(letter for letter in text.casefold() if letter.isalnum())
    return frozenset(bare[n : n + 2] for n in range(len(bare) - 1)) or frozenset(bare)


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    whole = len(one | other)
    return len(one & other) / whole if whole else 1.0
