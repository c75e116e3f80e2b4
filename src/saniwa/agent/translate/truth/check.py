"""The check a narration must pass before anybody is told it."""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from msgspec.structs import replace

from saniwa.agent.translate.truth.absent import absent
from saniwa.agent.translate.truth.accounting import unaccounted
from saniwa.agent.translate.truth.echo import echoed
from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.parts import Telling, taken_apart
from saniwa.agent.translate.truth.quotations import unspoken
from saniwa.turn.spoken import QUOTE, blank
from saniwa.turn.trace import Flag, Turn
from saniwa.world.model import Id, World

LONGEST_NARRATION: Final = 2000
"""Letters a narration may have; a longer one is not even read."""
_MARK: Final = re.compile(
    rf"(?:(?<!\s)\s++)?(?:{QUOTE}|{re.escape(repr(QUOTE)[1:-1])})\s*+"
)
"""The mark, as it is and as a message quotes it."""
LONGEST_WORDS: Final = 80
"""Letters of the words a flag quotes."""
MOST_FLAGS: Final = 12
"""Flags that are kept of one narration; one is enough not to tell it."""
_PARTS: Final[tuple[Callable[[Telling, Facts], Iterator[Flag]], ...]] = (
    echoed,
    absent,
    unspoken,
    unaccounted,
)


def check(
    text: str, turn: Turn, before: World, after: World, viewer: Id
) -> tuple[Flag, ...]:
    """Everything found wrong with a narration; nothing for one that may be told.

    Pure and total. Costs the length of the text and the size of the scene.
    """
    if blank(text):
        return (Flag(kind="empty", words="", message="nothing is told"),)
    if len(text) > LONGEST_NARRATION:
        message = f"{len(text)} letters are more than {LONGEST_NARRATION}"
        return (Flag(kind="too long", words=text[:LONGEST_WORDS], message=message),)
    facts = Facts(turn, before, after, viewer)
    telling = taken_apart(text, facts)
    found = (flag for part in _PARTS for flag in part(telling, facts))
    return tuple(islice(dict.fromkeys(map(_legible, found)), MOST_FLAGS))


def _legible(flag: Flag) -> Flag:
    """The flag without the marks that stood for quotations while the text was read."""
    words = _unmarked(flag.words)[:LONGEST_WORDS]
    return replace(flag, words=words, message=_unmarked(flag.message))


def _unmarked(text: str) -> str:
    return _MARK.sub(" “…” ", text).strip()
