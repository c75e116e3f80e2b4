"""Names of what there is, but not here: nobody is told of what they cannot perceive."""

import re
from collections.abc import Iterator

from saniwa.agent.translate.truth.facts import Facts, flat
from saniwa.agent.translate.truth.names import Mention
from saniwa.agent.translate.truth.parts import Telling
from saniwa.turn.trace import Flag

_LOCKED_JA = re.compile(
    "(?:が|は|も)?(?:かか|掛か)|を(?:かけ|掛け)|(?:が|は)(?:開|外)|穴"
)
"""Behind 鍵 these make a lock of it, and no key."""


def absent(telling: Telling, facts: Facts) -> Iterator[Flag]:
    """A flag for each name that nobody bears who could be perceived."""
    for mention in telling.mentions:
        if not facts.perceived.isdisjoint(mention.ids):
            continue
        if not _missed(mention, facts) and not _is_lock(mention, telling):
            yield Flag(
                kind="absent",
                words=mention.name,
                message=f"{mention.name!r} is not here to be perceived",
            )


def _is_lock(mention: Mention, telling: Telling) -> bool:
    behind = telling.low[mention.end :]
    return mention.name == "鍵" and bool(_LOCKED_JA.match(behind))


def _missed(mention: Mention, facts: Facts) -> bool:
    """Whether the plain narrator names it too: somebody asked for it in vain."""
    return mention.name in flat(facts.plain)
