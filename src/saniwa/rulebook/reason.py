"""One table from every finer word for a refusal to the eight reason codes.

Books, game masters and older rule files each have words of their own; hosts read eight.
"""

from collections.abc import Mapping
from typing import Final, get_args

from saniwa.rulebook.verdict import ReasonCode

CODES: Final[frozenset[str]] = frozenset(get_args(ReasonCode))
"""The eight, `OK` included."""

WORDS: Final[dict[ReasonCode, tuple[str, ...]]] = {
    "OK": (),
    "NOT_FOUND": (
        "MISSING_OBJECT",
        "actor_not_found",
        "entity_not_found",
        "item_not_found",
        "location_not_found",
        "recipient_not_found",
        "target_not_found",
        "tool_not_found",
    ),
    "NOT_PRESENT": (
        "WRONG_LOCATION",
        "not_in_room",
        "not_in_same_location",
        "not_in_scope",
        "not_there",
        "out_of_reach",
    ),
    "LOCKED": (
        "INVALID_STATE",
        "door_locked",
        "target_locked",
    ),
    "INVALID_TARGET": (
        "CONTRADICTS_WORLD",
        "OUT_OF_SCOPE",
        "already_closed",
        "already_held",
        "already_locked",
        "already_on_stage",
        "already_open",
        "already_so",
        "already_there",
        "already_unlocked",
        "belongs_to_somebody",
        "duplicate_name",
        "fixed",
        "inside_itself",
        "no_exit",
        "not_connected",
        "not_edible",
        "not_lockable",
        "not_openable",
        "not_takeable",
        "wrong_kind",
    ),
    "MISSING_REQUIREMENT": (
        "NOT_OWNED",
        "closed",
        "key_missing",
        "must_close_first",
        "needs_something",
        "not_authorised",
        "not_authorized",
        "not_held",
        "not_owned",
        "wrong_key",
    ),
    "OUT_OF_TURN": (
        "RATE_LIMITED",
        "not_your_turn",
    ),
    "UNKNOWN": ("AMBIGUOUS_ACTION",),
}
"""The finer words, by the code they stand for."""

REASONS: Final[dict[str, ReasonCode]] = {
    **{word: code for code, words in WORDS.items() for word in words},
    **{code: code for code in get_args(ReasonCode) if code != "OK"},
}
"""Every word a check may fail with; a code stands for itself. `OK` is no refusal."""


def reason_code(
    word: str, own: Mapping[str, ReasonCode] | None = None
) -> ReasonCode | None:
    """The code a word stands for, or None for a word nobody knows.

    `own` are the words a book adds; they never change what a known word means.
    """
    return REASONS.get(word) or (own or {}).get(word)
