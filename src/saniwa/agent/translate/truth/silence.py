"""A narration that tells of everything but what happened."""

import re
from collections.abc import Iterator
from typing import Final

from saniwa.agent.translate.truth.denial import words_in
from saniwa.agent.translate.truth.facts import Facts, flat
from saniwa.agent.translate.truth.parts import Telling
from saniwa.agent.translate.truth.words import en
from saniwa.turn.trace import Flag
from saniwa.world.change import Passed

_SHARED_JA: Final = re.compile("[一-鿿々〆]+|[ァ-ヺー]{2,}|[ぁ-ゟ]{3,}")
_FORM: Final = re.compile("(?:e?s|e?d)$")
"""How the forms of a word differ: open, opens, opened. A garden is no gardening."""


def silent(telling: Telling, facts: Facts) -> Iterator[Flag]:
    """A flag for words that share nothing with a turn that changed something."""
    changed = any(not isinstance(change, Passed) for change in facts.turn.changes)
    named = {who for mention in telling.mentions for who in mention.ids}
    parts = facts.took_part - {facts.viewer}
    if not changed or not parts.isdisjoint(named) or _shares(telling, facts):
        return
    yield Flag(
        kind="contradiction",
        words=telling.text.strip()[:80],
        message="this does not tell what happened",
    )


def _shares(telling: Telling, facts: Facts) -> bool:
    plain = flat(facts.plain)
    if facts.after.language == "ja":
        told = f"{telling.low}{flat(''.join(telling.quotes))}"
        return any(word in told for word in _SHARED_JA.findall(plain))
    told = f"{_without_names(telling, plain)} {flat(' '.join(telling.quotes))}"
    return not _stems(plain).isdisjoint(_stems(told))


def _without_names(telling: Telling, plain: str) -> str:
    """The text without names of what had no part."""
    low = list(telling.low)
    for mention in telling.mentions:
        if not re.search(rf"(?<!\w){re.escape(mention.name)}(?!\w)", plain):
            low[mention.start : mention.end] = " " * (mention.end - mention.start)
    return "".join(low)


def _stems(text: str) -> set[str]:
    words = (word for word in words_in(text) if word not in en.SMALL)
    return {_FORM.sub("", word) for word in words}
