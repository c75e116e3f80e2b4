"""Counts the numbers of one cell from its outcome; nothing is estimated here."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, Final

import msgspec

from saniwa.experiment.assessment import explain_second_refusal
from saniwa.experiment.intents import DENY_CODES
from saniwa.experiment.metrics.analysis_records import CellNumbers
from saniwa.experiment.outcome import AnswerAttempt, CellOutcome, CellTurn, Intent
from saniwa.world.actions import get_action_type


def count_outcome(outcome: CellOutcome) -> CellNumbers:
    """Count one cell; a cell that crashed is counted as far as it was played."""
    passages = outcome.passages
    attempts = [attempt for passage in passages for attempt in passage.attempts]
    retries = [attempt for passage in passages for attempt in passage.attempts[1:]]
    first = [intent for passage in passages for intent in passage.first.refused_intents]
    final = [intent for passage in passages for intent in passage.final.refused_intents]
    paid = [*attempts, *outcome.dropped]
    deeds = [i for p in passages for i in p.first.intents if i.is_deed]
    kept_deeds = [i for p in passages for i in p.final.intents if i.is_deed]
    invented = [i for attempt in attempts for i in attempt.refused_intents if i.invented]
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
        impossible=len(final),
        impossible_by_code=_count_codes(final),
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
        stall_mean=round(sum(p.stall_score for p in passages) / max(len(passages), 1), 6),
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
    """Return the same hash for the same answers; their lengths keep them apart."""
    if not answers:
        return ""
    found = sha256()
    for raw in (answer.raw_output.encode(errors="surrogatepass") for answer in answers):
        found.update(b"%d " % len(raw))
        found.update(raw)
    return found.hexdigest()[:16]


def _count_codes(refused: Sequence[Intent]) -> dict[str, int]:
    """Count refusals by code, with 0 for codes that do not occur."""
    found = Counter(intent.deny_code for intent in refused)
    return {code: found[code] for code in DENY_CODES}


def _count_words(words: Iterable[str]) -> dict[str, int]:
    """Count words, sorted by word; `NONE` and `none` are not counted."""
    found = Counter(word for word in words if word.casefold() != "none")
    return dict(sorted(found.items()))


def _list_retry_failures(passages: Sequence[CellTurn]) -> Iterator[str]:
    """Yield why each retry failed; `FAIL_GIVE_UP` for the last of a given-up turn."""
    for passage in passages:
        for before, retry in zip(passage.attempts, passage.attempts[1:], strict=False):
            if not retry.is_valid:
                ended = passage.give_up and retry is passage.final
                yield "FAIL_GIVE_UP" if ended else explain_second_refusal(before, retry)


def has_claim(passage: CellTurn) -> bool:
    """Return whether a turn's first answer has an action or anything refused."""
    return any(each.is_deed or not each.allowed for each in passage.first.intents)


def has_lost_speech(passage: CellTurn) -> bool:
    """Return whether a turn was refused completely, so that its speech was lost."""
    if passage.final.is_valid or not passage.final.speech:
        return False
    return all(get_action_type(action) != "speak" for action in passage.turn.applied_actions)


def _count_recoveries(passages: Sequence[CellTurn]) -> int:
    """Count stalls that an active turn followed before the next stall was reported."""
    found, waiting = 0, False
    for passage in passages:
        if passage.stall_event:
            waiting = True
        elif waiting and passage.severity == "active":
            found, waiting = found + 1, False
    return found


def group_by_condition(numbers: Iterable[CellNumbers]) -> dict[str, list[CellNumbers]]:
    """Group cells by the name of their condition."""
    found: dict[str, list[CellNumbers]] = {}
    for each in numbers:
        found.setdefault(each.condition, []).append(each)
    return found


_FIELDS: Final = msgspec.structs.fields(CellNumbers)
_SUMMED: Final = [f.name for f in _FIELDS if f.type is int and f.name != "seed"]
_TALLIES: Final = [f.name for f in _FIELDS if f.type == dict[str, int]]


def pool_numbers(numbers: Sequence[CellNumbers]) -> CellNumbers:
    """Add up cells as if they were one, with no key, block or goal of its own.

    It is a success if every cell is; with no cells it is not.
    """
    turns = sum(each.turns for each in numbers)
    stalled = sum(each.stall_mean * each.turns for each in numbers)
    counts: dict[str, Any] = {name: sum(getattr(n, name) for n in numbers) for name in _SUMMED}
    counts |= {name: _merge_tallies(getattr(n, name) for n in numbers) for name in _TALLIES}
    return CellNumbers(
        key="",
        condition=numbers[0].condition if numbers else "",
        scenario="",
        seed=0,
        answers="",
        success=bool(numbers) and all(each.success for each in numbers),
        goal_reached=None,
        stall_mean=round(stalled / turns, 6) if turns else 0.0,
        invented_names=tuple(sorted({n for each in numbers for n in each.invented_names})),
        unsent=tuple(sorted({name for each in numbers for name in each.unsent})),
        latency_ms=tuple(ms for each in numbers for ms in each.latency_ms),
        **counts,
    )


def _merge_tallies(tallies: Iterable[dict[str, int]]) -> dict[str, int]:
    total = Counter[str]()
    for tally in tallies:
        total.update(tally)
    return dict(sorted(total.items()))
