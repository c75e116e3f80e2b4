"""Read an English noun phrase: a thing, several things, a part of one, or no thing.

A name that the world does not know still counts as a thing if it has an article ("the
dragon"): the refusal names it. Without one ("take heart") it is no thing.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from saniwa.core.suggestions import find_typo_correction
from saniwa.language.en.words import EnglishPhrase, extract_phrase
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import PAIRS, SEQUENCES, WORDS
from saniwa.language.parser_context import Claim, ParserContext, strip_article
from saniwa.world.model import Entity, Id

NounKind = Literal["none", "thing", "several", "part", "lost", "no thing"]
_DETERMINERS = en.DETERMINERS | {"another", "every", "each"}
_DEFINITE = _DETERMINERS - {"a", "an", "some", "any", "another", "every", "each"}
_POINTING = en.THINGS | en.PEOPLE | en.SELF | WORDS.here | {"you", "yourself", "both hands"}


_ONE_OF = frozenset({"a", "an", "one", "another", "some"})
_OF_TWO = {"former": 0, "former one": 0, "latter": 1, "latter one": 1}


class NounReading(NamedTuple):
    """What a noun phrase names."""

    kind: NounKind
    """`thing` may be unknown; `lost` and `part` have words that no thing explains."""
    words: str = ""
    """The words for the claim; for a part, the thing it belongs to."""
    extra: str = ""
    """The words that are not explained; for a part, the part."""
    several: tuple[Claim, ...] = ()
    """For several things, the target of each."""


class NounReader:
    """Reads the noun phrases of one clause."""

    def __init__(self, lexicon: ParserContext, earlier: Sequence[Claim]) -> None:
        """Read words of the text; `earlier` are the claims before this clause."""
        self._lexicon = lexicon
        self._earlier = earlier
        self.excepts = False
        """Whether something is left out of "the rest"."""

    def extract(self, phrase: EnglishPhrase) -> str:
        """The words as spoken."""
        return extract_phrase(self._lexicon, phrase)

    def read(self, phrase: EnglishPhrase) -> NounReading:
        """What the phrase names."""
        phrase = _strip_only(phrase)
        if not phrase:
            return NounReading("none")
        text = self.extract(phrase)
        bare = strip_article(text)
        if self._lexicon.find_in_scope(text):
            return NounReading("thing", text)
        if bare in WORDS.which or self._is_beyond_count(bare):
            return NounReading("lost", extra=text)
        several = self._read_several(phrase, bare)
        if several is not None:
            return several
        many = f"{bare}es" if bare.endswith(("ch", "sh", "s", "x")) else f"{bare}s"
        if phrase[0].low in _ONE_OF and (whole := self._lexicon.find_matches(many)):
            alone = len(whole) == 1 and not self._lexicon.find_matches(bare)
            if alone and not self._lexicon.is_known(bare):
                return NounReading("thing", whole[0].name)  # "eat a peppermint"
        numbered = bare.rpartition(" ")[2].lstrip("#").isdigit() and self._is_name(phrase[:-1])
        if bare in _POINTING or numbered or self._lexicon.is_known(text):
            return NounReading("thing", text)
        return (
            self._read_local(phrase)
            or self._read_adorned(phrase)
            or self.read_part(phrase)
            or self._read_begun(phrase)
            or self._read_unknown(phrase, text, bare)
        )

    def _read_several(self, phrase: EnglishPhrase, bare: str) -> NounReading | None:
        """“Both cups”, “the two cups”, “the cups”, “them”, “all my things”."""
        words = bare.split()
        if bare in WORDS.both | {"it"} and (emptied := self.list_emptied()):
            return NounReading("several", several=emptied)
        if bare in WORDS.both and (earlier := self._list_earlier()):
            return NounReading("several", several=earlier)
        if bare in _OF_TWO:
            two = self._list_earlier()
            one = two[_OF_TWO[bare] :][:1] if len(two) == 2 else ()
            return NounReading("several" if one else "lost", extra=bare, several=one)
        if bare in WORDS.both - en.THINGS - en.PEOPLE:
            return NounReading("lost", extra=bare)
        if "other" in words[:2]:
            return self._read_other(words[words.index("other") + 1 :])
        if everything := self._read_everything(phrase, bare):
            return everything
        if words[:2] == ["one", "of"] and len(words) > 2:
            return NounReading("thing", to_singular(_strip_of(words)))
        return self._read_number(phrase, bare)

    def _read_number(self, phrase: EnglishPhrase, bare: str) -> NounReading | None:
        """“Every cup”, “both cups”, “the pair of cups”, “the cups”."""
        words = bare.split()
        if words[:2] == ["pair", "of"]:
            words[0] = "both"
        number = (
            0 if phrase[0].low in WORDS.each | WORDS.every else int(PAIRS.numbers.get(words[0], 1))
        )
        if phrase[0].low in WORDS.each and words[0] not in WORDS.each:
            words.insert(0, phrase[0].low)
        named = " ".join(words) if number == 1 else _strip_of(words)
        if number != 1 and not named:
            return NounReading("lost", extra=bare)
        matches = self._lexicon.find_matches(to_singular(named)) if named else ()
        if not matches and number > 1 and len(phrase) > 2:  # "both juggling balls", by description
            alike = self._lexicon.find_matches(to_singular(phrase[-1].low))
            matches = tuple(_list_described(alike, phrase[-2:-1]))
        if number == 1 and (len(matches) < 2 or to_singular(named) == named):
            return None
        if not matches or (number > 1 and len(matches) != number):
            return NounReading("lost", extra=self.extract(phrase))
        said = self.extract(phrase) if number > 1 else ""
        return NounReading("several", extra=said, several=list_targets(matches))

    def _read_everything(self, phrase: EnglishPhrase, bare: str) -> NounReading | None:
        """“All”, “all my things”, “everything I have”, “the rest of the things”."""
        first, *words = bare.split()
        if bare in WORDS.all:
            return NounReading("thing", self.extract(phrase))
        if self.excepts and (first == "rest" or tuple(t.low for t in phrase[:2]) in SEQUENCES.rest):
            return NounReading("thing", "all")  # "keep the key and drop the rest"
        if bare == "rest" and not self._earlier:
            return NounReading("lost", extra=self.extract(phrase))
        if first in WORDS.each and words[:1] == ["of"] and WORDS.stuff.issuperset(words):
            return NounReading("thing", "all")
        owned = phrase[0].low in _DEFINITE and first in WORDS.owned_stuff
        if first in WORDS.each and words and words[0] in WORDS.one | {"item", "object"}:
            return NounReading("thing", "all")
        if first == "lot" or bare in ("whole lot", "it all", "entire lot"):
            return NounReading("thing", "all")
        if (first in WORDS.every or owned) and WORDS.stuff.issuperset(words):
            return NounReading("thing", "all")
        return None

    def list_emptied(self) -> tuple[Claim, ...]:
        """What was in the holder of "take everything out of the bucket and put it …"."""
        last = self._earlier[-1] if self._earlier else {}
        if "source" not in last or str(last.get("target", "")).lower() not in WORDS.all:
            return ()
        world, found = self._lexicon.world, self._lexicon.find_matches(str(last["source"]))
        inside = [world.entities[i] for e in found for i in world.contents.get(e.id, ())]
        return list_targets([e for e in inside if e.takeable]) if len(found) == 1 else ()

    def _list_earlier(self) -> tuple[Claim, ...]:
        """The targets of the last clause that had several."""
        run: list[Claim] = []
        last = self._earlier[-1]["type"] if self._earlier else ""
        for claim in reversed(self._earlier):
            target: Claim = {k: v for k, v in claim.items() if k in ("target", "targetId")}
            if not target or claim["type"] != last:
                break
            run.insert(0, target)
        return tuple(run) if len(run) > 1 else ()

    def _read_other(self, words: list[str]) -> NounReading:
        """“The other cup”: the one of two that was not spoken of."""
        last = self._earlier[-1] if self._earlier else {}
        spoken = {e.id for e in self._lexicon.find_matches(str(last.get("target", "")))}
        kind = " ".join(words) if words and words[0] not in WORDS.one else ""
        head = kind or str(last.get("target", "")).split(" ")[-1]
        left = [e for e in self._lexicon.find_matches(head) if e.id not in spoken]
        if len(left) != 1 or not spoken:
            return NounReading("lost", extra=" ".join(("other", *words)))
        return NounReading("several", several=list_targets(left))

    def _is_beyond_count(self, bare: str) -> bool:
        """“The second lamp”, where there is one, or where they are not alike."""
        first, _, name = bare.partition(" ")
        number = en.ORDINALS.get(first, 1)
        found = self._lexicon.find_matches(name) if name else ()
        alike = len({e.name for e in found}) == 1
        return number > 1 and bool(found) and (len(found) < number or not alike)

    def _read_local(self, phrase: EnglishPhrase) -> NounReading | None:
        """“The kitchen cupboard”, “the window of this kitchen”, said in the kitchen."""
        words = [t.low.removesuffix("'s") for t in phrase]
        if "of" in words[1:-1]:
            place = words.index("of", 1)
            here = self._lexicon.is_here(" ".join(words[place + 1 :]))
            return self._read_inner(phrase[:place]) if here else None
        start = 1 if words[0] in _DETERMINERS else 0
        for stop in range(start + 1, min(len(words), start + 3)):
            if " ".join(words[start:stop]) in self._lexicon.here and stop < len(words):
                return self._read_inner((*phrase[:start], *phrase[stop:]))
        return None

    def _read_inner(self, phrase: EnglishPhrase) -> NounReading | None:
        words = " ".join(self.extract((t,)) for t in phrase)
        return NounReading("thing", words) if self._lexicon.find_matches(words) else None

    def _read_adorned(self, phrase: EnglishPhrase) -> NounReading | None:
        """“The little brass key”, “the black key”: adjectives that no name has.

        An adjective that tells things apart chooses. One of size or age that nothing
        contradicts says nothing new.
        """
        idle = WORDS.expletives | WORDS.state_adjectives
        bare = phrase[phrase[0].low in _DETERMINERS :]
        said = tuple(t for t in bare if t.low not in idle)
        if not said or not _DETERMINERS.isdisjoint(t.low for t in said):
            return None
        if len(said) < len(bare) and self._is_name(said):
            return NounReading("thing", self._join(said))
        if said[-1].low == "one" and len(said) > 1 and not self._earlier:
            loose = [e for e in self._lexicon.scope if e.takeable]
            meant = _list_described(loose, said[:-1])
            return NounReading("thing", meant[0].name) if len(meant) == 1 else None
        kept = tuple(t for t in said if t.low not in PAIRS.qualities)
        splits = ((said[:cut], said[cut:]) for cut in range(1, min(len(said), 4)))
        for adjectives, noun in ((tuple(t for t in said if t not in kept), kept), *splits):
            found = self._lexicon.find_matches(self._join(noun)) if adjectives and noun else ()
            if found:
                meant = _list_described(found, adjectives)
                if len(meant) == len(found):
                    return NounReading("thing", self._join(noun))
                return NounReading("thing", meant[0].name) if len(meant) == 1 else None
        return None

    def _join(self, phrase: EnglishPhrase) -> str:
        return " ".join(self.extract((t,)) for t in phrase)

    def find_entities(self, phrase: EnglishPhrase) -> tuple[Entity, ...]:
        """Everything in reach that the phrase names, also by its description."""
        found = self._lexicon.find_matches(self.extract(phrase))
        described = self._read_adorned(phrase) if phrase and not found else None
        return self._lexicon.find_matches(described.words) if described else found

    def _is_name(self, phrase: EnglishPhrase) -> bool:
        words = " ".join(t.low for t in phrase)
        return words not in _DETERMINERS and self._lexicon.is_known(words)

    def read_part(self, phrase: EnglishPhrase) -> NounReading | None:
        """“The lid of the chest”, “the chest's lid”, “the cupboard doors”."""
        for number, token in enumerate(phrase):
            before, after = phrase[:number], phrase[number + 1 :]
            pointed = len(after) == 1 and after[0].low in en.THINGS  # "half of it"
            if token.low == "of" and before and after and (pointed or self._is_name(after)):
                return NounReading("part", self.extract(after), self.extract(before))
            if token.low.endswith("'s") and after and token.low[:-2] not in self._lexicon.people:
                owner = " ".join((*(t.low for t in before), token.low[:-2]))
                if self._lexicon.is_known(owner):
                    return NounReading("part", owner, self.extract(after))
        halved = len(phrase) > 1 and phrase[0].low == "half" and self._is_name(phrase[1:])
        if halved or (
            len(phrase) > 1 and phrase[-1].low in WORDS.parts and self._is_name(phrase[:-1])
        ):
            cut = 1 if halved else len(phrase) - 1
            first, last = self.extract(phrase[:cut]), self.extract(phrase[cut:])
            return NounReading("part", *((last, first) if halved else (first, last)))
        return None

    def _read_begun(self, phrase: EnglishPhrase) -> NounReading | None:
        """“The lamp sideways”: a known name, and words that follow it."""
        for number in range(len(phrase) - 1, 0, -1):
            if self._is_name(phrase[:number]):
                words, extra = phrase[:number], phrase[number:]
                return NounReading("lost", self.extract(words), self.extract(extra))
        return None

    def _read_unknown(self, phrase: EnglishPhrase, text: str, bare: str) -> NounReading:
        words = bare.split()
        if words[-1] in WORDS.abstract | WORDS.body:
            return NounReading("no thing", text, bare)
        if not WORDS.vague.isdisjoint(words) or words[0] in PAIRS.numbers or words[0] == "no":
            return NounReading("lost", extra=text)
        determined = phrase[0].low in _DEFINITE or phrase[0].kind != "word"
        if determined or self._lexicon.narrated or self._is_misspelt(bare):
            return NounReading("thing", text)
        return NounReading("no thing", text, bare)

    def _is_misspelt(self, bare: str) -> bool:
        names = {n for e in self._lexicon.scope for n in (e.name, *e.aliases)}
        parts = {part.lower() for name in names for part in (name, *name.split())}
        return bool(find_typo_correction(bare, parts))


