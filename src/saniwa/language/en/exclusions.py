"""Find what is excluded from "all": “take all but the key and the lamp”.

The words that exclude, and the links between excluded names, get kinds of their own, so
that the clause stays one and they open no role in it.
"""

from collections.abc import Iterable
from typing import NamedTuple

from saniwa.language.en.words import (
    LONGEST_VERB,
    EnglishPhrase,
    classify_link,
    find_in_reach,
    find_leading_verb,
)
from saniwa.language.lexicon.en import SEQUENCES, WORDS
from saniwa.language.parser_context import ParserContext


def find_spared(phrase: EnglishPhrase, lexicon: ParserContext) -> EnglishPhrase:
    """The name in “leave the red one”, “not the key, though”, “the key stays”; else empty."""
    words = tuple(t.low for t in phrase)
    start = 0
    while start < len(words) and (classify_link(phrase[start]) or words[start] in WORDS.hedges):
        start += 1
    opened = SEQUENCES.sparing.count(words, start)
    end = len(words) - 2 * (words[-2:] == ("after", "all"))
    while end > start and words[end - 1] in WORDS.remaining_words | WORDS.staying:
        end -= 1
    named = phrase[start + opened : end]
    for place in range(2, len(named)):
        if named[place].low == "for" and lexicon.is_person(words[start + opened + place + 1]):
            named = named[:place]  # "leave the tea for Otto"
            break
    stays = not WORDS.staying.isdisjoint(words[end:])
    return named if named and (opened or stays) and find_in_reach(lexicon, named) else ()


EXCEPT = "except"
"""The kind of tokens that exclude what follows them from "all"."""
_LISTED = "listed"
"""The kind of the links between excluded names."""


class MarkedSentence(NamedTuple):
    """The tokens of all sentences after one of them was marked."""

    tokens: EnglishPhrase
    """All tokens."""
    left_out: EnglishPhrase = ()
    """What a sentence begins with: "apart from the lamp, take everything"."""
    start: int = 0
    """Where the rest of the sentence begins."""


class ExclusionReader:
    """Reads the exclusions of one sentence."""

    def __init__(self, lexicon: ParserContext, tokens: EnglishPhrase) -> None:
        """Read `tokens`."""
        self._lexicon, self._tokens = lexicon, [*tokens]

    def mark(self, start: int, end: int) -> MarkedSentence:
        """Mark the sentence from `start` to `end`."""
        stop = self._find_opening(start, end)
        left_out = tuple(self._tokens[start:stop])
        place = begin = stop + 1 if stop else start
        named_all = False
        while place < end:
            after = self._find_names(place, end) if named_all else 0
            if after:
                stop = self._join_names(after, end)
                self._set_kind(EXCEPT, (*range(place, after), *self._list_tail(after, stop)))
                place = stop
            if place < end:
                named_all = named_all or self._tokens[place].low in WORDS.all_words
                named_all = named_all and classify_link(self._tokens[place]) not in ("stop", "then")
            place += 1
        return MarkedSentence(tuple(self._tokens), left_out if begin > start else (), begin)

    def _set_kind(self, kind: str, places: Iterable[int]) -> None:
        for place in places:
            self._tokens[place] = self._tokens[place]._replace(kind=kind)

    def _find_opening(self, start: int, end: int) -> int:
        """Where “apart from the lamp,” ends before the rest of a sentence; 0 if it has none."""
        after = self._find_names(start, end)
        stop = next((n for n in range(after, end) if self._tokens[n].kind == "comma"), 0)
        named_all = any(t.low in WORDS.all_words for t in self._tokens[stop:end])
        if not after or stop <= after or not named_all:
            return 0
        self._set_kind(EXCEPT, range(start, after))
        return stop

    def _find_names(self, place: int, end: int) -> int:
        """Where the names begin that are excluded from the "all" before `place`; else 0."""
        first = place
        while first < min(end, place + 4) and (
            classify_link(self._tokens[first]) in ("comma", "and")
            or self._is_correction(first, place)
        ):
            first += 1
        length = SEQUENCES.exceptions.count(
            tuple(t.low for t in self._tokens[first : min(end, first + 4)])
        )
        keeps = length > 0 and self._tokens[first].low in WORDS.keeping
        if not length or (keeps and not self._leaves_named(first + length, end)):
            return 0
        return first + length

    def _is_correction(self, place: int, start: int) -> bool:
        """“Take everything, no, not the lamp”: whether a word only corrects."""
        before, *after = self._tokens[max(start, place - 1) : place + 2]
        alone = before.kind == "comma" and [t.kind for t in after[1:]] == ["comma"]
        return alone and after[0].low in WORDS.correcting

    def _leaves_named(self, place: int, end: int) -> bool:
        """“Leave the lamp (alone)”, but not "leave the kitchen", "leave it on the table"."""
        stop = next((n for n in range(place, end) if classify_link(self._tokens[n])), end)
        named = tuple(self._tokens[place : self._list_tail(place, stop).start])
        return bool(named) and bool(find_in_reach(self._lexicon, named))

    def _list_tail(self, after: int, stop: int) -> range:
        """The words after the excluded names: "leave the lamp *where it is*"."""
        place = stop
        while place > after and self._tokens[place - 1].low in WORDS.remaining_words:
            place -= 1
        return range(place, stop)

    def _join_names(self, after: int, end: int) -> int:
        """Join the names from `after` on; return where they end."""
        for number in range(after, end):
            link = classify_link(self._tokens[number])
            follows = tuple(self._tokens[number + 1 : number + 1 + LONGEST_VERB])
            if not link:
                continue
            if (
                link not in ("comma", "and")
                or not follows
                or find_leading_verb(follows, self._lexicon)
            ):
                return number
            self._set_kind(_LISTED, (number,))
        return end
