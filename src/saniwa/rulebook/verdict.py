"""The answer to one action: may it happen, and if not, why."""

from typing import Literal

import msgspec

from saniwa.world.effect import Effect

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
"""The eight reasons, letter for letter."""


class Verdict(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True
):
    """What the rulebook says to one action. A refusal is a value, never an error."""

    success: bool
    """Whether the action may happen."""
    reason_code: ReasonCode
    """`OK`, or the kind of refusal."""
    message: str
    """The refusal in one sentence, in the world's language; empty for `OK`."""
    check: str = ""
    """The check that decided, such as `take.in_scope`; for `OK` the rule that let it pass."""
    fail_reason: str = ""
    """The rule's own finer word for the refusal, where it has one."""
    hint: str = ""
    """What might work instead, such as a near name; never acted on."""
    effects: tuple[Effect, ...] = ()
    """What comes of it where a craft was allowed, in order; nothing else has any here."""
