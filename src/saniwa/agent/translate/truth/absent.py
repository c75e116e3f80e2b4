"""Names of what there is, but not here: nobody is told of what they cannot perceive."""

import re
from collections.abc import Iterator

from saniwa.agent.translate.truth.denial import denied
from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.parts import Mention, Telling
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
        if not _missed(mention, telling, facts) and not _is_lock(mention, telling):
            yield Flag(
                kind="absent",
                words=mention.name,
                message=f"{mention.name!r} is not here to be perceived",
            )


def _is_lock(mention: Mention, telling: Telling) -> bool:
    behind = telling.low[mention.end :]
    return mention.name == "鍵" and bool(_LOCKED_JA.match(behind))


def _missed(mention: Mention, telling: Telling, facts: Facts) -> bool:
    """Whether it is only said to be missing, after somebody asked for it."""
    if mention.name not in facts.corpus:
        return False
    around = (
        c for c in telling.clauses if c.start <= mention.start < c.start + len(c.text)
    )
    language = facts.after.language
    return any(denied(clause.sentence, language) for clause in around)
