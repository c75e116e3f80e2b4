"""What an answer meant to do, read from the turn it makes or would make."""

import re
from collections.abc import Iterator
from typing import Any

from saniwa.experiment.outcome import Intent
from saniwa.experiment.telling.deny import deny_code, intent_of
from saniwa.rulebook.verdict import Verdict
from saniwa.turn.languages import en
from saniwa.turn.own_words import claims_of_actions, is_pronoun
from saniwa.turn.refusal import in_own_words
from saniwa.turn.trace import Turn
from saniwa.world.action import Action, type_of
from saniwa.world.change import Passed, Said
from saniwa.world.model import Id, World
from saniwa.world.view import name_of

_ARTICLE = re.compile(rf"^(?:{'|'.join((*en.ARTICLES, *en.MINE))})\s+", re.I)
UNCLEAR = "unclear"
"""The type of an intent that could mean two things, and so became no action."""


def intents_of(turn: Turn, world: World) -> tuple[Intent, ...]:
    """Each action of the turn with its verdict; a question back is one as well.

    Args:
        turn: The turn, played or only tried.
        world: The world before it.
    """
    if turn.clarification is not None:
        asked = turn.clarification
        unclear = Intent(
            intent="USE",
            type=UNCLEAR,
            target=asked.words,
            allowed=False,
            reason_code="UNKNOWN",
            deny_code="AMBIGUOUS_ACTION",
            message=asked.question,
        )
        return (unclear,)
    judged = zip(
        turn.normalized_actions,
        turn.validation_results,
        claims_of_actions(turn),
        strict=True,
    )
    return tuple(_intent(*each, world) for each in judged)


def alters(turn: Turn) -> bool:
    """Whether anything in the world is otherwise than before, but for words and time."""
    return any(not isinstance(change, Said | Passed) for change in turn.changes)


def unread_of(turn: Turn) -> tuple[str, ...]:
    """The deeds of a turn that nobody understood, in the speaker's words."""
    return tuple(_unread(turn))


def _unread(turn: Turn) -> Iterator[str]:
    for rejection in turn.rejections:
        claim = turn.parsed_actions[rejection.index]
        words = claim.get("words", "") if isinstance(claim, dict) else ""
        yield str(words) or rejection.message


def _intent(action: Action, verdict: Verdict, claim: Any, world: World) -> Intent:
    kind = type_of(action)
    content = str(getattr(action, "content", ""))
    invented = verdict.reason_code == "NOT_FOUND"
    target_id = Id(getattr(action, "target_id", None) or "")
    return Intent(
        intent=intent_of(kind, content),
        type=kind,
        target=_named(claim) or (name_of(world, target_id) if target_id else ""),
        target_id="" if invented else target_id,
        detail=content,
        allowed=verdict.success,
        reason_code=verdict.reason_code,
        deny_code=deny_code(verdict),
        check=verdict.check,
        message="" if verdict.success else in_own_words(action, verdict, claim, world),
        invented=invented,
    )


def _named(claim: Any) -> str:
    """What the speaker called it, without an article in front."""
    words = claim.get("target") if isinstance(claim, dict) else None
    if not isinstance(words, str) or is_pronoun(words.strip()):
        return ""
    return _ARTICLE.sub("", words.strip())