def _list_described(found: Sequence[Entity], adjectives: EnglishPhrase) -> list[Entity]:
    """The things that are said to be so; if there are none, those that may be so.

    What is said of one of them is not meant of another: with a small key and a black one,
    "the small black key" is neither.
    """
    judged = [[_is_so(e, token.low) for token in adjectives] for e in found]
    told = [any(truths[n] for truths in judged) for n in range(len(adjectives))]
    sure = [e for e, truths in zip(found, judged, strict=True) if all(truths)]
    # A word that is said of one thing and not of this one means the other.
    open_ones = [e for e, t in zip(found, judged, strict=True) if not _lacks(t, told)]
    return sure or open_ones


def _lacks(truths: Sequence[bool | None], told: Sequence[bool]) -> bool:
    return any(t is False or (known and not t) for t, known in zip(truths, told, strict=True))


def _is_so(thing: Entity, adjective: str) -> bool | None:
    """Whether a thing is said to be black, old or small; None if nothing is said of it."""
    name = f"{thing.name} {' '.join(thing.aliases)}".lower().split()
    told = [word.strip(".,;:!?\"'()") for word in thing.description.lower().split()]
    if adjective in name:
        return True
    if adjective in told:
        return WORDS.negating.isdisjoint(told)
    quality = PAIRS.qualities.get(adjective)
    if quality is None:
        return False
    said = {PAIRS.qualities.get(word, "") for word in (*name, *told)}
    alike = {each for each in said if each.split()[:1] == quality.split()[:1]}
    return quality in alike if alike else None


