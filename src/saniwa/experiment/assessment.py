"""An answer with what it comes to: its form, its intents, what was not understood."""

import re
from collections.abc import Sequence
from typing import Any, Final, cast

import msgspec

from saniwa.experiment.intents import list_unread_deeds, read_intents
from saniwa.experiment.outcome import AnswerAttempt, FailReason, Severity
from saniwa.language.text import fold_text
from saniwa.models.oracle import FinishReason, describe_finish
from saniwa.turn.record import Turn
from saniwa.turn.reply import BreakType, looks_like_reply, read_reply
from saniwa.world.model import Id, World
from saniwa.world.view import find_room

_ADDRESS_PATTERN: Final = r"(?:さん|ちゃん|くん|君|様)?\s*[,，、!！?？…:：]"


def find_misaddressed(speech: str, speaker: Id, world: World) -> str:
    """The name of somebody who is called at the beginning of a sentence and cannot hear.

    Nobody can be called who is elsewhere; nobody calls themselves. Empty where all is
    well. Only names of the cast are looked for: a name that nobody has is no address.
    """
    here = find_room(world, speaker)
    for who in world.list_characters():
        deaf = who.id == speaker or find_room(world, who.id) != here
        if deaf and _is_called(speech, (who.name, *who.aliases)):
            return who.name
    return ""


def _is_called(speech: str, names: Sequence[str]) -> bool:
    words = fold_text(speech)
    return any(
        re.search(rf"(?:^|[.。!！?？]\s*){re.escape(name)}{_ADDRESS_PATTERN}", words)
        for name in map(fold_text, names)
        if name
    )


_FORMAT_FIELDS = (
    "repaired_output",
    "thought",
    "speech",
    "break_type",
    "repair_method",
    "repair_steps",
    "parser_error",
)

_PARTIAL_BREAKS: Final[dict[str, BreakType]] = {
    "length": "TRUNCATED",
    "refused": "REFUSED",
    "filtered": "FILTERED",
    "tool_call": "STRAY_TOOL_CALL",
}


def complete_attempt(asked: AnswerAttempt, turn: Turn, before: World) -> AnswerAttempt:
    """The attempt, completed from the turn its answer makes, or would make.

    The form is that of the answer itself, whatever was said of it in the world. An answer
    that is not whole breaks the format, however good what there is of it looks.
    """
    reply = read_reply(asked.raw_output)
    form: dict[str, Any] = {name: getattr(reply, name) for name in _FORMAT_FIELDS}
    if asked.finish in _PARTIAL_BREAKS:
        finish = cast(FinishReason, asked.finish)
        form["break_type"] = _PARTIAL_BREAKS[finish]
        form["parser_error"] = describe_finish(finish)
    return msgspec.structs.replace(
        asked,
        intents=read_intents(turn, before),
        unread=list_unread_deeds(turn),
        question=turn.clarification.question if turn.clarification else "",
        **form,
    )


def to_spoken_text(text: str) -> str:
    """An answer as it is said in the world: words without any mark are only said.

    A character who keeps to no form may speak of taking something; whoever means it puts
    it between asterisks.
    """
    return text if looks_like_reply(text) else read_reply(text).repaired_output or text


def find_final_text(attempt: AnswerAttempt) -> str:
    """What is said in the world when no other attempt is made.

    The answer as it came; where a deed of it could mean two things, its speech alone:
    the world would ask back and hear nothing of it.
    """
    if not attempt.question or not attempt.speech:
        return to_spoken_text(attempt.raw_output)
    return f"Thought: {attempt.thought}\nOutput: {attempt.speech}"


APOLOGIES: Final = (
    "すみません",
    "すいません",
    "ごめん",
    "間違え",
    "まちがえ",
    "失礼",
    "申し訳",
    "sorry",
    "apolog",
    "my mistake",
    "my bad",
    "pardon",
)
"""Words that own up to a mistake."""
_REPEATED_REASONS: Final[dict[str, FailReason]] = {
    "MISSING_OBJECT": "FAIL_STILL_MISSING_OBJECT",
    "NOT_OWNED": "FAIL_STILL_NOT_OWNED",
    "WRONG_LOCATION": "FAIL_STILL_WRONG_LOCATION",
    "OUT_OF_SCOPE": "FAIL_STILL_NAV_ERROR",
    "INVALID_STATE": "FAIL_STILL_NAV_ERROR",
}


