"""One turn of an experiment's run, as it is shown: every attempt, and what was kept."""

import msgspec

from saniwa.agent.oracle import Request
from saniwa.experiment.cell import Cell
from saniwa.experiment.outcome import (
    Attempt,
    FailReason,
    Outcome,
    Passage,
    Severity,
    Trigger,
)


class PlayedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn: its attempts, and what was kept in the end."""

    cell: int
    """The number of the run it is part of."""
    key: str
    """The key of that run."""
    condition: str
    """How it was played."""
    scenario: str
    """What was played."""
    seed: int
    """With which seed."""
    number: int
    """The turn's number, from 0."""
    speaker: str
    """Who spoke: an id."""
    speaker_name: str
    """What they are called."""
    attempts: list[Attempt]
    """All answers, the one that stands last."""
    give_up: bool
    """Whether the last answer was refused too, and its speech alone stands."""
    fail_reason: FailReason
    """Why the retries did not help."""
    silent_correction: bool
    """Whether another deed came after a refusal, without an apology."""
    trigger: Trigger
    """What the game master had to say afterwards."""
    fact_cards: list[str]
    """What it said, to whoever speaks next."""
    stall_score: float
    """0 lively to 1 at a standstill."""
    severity: Severity
    """The same as a word."""
    stall_event: bool
    """Whether a standstill was announced here."""
    addressing: str
    """Whom the speaker spoke to who cannot hear it."""
    applied: int
    """Actions that happened."""
    changes: int
    """What they changed, counted."""


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What a model was told."""

    system: str
    """About itself."""
    text: str
    """The question."""


def turn_of(cell: Cell, outcome: Outcome, passage: Passage) -> PlayedTurn:
    """A turn as it is shown."""
    return PlayedTurn(
        cell=cell.number,
        key=outcome.key,
        condition=outcome.condition,
        scenario=outcome.scenario,
        seed=outcome.seed,
        number=passage.number,
        speaker=passage.speaker,
        speaker_name=passage.speaker_name,
        attempts=list(passage.attempts),
        give_up=passage.give_up,
        fail_reason=passage.fail_reason,
        silent_correction=passage.silent_correction,
        trigger=passage.trigger,
        fact_cards=list(passage.fact_cards),
        stall_score=passage.stall_score,
        severity=passage.severity,
        stall_event=passage.stall_event,
        addressing=passage.addressing,
        applied=len(passage.turn.applied_actions),
        changes=len(passage.turn.changes),
    )


def told_of(request: Request) -> Told:
    """What a model was told at once."""
    return Told(system=request.system, text=request.messages[-1].text)
