"""Near names: what somebody may have meant. Offered, never adopted."""

import os
import re
import unicodedata
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Final

NEAR_SCORE = 70.0
"""How alike two names must be, of 100, for one to be offered for the other."""
_LONGEST = 200
_SHORTEST = 3
_LONG = 8
_WORDS = re.compile(r"[^\W_]+").findall
_FIRST_CJK = "\u3000"


def find_nearest(name: str, names: Iterable[str]) -> str:
    """The existing name most like `name`; empty if none is like it.

    Letter case and full-width forms do not count. Of two that are equally near, the
    one that sorts first. Costs the number of names.
    """
    # Loaded late: most commands find everything by its right name.
    from rapidfuzz import fuzz, process

    choices = sorted({known for known in names if known and known != name})
    if len(name) < _SHORTEST or any(len(known) < _SHORTEST for known in choices):
        choices = [known for known in choices if _is_long(name) and _is_long(known)]
    # Letter by letter first: 'trunk_kee' means 'trunk_key' and not the 'trunk' in it.
    for scorer in (fuzz.ratio, fuzz.WRatio):
        found = process.extractOne(
            name[:_LONGEST],
            choices,
            scorer=scorer,
            processor=_fold_case,
            score_cutoff=NEAR_SCORE,
        )
        if found is not None and _is_similar(name, choices[found[2]]):
            return choices[found[2]]
    return _find_one_letter_off(name, choices)


def _is_long(name: str) -> bool:
    """Whether a name has letters enough to be mistaken for another."""
    least = 2 if any(letter > _FIRST_CJK for letter in name) else _SHORTEST
    return len(name) >= least


def _is_similar(name: str, known: str) -> bool:
    """Whether at least half of the letters of the longer name stand in the other too.

    'key' is half of no 'brass key', but a word of it.
    """
    from rapidfuzz.distance import LCSseq

    one, other = _fold_case(name[:_LONGEST]), _fold_case(known[:_LONGEST])
    if one in _WORDS(other):
        return True
    return 2 * LCSseq.similarity(one, other) >= max(len(one), len(other))


def _find_one_letter_off(name: str, choices: list[str]) -> str:
    """A short name of Chinese or Japanese letters of which one letter differs."""
    if not _is_short(name):
        return ""
    from rapidfuzz.distance import OSA

    folded = _fold_case(name)
    near = (
        known
        for known in choices
        if _is_short(known) and OSA.distance(folded, _fold_case(known)) == 1
    )
    return next(near, "")


def _is_short(name: str) -> bool:
    return 2 <= len(name) <= _SHORTEST and min(name) > _FIRST_CJK


def find_typo_correction(word: str, words: Iterable[str]) -> str:
    """The word that `word` is a slip of the finger away from; empty if there is none.

    Stricter than `find_nearest`, for what people say: letters swapped, left out, added or
    mistaken, once in a short word and twice in a long one, and never in its first
    letter unless the word is long. What differs only in case or width is no slip.
    """
    from rapidfuzz.distance import OSA

    typed = _fold_case(word[:_LONGEST])
    most = _count_allowed_slips(len(typed))
    found = [
        (distance, known)
        for known in sorted(set(words))
        if (folded := _fold_case(known))
        and (folded[0] == typed[:1] or most > 1)
        and 0 < (distance := OSA.distance(typed, folded, score_cutoff=most)) <= most
    ]
    return min(found)[1] if found else ""


def _count_allowed_slips(letters: int) -> int:
    if letters < _SHORTEST:
        return 0
    return 1 if letters < _LONG else 2


def get_nearest(name: str, names: Iterable[str]) -> str | None:
    """The same, with None where no name is like it."""
    return find_nearest(name, names) or None


def suggest_nearest(name: str, names: Iterable[str]) -> str:
    """A hint such as `did you mean 'キッチン'?`; empty if no name is near."""
    near = find_nearest(name, names)
    return f"did you mean {near!r}?" if near else ""


def _fold_case(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


MOST_FILES: Final = 1_000
"""Files of a folder that are looked at."""


def suggest_file(file: str) -> str:
    """A hint with the file of that kind in the same folder whose name is near, or none."""
    path = Path(file)
    try:
        with os.scandir(path.parent) as found:
            names = [Path(each.name) for each in islice(found, MOST_FILES)]
    except (OSError, ValueError):
        return ""  # where there is no folder, nothing is near
    # The ending alone would make any two files alike.
    near = find_nearest(path.stem, (n.stem for n in names if n.suffix == path.suffix))
    return f"did you mean {near + path.suffix!r}?" if near else ""
