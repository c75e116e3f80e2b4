"""A narration taken apart: quotations lifted out, names found."""

from collections.abc import Iterator
from typing import NamedTuple

from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.names import Mention
from saniwa.turn.spoken import hear

_YOU = frozenset({"you", "あなた", "i", "me"})


class Telling(NamedTuple):
    """A narration, ready to be looked at."""

    text: str
    """As written, composed, with a mark for each quotation."""
    low: str
    """The same in lower case, letter for letter."""
    quotes: tuple[str, ...]
    """What stood between quotation marks."""
    mentions: tuple[Mention, ...]
    """Every name in it, the longest first that fits."""


def taken_apart(text: str, facts: Facts) -> Telling:
    """The narration with its names found. Costs the length of the text."""
    heard = hear(text, ())
    return Telling(
        heard.text, heard.low, heard.quotes, tuple(_mentions(heard.low, facts))
    )


def _mentions(low: str, facts: Facts) -> Iterator[Mention]:
    lengths = sorted({n for names in facts.names for n in names.lengths}, reverse=True)
    start = 0
    while start < len(low):
        found = _named_at(low, start, lengths, facts)
        if found is not None:
            yield found
        start = found.end if found is not None else start + 1


def _named_at(low: str, start: int, lengths: list[int], facts: Facts) -> Mention | None:
    for length in lengths:
        end = start + length
        word = low[start:end]
        if len(word) < length or _runs_on(low, start) or _runs_on(low, end):
            continue
        if word not in _YOU and any(word in names.spoken for names in facts.names):
            ids = {who for names in facts.names for who in names.answering(word)}
            return Mention(start, end, word, tuple(sorted(ids)))
    return None


def _runs_on(low: str, place: int) -> bool:
    """Whether one word runs across the place; kana may follow a name, kanji may not."""
    if not 0 < place < len(low):
        return False
    left, right = script(low[place - 1]), script(low[place])
    return left == right and left in ("latin", "kanji", "katakana")


def script(letter: str) -> str:
    """The script of a letter: latin, kana, katakana, kanji, other; empty for none."""
    if "ぁ" <= letter <= "ゟ":
        return "kana"
    if "ァ" <= letter <= "ヺ" or letter == "ー":
        return "katakana"
    if "一" <= letter <= "鿿" or letter in "々〆":
        return "kanji"
    if not letter.isalpha():
        return "latin" if letter.isdigit() else ""
    return "latin" if ord(letter) < 0x250 else "other"
