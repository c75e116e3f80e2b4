"""Getting somewhere: the deeds that lead on, by what the author's words speak of.

Nobody tells a stand-in what the goal is. It does what a reader of the opening would: see
to what is named there, open what is shut, and go where it has not been.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from saniwa.experiment.standin.deed import Deed
from saniwa.experiment.standin.stock import is_key

_WORD: Final = re.compile(r"[^\W\d_]{4,}")


def leading_on(deeds: dict[str, list[Deed]], prose: str) -> Iterator[list[Deed]]:
    """Deeds that lead on, the most promising first.

    Args:
        deeds: What can be done, by kind.
        prose: The author's words.
    """
    yield deeds["unlock"]
    yield [d for d in deeds["take"] if is_key(d.target) or speaks_of(prose, d.target)]
    yield [
        d
        for d in deeds["give"]
        if speaks_of(prose, d.target) and speaks_of(prose, d.other)
    ]
    yield deeds["open"]
    yield [d for d in deeds["go"] if speaks_of(prose, d.target)]
    yield [*deeds["go"], *deeds["search"]]


@lru_cache(maxsize=4096)
def speaks_of(prose: str, name: str) -> bool:
    """Whether a text names something, or one of the words of its name."""
    if name in prose:
        return True
    words = _WORD.findall(name.casefold()) if name.isascii() else []
    return any(word in _words(prose) for word in words)


@lru_cache(maxsize=256)
def _words(prose: str) -> frozenset[str]:
    return frozenset(_WORD.findall(prose.casefold()))
