"""One English clause while it is read: a verb, and the parts of the words after it.

The parts are an object, prepositional phrases, particles, and words that change nothing.
Words without a use are noted.
"""

from collections.abc import Sequence
from typing import NamedTuple

from saniwa.language.en.exclusions import EXCEPT
from saniwa.language.en.noun_phrases import NounReader
from saniwa.language.en.words import (
    GERUNDS,
    SPEECH,
    EnglishPhrase,
    EnglishToken,
    EnglishVerb,
    count_adverb,
    count_manner,
    count_preposition,
    extract_phrase,
    find_in_reach,
    find_leading_verb,
    list_words,
)
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import SEQUENCES, WORDS
from saniwa.language.mood import make_leftover_claim
from saniwa.language.name_match import is_head_noun, parse_noun_phrase
from saniwa.language.parser_context import Claim, ParserContext, strip_article
from saniwa.world.model import Entity


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


# "On my break" is another time.
_KEPT_IN = (WORDS.body - {"break"}) | WORDS.carriers
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
    length = SEQUENCES.adverbials.count(words, place)
    if length and words[place + length - 1] in en.DETERMINERS and place + length < len(words):
        length = 0  # "with that key"
    if not length:
        length = count_manner(words, place)
        said = words[place + 1 : place + length]
        said = said[: next((n for n, w in enumerate(said) if w in ("that", "which")), length)]
        if said and (lexicon.is_known(said[-1]) or any(map(lexicon.find_matches, said))):
            return 0
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


def _count_relative(words: tuple[str, ...], place: int) -> int:
    """How many words only tie a place to a thing: "that is", before "on the table"."""
    for length in (4, 3, 2, 1):
        if place + length > len(words) or words[place : place + length] not in SEQUENCES.relatives:
            continue
        ends = place + length == len(words) or words[place + length] in ("here", "there")
        if count_preposition(words, place + length) or (ends and length > 1):
            return length
    return 0


class EnglishClause:
    """A verb and the words after it."""

    def __init__(
        self,
        lexicon: ParserContext,
        verb: EnglishVerb,
        rest: EnglishPhrase,
        earlier: Sequence[Claim] = (),
    ) -> None:
        """Read the words of `rest` after `verb`; `earlier` are the claims before them."""
        self.lexicon, self.verb, self.rest, self.earlier = lexicon, verb, rest, earlier
        self.nouns = NounReader(lexicon, earlier)
        self.nouns.excepts = any(token.kind == EXCEPT for token in rest)
        self._parts = dict[EnglishPhrase, ClauseParts]()
        self.lost: Claim | None = None
        """The claim that names the first words without a use, if there are any."""

    def extract(self, phrase: EnglishPhrase) -> str:
        """The words as spoken."""
        return extract_phrase(self.lexicon, phrase)

    def strip_article(self, phrase: EnglishPhrase) -> str:
        """The folded words without a leading article."""
        return strip_article(self.extract(phrase))

    def find_in_reach(self, phrase: EnglishPhrase) -> tuple[Entity, ...]:
        """Everything in reach that the words name, at least in part."""
        return find_in_reach(self.lexicon, phrase)

    def render(self) -> str:
        """The whole clause."""
        return f"{self.verb.phrase} {self.extract(self.rest)}" if self.rest else self.verb.phrase

    def lose(self, phrase: EnglishPhrase, nearest: str = "") -> None:
        """Note words that have no use; only the first are named."""
        if phrase:
            self.lose_words(self.extract(phrase), nearest)

    def lose_words(self, words: str, nearest: str = "") -> None:
        """Note words that have no use, and the nearest clause that would be understood."""
        if self.lost is None:
            self.lost = make_leftover_claim(self.render(), words, nearest)

    def get_earlier_target(self) -> str:
        """What the last clause was about, in words."""
        return str(self.earlier[-1].get("target", "")) if self.earlier else ""

    def split(self, phrase: EnglishPhrase) -> ClauseParts:
        """The parts of words after the verb."""
        parts = self._parts.get(phrase)
        if parts is None:
            parts = self._parts[phrase] = split_clause(phrase, self.lexicon)
        return parts

    def strip_manner(self, phrase: EnglishPhrase) -> EnglishPhrase:
        """The words without adverbs; ways such as "back" and "out" stay."""
        idle = self.split(phrase).manner
        whole = list_words(idle)[:2] == ("out", "of")  # "out of time", but not "out quickly"
        ways = {t.start for t in idle if t.low in en.DIRECTIONS and not whole}
        manner = {t.start for t in idle} - ways
        return tuple(t for t in phrase if t.start not in manner)

    def find_destination(self, parts: ClauseParts) -> PrepositionalPhrase | None:
        """The phrase that says into or onto what a thing is put."""
        moved = self.verb.word in ("move", "shift", "transfer", "return")
        for phrase in parts.phrases:
            if phrase.preposition in en.ROLES["put"] or (moved and phrase.preposition == "to"):
                found = self.nouns.find_entities(phrase.noun)
                if any(e.kind in ("container", "supporter") for e in found):
                    return phrase
        return None

    def is_placed(self, parts: ClauseParts) -> bool:
        """Whether a holder or the floor is named as the place."""
        return self.find_destination(parts) is not None or any(
            p.noun and self.is_ground(p) for p in parts.phrases
        )

    def is_own_body(self, phrase: PrepositionalPhrase, *, out: bool = False) -> bool:
        """“In my hands”, “under one arm”, “behind his ear”: where the speaker has it."""
        first, last = (phrase.noun[0].low, phrase.noun[-1].low) if phrase.noun else ("", "")
        owned = first in WORDS.own or (self.lexicon.narrated and first in ("his", "her", "their"))
        on = out or phrase.preposition not in ("from", "out of", "off", "off of")
        named = parse_noun_phrase(self.extract(phrase.noun))
        body = (
            last in _KEPT_IN
            and last not in WORDS.eating_parts
            and not any(is_head_noun(named, e) for e in self.find_in_reach(phrase.noun))
        )
        return on and body and (owned or last.endswith("fingers"))

    def is_ground(self, phrase: PrepositionalPhrase) -> bool:
        """“On the floor”, “from the floor of the kitchen”, “onto the kitchen floor”."""
        words = self.strip_article(phrase.noun).split()
        if WORDS.floor.isdisjoint(words) or self.lexicon.find_matches(" ".join(words)):
            return False
        idle = WORDS.floor | {"of", "the", "in", "this", "my"}
        place = " ".join(w for w in words if w not in idle)
        here = not place or self.lexicon.is_here(place)
        return here and (phrase.preposition in en.ROLES["take"] or phrase.preposition == "to")
