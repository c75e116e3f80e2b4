"""Whether words say that something is not so, or was only tried."""

import re

from saniwa.agent.translate.truth.words import en, ja

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")

ATTEMPTS = en.DENIALS - en.NEGATIONS
"""Words of what was only tried, wished or thought."""
NOT_JA = re.compile("て?(?:は|も)?い?(?:ない|ません|なかった|なく)")
"""What denies the verb before it."""


def words_in(text: str) -> list[str]:
    """The Latin words of a folded text, in order."""
    return [word.replace("’", "'") for word in _WORD.findall(text)]


def denied(text: str, language: str) -> bool:
    """Whether the folded words deny, doubt or only attempt."""
    if language == "ja":
        return any(denial in text for denial in ja.DENIALS)
    return not en.DENIALS.isdisjoint(words_in(text))
