"""Names similar to a mistyped one, for hints. They are offered, never adopted."""

import os
import re
import unicodedata
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Final

NEAR_SCORE = 70.0
"""The similarity, of 100, from which one name is offered for another."""
MOST_FILES: Final = 1_000
"""How many files of a folder are compared."""
_LONGEST = 200
_SHORTEST = 3
_LONG = 8
_WORDS = re.compile(r"[^\W_]+").findall
_FIRST_CJK = "\u3000"


def find_nearest(name: str, names: Iterable[str]) -> str:
    """Return the existing name most similar to `name`; empty if none is similar.

    Case and full-width forms do not count; the typo may be in one word of a name. Of two
    equally similar names, the first in sorting order is returned. Time is linear in the number of names.
    """
    # Imported late: most commands never need it.
    from rapidfuzz import fuzz, process

    choices = sorted({known for known in names if known and known != name})
    if len(name) < _SHORTEST or any(len(known) < _SHORTEST for known in choices):
        choices = [known for known in choices if _is_long(name) and _is_long(known)]
    # Character by character first: 'trunk_kee' means 'trunk_key', not the 'trunk' in
    # it.
    for scorer in (fuzz.ratio, fuzz.WRatio):
        found = process.extractOne(
            name[:_LONGEST], choices, scorer=scorer, processor=_fold_case, score_cutoff=NEAR_SCORE
        )
        if found is not None and _is_similar(name, choices[found[2]]):
            return choices[found[2]]
    return _find_by_word(name, choices) or _find_one_letter_off(name, choices)


def _find_by_word(name: str, choices: list[str]) -> str:
    """Find a name of several words, one of which is mistyped: 'cofee' for 'coffee_trap'."""
    words = {word: known for known in reversed(choices) for word in _WORDS(known)}
    return words.get(find_typo_correction(name, words), "")


def _is_long(name: str) -> bool:
    """Whether a name has enough characters to be mistaken for another."""
    least = 2 if any(letter > _FIRST_CJK for letter in name) else _SHORTEST
    return len(name) >= least


def _is_similar(name: str, known: str) -> bool:
    """Whether the names share at least half of the characters of the longer one.

    'key' is not half of 'brass key', but one of its words, which also counts.
    """
    from rapidfuzz.distance import LCSseq

    one, other = _fold_case(name[:_LONGEST]), _fold_case(known[:_LONGEST])
    if one in _WORDS(other):
        return True
    return 2 * LCSseq.similarity(one, other) >= max(len(one), len(other))


def _find_one_letter_off(name: str, choices: list[str]) -> str:
    """Find a short Chinese or Japanese name that differs in one character."""
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
    """Return the word that `word` is a typing error of; empty if there is none.

    Stricter than `find_nearest`, for words a player types: characters swapped, missing,
    added or mistaken, once in a short word and twice in a long one, and never in the
    first character of a short word. A difference in case or width alone is not an
    error.
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
    """Return the same as `find_nearest`, with None if no name is similar."""
    return find_nearest(name, names) or None


def suggest_nearest(name: str, names: Iterable[str]) -> str:
    """Return a hint such as `did you mean 'キッチン'?`; empty if no name is similar."""
    near = find_nearest(name, names)
    return f"did you mean {near!r}?" if near else ""


def _fold_case(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def suggest_file(file: str) -> str:
    """Return a hint with a similar file name in the folder; empty if there is none.

    Only files with the same extension are compared.
    """
    path = Path(file)
    try:
        with os.scandir(path.parent) as found:
            names = [Path(each.name) for each in islice(found, MOST_FILES)]
    except (OSError, ValueError):
        return ""
    # Without the extension, which would make any two files similar.
    near = find_nearest(path.stem, (n.stem for n in names if n.suffix == path.suffix))
    return f"did you mean {near + path.suffix!r}?" if near else ""
