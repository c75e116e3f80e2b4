"""Lines and lists that keep to a size; what is left out is counted."""

from collections.abc import Sequence

from saniwa.agent.character.wording import word

_COUNT = 40
"""Letters kept free for saying how much was left out."""


def fitted(lines: Sequence[str], largest: int, language: str, unsaid: int = 0) -> str:
    """The first lines that fit, one under another, and how many do not.

    `unsaid` are further ones that were not even put into words.
    """
    return _joined(lines, largest, language, "\n", "more.lines", unsaid)


def listed(items: Sequence[str], largest: int, language: str) -> str:
    """The first items that fit in a row, and how many do not."""
    return _joined(items, largest, language, word(language, "between"), "more")


def _joined(
    parts: Sequence[str],
    largest: int,
    language: str,
    between: str,
    more: str,
    unsaid: int = 0,
) -> str:
    whole = sum(map(len, parts)) + len(between) * len(parts)
    if not unsaid and whole <= largest:
        return between.join(parts)
    kept: list[str] = []
    room = largest - _COUNT
    for part in parts:
        room -= len(part) + len(between)
        if room < 0:
            break
        kept.append(part)
    count = word(language, more, count=str(unsaid + len(parts) - len(kept)))
    shown = between.join((*kept, count))
    return shown if len(shown) <= largest else ""
