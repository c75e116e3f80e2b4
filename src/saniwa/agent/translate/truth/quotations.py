"""Words between quotation marks that nobody spoke or wrote."""

from collections.abc import Iterator
from typing import Final

from saniwa.agent.translate.truth.facts import Facts, flat
from saniwa.agent.translate.truth.parts import Telling
from saniwa.core.quoted import quoted
from saniwa.turn.trace import Flag

_PUNCTUATION: Final = " \t\n.,;:!?…、。！？"


def unspoken(telling: Telling, facts: Facts) -> Iterator[Flag]:
    """A flag for each quotation of nothing the viewer could have heard or read."""
    for quote in telling.quotes:
        words = flat(quote).strip(_PUNCTUATION)
        if words and words not in facts.corpus:
            message = f"nobody said {quoted(quote)}"
            yield Flag(kind="contradiction", words=quote.strip(), message=message)
