"""Reads what an answer intended to do from the turn it makes or would make.

Also translates actions and refusals to the game master's vocabulary of the published
results.
"""

import re
from typing import Any, Final, Literal, get_args

from saniwa.experiment.cell_outcome import Intent
from saniwa.language.lexicon import en
from saniwa.rulebook.verdict import REASON_WORDS, ReasonCode, Verdict
from saniwa.turn.narration import is_pronoun, render_refusal
from saniwa.turn.record import Turn, list_action_claims
from saniwa.world.actions import ACTIONS, Action, get_action_type
from saniwa.world.changes import SpeechChange, TurnChange
from saniwa.world.model import Id, World
from saniwa.world.queries import get_name

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
"""The game master's codes for a refusal."""
DENY_CODES: Final[tuple[DenyCode, ...]] = get_args(DenyCode)

IntentName = Literal["SAY", "ASK", "ANSWER", "EMOTE", "MOVE", "GET", "PUT", "USE", "EAT_DRINK"]
"""The game master's names for what a speaker intends."""

_CODE_BY_REASON: Final[dict[ReasonCode, DenyCode]] = {
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
    for word in REASON_WORDS["INVALID_TARGET"]
    if word.startswith("already_") or word in ("duplicate_name", "inside_itself")
)
_CODE_BY_FAIL_REASON: Final[dict[str, DenyCode]] = {
    **{code: code for code in DENY_CODES},
    **dict.fromkeys(_CONTRADICTING, "CONTRADICTS_WORLD"),
    "closed": "INVALID_STATE",
    "must_close_first": "INVALID_STATE",
}
"""Where a rule's own fail reason says more than its code."""

_INTENTS: Final[dict[str, IntentName]] = {
    "move": "MOVE",
    "take": "GET",
    "drop": "PUT",
    "put": "PUT",
    "give": "PUT",
    "eat": "EAT_DRINK",
    "speak": "SAY",
    "emote": "EMOTE",
    "look": "EMOTE",
    "wait": "EMOTE",
}
"""Actions that are not simply a use of something."""


def find_deny_code(verdict: Verdict) -> DenyCode | Literal[""]:
    """Return the game master's code for a verdict; empty if it allows the action."""
    if verdict.success:
        return ""
    return _CODE_BY_FAIL_REASON.get(verdict.fail_reason) or _CODE_BY_REASON.get(
        verdict.reason_code, "AMBIGUOUS_ACTION"
    )


def name_intent(kind: str, content: str = "") -> IntentName:
    """Return the game master's name for an action type; a question is `ASK`."""
    assert kind in ACTIONS, f"{kind!r} is no action"
    if kind == "speak" and content.rstrip().endswith(("?", "？")):
        return "ASK"
    return _INTENTS.get(kind, "USE")


_ARTICLE = re.compile(rf"^(?:{'|'.join((*en.ARTICLES, *en.MINE))})\s+", re.I)
UNCLEAR_TYPE = "unclear"
"""The type of an ambiguous intent, which became no action."""


def read_intents(turn: Turn, world: World) -> tuple[Intent, ...]:
    """Return each action of the turn with its verdict; a clarification counts as one.

    Args:
        turn: The turn, played or only tried.
        world: The world before it.
    """
    if turn.clarification is not None:
        asked = turn.clarification
        unclear = Intent(
            intent="USE",
            type=UNCLEAR_TYPE,
            target=asked.words,
            allowed=False,
            reason_code="UNKNOWN",
            deny_code="AMBIGUOUS_ACTION",
            message=asked.question,
        )
        return (unclear,)
    judged = zip(
        turn.normalized_actions, turn.validation_results, list_action_claims(turn), strict=True
    )
    return tuple(_make_intent(*each, world) for each in judged)


def has_changed_world(turn: Turn) -> bool:
    """Return whether anything but speech and time has changed in the world."""
    return any(not isinstance(change, SpeechChange | TurnChange) for change in turn.changes)


def list_unread_deeds(turn: Turn) -> tuple[str, ...]:
    """List the actions of a turn that were not understood, in the speaker's words."""
    unread = []
    for rejection in turn.rejections:
        claim = turn.parsed_actions[rejection.index]
        words = claim.get("words", "") if isinstance(claim, dict) else ""
        unread.append(str(words) or rejection.message)
    return tuple(unread)


def _make_intent(action: Action, verdict: Verdict, claim: Any, world: World) -> Intent:
    kind = get_action_type(action)
    content = str(getattr(action, "content", ""))
    invented = verdict.reason_code == "NOT_FOUND"
    target_id = Id(getattr(action, "target_id", None) or "")
    return Intent(
        intent=name_intent(kind, content),
        type=kind,
        target=_find_target_name(claim) or (get_name(world, target_id) if target_id else ""),
        target_id="" if invented else target_id,
        detail=content,
        allowed=verdict.success,
        reason_code=verdict.reason_code,
        deny_code=find_deny_code(verdict),
        check=verdict.check,
        message="" if verdict.success else render_refusal(action, verdict, claim, world),
        invented=invented,
    )


def _find_target_name(claim: Any) -> str:
    """Return what the speaker called the target, without an article."""
    words = claim.get("target") if isinstance(claim, dict) else None
    if not isinstance(words, str) or is_pronoun(words.strip()):
        return ""
    return _ARTICLE.sub("", words.strip())
