"""A turn that is shown: small, whatever was said in it."""

from typing import Final

import msgspec

from saniwa.core.quoted import cut
from saniwa.experiment.outcome import Attempt, Intent, Outcome, Passage
from saniwa.experiment.report.sampling.kind import codes_of, kinds_of

LONGEST: Final = 800
"""Letters of an answer that are shown; the whole is in its file."""
UNBROKEN: Final = "NONE"
"""What stands where nothing was broken, and nothing mended."""
_LONGEST_CARD: Final = 1_600
_LONGEST_WORD: Final = 120
_MOST_INTENTS: Final = 8


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt of a sample."""

    raw: str
    """The answer, cut."""
    repaired: str
    """The same after repair; empty where nothing was repaired."""
    method: str
    """How it was mended."""
    intents: tuple[Intent, ...]
    """What it meant to do."""
    more_intents: int
    """How many more it meant to do."""
    question: str
    """What had to be asked back."""
    card: str
    """What it was answered with."""


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """One turn, ready to be shown."""

    place: tuple[int, int]
    """The cell's place among the outcomes, and the turn's number."""
    key: str
    """The cell."""
    condition: str
    """Its condition."""
    scenario: str
    """What was played."""
    seed: int
    """With which seed."""
    turn: int
    """The turn's number, from 0."""
    speaker: str
    """Who spoke."""
    kinds: tuple[str, ...]
    """What it is an example of."""
    codes: tuple[str, ...]
    """What was refused in it, by code."""
    breaks: tuple[str, ...]
    """How its answers broke the format, and how they were mended."""
    tried: tuple[Tried, ...]
    """Its attempts."""
    speech: str
    """What was said aloud in the end."""
    repaired: bool
    """Whether the answer that stands was repaired: then there is a file with it."""
    give_up: bool
    """Whether it was given up."""
    stall: float
    """Its stall score."""
    addressing: str
    """Whom it spoke to who cannot hear."""

    @property
    def tags(self) -> tuple[str, ...]:
        """All it can be looked up by."""
        return (*self.kinds, *self.codes, *self.breaks)


def sample_of(outcome: Outcome, passage: Passage, place: int) -> Sample:
    """The turn as it is shown."""
    return Sample(
        place=(place, passage.number),
        key=outcome.key,
        condition=outcome.condition,
        scenario=outcome.scenario,
        seed=outcome.seed,
        turn=passage.number,
        speaker=cut(passage.speaker_name, _LONGEST_WORD),
        kinds=kinds_of(passage),
        codes=codes_of(passage),
        breaks=_breaks(passage),
        tried=tuple(map(_tried, passage.attempts)),
        speech=cut(passage.final.speech, LONGEST),
        repaired=passage.final.repaired_output is not None,
        give_up=passage.give_up,
        stall=passage.stall_score,
        addressing=cut(passage.addressing, _LONGEST_WORD),
    )


def _breaks(passage: Passage) -> tuple[str, ...]:
    words = ((each.break_type, each.repair_method) for each in passage.attempts)
    return tuple(sorted({word for pair in words for word in pair} - {UNBROKEN}))


def _tried(attempt: Attempt) -> Tried:
    return Tried(
        raw=cut(attempt.raw_output, LONGEST),
        repaired=cut(attempt.repaired_output or "", LONGEST),
        method=attempt.repair_method,
        intents=tuple(map(_short, attempt.intents[:_MOST_INTENTS])),
        more_intents=max(len(attempt.intents) - _MOST_INTENTS, 0),
        question=cut(attempt.question, LONGEST),
        card=cut(attempt.card, _LONGEST_CARD),
    )


def _short(intent: Intent) -> Intent:
    return msgspec.structs.replace(
        intent,
        target=cut(intent.target, _LONGEST_WORD),
        detail=cut(intent.detail, _LONGEST_WORD),
        message=cut(intent.message, _LONGEST_WORD * 2),
    )
