"""Make spoken text comparable: fold characters, extract quotations, mask names.

Contains no grammar; both parsers and the reference resolver use it.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

QUOTE = "\ue000"
"""Takes the place of an extracted quotation."""
NAMES = ("\ue001", "\ue002")
"""Take the place of the characters of a name; alternating, so that two adjacent names
stay separate."""
_LABEL = re.compile(
    rf"\(?\b[yn]\s?/\s?[yn]\b\)?|(?:^|(?<={QUOTE} ))[nsewud]\s*(?={QUOTE})", re.M | re.I
)
"""Letters that are no directions: Y/N, N「おはよう」."""
_CIRCLED = re.compile("[①-⑨]")
"""The number of an item of a list: ①笛を取る ②待つ."""
_PRIVATE = re.compile("[\ue000-\ue002]")
_QUOTED = re.compile(
    "「([^」]*)(?:」|$)"
    "|«([^»]*)(?:»|$)"
    "|„([^“”]*)(?:[“”]|$)"
    "|『([^』]*)(?:』|$)"
    "|“([^”]*)(?:”|$)"
    '|["＂]([^"＂]*)(?:["＂]|$)'
    r"|(?<![\w'])'([^'\n]+)'(?!\w)"
)


@lru_cache(maxsize=16384)
def fold_text(text: str) -> str:
    """The text with width, composition and case normalised; never longer than NFKC."""
    return lower_text(unicodedata.normalize("NFKC", text)).strip()


def lower_text(text: str) -> str:
    """Lower case, character for character: positions do not change."""
    if text.isascii():
        return text.lower()
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def is_blank(text: str) -> bool:
    """Whether there is nothing to read in it: spaces and control characters only."""
    return not any(unicodedata.category(c)[0] not in "CZ" for c in text)


class PreparedText(NamedTuple):
    """Text prepared for a parser; all three versions have the same length."""

    text: str
    """As spoken, composed and in half width, with `QUOTE` for each quotation."""
    low: str
    """The same in lower case."""
    mask: str
    """The same with the characters of names masked."""
    quotes: tuple[str, ...]
    """The texts between quotation marks, unchanged, in order."""

    def extract_span(self, start: int, end: int) -> str:
        """The words between two positions, with their quotations restored."""
        before = self.text[:start].count(QUOTE)
        parts = self.text[start:end].split(QUOTE)
        woven = parts[0]
        for number, part in enumerate(parts[1:]):
            woven += f"“{self.quotes[before + number]}”{part}"
        return " ".join(woven.split())

    def mask_names(self, names: Iterable[str]) -> "PreparedText":
        """The same text with exactly these folded names masked."""
        return self._replace(mask=_cover_names(self.low, names))


NO_TEXT = PreparedText("", "", "", ())
"""A text without words."""


def prepare_text(text: str, names: Iterable[str]) -> PreparedText:
    """Extract quotations, fold the rest, and mask the given folded names.

    Letters that name who speaks, or the answers to a question, are left out.
    """
    quotes: list[str] = []

    def lift(found: re.Match[str]) -> str:
        quotes.append(next(g for g in found.groups() if g is not None))
        return f" {QUOTE} "

    plain = _QUOTED.sub(lift, _PRIVATE.sub(" ", text))
    plain = _CIRCLED.sub(lambda found: f" {unicodedata.digit(found.group())}. ", plain)
    plain = unicodedata.normalize("NFKC", plain)
    if not (plain.isascii() and plain.isprintable()):
        plain = "".join(" " if _is_control(c) else c for c in plain)
    plain = _LABEL.sub(lambda found: " " * len(found.group()), plain)
    low = lower_text(plain)
    return PreparedText(plain, low, _cover_names(low, names), tuple(quotes))


def _is_control(letter: str) -> bool:
    return letter != "\n" and unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zs")


def _cover_names(low: str, names: Iterable[str]) -> str:
    found = sorted(
        {(-len(name), start, name) for name in set(names) for start in _find_occurrences(low, name)}
    )
    if not found:
        return low
    mask = list(low)
    for number, (_, start, name) in enumerate(found):
        end = start + len(name)
        if not any(c in NAMES for c in mask[start:end]):
            mask[start:end] = NAMES[number % 2] * len(name)
    return "".join(mask)


def _find_occurrences(low: str, name: str) -> Iterator[int]:
    start = low.find(name) if name else -1
    while start >= 0:
        end = start + len(name)
        if not (_splits_word(low, start) or _splits_word(low, end)):
            yield start
        start = low.find(name, end)


def _splits_word(low: str, place: int) -> bool:
    """Whether the position is inside a Latin word."""
    return 0 < place < len(low) and all(
        c.isalnum() and ord(c) < 0x2E80 for c in low[place - 1 : place + 1]
    )
