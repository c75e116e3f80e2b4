"""Make the claims of one English clause: a verb, and the roles of what follows it.

Every word needs a use. A clause with a word that has none claims nothing: its claim
names the word and the nearest reading that would be understood.
"""

import re
from collections.abc import Sequence
from typing import Any

from saniwa.core.suggestions import find_typo_correction
from saniwa.language.en.clause_parts import ClauseParts, ClauseSplitter, PrepositionalPhrase
from saniwa.language.en.exclusions import EXCEPT
from saniwa.language.en.noun_phrases import NounReader, NounReading, to_singular
from saniwa.language.en.places import PlaceReader
from saniwa.language.en.words import (
    SPEECH,
    EnglishPhrase,
    EnglishVerb,
    find_leading_verb,
    find_things,
    list_words,
)
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import GROUPS, LISTS, PAIRS, WORDS
from saniwa.language.mood import SentenceMood, make_leftover_claim, make_withheld_claim
from saniwa.language.parser_context import (
    Claim,
    ParserContext,
    make_emote_claim,
    make_unrecognised_claim,
    strip_article,
)
from saniwa.world.model import HOLDERS
from saniwa.world.view import find_room

_ARTICLE = re.compile(r"^(?:the|an?|some)\s+", re.IGNORECASE)
_ANOTHER = re.compile(r"(?:,| and|, and) (?=an? )")
"""Between two that are introduced at once: "a cat named Tom and a dog named Rex"."""
_ATTRIBUTIVE = re.compile(r",? (?:with|who|that|which|in|from|of|wearing) ")
_INTO_SCENE = re.compile(r",? (?:in)?to (?:the|this|our) (?:scene|room|story|world|game)$")
_WHEREABOUTS = frozenset({"in", "inside", "under", "behind", "on", "from", "at", "here"})
_ONTO = frozenset({"on", "onto", "upon", "on top of", "on to", "atop"})
_INTO = frozenset({"in", "into", "inside", "within", "in to", "inside of"})
_OUT = frozenset({"from", "off", "out of", "off of"})
_LOOKING = frozenset({"inspect", "search", "look"})
_SHUTTING = frozenset({"open", "close", "lock", "unlock"})
_MEANS = frozenset({"with", "using", "by using", "by means of", "by"})
_DEEDS_OF_GESTURES = {
    phrase: kind
    for kind in ("eat", "take")
    for phrase in en.VERBS[kind]
    if phrase in WORDS.gestures
}
_BITES = frozenset({"bite", "bites", "gulp", "mouthful", "nibble", "sip", "swallow", "swig"})
_DOERS = en.SELF | {"you", "yourself", "them", "him", "her"}
_LEFT_ALONE = SentenceMood("prohibition", "leave")
_NO_CLAUSE = frozenset({"unknown", "gesture", "deed", "look", "wait", "inventory", *SPEECH})


def make_clause_claims(
    lexicon: ParserContext, verb: EnglishVerb, rest: EnglishPhrase, earlier: Sequence[Claim] = ()
) -> list[Claim]:
    """The claims of a verb and the words after it; `earlier` are those before it."""
    return ClauseReader(lexicon, verb, rest, earlier).read()


