"""Names of what there is, but not here: nobody is told of what they cannot perceive."""

from collections.abc import Iterator

from saniwa.agent.translate.truth.denial import denied
from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.parts import Mention, Telling
from saniwa.turn.trace import Flag


def absent(telling: Telling, facts: Facts) -> Iterator[Flag]:
    """A flag for each name that nobody bears who could be perceived."""
    for mention in telling.mentions:
        if facts.perceived.isdisjoint(mention.ids) and not _missed(
            mention, telling, facts
        ):
            yield Flag(
                kind="absent",
                words=mention.name,
                message=f"{mention.name!r} is not here to be perceived",
            )


def _missed(mention: Mention, telling: Telling, facts: Facts) -> bool:
    """Whether it is only said to be missing, after somebody asked for it."""
    if mention.name not in facts.corpus:
        return False
    around = (
        c for c in telling.clauses if c.start <= mention.start < c.start + len(c.text)
    )
    language = facts.after.language
    return any(denied(clause.sentence, language) for clause in around)
