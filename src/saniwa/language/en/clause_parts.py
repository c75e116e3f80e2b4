"""Split what follows an English verb: an object, prepositional phrases, particles.

Adverbs and other words that change nothing are set apart. What a phrase means is left
to the verb: see `clause_claims`.
"""

from typing import NamedTuple

from saniwa.language.en.exclusions import EXCEPT
from saniwa.language.en.words import (
    GERUNDS,
    SPEECH,
    EnglishPhrase,
    EnglishToken,
    count_adverb,
    find_leading_verb,
    list_words,
)
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import SEQUENCES, WORDS
from saniwa.language.lexicon.tables import PhraseTable, split_phrases
from saniwa.language.parser_context import ParserContext

_PREPOSITIONS = PhraseTable(split_phrases({*en.ROLES["take"], *WORDS.other_prepositions}))
_ADVERBIALS = PhraseTable(SEQUENCES.adverbials)


class PrepositionalPhrase(NamedTuple):
    """A preposition and the noun after it."""

    preposition: str
    """The preposition, in lower case."""
    noun: EnglishPhrase
    """The words after it; empty if there are none."""
    tokens: EnglishPhrase
    """Both."""


class ClauseParts(NamedTuple):
    """What follows a verb."""

    target: EnglishPhrase = ()
    """The object."""
    phrases: tuple[PrepositionalPhrase, ...] = ()
    """The prepositional phrases, in order."""
    particles: EnglishPhrase = ()
    """Words such as "up" and "back"."""
    manner: EnglishPhrase = ()
    """Words that change nothing."""
    exceptions: EnglishPhrase = ()
    """What is excluded from "all", after the word that excludes it."""
    purpose: EnglishPhrase = ()
    """What follows "to" and is a clause of its own: "use the key to open the gate"."""


_NO_CLAUSE = frozenset({"unknown", "gesture", "deed", "look", "wait", "inventory", *SPEECH})
"""The kinds of verbs that begin no clause of their own after "to"."""


def split_clause(rest: EnglishPhrase, lexicon: ParserContext) -> ClauseParts:
    """The parts of the words after a verb."""
    words = list_words(rest)
    target: list[EnglishToken] = []
    found: list[tuple[EnglishPhrase, list[EnglishToken]]] = []
    particles: list[EnglishToken] = []
    manner: list[EnglishToken] = []
    excluded: list[EnglishToken] = []
    current, purpose, place = target, rest[:0], 0
    while place < len(rest):
        if rest[place].kind == EXCEPT:
            excluded.append(rest[place])
            current, length = excluded, 1
        elif length := _count_adverb(words, place, lexicon):
            manner += rest[place : place + length]
        elif current and (length := _count_relative(words, place)):
            pass
        elif _is_particle(words, place):
            particles.append(rest[place])
            length = 1
        elif length := count_preposition(words, place):
            purpose = _find_purpose(rest, place, length, lexicon)
            if purpose:
                break
            current = []
            found.append((rest[place : place + length], current))
        else:
            current.append(rest[place])
            length = 1
        place += length
    phrases = tuple(
        PrepositionalPhrase(_join_opener(opener), tuple(noun), (*opener, *noun))
        for opener, noun in found
    )
    return ClauseParts(
        tuple(target), phrases, tuple(particles), tuple(manner), tuple(excluded), purpose
    )


def _find_purpose(
    rest: EnglishPhrase, place: int, length: int, lexicon: ParserContext
) -> EnglishPhrase:
    """The clause after "to", "in order to", or in -ing after "for"; empty if none."""
    after = rest[place + length :]
    opener = list_words(rest[place : place + length])
    if opener == ("for",) and after and (stem := GERUNDS.get(after[0].low)):
        return (after[0]._replace(low=stem), *after[1:])
    aims = opener in (("to",), ("in", "order", "to"), ("so", "as", "to"))
    verb = find_leading_verb(after, lexicon) if aims else None
    if verb is None or verb.kind in _NO_CLAUSE:
        return ()
    return () if len(after) == 1 and lexicon.is_known(after[0].low) else after


def _count_adverb(words: tuple[str, ...], place: int, lexicon: ParserContext) -> int:
    """How many words from here on are an adverb, or say nothing more."""
    if place and words[place - 1] in en.DETERMINERS:
        return 0
    length = _ADVERBIALS.count(words, place)
    if not length:
        length = count_manner(words, place)
        follows = words[place + 1 : place + 2]
        if length or (words[place] == "all" and not WORDS.particles.isdisjoint(follows)):
            return length or 1
        length = count_adverb(words, place)
    return 0 if length == 1 and lexicon.is_known(words[place]) else length


def _is_particle(words: tuple[str, ...], place: int) -> bool:
    """“Up” in "pick the lamp up off the table"; a preposition has a noun after it."""
    word = words[place]
    if place and words[place - 1] in en.DETERMINERS:
        return False
    if count_preposition(words, place, shortest=2):
        return False
    if word in WORDS.particles:
        return True
    tied = place > 0 and (place + 1 == len(words) or bool(count_preposition(words, place + 1)))
    return tied and word in WORDS.particle_prepositions


def _join_opener(opener: EnglishPhrase) -> str:
    """The preposition; "in" for "over in"."""
    words = [t.low for t in opener]
    return " ".join(words[1:] if len(words) > 1 and words[0] in WORDS.thereabouts else words)


def count_preposition(words: tuple[str, ...], place: int, shortest: int = 1) -> int:
    """How many words from here on are one preposition; 0 if there is none."""
    length = _PREPOSITIONS.count(words, place)
    return length if length >= shortest else 0


def _count_relative(words: tuple[str, ...], place: int) -> int:
    """How many words only tie a place to a thing: "that is", before "on the table"."""
    for length in (4, 3, 2, 1):
        if place + length > len(words) or words[place : place + length] not in SEQUENCES.relatives:
            continue
        ends = place + length == len(words) or words[place + length] in ("here", "there")
        if count_preposition(words, place + length) or (ends and length > 1):
            return length
    return 0


def _count_without(words: tuple[str, ...], place: int) -> int:
    """How many words are "without looking", "without making a sound"."""
    if not words[place + 1].endswith("ing"):
        return 0
    after = words[place + 2 : place + 5]
    if not after:
        return 2
    if after[0] in ("a", "any", "so", "even") and len(words) == place + 4:
        return 4
    return 3 if len(after) == 1 and after[0] in ("it", "them", "first", "back", "up") else 0


def count_manner(words: tuple[str, ...], place: int) -> int:
    """How many words say how it is done: "with a smile", "without a word"."""
    if words[place] not in WORDS.manner_openers:
        return 0
    if words[place] == "without" and words[place + 1 : place + 2]:
        length = _count_without(words, place)
        if length:
            return length
    for end in range(place + 1, min(len(words), place + 5)):
        if words[end] == "\0" or (end > place + 1 and count_preposition(words, end)):
            return 0  # "to Tam with a smile" is no manner
        if words[end] in WORDS.manner_nouns or (
            words[place] == "with" and words[end] in WORDS.hands
        ):
            alone = end + 1 == len(words) or bool(count_preposition(words, end + 1))
            alone = alone or words[end + 1] in ("i", "we")
            return end + 1 - place if alone else 0
    return 0
