"""Whether a content says anything at all: a gate is not passed by handing in nothing."""

import unicodedata
from typing import Any

_UNSEEN = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # letters that have no ink
    "\u180b\u180c\u180d\u180f"  # Mongolian ways of writing a letter
    + "".join(map(chr, range(0xFE00, 0xFE10)))  # ways of writing the letter before
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
_NO_INK = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})


def is_silent(content: Any) -> bool:
    """Whether it is null, an empty list or map, or a text in which nothing can be seen."""
    if isinstance(content, str):
        return all(_is_unseen(letter) for letter in content)
    return content is None or content in ([], {})


def _is_unseen(letter: str) -> bool:
    return letter in _UNSEEN or unicodedata.category(letter) in _NO_INK
