"""Counting: the numbers of one cell, from what came of it. Nothing is estimated here."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, Final

import msgspec

from saniwa.experiment.assessment import explain_second_refusal
from saniwa.experiment.intents import DENY_CODES
from saniwa.experiment.metrics.records import CellNumbers
from saniwa.experiment.outcome import AnswerAttempt, CellOutcome, CellTurn, Intent
from saniwa.world.actions import get_action_type


def count_outcome(outcome: CellOutcome) -> CellNumbers:
    """Everything that is counted in a cell; a cell that crashed counts as far as it came."""
    passages = outcome.passages
    attempts = [attempt for passage in passages for attempt in passage.attempts]
    retries = [attempt for passage in passages for attempt in passage.attempts[1:]]
    first = [intent for passage in passages for intent in passage.first.refused_intents]
    stands = [
        intent for passage in passages for intent in passage.final.refused_intents
    ]
    paid = [*attempts, *outcome.dropped]
    deeds = [i for p in passages for i in p.first.intents if i.is_deed]
    kept_deeds = [i for p in passages for i in p.final.intents if i.is_deed]
    invented = [
        i for attempt in attempts for i in attempt.refused_intents if i.invented
    ]
    return CellNumbers(
        key=outcome.key,
        condition=outcome.condition,
        scenario=outcome.scenario,
        seed=outcome.seed,
        answers=_hash_answers(paid),
        turns=len(passages),
        success=not outcome.error,
        goal_reached=outcome.goal_reached,
        generation_calls=len(paid),
        actions=len(deeds),
        refused_actions=sum(not intent.allowed for intent in deeds),
        invented_actions=sum(intent.invented for intent in deeds),
        kept_actions=len(kept_deeds),
        refused_kept_actions=sum(not intent.allowed for intent in kept_deeds),
        milestones=outcome.milestones,
        milestones_passed=outcome.milestones_passed,
        first_try_valid=sum(passage.first.is_valid for passage in passages),
        first_turns=len(passages[:1]),
        acting_first_turns=sum(map(has_claim, passages[:1])),
        first_turn_valid=sum(passage.first.is_valid for passage in passages[:1]),
        impossible_first=len(first),
        impossible=len(stands),
        impossible_by_code=_count_codes(stands),
        impossible_first_by_code=_count_codes(first),
        invented=len(invented),
        invented_first=sum(intent.invented for intent in first),
        invented_names=tuple(sorted({intent.target for intent in invented})),
        retries=len(retries),
        retried_turns=sum(len(passage.attempts) > 1 for passage in passages),
        retry_successes=sum(attempt.is_valid for attempt in retries),
        silent_corrections=sum(passage.silent_correction for passage in passages),
        give_ups=sum(passage.give_up for passage in passages),
        fail_reasons=_count_words(_list_retry_failures(passages)),
        hard_denied=sum(map(has_lost_speech, passages)),
        stall_mean=_compute_mean([passage.stall_score for passage in passages]),
        stall_events=sum(passage.stall_event for passage in passages),
        stall_recoveries=_count_recoveries(passages),
        format_breaks=sum(p.first.break_type != "NONE" for p in passages),
        breaks_by_type=_count_words(a.break_type for a in attempts),
        repairs_by_method=_count_words(a.repair_method for a in attempts),
        unread=sum(len(passage.final.unread) for passage in passages),
        addressing_violations=sum(bool(passage.addressing) for passage in passages),
        interventions=_count_words(passage.trigger for passage in passages),
        latency_ms=tuple(sum(a.latency_ms for a in p.attempts) for p in passages),
        input_tokens=sum(attempt.input_tokens for attempt in paid),
        output_tokens=sum(attempt.output_tokens for attempt in paid),
        cost=sum(attempt.cost for attempt in paid),
        unpriced=sum(attempt.unpriced for attempt in paid),
        unsent=tuple(sorted({name for attempt in paid for name in attempt.unsent})),
    )


def _hash_answers(answers: Sequence[AnswerAttempt]) -> str:
    """The same for the same answers; their lengths keep them apart."""
    if not answers:
        return ""
    found = sha256()
    for raw in (answer.raw_output.encode(errors="surrogatepass") for answer in answers):
        found.update(b"%d " % len(raw))
        found.update(raw)
    return found.hexdigest()[:16]


def _count_codes(refused: Sequence[Intent]) -> dict[str, int]:
    """Refusals by code: all eight, those that never came with 0."""
    found = Counter(intent.deny_code for intent in refused)
    return {code: found[code] for code in DENY_CODES}


def _count_words(words: Iterable[str]) -> dict[str, int]:
    """How often each word came, in order of the words; `NONE` and `none` are no word."""
    found = Counter(word for word in words if word.casefold() != "none")
    return dict(sorted(found.items()))


def _list_retry_failures(passages: Sequence[CellTurn]) -> Iterator[str]:
    """Why each retry did not help; the last one of a turn that was given up, for that."""
    for passage in passages:
        for before, again in zip(passage.attempts, passage.attempts[1:], strict=False):
            if not again.is_valid:
                yield _find_retry_failure(passage, before, again)


def _find_retry_failure(
    passage: CellTurn, before: AnswerAttempt, again: AnswerAttempt
) -> str:
    if passage.give_up and again is passage.final:
        return "FAIL_GIVE_UP"
    return explain_second_refusal(before, again)


def has_claim(passage: CellTurn) -> bool:
    """Whether the first answer of a turn holds a deed, or anything that was refused."""
    return any(each.is_deed or not each.allowed for each in passage.first.intents)


def has_lost_speech(passage: CellTurn) -> bool:
    """Whether a turn was refused so wholly that what was said with it was not said."""
    if passage.final.is_valid or not passage.final.speech:
        return False
    return all(
        get_action_type(action) != "speak" for action in passage.turn.applied_actions
    )


def _count_recoveries(passages: Sequence[CellTurn]) -> int:
    """Standstills that a lively turn followed, before the next was announced."""
    found, waiting = 0, False
    for passage in passages:
        if passage.stall_event:
            waiting = True
        elif waiting and passage.severity == "active":
            found, waiting = found + 1, False
    return found


def _compute_mean(scores: Sequence[float]) -> float:
    return round(sum(scores) / len(scores), 6) if scores else 0.0


_FIELDS: Final = msgspec.structs.fields(CellNumbers)
_SUMMED: Final = [f.name for f in _FIELDS if f.type is int and f.name != "seed"]
_TALLIES: Final = [f.name for f in _FIELDS if f.type == dict[str, int]]


def pool_numbers(numbers: Sequence[CellNumbers]) -> CellNumbers:
    """The cells as if they were one: counts added, and no key, block or goal of its own.

    It is a success where every cell is one, and no cells at all are none.
    """
    turns = sum(each.turns for each in numbers)
    stalled = sum(each.stall_mean * each.turns for each in numbers)
    return CellNumbers(
        key="",
        condition=numbers[0].condition if numbers else "",
        scenario="",
        seed=0,
        answers="",
        success=bool(numbers) and all(each.success for each in numbers),
        goal_reached=None,
        stall_mean=round(stalled / turns, 6) if turns else 0.0,
        invented_names=tuple(
            sorted({n for each in numbers for n in each.invented_names})
        ),
        unsent=tuple(sorted({name for each in numbers for name in each.unsent})),
        latency_ms=tuple(ms for each in numbers for ms in each.latency_ms),
        **_sum_counts(numbers),
    )


def _sum_counts(numbers: Sequence[CellNumbers]) -> dict[str, Any]:
    summed = {name: sum(getattr(n, name) for n in numbers) for name in _SUMMED}
    return summed | {
        name: _merge_tallies(getattr(n, name) for n in numbers) for name in _TALLIES
    }


def _merge_tallies(tallies: Iterable[dict[str, int]]) -> dict[str, int]:
    whole = Counter[str]()
    for tally in tallies:
        whole.update(tally)
    return dict(sorted(whole.items()))
