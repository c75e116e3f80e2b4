"""Near names: what somebody may have meant. Offered, never adopted."""

import unicodedata
from collections.abc import Iterable

NEAR = 70.0
"""How alike two names must be, of 100, for one to be offered for the other."""
_LONGEST = 200
_SHORTEST = 3
_LONG = 8


def nearest(name: str, names: Iterable[str]) -> str:
    """The existing name most like `name`; empty if none is like it.

    Letter case and full-width forms do not count. Of two that are equally near, the
    one that sorts first. Costs the number of names.
    """
    # Loaded late: most commands find everything by its right name.
    from rapidfuzz import fuzz, process

    choices = sorted({known for known in names if known and known != name})
    # Letter by letter first: 'trunk_kee' means 'trunk_key' and not the 'trunk' in it.
    for scorer in (fuzz.ratio, fuzz.WRatio):
        found = process.extractOne(
            name[:_LONGEST],
            choices,
            scorer=scorer,
            processor=_folded,
            score_cutoff=NEAR,
        )
        if found is not None:
            return choices[found[2]]
    return ""


def slipped(word: str, words: Iterable[str]) -> str:
    """The word that `word` is a slip of the finger away from; empty if there is none.

    Stricter than `nearest`, for what people say: letters swapped, left out, added or
    mistaken, once in a short word and twice in a long one, and never in its first
    letter unless the word is long. What differs only in case or width is no slip.
    """
    from rapidfuzz.distance import OSA

    typed = _folded(word[:_LONGEST])
    most = _slips(len(typed))
    found = [
        (distance, known)
        for known in sorted(set(words))
        if (folded := _folded(known))
        and (folded[0] == typed[:1] or most > 1)
        and 0 < (distance := OSA.distance(typed, folded, score_cutoff=most)) <= most
    ]
    return min(found)[1] if found else ""


def _slips(letters: int) -> int:
    if letters < _SHORTEST:
        return 0
    return 1 if letters < _LONG else 2


def near(name: str, names: Iterable[str]) -> str | None:
    """The same, with None where no name is like it."""
    return nearest(name, names) or None


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """A hint such as `did you mean 'キッチン'?`; empty if no name is near."""
    near = nearest(name, names)
    return f"did you mean {near!r}?" if near else ""


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
