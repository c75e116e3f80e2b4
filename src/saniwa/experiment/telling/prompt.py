"""The prompt of a turn: an edition's text, filled with what this condition tells.

An edition is a text in two parts, parted by a line `---`: what the model is told about
itself, and what it is told about this turn. Names in braces are filled in; nothing else in
it means anything.
"""

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from saniwa.agent.oracle import Message, Request
from saniwa.agent.quotation import one_line, quote
from saniwa.core.quoted import cut

PLACEHOLDERS: Final = (
    "name",
    "description",
    "others",
    "language",
    "turn",
    "opening",
    "goals",
    "transcript",
    "facts",
    "cards",
    "guidance",
)
"""Everything an edition may name."""
PARTING: Final = "\n---\n"
"""What parts an edition's two parts."""
REMEMBERED: Final = 12
"""Lines of the talk so far that are told again."""
_LONGEST_LINE: Final = 300
_NAME: Final = re.compile(r"\{([a-z_]+)\}")
_GAPS: Final = re.compile(r"\n{3,}")
_LANGUAGES: Final = {"en": "English", "ja": "Japanese"}


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was said and done in the speaker's hearing."""

    who: str
    """Who said it: a name."""
    text: str
    """What was said and done, as the others took it."""


class Brief(msgspec.Struct, frozen=True, kw_only=True):
    """What one speaker is told for one attempt."""

    name: str
    """Whom they play."""
    description: str = ""
    """What the author says of them."""
    others: tuple[str, ...] = ()
    """The rest of the cast, by name."""
    language: str = "en"
    """The language to speak."""
    turn: int = 0
    """The number of the turn; from 0."""
    opening: str = ""
    """The author's first words."""
    goals: tuple[str, ...] = ()
    """What they want."""
    transcript: tuple[Line, ...] = ()
    """The talk so far that the speaker could hear; the last lines of it are told."""
    facts: str = ""
    """What is true here; empty where nothing is injected."""
    cards: tuple[str, ...] = ()
    """What the game master has to say about the turn before."""
    guidance: str = ""
    """The card that the last attempt was answered with."""


def request_of(
    brief: Brief, edition: str, *, max_tokens: int, temperature: float, seed: int
) -> Request:
    """Everything the model is told at once."""
    filled = {
        "name": one_line(brief.name),
        "description": one_line(brief.description),
        "others": ", ".join(map(one_line, brief.others)) or _nobody(brief.language),
        "language": _LANGUAGES.get(brief.language, "English"),
        "turn": str(brief.turn),
        "opening": one_line(brief.opening),
        "goals": "\n".join(f"- {one_line(goal)}" for goal in brief.goals),
        "transcript": tell_transcript(brief.transcript, brief.language),
        "facts": brief.facts,
        "cards": "\n".join(brief.cards),
        "guidance": brief.guidance,
    }
    about, _, now = edition.partition(PARTING)
    return Request(
        messages=(Message(role="user", text=_fill(now, filled)),),
        system=_fill(about, filled),
        max_tokens=max_tokens,
        temperature=temperature,
        seed=seed,
    )


def _nobody(language: str) -> str:
    return "なし" if language == "ja" else "nobody"


def tell_transcript(lines: Sequence[Line], language: str) -> str:
    """The last lines of the talk, one a line; nobody's words can pretend to be another's."""
    told = []
    for line in lines[-REMEMBERED:]:
        words = quote(line.text, language, _LONGEST_LINE)
        told.append(f"{cut(one_line(line.who), 60)}: {words}")
    return "\n".join(told)


def unknown_names(edition: str) -> tuple[str, ...]:
    """The names in braces that nothing fills, in order."""
    named = _NAME.findall(edition)
    return tuple(dict.fromkeys(n for n in named if n not in PLACEHOLDERS))


def _fill(text: str, filled: dict[str, str]) -> str:
    """The text with its names filled in, once: what is filled in is not looked at again."""
    whole = _NAME.sub(lambda found: filled.get(found[1], found[0]), text)
    return _GAPS.sub("\n\n", whole).strip()
