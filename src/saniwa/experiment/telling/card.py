"""Guidance cards: a refusal sent back to a speaker, in the form game masters use.

A card says what was blocked and why, what there is instead, and what the next attempt may
look like. It tells what stands in its rows and nothing of the rest of the world.
"""

import re
from typing import Final

import msgspec

from saniwa.agent.quotation import one_line
from saniwa.core.quoted import cut
from saniwa.experiment.outcome import Intent
from saniwa.experiment.telling.facts import Facts, read_facts, tell_alternatives

BEGIN: Final = "<<<SYSTEM_SIGNAL>>>"
END: Final = "<<<END_SIGNAL>>>"
GIVE_UP: Final = "[GIVE_UP]"
"""What a turn's last card begins with when no attempt is left."""
_PATTERNS: Final = """\
*take X* / *Xを取る*: X is in OBJECTS_HERE
*go to X* / *Xへ行く*: X is in EXITS
*put X in Y* / *XをYに入れる*: X is in HOLDING
speech without asterisks"""
_GO_ON: Final = "Act only on what is listed. Do not repeat the blocked action."
_LAST: Final = "Use one of the patterns with a listed name, or only speak."
_ATTEMPT: Final = re.compile(r"^\[CONSTRAINT\] Attempt (\d{1,6}) of (\d{1,6})\.", re.M)
_LONGEST: Final = 200
CARD_WORDS: Final = ("ERROR_CODE", "BLOCKED_TARGET", "REASON")
"""The words before what a card tells of the blocked attempt."""
_LINE: Final = re.compile(rf"^\[({'|'.join(CARD_WORDS)})\] ?(.*)$", re.M)


class Signal(msgspec.Struct, frozen=True, kw_only=True):
    """A guidance card, read."""

    code: str = ""
    """Why it was blocked, such as `MISSING_OBJECT`."""
    target: str = ""
    """What was blocked."""
    reason: str = ""
    """The refusal in a sentence."""
    facts: Facts = Facts()
    """What there is instead."""
    made: int = 0
    """Attempts made before it came; 0 where the card does not tell."""
    last: bool = False
    """Whether only one attempt is left."""


def guidance(refused: Intent, facts: Facts, made: int, most: int) -> str:
    """The card for a refused intent, after so many attempts of at most so many."""
    constraint = _LAST if made + 1 == most else _GO_ON
    return "\n".join(
        (
            BEGIN,
            f"[ERROR_CODE] {refused.deny_code}",
            f"[BLOCKED_TARGET] {cut(one_line(refused.target), _LONGEST)}",
            f"[REASON] {cut(one_line(refused.message), _LONGEST)}",
            "[ALTERNATIVES]",
            tell_alternatives(facts),
            "[ALLOWED_ACTION_PATTERNS]",
            _PATTERNS,
            f"[CONSTRAINT] Attempt {made + 1} of {most}. {constraint}",
            END,
        )
    )


def given_up(refused: Intent) -> str:
    """The card of a turn whose last attempt was refused too."""
    target = cut(one_line(refused.target), _LONGEST)
    return f"{GIVE_UP} {refused.deny_code} {target}".rstrip()


def read_signal(text: str) -> Signal | None:
    """The last guidance card in a text; None where there is none."""
    # A line of its own: what somebody says stands behind their name.
    start = f"\n{text}".rfind(f"\n{BEGIN}\n")
    if start < 0:
        return None
    card = text[start:].split(END, 1)[0]
    found = dict(_LINE.findall(card))
    attempt = _ATTEMPT.search(card)
    coming, most = map(int, attempt.groups()) if attempt else (1, 0)
    return Signal(
        code=found.get("ERROR_CODE", "").strip(),
        target=found.get("BLOCKED_TARGET", "").strip(),
        reason=found.get("REASON", "").strip(),
        facts=read_facts(card) or Facts(),
        made=coming - 1,
        last=coming == most,
    )