def list_targets(found: Sequence[Entity]) -> tuple[Claim, ...]:
    """The target of a claim for each of the things, sorted by id."""
    ids: list[Id] = sorted(e.id for e in found)
    return tuple({"targetId": each} for each in ids)


def _strip_only(phrase: EnglishPhrase) -> EnglishPhrase:
    """“Only the lamp”, “nothing but the lamp”, “both the lamp and the letter”."""
    words = tuple(t.low for t in phrase[:2])
    if words[:1] in (("only",), ("just",), ("also",), ("either",)):
        return phrase[1:]
    if words == ("nothing", "but"):
        return phrase[2:]
    singular = words[:1] == ("both",) and len(phrase) > 2 and not phrase[-1].low.endswith("s")
    return phrase[1:] if singular else phrase


def _strip_of(words: list[str]) -> str:
    """The noun after a quantity: "all of the cups"."""
    place = 1
    while place < len(words) and words[place] in ("of", *_DETERMINERS, *PAIRS.numbers):
        place += 1
    return " ".join(words[place:])


def to_singular(words: str) -> str:
    """The words with the last one in the singular."""
    for ending, instead in (("ies", "y"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"),
                            ("sses", "ss"), ("ves", "f"), ("s", "")):  # fmt: skip
        if words.endswith(ending) and not words.endswith("ss"):
            return words.removesuffix(ending) + instead
    return words
