"""Assesses one answer: its format, its intents, and what was not understood.

Also detects retries that did not help, characters addressed who cannot hear, and
conversations that repeat themselves.
"""

import re
from collections.abc import Sequence
from typing import Any, Final, cast

import msgspec

from saniwa.experiment.answer_intents import list_unread_deeds, read_intents
from saniwa.experiment.cell_outcome import AnswerAttempt, FailReason, Severity
from saniwa.language.text import fold_text
from saniwa.models.oracle import FinishReason, describe_finish
from saniwa.turn.model_reply import BreakType, looks_like_reply, read_reply
from saniwa.turn.record import Turn
from saniwa.world.model import Id, World
from saniwa.world.queries import find_room

_ADDRESS_PATTERN: Final = r"(?:さん|ちゃん|くん|君|様)?\s*[,，、!！?？…:：]"


def find_misaddressed(speech: str, speaker: Id, world: World) -> str:
    """Return the name of a character who is addressed but cannot hear the speaker.

    Only a name at the beginning of a sentence counts. A character in another room
    cannot hear, and speakers do not address themselves. Empty if there is no such name.
    Only names of the cast are searched for: an unknown name is not an address.
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
    """Return the attempt completed from the turn that its answer makes or would make.

    The format is judged on the answer itself, not on the text played in the world. An
    incomplete answer breaks the format, however good its beginning looks.
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
    """Return an answer as it is said in the world: unmarked text is only speech.

    A character who ignores the format may talk about taking something; an action has to
    be between asterisks.
    """
    return text if looks_like_reply(text) else read_reply(text).repaired_output or text


def find_final_text(attempt: AnswerAttempt) -> str:
    """Return what is said in the world when no further attempt is made.

    Usually the answer as it came. If one of its actions is ambiguous, only its speech:
    the world would ask back and hear nothing of the answer.
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
"""Words that admit a mistake."""
_REPEATED_REASONS: Final[dict[str, FailReason]] = {
    "MISSING_OBJECT": "FAIL_STILL_MISSING_OBJECT",
    "NOT_OWNED": "FAIL_STILL_NOT_OWNED",
    "WRONG_LOCATION": "FAIL_STILL_WRONG_LOCATION",
    "OUT_OF_SCOPE": "FAIL_STILL_NAV_ERROR",
    "INVALID_STATE": "FAIL_STILL_NAV_ERROR",
}


def list_meant_deeds(attempt: AnswerAttempt) -> tuple[tuple[str, str], ...]:
    """List the kind and target of each action an answer intends, for comparison."""
    return tuple(
        (each.type, each.target_id or each.target) for each in attempt.intents if each.is_deed
    )


def is_silent_correction(attempts: Sequence[AnswerAttempt], *, give_up: bool) -> bool:
    """Return whether a different action followed a refusal without an apology."""
    if (
        len(attempts) < 2
        or give_up
        or list_meant_deeds(attempts[0]) == list_meant_deeds(attempts[-1])
    ):
        return False
    speech = attempts[-1].speech.casefold()
    return not any(word in speech for word in APOLOGIES)


def find_fail_reason(attempts: Sequence[AnswerAttempt]) -> FailReason:
    """Return why retries failed in the end; empty if they helped or none was made."""
    return "FAIL_GIVE_UP" if len(attempts) > 1 and not attempts[-1].is_valid else ""


def explain_second_refusal(before: AnswerAttempt, retry: AnswerAttempt) -> FailReason:
    """Return why one retry was refused like the attempt before; empty if it was not."""
    if retry.is_valid:
        return ""
    if list_meant_deeds(before) == list_meant_deeds(retry):
        return "FAIL_NO_ACTION_CHANGE"
    if retry.break_type not in ("NONE", "MISSING_THOUGHT"):
        return "FAIL_FORMAT_BREAK"
    codes = {each.deny_code for each in before.refused_intents}
    now = [each.deny_code for each in retry.refused_intents]
    for code, reason in _REPEATED_REASONS.items():
        if code in now and code in codes:
            return reason
    return "FAIL_NEW_ERROR_INTRODUCED" if set(now) - codes else "FAIL_OTHER"


REPETITION_WEIGHT: Final = 0.70
NO_CHANGE_WEIGHT: Final = 0.20
SHORTNESS_WEIGHT: Final = 0.10
"""The weights of the three signs of a stall."""
FEW_LETTERS: Final = 20
"""A speech with fewer characters is short."""
STALL_LIMIT: Final = 0.8
"""The score from which a stall is reported."""
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
    """Score how far the conversation has stalled, to three digits; 0 at first.

    `before` are the earlier speeches that count: those repeated at a game master's
    request do not.
    """
    if not before:
        return 0.0
    score = REPETITION_WEIGHT * _score_repetition(speech, before[-COMPARED_SPEECHES:])
    score += NO_CHANGE_WEIGHT * (not changed) + SHORTNESS_WEIGHT * (
        len(speech.strip()) < FEW_LETTERS
    )
    return round(score, 3)


def classify_severity(score: float) -> Severity:
    """Return the name of a score's severity."""
    return next((word for border, word in _SEVERITY_LIMITS if score >= border), "active")


def is_alarm_due(score: float, since: int | None) -> bool:
    """Return whether to report a stall; `since` is the turns since the last alarm."""
    return score >= STALL_LIMIT and (since is None or since >= ALARM_COOLDOWN)


def _score_repetition(speech: str, before: Sequence[str]) -> float:
    """Return how much of the speech was said before, by character pairs: 0 to 1."""
    pairs = _list_letter_pairs(speech)
    if not pairs:
        return 1.0 if any(not _list_letter_pairs(earlier) for earlier in before) else 0.0
    others = map(_list_letter_pairs, before)
    return max(len(pairs & other) / len(pairs | other) for other in others)


def _list_letter_pairs(text: str) -> frozenset[str]:
    bare = "".join(letter for letter in text.casefold() if letter.isalnum())
    return frozenset(bare[n : n + 2] for n in range(len(bare) - 1)) or frozenset(bare)
