"""Decides which licences a program under MIT may bring to its users.

The reasons are in docs/decisions/packaging-licences.md.
"""

import re

FREE = frozenset(
    [
        "0BSD",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "BSD-3-Clause-Attribution",
        "CC0-1.0",
        "CNRI-Python",
        "ISC",
        "MIT",
        "MIT-0",
        "MIT-CMU",
        "PSF-2.0",
        "Python-2.0",
        "Zlib",
    ]
)
"""Licences that require a notice at most."""
WEAK = frozenset(["LGPL-3.0-only", "MPL-2.0"])
"""Licences that keep their own files open, and require nothing of the program that uses them."""
STRONG = {"oracle": frozenset(["jericho"])}
"""By extra: packages whose licence extends to the whole program, each allowed by name."""

_RANKS = ("free", "weak", "strong")


def judge_licence(expression: str) -> str:
    """`free`, `weak` or `strong`; an unknown licence is `strong`.

    Of several licences to choose from, the freest counts; of several that apply together, the
    strongest.
    """
    words = re.findall(r"[()]|[^\s()]+", expression)
    rank, rest = _parse_or(words)
    return "strong" if rest else _RANKS[rank]


def _parse_or(words: list[str]) -> tuple[int, list[str]]:
    rank, rest = _parse_and(words)
    while rest[:1] == ["OR"]:
        other, rest = _parse_and(rest[1:])
        rank = min(rank, other)
    return rank, rest


def _parse_and(words: list[str]) -> tuple[int, list[str]]:
    rank, rest = _parse_term(words)
    while rest[:1] == ["AND"]:
        other, rest = _parse_term(rest[1:])
        rank = max(rank, other)
    return rank, rest


def _parse_term(words: list[str]) -> tuple[int, list[str]]:
    first, rest = words[0], words[1:]
    if first == "(":
        rank, rest = _parse_or(rest)
        return rank, rest[1:]
    if rest[:1] == ["WITH"]:  # an exception only ever allows more
        rest = rest[2:]
    return (0 if first in FREE else 1 if first in WEAK else 2), rest
