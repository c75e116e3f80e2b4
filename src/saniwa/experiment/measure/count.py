"""Counting: the numbers of one cell, from what came of it. Nothing is estimated here."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from saniwa.experiment.measure.model import Numbers
from saniwa.experiment.outcome import Attempt, Intent, Outcome, Passage
from saniwa.experiment.playing.correction import why_refused_again
from saniwa.experiment.telling.deny import DENY_CODES
from saniwa.world.action import type_of


def numbers_of(outcome: Outcome) -> Numbers:
    """Everything that is counted in a cell; a cell that crashed counts as far as it came."""
    passages = outcome.passages
    attempts = [attempt for passage in passages for attempt in passage.attempts]
    retries = [attempt for passage in passages for attempt in passage.attempts[1:]]
    first = [intent for passage in passages for intent in passage.first.refused]
    stands = [intent for passage in passages for intent in passage.final.refused]
    paid = [*attempts, *outcome.dropped]
    deeds = [i for p in passages for i in p.first.intents if i.is_deed]
    kept_deeds = [i for p in passages for i in p.final.intents if i.is_deed]
    invented = [i for attempt in attempts for i in attempt.refused if i.invented]
    return Numbers(
        key=outcome.key,
        condition=outcome.condition,
        scenario=outcome.scenario,
        seed=outcome.seed,
        answers=_fingerprint(paid),
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
        first_try_valid=sum(passage.first.valid for passage in passages),
        first_turns=len(passages[:1]),
        acting_first_turns=sum(map(claims_something, passages[:1])),
        first_turn_valid=sum(passage.first.valid for passage in passages[:1]),
        impossible_first=len(first),
        impossible=len(stands),
        impossible_by_code=_by_code(stands),
        impossible_first_by_code=_by_code(first),
        invented=len(invented),
        invented_first=sum(intent.invented for intent in first),
        invented_names=tuple(sorted({intent.target for intent in invented})),
        retries=len(retries),
        retried_turns=sum(len(passage.attempts) > 1 for passage in passages),
        retry_successes=sum(attempt.valid for attempt in retries),
        silent_corrections=sum(passage.silent_correction for passage in passages),
        give_ups=sum(passage.give_up for passage in passages),
        fail_reasons=_counted(_reasons(passages)),
        hard_denied=sum(map(lost_its_speech, passages)),
        stall_mean=_mean([passage.stall_score for passage in passages]),
        stall_events=sum(passage.stall_event for passage in passages),
        stall_recoveries=_recoveries(passages),
        format_breaks=sum(p.first.break_type != "NONE" for p in passages),
        breaks_by_type=_counted(a.break_type for a in attempts),
        repairs_by_method=_counted(a.repair_method for a in attempts),
        unread=sum(len(passage.final.unread) for passage in passages),
        addressing_violations=sum(bool(passage.addressing) for passage in passages),
        interventions=_counted(passage.trigger for passage in passages),
        latency_ms=tuple(sum(a.latency_ms for a in p.attempts) for p in passages),
        input_tokens=sum(attempt.input_tokens for attempt in paid),
        output_tokens=sum(attempt.output_tokens for attempt in paid),
        cost=sum(attempt.cost for attempt in paid),
        unpriced=sum(attempt.unpriced for attempt in paid),
        unsent=tuple(sorted({name for attempt in paid for name in attempt.unsent})),
    )


def _fingerprint(answers: Sequence[Attempt]) -> str:
    """The same for the same answers; their lengths keep them apart."""
    if not answers:
        return ""
    found = sha256()
    for raw in (answer.raw_output.encode(errors="surrogatepass") for answer in answers):
        found.update(b"%d " % len(raw))
        found.update(raw)
    return found.hexdigest()[:16]


def _by_code(refused: Sequence[Intent]) -> dict[str, int]:
    """Refusals by code: all eight, those that never came with 0."""
    found = Counter(intent.deny_code for intent in refused)
    return {code: found[code] for code in DENY_CODES}


def _counted(words: Iterable[str]) -> dict[str, int]:
    """How often each word came, in order of the words; `NONE` and `none` are no word."""
    found = Counter(word for word in words if word.casefold() != "none")
    return dict(sorted(found.items()))


def _reasons(passages: Sequence[Passage]) -> Iterator[str]:
    """Why each retry did not help; the last one of a turn that was given up, for that."""
    for passage in passages:
        for before, again in zip(passage.attempts, passage.attempts[1:], strict=False):
            if not again.valid:
                yield _reason(passage, before, again)


def _reason(passage: Passage, before: Attempt, again: Attempt) -> str:
    if passage.give_up and again is passage.final:
        return "FAIL_GIVE_UP"
    return why_refused_again(before, again)


def claims_something(passage: Passage) -> bool:
    """Whether the first answer of a turn holds a deed, or anything that was refused."""
    return any(each.is_deed or not each.allowed for each in passage.first.intents)


def lost_its_speech(passage: Passage) -> bool:
    """Whether a turn was refused so wholly that what was said with it was not said."""
    if passage.final.valid or not passage.final.speech:
        return False
    return all(type_of(action) != "speak" for action in passage.turn.applied_actions)


def _recoveries(passages: Sequence[Passage]) -> int:
    """Standstills that a lively turn followed, before the next was announced."""
    found, waiting = 0, False
    for passage in passages:
        if passage.stall_event:
            waiting = True
        elif waiting and passage.severity == "active":
            found, waiting = found + 1, False
    return found


def _mean(scores: Sequence[float]) -> float:
    return round(sum(scores) / len(scores), 6) if scores else 0.0
