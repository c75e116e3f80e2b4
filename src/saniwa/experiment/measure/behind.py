"""The turns behind a number: which of them a metric looks at, and which it counts."""

from collections.abc import Callable
from typing import Final, Literal, NamedTuple

from saniwa.experiment.measure.count import claims_something, lost_its_speech
from saniwa.experiment.outcome import Outcome, Passage

Behind = Literal["turns", "all turns", "cells"]
"""What a number is made of: turns that are counted, a figure of every turn, whole cells."""
_Asked = Callable[[Outcome, Passage], bool]


class _Turns(NamedTuple):
    counted: _Asked
    among: _Asked = lambda _, __: True


def _retried(_: Outcome, passage: Passage) -> bool:
    return len(passage.attempts) > 1


def _broken(_: Outcome, passage: Passage) -> bool:
    return any(each.break_type != "NONE" for each in passage.attempts)


def _stalled(_: Outcome, passage: Passage) -> bool:
    return passage.stall_event


def _recovered(outcome: Outcome, passage: Passage) -> bool:
    """Whether a lively turn came after a standstill, before the next was announced."""
    for later in outcome.passages[passage.number + 1 :]:
        if later.stall_event:
            return False
        if later.severity == "active":
            return True
    return False


def _acts(_: Outcome, passage: Passage) -> bool:
    return any(each.is_deed for each in passage.first.intents)


def _ends_acting(_: Outcome, passage: Passage) -> bool:
    return any(each.is_deed for each in passage.final.intents)


_TURNS: Final[dict[str, _Turns]] = {
    "impossible_deed_rate": _Turns(
        lambda _, p: any(i.is_deed for i in p.first.refused), _acts
    ),
    "final_impossible_deed_rate": _Turns(
        lambda _, p: any(i.is_deed for i in p.final.refused), _ends_acting
    ),
    "invented_deed_rate": _Turns(
        lambda _, p: any(i.is_deed and i.invented for i in p.first.refused), _acts
    ),
    "deeds_per_turn": _Turns(_acts),
    "impossible_rate": _Turns(lambda _, p: not p.final.valid),
    "first_try_validity": _Turns(lambda _, p: p.first.valid),
    "first_turn_validity": _Turns(
        lambda _, p: p.first.valid,
        lambda _, p: not p.number and claims_something(p),
    ),
    "impossible_first_rate": _Turns(lambda _, p: not p.first.valid),
    "invented_rate": _Turns(lambda _, p: any(i.invented for i in p.first.refused)),
    "avg_retry_steps_extra": _Turns(_retried),
    "retried_rate": _Turns(_retried),
    "retry_success_rate": _Turns(
        lambda _, p: any(each.valid for each in p.attempts[1:]), _retried
    ),
    "silent_correction_rate": _Turns(lambda _, p: p.silent_correction, _retried),
    "give_up_rate": _Turns(lambda _, p: p.give_up),
    "stall_event_rate": _Turns(_stalled),
    "stall_recovery_rate": _Turns(_recovered, _stalled),
    "format_break_rate": _Turns(lambda _, p: p.first.break_type != "NONE"),
    "repair_rate": _Turns(
        lambda _, p: any(each.repair_method != "NONE" for each in p.attempts), _broken
    ),
    "unread_rate": _Turns(lambda _, p: bool(p.final.unread)),
    "addressing_rate": _Turns(lambda _, p: bool(p.addressing)),
    "hard_denied": _Turns(lambda _, p: lost_its_speech(p)),
}
_CELLS: Final = ("goal_reached", "milestone_rate", "crash")


def behind(metric: str) -> Behind:
    """What a metric is made of."""
    if metric in _CELLS:
        return "cells"
    return "turns" if metric in _TURNS else "all turns"


def counts(metric: str, outcome: Outcome, passage: Passage) -> bool | None:
    """Whether a metric counts a turn; None where it does not look at it.

    A metric that is a figure of every turn counts all of them, and one of whole cells
    looks at none.
    """
    if metric in _CELLS:
        return None
    turns = _TURNS.get(metric)
    if turns is None:
        return True
    return turns.counted(outcome, passage) if turns.among(outcome, passage) else None
