"""One English clause while it is read: a verb, the words after it, and those without a use."""

from collections.abc import Sequence

from saniwa.language.en.clause_parts import ClauseParts, PrepositionalPhrase, split_clause
from saniwa.language.en.noun_phrases import NounReader
from saniwa.language.en.words import EnglishPhrase, EnglishVerb, extract_phrase, find_in_reach
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import WORDS
from saniwa.language.mood import make_leftover_claim
from saniwa.language.parser_context import Claim, ParserContext, strip_article
from saniwa.world.model import Entity


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
        return split_clause(phrase, self.lexicon)

    def strip_manner(self, phrase: EnglishPhrase) -> EnglishPhrase:
        """The words without adverbs; ways such as "back" and "out" stay."""
        manner = {t.start for t in self.split(phrase).manner if t.low not in en.DIRECTIONS}
        return tuple(t for t in phrase if t.start not in manner)

    def find_destination(self, parts: ClauseParts) -> PrepositionalPhrase | None:
        """The phrase that says into or onto what a thing is put."""
        moved = self.verb.word in ("move", "shift", "transfer")
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

    def is_ground(self, phrase: PrepositionalPhrase) -> bool:
        """“On the floor”, “from the floor of the kitchen”, “onto the kitchen floor”."""
        words = self.strip_article(phrase.noun).split()
        if WORDS.floor.isdisjoint(words) or self.lexicon.find_matches(" ".join(words)):
            return False
        idle = WORDS.floor | {"of", "the", "in", "this", "my"}
        place = " ".join(w for w in words if w not in idle)
        here = not place or self.lexicon.is_here(place)
        return here and (phrase.preposition in en.ROLES["take"] or phrase.preposition == "to")
