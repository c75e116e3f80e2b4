"""Words of the question instead of a story: small models repeat what they were shown."""

import re
from collections.abc import Iterator
from typing import Final

from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.parts import Telling
from saniwa.turn.trace import Flag

_LABEL: Final = re.compile(
    r"(?m)^[^\S\n]*+(?:here|look|ways|things|people|holding|time|what happened|what can be seen"
    r"|wished for style|起きたこと|見えるもの|望まれる文体)\s*:"
    r"|\byou(?:'re| are) given\b.*"
)
"""What the lines of a question begin with; folding has made each colon the same."""


def echoed(telling: Telling, facts: Facts) -> Iterator[Flag]:
    """A flag for each line that is one of the question's and none of the narrator's."""
    for found in _LABEL.finditer(telling.low):
        end = telling.low.find("\n", found.end())
        line = telling.text[found.start() : end if end >= 0 else None].strip()
        if line not in facts.plain:
            yield Flag(
                kind="unknown",
                words=line[:80],
                message="this is a line of the question, and no story",
            )
