"""Refusals in the game master's eight words, and actions in its nine.

Made from the one table of reasons, so that no refusal is without a word.
"""

from typing import Final, Literal, get_args

from saniwa.rulebook.reason import WORDS
from saniwa.rulebook.verdict import ReasonCode, Verdict
from saniwa.world.action import ACTIONS

DenyCode = Literal[
    "MISSING_OBJECT",
    "WRONG_LOCATION",
    "INVALID_STATE",
    "NOT_OWNED",
    "CONTRADICTS_WORLD",
    "OUT_OF_SCOPE",
    "AMBIGUOUS_ACTION",
    "RATE_LIMITED",
]
"""The game master's words for a refusal."""
DENY_CODES: Final[tuple[DenyCode, ...]] = get_args(DenyCode)

IntentName = Literal[
    "SAY", "ASK", "ANSWER", "EMOTE", "MOVE", "GET", "PUT", "USE", "EAT_DRINK"
]
"""The game master's words for what somebody means to do."""

_USUAL: Final[dict[ReasonCode, DenyCode]] = {
    "NOT_FOUND": "MISSING_OBJECT",
    "NOT_PRESENT": "WRONG_LOCATION",
    "LOCKED": "INVALID_STATE",
    "INVALID_TARGET": "OUT_OF_SCOPE",
    "MISSING_REQUIREMENT": "NOT_OWNED",
    "OUT_OF_TURN": "RATE_LIMITED",
    "UNKNOWN": "AMBIGUOUS_ACTION",
}
_CONTRADICTING: Final = tuple(
    word
    for word in WORDS["INVALID_TARGET"]
    if word.startswith("already_") or word in ("duplicate_name", "inside_itself")
)
_FINER: Final[dict[str, DenyCode]] = {
    **{code: code for code in DENY_CODES},
    **dict.fromkeys(_CONTRADICTING, "CONTRADICTS_WORLD"),
    "closed": "INVALID_STATE",
    "must_close_first": "INVALID_STATE",
}
"""Where a rule's own word says more than its code."""

_INTENTS: Final[dict[str, IntentName]] = {
    "move": "MOVE",
    "take": "GET",
    "drop": "PUT",
    "put": "PUT",
    "give": "PUT",
    "eat": "EAT_DRINK",
    "speak": "SAY",
    "look": "EMOTE",
    "wait": "EMOTE",
}
"""Those that are not simply a use of something."""


def deny_code(verdict: Verdict) -> DenyCode | Literal[""]:
    """The game master's word for a verdict; empty for one that lets pass."""
    if verdict.success:
        return ""
    return _FINER.get(verdict.fail_reason) or _USUAL.get(
        verdict.reason_code, "AMBIGUOUS_ACTION"
    )


def intent_of(kind: str, content: str = "") -> IntentName:
    """The game master's word for an action of this type; a question is asked."""
    assert kind in ACTIONS, f"{kind!r} is no action"
    if kind == "speak" and content.rstrip().endswith(("?", "？")):
        return "ASK"
    return _INTENTS.get(kind, "USE")