class ClauseReader:
    """Reads one clause."""

    def __init__(
        self,
        lexicon: ParserContext,
        verb: EnglishVerb,
        rest: EnglishPhrase,
        earlier: Sequence[Claim] = (),
    ) -> None:
        """Read the words of `rest` after `verb`."""
        self.lexicon, self.verb, self.rest = lexicon, verb, rest
        self.earlier = earlier
        self.nouns = NounReader(lexicon, earlier)
        self.places = PlaceReader(lexicon, self.nouns, verb)
        self.lost: Claim | None = None

    def read(self) -> list[Claim]:
        """The claims; one that names the lost words if not all have a use."""
        self._settle_verb()
        verb, rest = self.verb, self.rest
        if verb.manner:
            return [self._claim_craft()]
        if self._is_turning_key():
            return []
        if self._is_gesture():
            return [make_emote_claim(self._render(rest))]
        if " ".join((verb.phrase, *list_words(rest))) in WORDS.idioms:
            return [make_unrecognised_claim(self._render(rest))]
        parts = self._split(self._strip_beneficiary(rest))
        kind = self._find_kind(parts)
        if kind == "deed" or self._is_deed(kind, parts):
            return [make_unrecognised_claim(self._render(rest), "no way")]
        claims = self._claim(kind, parts)
        return [self.lost] if self.lost is not None else claims

    def _settle_verb(self) -> None:
        """“Scoff” is a gesture, and "scoff the bun" a meal."""
        kind = _DEEDS_OF_GESTURES.get(self.verb.phrase, "")
        if (
            kind
            and self.verb.kind == "gesture"
            and self.nouns.find_entities(self._split(self.rest).target)
        ):
            self.verb = self.verb._replace(kind=kind)

    def _strip_beneficiary(self, rest: EnglishPhrase) -> EnglishPhrase:
        """“The lamp” for "fetch me the lamp": the speaker is the one who gets it."""
        fetched = self.verb.kind == "take" or self.verb.word == "bring"
        mine = fetched and len(rest) > 1 and rest[0].low in ("me", "us", "myself")
        if mine and self.verb.word == "bring" and self.verb.kind == "give":
            self.verb = self.verb._replace(kind="take")
        return rest[1:] if mine else rest

    def _is_turning_key(self) -> bool:
        """“Put the key in the door and turn it”: turning it is no second deed."""
        last = self.earlier[-1] if self.earlier else {}
        turned = self.verb.word in ("turn", "twist") and list_words(self.rest) in (
            ("it",),
            ("key",),
        )
        return turned and last.get("type") == "unlock" and "tool" in last

    def _claim(self, kind: str, parts: ClauseParts) -> list[Claim]:
        """The claims of a verb of this kind; `lost` is set if a word has no use."""
        if kind in ("introduce", "describe"):
            return self._claim_authoring(kind)
        if kind == "inventory":
            self._lose(self.rest)
            return [self.lexicon.make_inventory_claim()]
        if kind == "wait":
            return self._claim_wait(parts)
        if kind == "look":
            return self._claim_look(parts)
        way = self.places.find_way(kind, self.rest, parts)
        if way:
            return [{"type": "move", "target": way}]
        if kind == "move":
            return self._claim_move()
        if kind == "use":
            return self._claim_use(parts)
        if kind == "search":
            return self._claim_search(parts)
        if kind == "give" and not any(p.preposition == "to" for p in parts.phrases):
            return self._claim_give(parts)
        return self._claim_roles(kind, parts)

    def _is_rummaging(self) -> bool:
        """“Go through the basket”: a container is searched."""
        through = self.verb.phrase == "go" and len(self.rest) > 1 and self.rest[0].low == "through"
        noun = self.nouns.extract(self._strip_manner(self.rest[1:])) if through else ""
        found = self.lexicon.find_matches(noun) if noun else ()
        here = strip_article(noun) in self.lexicon.here
        return here or (bool(found) and all(e.kind == "container" for e in found))

    def _render(self, rest: EnglishPhrase) -> str:
        return f"{self.verb.phrase} {self.nouns.extract(rest)}" if rest else self.verb.phrase

    def _lose(self, phrase: EnglishPhrase, nearest: str = "") -> None:
        """Note words that have no use; only the first are named."""
        if phrase:
            self._lose_words(self.nouns.extract(phrase), nearest)

    def _lose_words(self, words: str, nearest: str = "") -> None:
        if self.lost is None:
            self.lost = make_leftover_claim(self._render(self.rest), words, nearest)

    def _split(self, rest: EnglishPhrase) -> ClauseParts:
        return ClauseSplitter(self.lexicon.is_known, self._begins_clause).split(rest)

    def _begins_clause(self, phrase: EnglishPhrase) -> bool:
        """Whether a deed of its own begins here: "to open the gate"."""
        verb = self.find_verb(phrase)
        if verb is None or verb.kind in _NO_CLAUSE:
            return False
        return not (len(phrase) == 1 and self.lexicon.is_known(phrase[0].low))

    def find_verb(self, phrase: EnglishPhrase) -> EnglishVerb | None:
        """The verb that the words begin with, crafts included."""
        return find_leading_verb(phrase, self.lexicon)

    def _find_kind(self, parts: ClauseParts) -> str:
        """The action, with particles that follow the object: "pick the lamp up"."""
        verb, placed = self.verb, self._find_destination(parts)
        if verb.length == 1:
            for particle in parts.particles:
                left = verb.word in ("leave", "keep", "hold", "find", "prop")
                swung = "" if left else {"open": "open", "shut": "close"}.get(particle.low, "")
                kind = PAIRS.split_verbs.get(f"{verb.word} {particle.low}", swung)
                if kind and not (kind == "drop" and placed is not None):
                    return kind
        if verb.kind == "drop" and placed is not None:
            return "put"
        if verb.word in ("get", "bring", "take", "carry") and placed is not None:
            into = placed.preposition in ("into", "onto", "on to", "in to")
            return "put" if into and parts.target else verb.kind
        if verb.word == "bring" and any(p.preposition in ("from", "out of") for p in parts.phrases):
            return "take"
        if verb.word == "slip" and not any(p.preposition == "to" for p in parts.phrases):
            return "put" if placed is not None else "move"
        if verb.word in WORDS.lifting | WORDS.pulling and self._can_take(parts):
            return "take"
        if verb.word in WORDS.resting and parts.target and self._is_placed(parts):
            return "put"
        return verb.kind

    def _is_placed(self, parts: ClauseParts) -> bool:
        """Whether a holder or the floor is named as the place."""
        return self._find_destination(parts) is not None or any(
            p.noun and self._is_ground(p) for p in parts.phrases
        )

    def _can_take(self, parts: ClauseParts) -> bool:
        sources = any(p.preposition in _OUT for p in parts.phrases)
        found = find_things(self.lexicon, parts.target)
        return sources or (self.verb.word in WORDS.lifting and any(e.takeable for e in found))

    def _find_destination(self, parts: ClauseParts) -> PrepositionalPhrase | None:
        """The phrase that says into or onto what a thing is put."""
        for phrase in parts.phrases:
            if phrase.preposition in _ONTO | _INTO or (
                phrase.preposition == "to" and self.verb.word in ("move", "shift", "transfer")
            ):
                found = self.nouns.find_entities(phrase.noun)
                if any(e.kind in ("container", "supporter") for e in found):
                    return phrase
        return None

    def _is_gesture(self) -> bool:
        """“Nod”, “take a breath”, “give Pim a smile”: words that only express something."""
        verb, lexicon = self.verb, self.lexicon
        if self._moves_body() or self._is_leading_person() or self._is_bite():
            return True
        if verb.kind == "gesture":
            return not (verb.word in WORDS.resting and self._is_placed(self._split(self.rest)))
        if not lexicon.narrated:
            return False
        if verb.phrase in WORDS.gazing | WORDS.examining:
            parts = self._split(self.rest)
            seen = self.nouns.extract(parts.target)
            closely = verb.phrase in WORDS.examining or any(
                t.low in WORDS.closely for t in parts.manner
            )
            return lexicon.is_person(seen) or not (closely or lexicon.can_see(seen))
        said = " ".join((*verb.phrase.split(), *list_words(self.rest)))
        return any(said.startswith((g + " ", g + "\0")) or said == g for g in _NARRATED)

    def _is_bite(self) -> bool:
        """“Takes a big bite”, “has a long sip”, with no word for the food."""
        words = list_words(self._strip_manner(self.rest))
        begun = self.verb.kind == "take" and words[:1] in (("a",), ("another",), ("one",))
        return begun and words[-1] in _BITES and not self.lexicon.is_known(words[-1])

    def _is_leading_person(self) -> bool:
        """“Take Ines by the hand”."""
        words = list_words(self.rest)
        held = self.verb.kind == "take" and words[-1:] and words[-1] in WORDS.body and "by" in words
        return bool(held) and self.lexicon.is_person(
            self.nouns.extract(self.rest[: words.index("by")])
        )

    def _moves_body(self) -> bool:
        """Whether the object is a body part or a smile, and not the name of a thing."""
        verb, lexicon, rest = self.verb, self.lexicon, self.rest
        looks = verb.kind in ("inspect", "look", "search") and not lexicon.narrated
        if looks or verb.kind in SPEECH or (verb.kind == "wait" and verb.word != "rest"):
            return False
        start = lexicon.count_person_words([t.low for t in rest]) if verb.kind == "give" else 0
        if start and rest[start - 1].low == "her":  # "give her smile": whose, not whom
            start = start if len(rest) > start and rest[start].low in WORDS.body_owners else 0
        if verb.kind == "give" and not start:
            start = _find_second_object(self._split(rest).target)
        target = self._split(rest[start:]).target
        owned = target and (target[0].low in WORDS.body_owners or target[0].low.endswith("'s"))
        bare = len(target) == 1 and target[0].low in ("feet", "hands", "arms", "eyes", "shoulders")
        mine = len(target) > 1 and target[0].low in en.MINE and target[1].low in WORDS.body
        if not (bare or mine or (owned and target[-1].low in WORDS.body)):
            return False
        if mine:
            target = target[:2]
        if verb.kind == "wait" and target[0].low in ("a", "an"):
            return False
        name = self.nouns.extract(target)
        return not (lexicon.find_matches(name) if mine else lexicon.is_known(name))

    def _is_deed(self, kind: str, parts: ClauseParts) -> bool:
        """“Dig”, “cut the wool”: a known verb that nothing here makes possible."""
        verb, rest = self.verb, self.rest
        if verb.word == "hide":
            return not rest or rest[0].low in _WHEREABOUTS
        if verb.phrase == "smell":
            return not rest
        if kind != "use" or verb.phrase in WORDS.asked_about | WORDS.tool_verbs:
            return False
        if not rest or any(p.preposition in en.ROLES["use"] for p in parts.phrases):
            return not rest
        words = self.nouns.extract(parts.target)
        matches = self.lexicon.find_matches(words)
        if not matches and (self.lexicon.is_near(words) or self.lexicon.is_here(words)):
            return True  # "Water the garden"
        return bool(matches) and not any("use" in e.attributes for e in matches)

    # One reader for each kind of verb.

    def _claim_roles(self, kind: str, parts: ClauseParts) -> list[Claim]:
        """The claims of a verb whose prepositions open roles."""
        target, phrases = self._read_target(kind, parts)
        claim: Claim = {"type": kind}
        if target.kind == "part":
            claim["source"] = target.extra
        for phrase in phrases:
            self._read_phrase(claim, target, phrase)
        if parts.purpose:
            return self._claim_purpose(claim, target, parts)
        if self._is_key_turned(claim, target):
            return [{"type": "unlock", "target": claim["destination"], "tool": target.words}]
        self._check_particles(claim, parts)
        words = claim.pop("target", target.words)
        if parts.exceptions and target.several:
            target = target._replace(several=self._leave_out(target, parts.exceptions))
        elif parts.exceptions:
            words = self._add_exceptions(kind, words, parts.exceptions)
        if target.kind in ("lost", "no thing"):
            self._lose_target(target)
        chosen = self._choose_held(kind, target.several)
        if target.extra and len(chosen) < len(target.several):
            self._lose_words(target.extra)
        named = chosen or (({"target": words},) if words else ({},))
        claims = [self._place_claim({"type": kind} | name | claim, parts) for name in named]
        return [one for each in claims for one in self.lexicon.settle_destination(each)]

    def _choose_held(self, kind: str, several: Sequence[Claim]) -> Sequence[Claim]:
        """Of several things, those that can be taken, or are held and can be given away."""
        if kind not in ("take", "drop", "put", "give"):
            return several
        held = {e.id for e in self.lexicon.scope if e.place == self.lexicon.actor}
        return [s for s in several if (s.get("targetId") in held) is (kind != "take")] or several

    def _lose_target(self, target: NounReading) -> None:
        if target.kind == "no thing":
            # "Take heart" is no attempt to take anything.
            self.lost = self.lost or make_leftover_claim(self._render(self.rest), target.extra)
            return
        self._lose_words(target.extra, f"{self.verb.phrase} {target.words}" if target.words else "")

    def _place_claim(self, claim: Claim, parts: ClauseParts) -> Claim:
        """The claim, with "here" and "back" as its destination."""
        if claim["type"] != "put" or "destination" in claim or "destinationId" in claim:
            return claim
        if any(t.low == "here" for t in parts.manner):
            return claim | {"type": "drop"}
        if any(t.low == "back" for t in parts.particles):
            holder = self._find_origin(claim)
            return claim | holder
        return claim

    def _find_origin(self, claim: Claim) -> Claim:
        """Where the thing is that is to be put back; empty if the speaker holds it."""
        words = str(claim.get("target", ""))
        if strip_article(words) in en.THINGS and self.earlier:
            words = str(self.earlier[-1].get("target", ""))
        found = self.lexicon.find_matches(words)
        place = found[0].place if len(found) == 1 else None
        holder = self.lexicon.world.entities.get(place) if place else None
        if holder is None or holder.kind not in ("container", "supporter"):
            return {}
        return {"destinationId": holder.id}

    def _read_target(
        self, kind: str, parts: ClauseParts
    ) -> tuple[NounReading, Sequence[PrepositionalPhrase]]:
        """What the object names, and the phrases that do not belong to it."""
        target = self.nouns.read(parts.target)
        phrases: Sequence[PrepositionalPhrase] = parts.phrases
        door, leading = self._find_door(parts)
        if leading is not None:
            return NounReading("thing", door), [p for p in phrases if p is not leading]
        if target.kind in ("thing", "no thing") and not self.lexicon.is_known(target.words):
            owned = self._find_owner(parts)
            if owned is not None:
                part = self.nouns.extract(parts.target)
                target = NounReading("part", self.nouns.extract(owned.noun), part)
                phrases = [p for p in parts.phrases if p is not owned]
        return self._settle_part(kind, target), phrases

    def _find_door(self, parts: ClauseParts) -> tuple[str, PrepositionalPhrase | None]:
        """“The door to the cellar”: the door in that way, and the phrase that says which."""
        head = parts.target[-1].low if parts.target else ""
        leads = head in ("leading", "going", "opening")
        noun = parts.target[-2].low if leads and len(parts.target) > 1 else head
        for phrase in parts.phrases if noun in WORDS.door_nouns else ():
            place = strip_article(self.nouns.extract(phrase.noun))
            if phrase.preposition in ("to", "into", "of", "for", "in") and self.lexicon.is_near(
                place
            ):
                door = self.lexicon.find_door(place)
                return door, phrase if door else None
        return "", None

    def _find_owner(self, parts: ClauseParts) -> PrepositionalPhrase | None:
        """“The switch on the lamp”: the phrase that says what the part belongs to."""
        head = parts.target[-1].low if parts.target else ""
        for phrase in parts.phrases:
            found = find_things(self.lexicon, phrase.noun)
            placed = phrase.preposition in en.ROLES["take"]
            holds = any(e.kind in HOLDERS for e in found)
            if found and placed and (head in WORDS.parts or not holds):
                return phrase
        return None

    def _settle_part(self, kind: str, target: NounReading) -> NounReading:
        """A part of a thing as the thing, for verbs for which they are the same."""
        if target.kind != "part":
            return target
        part = strip_article(target.extra).split()[-1]
        opens = kind in _SHUTTING and part in WORDS.opened_parts
        if kind in _LOOKING or opens or (kind == "use" and part in WORDS.used_parts):
            return NounReading("thing", target.words)
        if part == "contents" and kind == "take":
            return NounReading("part", "all", target.words)
        return NounReading("lost", extra=target.extra)

    def _read_phrase(self, claim: Claim, target: NounReading, phrase: PrepositionalPhrase) -> None:
        """Use one prepositional phrase, or note that it has no use."""
        kind, opener = claim["type"], phrase.preposition
        words = self.nouns.extract(phrase.noun)
        role = en.ROLES.get(kind, {}).get(opener)
        if not phrase.noun and not (role == "destination" and claim["type"] == "put"):
            self._lose(phrase.tokens, self._render_nearest(target))
        elif not phrase.noun:
            pass
        elif self._is_ground(phrase) or self._is_here(phrase):
            self._settle_ground(claim, phrase)
        elif opener == "behind" and kind in _SHUTTING and strip_article(words) in _DOERS:
            pass  # "close it behind you"
        elif self._is_elsewhere(phrase) or (opener in _MEANS and role is None):
            if not (opener in _MEANS and _is_hand(phrase)):
                self._lose(phrase.tokens, self._render_nearest(target))
        elif (opener in _MEANS and _is_hand(phrase)) or role == "":
            pass
        elif role is not None:
            self._fill_role(claim, role, phrase)
        elif (
            opener in LISTS.where_in
            and target.kind == "thing"
            and self._is_place_of(opener, words)
            and not (kind == "drop" and self.lexicon.is_person(words))
        ):
            claim["target"] = f"{claim.get('target', target.words)} {opener} {words}"
        else:
            self._lose(phrase.tokens, self._render_nearest(target))

    def _is_key_turned(self, claim: Claim, target: NounReading) -> bool:
        """“Insert the key into the cellar door”: it is unlocked with the key."""
        found = self.lexicon.find_matches(str(claim.get("destination", "")))
        keys = {e.required_key for e in found}
        key = target.words
        if key == "it" and self.earlier:
            key = str(self.earlier[-1].get("target", ""))
        used = self.lexicon.find_matches(key)
        doors = bool(found) and all(e.kind == "door" for e in found)
        return claim["type"] == "put" and doors and any(e.id in keys for e in used)

    def _fill_role(self, claim: Claim, role: str, phrase: PrepositionalPhrase) -> None:
        noun = self.nouns.read(phrase.noun)
        if noun.kind == "part" and strip_article(noun.extra).split()[-1] not in WORDS.opened_parts:
            self._lose(phrase.tokens)
        abstract = noun.kind == "no thing" and (
            phrase.noun[-1].low in WORDS.abstract | WORDS.body or role == "source"
        )
        if noun.kind in ("lost", "several") or abstract:
            self._lose_words(noun.extra or self.nouns.extract(phrase.tokens))
        opens = role != "tool" or not self._opens_nothing(claim["type"], noun.words)
        if role in claim or not opens or (role == "tool" and self.lexicon.is_person(noun.words)):
            self._lose(phrase.tokens)
        claim[role] = noun.words
        if role == "destination":
            person = self.lexicon.find_matches(noun.words)
            onto = phrase.preposition in _ONTO
            if onto and person and all(e.kind == "character" for e in person):
                self._lose(phrase.tokens)
            claim["relation"] = "on" if phrase.preposition in _ONTO else "in"

    def _opens_nothing(self, kind: str, words: str) -> bool:
        """Whether it is a thing in reach that is no key: "open it with the umbrella"."""
        found = self.lexicon.find_matches(words)
        keys = {e.required_key for e in self.lexicon.scope}
        fits = any(e.id in keys or "key" in words.lower() for e in found)
        return kind == "open" and bool(found) and not fits

    def _render_nearest(self, target: NounReading) -> str:
        known = target.kind == "thing" and target.words
        return f"{self.verb.phrase} {target.words}" if known else ""

    def _is_place_of(self, opener: str, words: str) -> bool:
        """Whether a thing can be there: "at Nell" says where it is thrown."""
        kinds = HOLDERS - {"character"} if opener == "at" else HOLDERS
        return any(e.kind in kinds for e in self.lexicon.find_matches(words))

    def _is_here(self, phrase: PrepositionalPhrase) -> bool:
        """“In the kitchen”, said there."""
        words = self.nouns.extract(phrase.noun)
        return phrase.preposition in LISTS.where_in and self.lexicon.is_here(words)

    def _is_elsewhere(self, phrase: PrepositionalPhrase) -> bool:
        words = self.nouns.extract(phrase.noun)
        if phrase.preposition == "out of" and strip_article(words) in self.lexicon.here:
            return True  # "Take the lamp out of the kitchen": it is to be carried away
        return phrase.preposition in en.ROLES["take"] and self.lexicon.is_elsewhere(words)

    def _is_ground(self, phrase: PrepositionalPhrase) -> bool:
        """“On the floor”, “from the floor of the kitchen”, “onto the kitchen floor”."""
        words = strip_article(self.nouns.extract(phrase.noun)).split()
        if not words or self.lexicon.find_matches(" ".join(words)):
            return False
        here = [w for w in words if w not in WORDS.floor]
        place = " ".join(w for w in here if w not in ("of", "the", "in", "this", "my"))
        found = len(here) < len(words) and (not place or self.lexicon.is_here(place))
        return found and (phrase.preposition in en.ROLES["take"] or phrase.preposition == "to")

    def _settle_ground(self, claim: Claim, phrase: PrepositionalPhrase) -> None:
        """Turn putting on the floor, or in the room one is in, into dropping."""
        placed = "destination" in claim or phrase.preposition not in _ONTO | _INTO
        if claim["type"] == "put" and not placed:
            claim["type"] = "drop"

    def _check_particles(self, claim: Claim, parts: ClauseParts) -> None:
        allowed = GROUPS.verb_particles.get(claim["type"], ())
        for particle in parts.particles:
            if particle.low not in allowed:
                self._lose((particle,))

    def _add_exceptions(self, kind: str, words: str, exceptions: EnglishPhrase) -> str:
        """“All but the key”; only what can be done to all can be done to all but one."""
        names = self._list_exceptions(exceptions)
        if (
            words.lower() not in WORDS.all
            or not names
            or kind not in ("take", "drop", "put", "give")
        ):
            self._lose(exceptions)
        return f"all but {names}"

    def _leave_out(self, target: NounReading, exceptions: EnglishPhrase) -> tuple[Claim, ...]:
        """Of several things, those that are not excluded."""
        names = self._list_exceptions(exceptions).split(" and ")
        excluded = {e.id for name in names for e in self.lexicon.find_matches(name)}
        left = tuple(one for one in target.several if one.get("targetId") not in excluded)
        if not left or len(left) == len(target.several):
            self._lose(exceptions)
        return left

    def _list_exceptions(self, phrase: EnglishPhrase) -> str:
        """The excluded names, each in the singular if only that is a name."""
        names: list[list[str]] = [[]]
        for token in phrase:
            if token.low in (",", *WORDS.joining):
                names.append([])
            elif token.kind != EXCEPT:
                names[-1].append(self.nouns.extract((token,)))
        texts = (" ".join(name) for name in names if name)
        return " and ".join(
            text if self.lexicon.is_known(text) else to_singular(text) for text in texts
        )

    def _claim_purpose(self, claim: Claim, target: NounReading, parts: ClauseParts) -> list[Claim]:
        """“Put the key into the lock to unlock it”: what is done, and with what."""
        verb = self.find_verb(parts.purpose)
        owner = claim.get("destination", "")
        if claim["type"] != "put" or verb is None or verb.kind not in _SHUTTING or not owner:
            self._lose(parts.purpose, self._render_nearest(target))
            return []
        inner = make_clause_claims(self.lexicon, verb, parts.purpose[verb.length :], self.earlier)
        return [
            one | {"tool": target.words, "target": owner}
            if strip_article(str(one.get("target", "it"))) in en.THINGS
            else one | {"tool": target.words}
            for one in inner
        ]

    def _claim_authoring(self, kind: str) -> list[Claim]:
        """“Introduce a red cat named Tom”, “describe Marta as tall”."""
        words = self.nouns.extract(self.rest)
        if kind == "describe":
            named, _, content = words.partition(" as ")
            return [{"type": kind, "target": named, "content": content}]
        words = _INTO_SCENE.sub("", words)
        if not words or " to " in words or strip_article(words) in en.SELF | {"yourself"}:
            self._lose_words(words or self.verb.phrase)
        parts = _ANOTHER.split(words)
        several = len(parts) > 1 and all(_split_naming(part)[1] for part in parts)
        return [self._claim_introduction(part) for part in (parts if several else [words])]

    def _claim_introduction(self, words: str) -> Claim:
        """A name, a look, or both: "a red cat named Tom", "Tom, a red cat", "the old sailor"."""
        look, _, name = _split_naming(words)
        if not name and "," in words:
            name, _, look = (part.strip() for part in words.partition(","))
        name = name.strip("“”\"' ") or _ARTICLE.sub("", words)
        if self.lexicon.find_bearers(name):
            return {"type": "introduce", "target": name}
        facts: dict[str, Any] = {"name": name}
        if look and look != words:
            # "The red cat" and "the cat" are Tom as well.
            alias = _ATTRIBUTIVE.split(_ARTICLE.sub("", look))[0]
            facts |= {"description": look, "aliases": [alias]}
        return {"type": "introduce", "target": name, "metadata": facts}

    def _claim_wait(self, parts: ClauseParts) -> list[Claim]:
        """“Wait a moment” waits; “rest the shoe on the table” puts it there."""
        rest = self.rest
        if (
            rest
            and rest[0].low not in WORDS.waiting_for
            and not (parts.manner and not parts.target)
        ):
            self._lose(rest)
        return [{"type": "wait"}]

    def _claim_give(self, parts: ClauseParts) -> list[Claim]:
        """“Give the keeper the coin”: the recipient comes first."""
        phrase = parts.target
        if phrase and phrase[0].low in ("both", "only", "just"):
            return self._claim_roles("give", parts)
        cut = self.lexicon.count_person_words([t.low for t in phrase])
        if cut == 0 or cut == len(phrase):
            cut = _find_second_object(phrase)
        if cut == 0:
            return self._claim_roles("give", parts)
        claims = self._claim_roles("give", parts._replace(target=phrase[cut:]))
        return [claim | {"recipient": self.nouns.extract(phrase[:cut])} for claim in claims]

    def _claim_move(self) -> list[Claim]:
        verb, rest = self.verb, self.rest
        if self._is_rummaging():
            noun = self.nouns.extract(self._strip_manner(rest[1:]))
            here = strip_article(noun) in self.lexicon.here
            return [{"type": "search", "target": "here" if here else noun}]
        upward = PAIRS.up_and_down.get(verb.phrase, "")
        away = self.places.skip_leaving(rest)
        if away is not None and not away:
            return [{"type": "move", "target": "out"}]
        rest = self._strip_manner(away or rest)
        if self.rest and not rest and self.rest[0].low in ("on", "in", "with", "without"):
            self._lose(self.rest)
        if not rest:
            way = PAIRS.ways_of_verbs.get(verb.phrase, upward)
            way = "back" if verb.phrase.endswith(" back") else way
            return [{"type": "move", "target": way} if way else {"type": "move"}]
        if verb.word in ("leave", "exit", "vacate") and rest[0].low not in WORDS.leaving_by:
            after = self.places.skip_here(rest)
            left = None if after else self._claim_leaving(rest)
            if left is not None:
                return left
            rest = after or rest
        return self._claim_going_to(rest)

    def _claim_leaving(self, rest: EnglishPhrase) -> list[Claim] | None:
        """“Leave the kitchen”, “leave the lamp”; None if the words name a way."""
        words = self.nouns.extract(rest)
        if self.lexicon.is_here(words) or _strip_room(words) != words:
            return [{"type": "move", "target": "out"}]
        if self.verb.word == "leave" and not self.lexicon.is_way(words):
            return self._claim_leave()
        return None

    def _claim_going_to(self, rest: EnglishPhrase) -> list[Claim]:
        verb, lexicon = self.verb, self.lexicon
        target = self.places.find_climb(rest) or self.places.find_place(rest)
        if target is None:
            self._lose(rest)
            return []
        nearing = any(t.low in WORDS.nearing for t in rest) or verb.word == "approach"
        away = lexicon.is_near(target) or lexicon.is_here(target)
        if nearing and not away and lexicon.can_see(target) and lexicon.narrated:
            return [make_emote_claim(self._render(self.rest))]
        if nearing and not away and lexicon.can_see(target):
            return [{"type": "inspect", "target": target}]
        if not self.places.is_place(target):
            self._lose_place(target)
        if verb.phrase in PAIRS.up_and_down and lexicon.can_see(target):
            return [make_unrecognised_claim(self._render(self.rest), "no way")]
        return [self._make_move(target)]

    def _make_move(self, target: str) -> Claim:
        """A move; the place one is in is meant before a thing with its name in it."""
        room = find_room(self.lexicon.world, self.lexicon.actor)
        named = strip_article(target) in self.lexicon.here
        return {"type": "move"} | ({"targetId": room} if named else {"target": target})

    def _strip_manner(self, rest: EnglishPhrase) -> EnglishPhrase:
        """The words without adverbs; ways such as "back" and "out" stay."""
        manner = {t.start for t in self._split(rest).manner if t.low not in en.DIRECTIONS}
        return tuple(t for t in rest if t.start not in manner)

    def _claim_leave(self) -> list[Claim]:
        """“Leave the lamp”, “leave the lamp on the table”: it is put down.

        “Leave the box closed” asks for nothing.
        """
        if self.rest[-1].low in WORDS.state_adjectives:
            return [make_withheld_claim(self._render(self.rest), _LEFT_ALONE)]
        parts = self._split(self.rest)
        placed = self._find_destination(parts)
        kind = "drop" if placed is None else "put"
        if placed is not None and not self._is_held(parts.target):
            return [make_withheld_claim(self._render(self.rest), _LEFT_ALONE)]
        if self.earlier and kind == "drop" and not self._is_held(parts.target):
            return []
        if any(t.low in WORDS.remaining for t in self.rest):
            self._lose(self.rest)
        return self._claim_roles(kind, parts)

    def _is_held(self, noun: EnglishPhrase) -> bool:
        """Whether the speaker holds the thing, or was just asked to take it."""
        words = self.nouns.extract(noun)
        taken = {str(c.get("target", "")) for c in self.earlier if c["type"] == "take"}
        if strip_article(words) in en.THINGS or not taken.isdisjoint(WORDS.all):
            return True
        found = self.lexicon.find_matches(words)
        held = {e.id for name in taken for e in self.lexicon.find_matches(name)}
        return any(e.place == self.lexicon.actor or e.id in held for e in found)

    def _lose_place(self, target: str) -> None:
        """Name a place that is unknown, and the exit that was misspelt."""
        near = find_typo_correction(strip_article(target), self.places.list_ways())
        nearest = f"{self.verb.phrase} {near}" if near else ""
        self._lose_words(target, nearest)

    def _claim_look(self, parts: ClauseParts) -> list[Claim]:
        words = [
            self.nouns.extract(parts.target),
            *(self.nouns.extract(p.noun) for p in parts.phrases),
        ]
        room = strip_article(words[0]) in self.lexicon.here
        here = all(not w or self.lexicon.is_here(w) or self.lexicon.is_way(w) for w in words)
        if here and not parts.exceptions:
            return [{"type": "inspect", "target": words[0]} if room else {"type": "look"}]
        if not parts.phrases and parts.target:
            return self._claim_roles("inspect", parts)
        self._lose(self.rest)
        return []

    def _claim_search(self, parts: ClauseParts) -> list[Claim]:
        """“Search the bench”, “search for the ring in the chest”, “look under”."""
        phrase = self.verb.phrase
        if not self.rest and phrase.endswith((" in", " inside", " under", " behind")):
            return [{"type": "search", "target": "it"}]
        seeks = phrase.endswith((" for", "find")) or not parts.target
        where = [p for p in parts.phrases if p.preposition in en.ROLES["take"] and p.noun]
        if seeks and where:
            return [{"type": "search", "target": self.nouns.extract(where[-1].noun)}]
        if seeks or self.lexicon.is_here(self.nouns.extract(parts.target)):
            return [{"type": "search", "target": "here"}]
        if strip_article(self.nouns.extract(parts.target)) in WORDS.floor:
            return [{"type": "search", "target": "here"}]
        return self._claim_roles("search", parts)

    def _claim_use(self, parts: ClauseParts) -> list[Claim]:
        verb = self.verb
        if verb.phrase == "move" and (going := self._claim_going(parts)):
            return going
        if verb.phrase not in WORDS.tool_verbs:
            return [_promote_tool(c) for c in self._claim_roles("use", parts)]
        if parts.purpose:
            return self._claim_tool(parts)
        names = self._split_names(parts.target) if not parts.phrases else None
        if names is not None:
            return [{"type": "use", "target": names[1], "tool": names[0]}]
        on = [p for p in parts.phrases if p.preposition in WORDS.use_on and p.noun]
        if not on or not parts.target:
            return [_promote_tool(c) for c in self._claim_roles("use", parts)]
        others = tuple(p for p in parts.phrases if p is not on[0])
        means = self.nouns.read(parts.target)
        if means.kind != "thing":
            self._lose(parts.target)
        claims = self._claim_roles("use", parts._replace(target=on[0].noun, phrases=others))
        return [claim | {"tool": means.words} for claim in claims]

    def _claim_going(self, parts: ClauseParts) -> list[Claim]:
        """“Move north”, “move to the exit”: the speaker moves, and no thing is used."""
        words = self.nouns.extract(parts.target)
        if parts.target and self._find_destination(parts):
            return self._claim_roles("put", parts._replace(
                phrases=tuple(p._replace(preposition="on") if p.preposition == "to" else p
                              for p in parts.phrases)))  # fmt: skip
        going = not parts.target or self.lexicon.is_way(words) or self.lexicon.is_near(words)
        return self._claim_move() if going and self.rest else []

    def _claim_tool(self, parts: ClauseParts) -> list[Claim]:
        """“Use the key to open the gate”: the deed, with the key."""
        doing = self.find_verb(parts.purpose)
        means = self.nouns.read(parts.target)
        if doing is None or means.kind != "thing":
            self._lose(parts.purpose)
            return []
        inner = make_clause_claims(self.lexicon, doing, parts.purpose[doing.length :], self.earlier)
        return [
            claim | {"tool": means.words} if claim["type"] in WORDS.tooled else claim
            for claim in inner
        ]

    def _split_names(self, phrase: EnglishPhrase) -> tuple[str, str] | None:
        """“Use iron key cellar door”: a tool, and what it is used on."""
        if self.lexicon.is_known(self.nouns.extract(phrase)):
            return None
        for cut in range(1, len(phrase)):
            pair = self.nouns.extract(phrase[:cut]), self.nouns.extract(phrase[cut:])
            if all(len(self.lexicon.find_matches(name)) == 1 for name in pair):
                return pair
        return None

    def _claim_craft(self) -> Claim:
        """“Slice the carrot with the knife”, “cook it on the stove”."""
        parts = ClauseSplitter(self.lexicon.is_known, lambda _: False).split(self.rest)
        plain = any(p.preposition in en.ROLES["use"] for p in parts.phrases)
        roles = en.ROLES["use"] if plain else PAIRS.crafted_with
        claim: Claim = {"type": "use"}
        target = self.nouns.extract(parts.target)
        for phrase in parts.phrases:
            if roles.get(phrase.preposition) and phrase.noun and "tool" not in claim:
                claim["tool"] = self.nouns.extract(phrase.noun)
            elif phrase.noun:
                target = f"{target} {self.nouns.extract(phrase.tokens)}"
        return claim | ({"target": target} if target else {}) | {"manner": self.verb.manner}


_NARRATED = tuple(sorted(WORDS.narrated_gestures))


def _is_hand(phrase: PrepositionalPhrase) -> bool:
    """“With my left hand”: what everybody does things with."""
    return bool(phrase.noun) and phrase.noun[-1].low in WORDS.hands


def _find_second_object(rest: EnglishPhrase) -> int:
    """Where the second object begins: "give mad hatter the key"; 0 if there is one."""
    articles = [i for i, t in enumerate(rest) if t.low in (*en.ARTICLES, *en.MINE)]
    return articles[-1] if articles else 0


def _split_naming(words: str) -> tuple[str, str, str]:
    """A look and a name: "a red cat named Tom"."""
    for between in (" named ", " called ", " by the name of ", " known as "):
        if between in words:
            return words.partition(between)
    return words, "", ""


def _strip_room(words: str) -> str:
    return words.lower().removesuffix("this place")


def _promote_tool(claim: Claim) -> Claim:
    """“Dig with the spade”: without a target, the tool becomes what is used."""
    if claim["type"] == "use" and "tool" in claim and "target" not in claim:
        return {"type": "use", "target": claim["tool"]}
    return claim
