"""Names of what there is, but not here: nobody is told of what they cannot perceive."""

from collections.abc import Iterator

from saniwa.agent.translate.truth.denial import denied
from saniwa.agent.translate.truth.known import Known
from saniwa.agent.translate.truth.parts import Mention, Telling
from saniwa.turn.trace import Flag


def absent(telling: Telling, known: Known) -> Iterator[Flag]:
    """A flag for each name that nobody bears who could be perceived."""
    for mention in telling.mentions:
        if known.perceived.isdisjoint(mention.ids) and not _missed(
            mention, telling, known
        ):
            yield Flag(
                kind="absent",
                words=mention.name,
                message=f"{mention.name!r} is not here to be perceived",
            )


def _missed(mention: Mention, telling: Telling, known: Known) -> bool:
    """Whether it is only said to be missing, after somebody asked for it."""
    if mention.name not in known.corpus:
        return False
    around = (
        c for c in telling.clauses if c.start <= mention.start < c.start + len(c.text)
    )
    language = known.after.language
    return any(denied(clause.sentence, language) for clause in around)
