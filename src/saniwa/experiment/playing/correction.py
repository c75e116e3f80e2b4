"""What retries did: whether they helped, why not, and whether silently."""

from collections.abc import Sequence
from typing import Final

from saniwa.experiment.outcome import Attempt, FailReason

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
_STILL: Final[dict[str, FailReason]] = {
    "MISSING_OBJECT": "FAIL_STILL_MISSING_OBJECT",
    "NOT_OWNED": "FAIL_STILL_NOT_OWNED",
    "WRONG_LOCATION": "FAIL_STILL_WRONG_LOCATION",
    "OUT_OF_SCOPE": "FAIL_STILL_NAV_ERROR",
    "INVALID_STATE": "FAIL_STILL_NAV_ERROR",
}


def meant(attempt: Attempt) -> tuple[tuple[str, str], ...]:
    """What an answer meant to do, for comparing: kinds and targets; words said aside."""
    return tuple(
        (each.type, each.target_id or each.target)
        for each in attempt.intents
        if each.is_deed
    )


def silently_corrected(attempts: Sequence[Attempt], *, give_up: bool) -> bool:
    """Whether another deed came after a refusal, without a word of apology."""
    if len(attempts) < 2 or give_up or meant(attempts[0]) == meant(attempts[-1]):
        return False
    said = attempts[-1].speech.casefold()
    return not any(word in said for word in APOLOGIES)


def fail_reason(attempts: Sequence[Attempt]) -> FailReason:
    """Why retrying did not help in the end; empty where it did, or none was made."""
    return "FAIL_GIVE_UP" if len(attempts) > 1 and not attempts[-1].valid else ""


def why_refused_again(before: Attempt, again: Attempt) -> FailReason:
    """Why one retry was refused like the attempt before it; empty where it was not."""
    if again.valid:
        return ""
    if meant(before) == meant(again):
        return "FAIL_NO_ACTION_CHANGE"
    if again.break_type not in ("NONE", "MISSING_THOUGHT"):
        return "FAIL_FORMAT_BREAK"
    codes = {each.deny_code for each in before.refused}
    now = [each.deny_code for each in again.refused]
    for code, reason in _STILL.items():
        if code in now and code in codes:
            return reason
    return "FAIL_NEW_ERROR_INTRODUCED" if set(now) - codes else "FAIL_OTHER"