def list_meant_deeds(attempt: AnswerAttempt) -> tuple[tuple[str, str], ...]:
    """What an answer meant to do, for comparing: kinds and targets; words said aside."""
    return tuple(
        (each.type, each.target_id or each.target)
        for each in attempt.intents
        if each.is_deed
    )


def is_silent_correction(attempts: Sequence[AnswerAttempt], *, give_up: bool) -> bool:
    """Whether another deed came after a refusal, without a word of apology."""
    if (
        len(attempts) < 2
        or give_up
        or list_meant_deeds(attempts[0]) == list_meant_deeds(attempts[-1])
    ):
        return False
    said = attempts[-1].speech.casefold()
    return not any(word in said for word in APOLOGIES)


def find_fail_reason(attempts: Sequence[AnswerAttempt]) -> FailReason:
    """Why retrying did not help in the end; empty where it did, or none was made."""
    return "FAIL_GIVE_UP" if len(attempts) > 1 and not attempts[-1].is_valid else ""


def explain_second_refusal(before: AnswerAttempt, again: AnswerAttempt) -> FailReason:
    """Why one retry was refused like the attempt before it; empty where it was not."""
    if again.is_valid:
        return ""
    if list_meant_deeds(before) == list_meant_deeds(again):
        return "FAIL_NO_ACTION_CHANGE"
    if again.break_type not in ("NONE", "MISSING_THOUGHT"):
        return "FAIL_FORMAT_BREAK"
    codes = {each.deny_code for each in before.refused_intents}
    now = [each.deny_code for each in again.refused_intents]
    for code, reason in _REPEATED_REASONS.items():
        if code in now and code in codes:
            return reason
    return "FAIL_NEW_ERROR_INTRODUCED" if set(now) - codes else "FAIL_OTHER"


REPETITION_WEIGHT: Final = 0.70
NO_CHANGE_WEIGHT: Final = 0.20
SHORTNESS_WEIGHT: Final = 0.10
"""The weights of the three signs."""
FEW_LETTERS: Final = 20
"""What has fewer letters is short."""
STALL_LIMIT: Final = 0.8
"""The score at which a standstill is announced."""
ALARM_COOLDOWN: Final = 5
"""Turns after an alarm before the next."""
COMPARED_SPEECHES: Final = 6
"""Earlier speeches that a new one is compared with."""
_SEVERITY_LIMITS: Final[tuple[tuple[float, Severity], ...]] = (
    (0.9, "critical"),
    (STALL_LIMIT, "stalled"),
    (0.3, "warning"),
)


def score_stall(speech: str, before: Sequence[str], *, changed: bool) -> float:
    """How far the talk has stalled with this speech, to three digits; 0 with none before.

    `before` are the speeches so far that count: those a game master made somebody say
    again do not.
    """
    if not before:
        return 0.0
    score = REPETITION_WEIGHT * _score_repetition(speech, before[-COMPARED_SPEECHES:])
    score += NO_CHANGE_WEIGHT * (not changed) + SHORTNESS_WEIGHT * (
        len(speech.strip()) < FEW_LETTERS
    )
    return round(score, 3)


def classify_severity(score: float) -> Severity:
    """The score as a word."""
    return next(
        (word for border, word in _SEVERITY_LIMITS if score >= border), "active"
    )


def is_alarm_due(score: float, since: int | None) -> bool:
    """Whether to announce a standstill; `since` are the turns since the last alarm."""
    return score >= STALL_LIMIT and (since is None or since >= ALARM_COOLDOWN)


def _score_repetition(speech: str, before: Sequence[str]) -> float:
    """How much of the speech was said before, by its pairs of letters: 0 none, 1 all."""
    said = _list_letter_pairs(speech)
    if not said:
        return (
            1.0 if any(not _list_letter_pairs(earlier) for earlier in before) else 0.0
        )
    return max(_score_likeness(said, _list_letter_pairs(earlier)) for earlier in before)


def _list_letter_pairs(text: str) -> frozenset[str]:
    bare = "".join(letter for letter in text.casefold() if letter.isalnum())
    return frozenset(bare[n : n + 2] for n in range(len(bare) - 1)) or frozenset(bare)


def _score_likeness(one: frozenset[str], other: frozenset[str]) -> float:
    whole = len(one | other)
    return len(one & other) / whole if whole else 1.0
