"""Read talk without quotation marks: who is spoken to, about what, and in which words."""

from collections.abc import Callable
from typing import NamedTuple

from saniwa.language.en.words import EnglishPhrase, EnglishVerb
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import WORDS
from saniwa.language.parser_context import Claim, ParserContext, strip_article

VerbFinder = Callable[[EnglishPhrase], EnglishVerb | None]
"""Finds the verb that words begin with."""


class SpeechReading(NamedTuple):
    """A claim of speech."""

    claim: Claim
    """The claim, without what is said if only `used` says where it ends."""
    used: int
    """How many of the words belong to it."""
    content: EnglishPhrase = ()
    """The words that are said."""


def read_talk(
    verb: EnglishVerb, rest: EnglishPhrase, lexicon: ParserContext, find_verb: VerbFinder
) -> SpeechReading | None:
    """“Talk to Marta”, “ask Nell about the cellar”, “tell Bram to dig”; None without a name."""
    start = int(bool(rest) and rest[0].low in ("to", "with"))
    length = _count_other(rest[start:], lexicon)
    if not length:
        return _read_topic_first(verb, rest, lexicon)
    claim: Claim = {"type": "speak", "to": _join(rest[start : start + length])}
    begin = start + length
    tail = rest[begin:]
    if not tail or _ends_clause(tail, 0, find_verb):
        return SpeechReading(claim, begin)
    if tail[0].low in WORDS.topic_words and len(tail) > 1:
        end = next((n for n in range(2, len(tail)) if _ends_clause(tail, n, find_verb)), len(tail))
        return SpeechReading(claim | {"about": _join(tail[1:end])}, begin + end)
    if tail[0].low == "to" and len(tail) > 1:
        return SpeechReading(claim | {"request": True}, len(rest), tail[1:])
    says = tail[1:] if tail[0].low == "that" and len(tail) > 1 else tail
    return SpeechReading(claim, len(rest), says)


def _read_topic_first(
    verb: EnglishVerb, rest: EnglishPhrase, lexicon: ParserContext
) -> SpeechReading | None:
    """“Talk about the cellar with Marta”, “ask about the cellar”."""
    if verb.kind != "ask" or len(rest) < 2 or rest[0].low not in ("about", "regarding"):
        return None
    for place in range(2, len(rest) - 1):
        if rest[place].low in ("with", "to") and _count_other(rest[place + 1 :], lexicon):
            to = _join(rest[place + 1 :])
            topic = {"about": _join(rest[1:place])}
            return SpeechReading({"type": "speak", "to": to} | topic, len(rest))
    return None


def find_hearer(
    rest: EnglishPhrase, lexicon: ParserContext, find_verb: VerbFinder
) -> tuple[int, int, int] | None:
    """Where "to Marta" is: its first word, the first after it, and where the speech ends."""
    for place, token in enumerate(rest):
        if token.low != "to":
            continue
        length = _count_other(rest[place + 1 :], lexicon)
        after = place + 1 + length
        if length and (after == len(rest) or _ends_clause(rest, after, find_verb)):
            return place, after, after
        if length and place == 0:
            return place, after, len(rest)
    return None


def name_hearer(rest: EnglishPhrase, lexicon: ParserContext) -> str:
    """The person named in words such as "to Marta", "I say to her"; empty if none is."""
    for place in range(len(rest)):
        length = _count_other(rest[place:], lexicon)
        if length:
            return _join(rest[place : place + length])
    return ""


def _count_other(phrase: EnglishPhrase, lexicon: ParserContext) -> int:
    length = lexicon.count_person_words([t.low for t in phrase[:6]])
    name = strip_article(_join(phrase[:length])) if length else ""
    return 0 if name in en.SELF else length


def _ends_clause(words: EnglishPhrase, place: int, find_verb: VerbFinder) -> bool:
    """Whether another deed begins here: "and open the cupboard", "then go north"."""
    if words[place].kind == "stop":
        return True
    if words[place].kind != "comma" and words[place].low not in WORDS.joining | WORDS.following:
        return False
    while place < len(words) and (
        words[place].kind == "comma" or words[place].low in WORDS.joining | WORDS.following | {"i"}
    ):
        place += 1
    return place == len(words) or find_verb(words[place:]) is not None


def _join(phrase: EnglishPhrase) -> str:
    return " ".join(t.low for t in phrase)
