"""The nearest existing name: something to offer, never to adopt."""

from collections.abc import Iterable

from rapidfuzz import fuzz, process

_ALIKE = 60.0


def near(word: str, names: Iterable[str]) -> str | None:
    """The name most like `word`, or None where nothing is like it.

    The same names in any order give the same answer.
    """
    found = process.extractOne(
        word.casefold(),
        {name: name.casefold() for name in sorted(set(names))},
        scorer=fuzz.ratio,
        score_cutoff=_ALIKE,
    )
    return None if found is None else str(found[2])
