"""The verdict on one action: whether it may happen, and if not, why.

Does not decide (see `book.judge`) and does not write messages (see `refusal_messages`).
"""

from collections.abc import Mapping
from typing import Final, Literal, get_args

import msgspec

from saniwa.world.effects import Effect

ReasonCode = Literal[
    "OK",
    "NOT_FOUND",
    "NOT_PRESENT",
    "LOCKED",
    "INVALID_TARGET",
    "MISSING_REQUIREMENT",
    "OUT_OF_TURN",
    "UNKNOWN",
]
"""The eight reason codes, exactly as published."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The rulebook's decision about one action. A refusal is a value, never an error."""

    success: bool
    """Whether the action may happen."""
    reason_code: ReasonCode
    """`OK`, or the kind of refusal."""
    message: str
    """The refusal in one sentence, in the world's language; empty for `OK`."""
    check: str = ""
    """The check that decided, such as `take.in_scope`; for `OK`, the rule that allowed
    it."""
    fail_reason: str = ""
    """The rule's more specific word for the refusal, if it has one."""
    hint: str = ""
    """What might work instead, such as a similar name; never acted on."""
    effects: tuple[Effect, ...] = ()
    """The effects of an allowed craft or of an answer, in order; else empty."""


REASON_CODES: Final[frozenset[str]] = frozenset(get_args(ReasonCode))
"""The eight codes, `OK` included."""

REASON_WORDS: Final[dict[ReasonCode, tuple[str, ...]]] = {
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
    "LOCKED": ("INVALID_STATE", "door_locked", "target_locked"),
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
    "OUT_OF_TURN": ("RATE_LIMITED", "not_your_turn"),
    "UNKNOWN": ("AMBIGUOUS_ACTION",),
}
"""The more specific words, by their code."""

REASONS: Final[dict[str, ReasonCode]] = {
    **{word: code for code, words in REASON_WORDS.items() for word in words},
    **{code: code for code in get_args(ReasonCode) if code != "OK"},
}
"""Every word a check may fail with; a code is its own word. `OK` is not a refusal."""


def find_reason_code(word: str, own: Mapping[str, ReasonCode] | None = None) -> ReasonCode | None:
    """Return the code of a word, or None for an unknown word.

    `own` are the words a book adds; they never change what a known word means.
    """
    return REASONS.get(word) or (own or {}).get(word)
