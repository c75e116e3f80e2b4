"""Whether something says anything at all: a gate is not passed by handing in nothing."""

import unicodedata
from typing import Any

from saniwa.core.tree import DEEPEST

_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0\U00013441\U00013442\U0001d159")
"""Letters and signs by their kind, in which there is no ink."""
_NO_INK = frozenset(
    {
        "Cc",
        "Cf",
        "Cn",
        "Co",
        "Cs",
        "Zl",
        "Zp",
        "Zs",
    }  # controls, blanks, nobody's letters
    | {"Mn", "Me"}  # marks on a letter: without one, they mark nothing
)


def is_silent(content: Any, known: dict[int, bool] | None = None) -> bool:
    """Whether it is null, a text in which nothing can be seen, or holds nothing else.

    A list or mapping is silent if all in it is, however deep; names alone say nothing.
    Zero and false are answers. What is nested deeper than any document counts as said.

    Args:
        content: JSON values.
        known: What was found in lists and mappings before, by their ids; whoever asks
            about the parts of one document hands in the same each time, so that nothing
            is looked into twice.
    """
    return _is_silent(content, {} if known is None else known, DEEPEST)


def _is_silent(content: Any, known: dict[int, bool], steps: int) -> bool:
    if isinstance(content, str):
        return all(_is_unseen(letter) for letter in content)
    if not isinstance(content, dict | list):
        return content is None
    found = known.get(id(content))
    if found is None:
        parts = content.values() if isinstance(content, dict) else content
        found = steps >= 0 and all(_is_silent(p, known, steps - 1) for p in parts)
        known[id(content)] = found
    return found


def _is_unseen(letter: str) -> bool:
    return letter in _BLANK or unicodedata.category(letter) in _NO_INK
