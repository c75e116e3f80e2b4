"""English nouns that name nothing there is.

No grammar is known here: a noun phrase is what follows an article, a preposition or a
verb of seeing, and one of its first words must be a noun the viewer has met, or one that
promises nothing.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.parts import Telling
from saniwa.agent.translate.truth.words import en
from saniwa.world.model import Entity

_NAME: Final = "\ue001"
_TOKEN = re.compile(
    r"\ue001+|[^\W\d_\ue000-\ue002]+(?:['’-][^\W\d_]+)*|\d+|[^\s\w]|\ue000"
)
_END: Final = frozenset(".!?…;\n")
_FAR: Final = 5
"""How far before its verb a place may begin: on top of the shelf lie …"""
_REACH: Final = 3
"""How far into a phrase its noun may stand: the big old rusty …"""


class _Vocabulary:
    """The words the viewer has met."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    @cached_property
    def _names(self) -> tuple[frozenset[str], frozenset[str]]:
        """What names are names of, and the words that only colour those."""
        heads: set[str] = set()
        colours: set[str] = set()
        for seen in self._facts.perceived:
            found = self._facts.thing(seen)
            for name in (found.name, *found.aliases) if found else ():
                words = name.lower().split()
                first = name.lower().split(" of ")[0].split()
                heads |= {*words[-1:], *first[-1:]}
                colours |= {*words}
            if isinstance(found, Entity) and found.openable:
                heads |= en.DOOR_PARTS
        return frozenset(heads), frozenset(colours - heads)

    @cached_property
    def met(self) -> frozenset[str]:
        """Every word of the corpus."""
        return frozenset(re.findall(r"[^\W\d_]+", self._facts.corpus))

    def noun(self, word: str) -> bool:
        """Whether it may be what a phrase is about."""
        heads, colours = self._names
        return any(
            each in en.HARMLESS
            or self._hour(each)
            or each in heads
            or (each in self.met and each not in colours)
            for each in _stems(word)
        )

    def _hour(self, word: str) -> bool:
        """Whether it names an hour, and the story says no other."""
        told = self._facts.after.time.label.lower().split()
        return word in en.HOURS and en.HOURS.isdisjoint(told)

    def knows(self, word: str) -> bool:
        """Whether the word promises nothing new."""
        low = word.lower()
        return (
            low in en.SMALL
            or low in en.QUALITIES
            or low in self.met
            or self.noun(low)
            or low.endswith(("ly", "ing", "ed"))
        )


class _Token(NamedTuple):
    """A word, with whether it opens a sentence."""

    text: str
    first: bool


def unknown_nouns(telling: Telling, facts: Facts) -> Iterator[str]:
    """The phrases that name nothing the viewer could know of."""
    words = _Vocabulary(facts)
    tokens = _tokens(telling)
    told = -1
    for place, token in enumerate(tokens):
        if _opens(tokens, place):
            phrase = _phrase(tokens[place + 1 :])
            if phrase and not _about(phrase, token.text.lower(), words):
                told = place + len(phrase)
                yield " ".join((token.text, *phrase))
        elif place > told and _strange(token, words):
            yield token.text


def _tokens(telling: Telling) -> list[_Token]:
    text = list(telling.text)
    for mention in telling.mentions:
        text[mention.start : mention.end] = _NAME * (mention.end - mention.start)
    tokens, first = [], True
    for found in _TOKEN.findall("".join(text).replace("\n", ".")):
        tokens.append(_Token(found, first))
        first = found in _END or (
            first and not found[0].isalnum() and found[0] != _NAME
        )
    return tokens


def _opens(tokens: Sequence[_Token], place: int) -> bool:
    low = tokens[place].text.lower()
    return (
        low in en.DETERMINERS
        or low in en.PREPOSITIONS
        or (low in en.SIGHT and not (low == "are" and _predicates(tokens, place)))
        or (low in en.LYING and _inverted(tokens, place))
        or low.isdigit()
    )


def _predicates(tokens: Sequence[_Token], place: int) -> bool:
    """Whether a noun stands before the verb: what follows says what that is like."""
    before = tokens[place - 1].text.lower() if place else "."
    return before[0].isalpha() and before not in en.SMALL


def _inverted(tokens: Sequence[_Token], place: int) -> bool:
    """Whether a place stands before the verb: inside lie …, on the shelf stands …."""
    before = tokens[max(place - _FAR, 0) : place]
    words = [token.text.lower() for token in before]
    opens = any(t.first and t.text.lower() in en.PREPOSITIONS for t in before)
    near = any(word in en.PREPOSITIONS for word in words[-2:])
    return opens or near or words[-1:] in (["nearby"], ["there"], ["here"])


def _phrase(tokens: Sequence[_Token]) -> list[str]:
    """The words up to the next small one, if a name does not end it before."""
    phrase: list[str] = []
    for token in tokens[: _REACH + 1]:
        if token.text.lower() in en.SMALL or not token.text[0].isalpha():
            return [*phrase, _NAME] if token.text[0] == _NAME else phrase
        phrase.append(token.text)
    return phrase


def _about(phrase: list[str], opener: str, words: _Vocabulary) -> bool:
    if any(word[0] == _NAME or words.noun(word) for word in phrase[:_REACH]):
        return True
    if phrase[-1] == _NAME:
        return True
    first = phrase[0].lower()
    if opener in en.DETERMINERS:
        return False
    # Behind a preposition or a verb there need not be a noun: at last, by pushing.
    return (
        first in en.ADVERBIAL
        or first in en.QUALITIES
        or (opener in en.PREPOSITIONS and first in en.LYING)
        or first.endswith(("ing", "ly"))
        or (opener == "are" and first.endswith(("ed", "en")))
    )


def _strange(token: _Token, words: _Vocabulary) -> bool:
    """Whether it is a new word that opens a sentence, is written large, or tempts."""
    low = token.text.lower()
    if low in en.TEMPTING and low not in words.met:
        return True
    if low in en.HOURS:
        return not words.noun(low)
    large = token.text[0].isupper()
    return (
        (token.first or large)
        and token.text[0].isalpha()
        and not (
            words.knows(token.text)
            or (token.first and token.text.lower() in en.HARMLESS)
        )
    )


def _stems(word: str) -> Iterator[str]:
    """The word, and what it may be the plural or the owner of."""
    low = word.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
    yield low
    for ending, instead in (("ies", "y"), ("ves", "f"), ("es", ""), ("s", "")):
        if low.endswith(ending) and len(low) > len(ending) + 2:
            yield low.removesuffix(ending) + instead
    if "-" in low:
        yield low.rpartition("-")[2]
