"""Make the claims of one English clause: a verb, and the roles of what follows it.

Every word needs a use. A clause with a word that has none claims nothing: its claim
names the word and the nearest reading that would be understood.
"""

from collections.abc import Sequence

from saniwa.language.en.authoring import claim_authoring
from saniwa.language.en.clause import EnglishClause
from saniwa.language.en.clause_parts import ClauseParts, PrepositionalPhrase
from saniwa.language.en.exclusions import EXCEPT
from saniwa.language.en.gestures import find_second_object, is_gesture
from saniwa.language.en.noun_phrases import NounReading, to_singular
from saniwa.language.en.places import PlaceReader
from saniwa.language.en.words import EnglishPhrase, EnglishVerb, find_leading_verb, list_words
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

_LOOKING = frozenset({"inspect", "search", "look"})
_SHUTTING = frozenset({"open", "close", "lock", "unlock"})
_DEEDS_OF_GESTURES = {
    phrase: kind
    for kind in ("eat", "take")
    for phrase in en.VERBS[kind]
    if phrase in WORDS.gestures
}
_DOERS = en.SELF | {"you", "yourself", "them", "him", "her"}
_LEFT_ALONE = SentenceMood("prohibition", "leave")


def make_clause_claims(
    lexicon: ParserContext, verb: EnglishVerb, rest: EnglishPhrase, earlier: Sequence[Claim] = ()
) -> list[Claim]:
    """The claims of a verb and the words after it; `earlier` are those before it."""
    return ClauseReader(EnglishClause(lexicon, verb, rest, earlier)).read()


class ClauseReader:
    """Reads one clause."""

    def __init__(self, clause: EnglishClause) -> None:
        """Read `clause`; its verb and its words may be replaced by others."""
        self.clause, self.lexicon, self.nouns = clause, clause.lexicon, clause.nouns
        self.extract = clause.extract

    def read(self) -> list[Claim]:
        """The claims; one that names the lost words if not all have a use."""
        clause = self.clause
        self._settle_verb()
        if clause.verb.manner:
            return self._end([self._claim_craft()])
        if self._is_turning_key():
            return []
        if is_gesture(clause):
            return [make_emote_claim(clause.render())]
        if " ".join((clause.verb.phrase, *list_words(clause.rest))) in WORDS.idioms:
            return [make_unrecognised_claim(clause.render())]
        parts = clause.split(self._strip_beneficiary(clause.rest))
        kind = self._find_kind(parts)
        if kind == "deed" or self._is_deed(kind, parts):
            return [make_unrecognised_claim(clause.render(), "no way")]
        return self._end(self._claim(kind, parts))

    def _end(self, claims: list[Claim]) -> list[Claim]:
        return [self.clause.lost] if self.clause.lost is not None else claims

    def _settle_verb(self) -> None:
        """“Scoff” is a gesture, and "scoff the bun" a meal."""
        clause, verb = self.clause, self.clause.verb
        kind = _DEEDS_OF_GESTURES.get(verb.phrase) if verb.kind == "gesture" else None
        if kind and self.nouns.find_entities(clause.split(clause.rest).target):
            clause.verb = verb._replace(kind=kind)

    def _strip_beneficiary(self, rest: EnglishPhrase) -> EnglishPhrase:
        """“The lamp” for "fetch me the lamp": the speaker is the one who gets it."""
        verb = self.clause.verb
        fetched = verb.kind == "take" or verb.word == "bring"
        if not fetched or len(rest) < 2 or rest[0].low not in ("me", "us", "myself"):
            return rest
        if verb.kind == "give":
            self.clause.verb = verb._replace(kind="take")
        return rest[1:]

    def _is_turning_key(self) -> bool:
        """“Put the key in the door and turn it”: turning it is no second deed."""
        last = self.clause.earlier[-1] if self.clause.earlier else {}
        turned = list_words(self.clause.rest) in (("it",), ("key",))
        turned = turned and self.clause.verb.word in ("turn", "twist")
        return turned and last.get("type") == "unlock" and "tool" in last

    def _claim(self, kind: str, parts: ClauseParts) -> list[Claim]:
        """The claims of a verb of this kind; `lost` is set if a word has no use."""
        if kind in ("introduce", "describe"):
            return claim_authoring(kind, self.clause)
        if kind == "inventory":
            self.clause.lose(self.clause.rest)
            return [self.lexicon.make_inventory_claim()]
        if kind == "wait":
            return self._claim_wait(parts)
        if kind == "look":
            return self._claim_look(parts)
        way = PlaceReader(self.clause).find_way(kind, self.clause.rest, parts)
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

    def _claim_move(self) -> list[Claim]:
        moved = PlaceReader(self.clause).claim_move()
        return self._claim_leave() if moved is None else moved

    def _find_kind(self, parts: ClauseParts) -> str:
        """The action, with particles that follow the object: "pick the lamp up"."""
        verb, placed = self.clause.verb, self.clause.find_destination(parts)
        if verb.length == 1:
            for particle in parts.particles:
                swung = {"open": "open", "shut": "close"}.get(particle.low, "")
                swung = "" if verb.word in WORDS.holding_open else swung
                kind = PAIRS.split_verbs.get(f"{verb.word} {particle.low}", swung)
                if kind and not (kind == "drop" and placed is not None):
                    return kind
        if verb.kind == "drop" and placed is not None:
            return "put"
        if verb.word in WORDS.carrying and placed is not None:
            into = placed.preposition in ("into", "onto", "on to", "in to")
            return "put" if into and parts.target else verb.kind
        return self._find_rarer_kind(parts, placed is not None)

    def _find_rarer_kind(self, parts: ClauseParts, placed: bool) -> str:
        """The action of a verb that has several: "bring", "slip", "lift", "rest"."""
        verb, openers = self.clause.verb, {p.preposition for p in parts.phrases}
        if verb.word == "bring" and openers & {"from", "out of"}:
            return "take"
        if verb.word == "slip" and "to" not in openers:
            return "put" if placed else "move"
        if verb.word in WORDS.lifting | WORDS.pulling:
            out = bool(openers & {"from", "off", "out of", "off of"})
            lifts = verb.word in WORDS.lifting
            loose = lifts and any(e.takeable for e in self.clause.find_things(parts.target))
            return "take" if out or loose else verb.kind
        if verb.word in WORDS.resting and parts.target and self.clause.is_placed(parts):
            return "put"
        return verb.kind

    def _is_deed(self, kind: str, parts: ClauseParts) -> bool:
        """“Dig”, “cut the wool”: a known verb that nothing here makes possible."""
        verb, rest = self.clause.verb, self.clause.rest
        if verb.word == "hide":
            return not rest or rest[0].low in WORDS.whereabouts
        if verb.phrase == "smell":
            return not rest
        if kind != "use" or verb.phrase in WORDS.asked_about | WORDS.tool_verbs:
            return False
        if not rest or any(p.preposition in en.ROLES["use"] for p in parts.phrases):
            return not rest
        words = self.extract(parts.target)
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
            self.clause.lose_words(target.extra)
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
            self.clause.lost = self.clause.lost or make_leftover_claim(
                self.clause.render(), target.extra
            )
            return
        self.clause.lose_words(
            target.extra, f"{self.clause.verb.phrase} {target.words}" if target.words else ""
        )

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
        if strip_article(words) in en.THINGS and self.clause.earlier:
            words = str(self.clause.earlier[-1].get("target", ""))
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
                part = self.extract(parts.target)
                target = NounReading("part", self.extract(owned.noun), part)
                phrases = [p for p in parts.phrases if p is not owned]
        return self._settle_part(kind, target), phrases

    def _find_door(self, parts: ClauseParts) -> tuple[str, PrepositionalPhrase | None]:
        """“The door to the cellar”: the door in that way, and the phrase that says which."""
        head = parts.target[-1].low if parts.target else ""
        leads = head in ("leading", "going", "opening")
        noun = parts.target[-2].low if leads and len(parts.target) > 1 else head
        for phrase in parts.phrases if noun in WORDS.door_nouns else ():
            place = strip_article(self.extract(phrase.noun))
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
            found = self.clause.find_things(phrase.noun)
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
        words = self.extract(phrase.noun)
        role = en.ROLES.get(kind, {}).get(opener)
        if not phrase.noun and not (role == "destination" and claim["type"] == "put"):
            self.clause.lose(phrase.tokens, self._render_nearest(target))
        elif not phrase.noun:
            pass
        elif self.clause.is_ground(phrase) or self._is_here(phrase):
            self._settle_ground(claim, phrase)
        elif opener == "behind" and kind in _SHUTTING and strip_article(words) in _DOERS:
            pass  # "close it behind you"
        elif self._is_elsewhere(phrase) or (opener in WORDS.means and role is None):
            if not (opener in WORDS.means and _is_hand(phrase)):
                self.clause.lose(phrase.tokens, self._render_nearest(target))
        elif (opener in WORDS.means and _is_hand(phrase)) or role == "":
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
            self.clause.lose(phrase.tokens, self._render_nearest(target))

    def _is_key_turned(self, claim: Claim, target: NounReading) -> bool:
        """“Insert the key into the cellar door”: it is unlocked with the key."""
        found = self.lexicon.find_matches(str(claim.get("destination", "")))
        keys = {e.required_key for e in found}
        key = target.words
        if key == "it" and self.clause.earlier:
            key = str(self.clause.earlier[-1].get("target", ""))
        used = self.lexicon.find_matches(key)
        doors = bool(found) and all(e.kind == "door" for e in found)
        return claim["type"] == "put" and doors and any(e.id in keys for e in used)

    def _fill_role(self, claim: Claim, role: str, phrase: PrepositionalPhrase) -> None:
        noun = self.nouns.read(phrase.noun)
        if noun.kind == "part" and strip_article(noun.extra).split()[-1] not in WORDS.opened_parts:
            self.clause.lose(phrase.tokens)
        abstract = noun.kind == "no thing" and (
            phrase.noun[-1].low in WORDS.abstract | WORDS.body or role == "source"
        )
        if noun.kind in ("lost", "several") or abstract:
            self.clause.lose_words(noun.extra or self.extract(phrase.tokens))
        opens = role != "tool" or not self._opens_nothing(claim["type"], noun.words)
        if role in claim or not opens or (role == "tool" and self.lexicon.is_person(noun.words)):
            self.clause.lose(phrase.tokens)
        claim[role] = noun.words
        if role == "destination":
            person = self.lexicon.find_matches(noun.words)
            onto = phrase.preposition in WORDS.onto
            if onto and person and all(e.kind == "character" for e in person):
                self.clause.lose(phrase.tokens)
            claim["relation"] = "on" if phrase.preposition in WORDS.onto else "in"

    def _opens_nothing(self, kind: str, words: str) -> bool:
        """Whether it is a thing in reach that is no key: "open it with the umbrella"."""
        found = self.lexicon.find_matches(words)
        keys = {e.required_key for e in self.lexicon.scope}
        fits = any(e.id in keys or "key" in words.lower() for e in found)
        return kind == "open" and bool(found) and not fits

    def _render_nearest(self, target: NounReading) -> str:
        known = target.kind == "thing" and target.words
        return f"{self.clause.verb.phrase} {target.words}" if known else ""

    def _is_place_of(self, opener: str, words: str) -> bool:
        """Whether a thing can be there: "at Nell" says where it is thrown."""
        kinds = HOLDERS - {"character"} if opener == "at" else HOLDERS
        return any(e.kind in kinds for e in self.lexicon.find_matches(words))

    def _is_here(self, phrase: PrepositionalPhrase) -> bool:
        """“In the kitchen”, said there."""
        words = self.extract(phrase.noun)
        return phrase.preposition in LISTS.where_in and self.lexicon.is_here(words)

    def _is_elsewhere(self, phrase: PrepositionalPhrase) -> bool:
        words = self.extract(phrase.noun)
        if phrase.preposition == "out of" and strip_article(words) in self.lexicon.here:
            return True  # "Take the lamp out of the kitchen": it is to be carried away
        return phrase.preposition in en.ROLES["take"] and self.lexicon.is_elsewhere(words)

    def _settle_ground(self, claim: Claim, phrase: PrepositionalPhrase) -> None:
        """Turn putting on the floor, or in the room one is in, into dropping."""
        placed = "destination" in claim or phrase.preposition not in en.ROLES["put"]
        if claim["type"] == "put" and not placed:
            claim["type"] = "drop"

    def _check_particles(self, claim: Claim, parts: ClauseParts) -> None:
        allowed = GROUPS.verb_particles.get(claim["type"], ())
        for particle in parts.particles:
            if particle.low not in allowed:
                self.clause.lose((particle,))

    def _add_exceptions(self, kind: str, words: str, exceptions: EnglishPhrase) -> str:
        """“All but the key”; only what can be done to all can be done to all but one."""
        names = self._list_exceptions(exceptions)
        if (
            words.lower() not in WORDS.all
            or not names
            or kind not in ("take", "drop", "put", "give")
        ):
            self.clause.lose(exceptions)
        return f"all but {names}"

    def _leave_out(self, target: NounReading, exceptions: EnglishPhrase) -> tuple[Claim, ...]:
        """Of several things, those that are not excluded."""
        names = self._list_exceptions(exceptions).split(" and ")
        excluded = {e.id for name in names for e in self.lexicon.find_matches(name)}
        left = tuple(one for one in target.several if one.get("targetId") not in excluded)
        if not left or len(left) == len(target.several):
            self.clause.lose(exceptions)
        return left

    def _list_exceptions(self, phrase: EnglishPhrase) -> str:
        """The excluded names, each in the singular if only that is a name."""
        names: list[list[str]] = [[]]
        for token in phrase:
            if token.low in (",", *WORDS.joining):
                names.append([])
            elif token.kind != EXCEPT:
                names[-1].append(self.extract((token,)))
        texts = (" ".join(name) for name in names if name)
        return " and ".join(
            text if self.lexicon.is_known(text) else to_singular(text) for text in texts
        )

    def _claim_purpose(self, claim: Claim, target: NounReading, parts: ClauseParts) -> list[Claim]:
        """“Put the key into the lock to unlock it”: what is done, and with what."""
        verb = find_leading_verb(parts.purpose, self.lexicon)
        owner = claim.get("destination", "")
        if claim["type"] != "put" or verb is None or verb.kind not in _SHUTTING or not owner:
            self.clause.lose(parts.purpose, self._render_nearest(target))
            return []
        inner = make_clause_claims(
            self.lexicon, verb, parts.purpose[verb.length :], self.clause.earlier
        )
        return [
            one | {"tool": target.words, "target": owner}
            if strip_article(str(one.get("target", "it"))) in en.THINGS
            else one | {"tool": target.words}
            for one in inner
        ]

    def _claim_wait(self, parts: ClauseParts) -> list[Claim]:
        """“Wait a moment” waits; “rest the shoe on the table” puts it there."""
        rest = self.clause.rest
        if (
            rest
            and rest[0].low not in WORDS.waiting_for
            and not (parts.manner and not parts.target)
        ):
            self.clause.lose(rest)
        return [{"type": "wait"}]

    def _claim_give(self, parts: ClauseParts) -> list[Claim]:
        """“Give the keeper the coin”: the recipient comes first."""
        phrase = parts.target
        if phrase and phrase[0].low in ("both", "only", "just"):
            return self._claim_roles("give", parts)
        cut = self.lexicon.count_person_words([t.low for t in phrase])
        if cut == 0 or cut == len(phrase):
            cut = find_second_object(phrase)
        if cut == 0:
            return self._claim_roles("give", parts)
        claims = self._claim_roles("give", parts._replace(target=phrase[cut:]))
        return [claim | {"recipient": self.extract(phrase[:cut])} for claim in claims]

    def _claim_leave(self) -> list[Claim]:
        """“Leave the lamp”, “leave the lamp on the table”: it is put down.

        “Leave the box closed” asks for nothing.
        """
        if self.clause.rest[-1].low in WORDS.state_adjectives:
            return [make_withheld_claim(self.clause.render(), _LEFT_ALONE)]
        parts = self.clause.split(self.clause.rest)
        placed = self.clause.find_destination(parts)
        kind = "drop" if placed is None else "put"
        if placed is not None and not self._is_held(parts.target):
            return [make_withheld_claim(self.clause.render(), _LEFT_ALONE)]
        if self.clause.earlier and kind == "drop" and not self._is_held(parts.target):
            return []
        if any(t.low in WORDS.remaining for t in self.clause.rest):
            self.clause.lose(self.clause.rest)
        return self._claim_roles(kind, parts)

    def _is_held(self, noun: EnglishPhrase) -> bool:
        """Whether the speaker holds the thing, or was just asked to take it."""
        words = self.extract(noun)
        taken = {str(c.get("target", "")) for c in self.clause.earlier if c["type"] == "take"}
        if strip_article(words) in en.THINGS or not taken.isdisjoint(WORDS.all):
            return True
        found = self.lexicon.find_matches(words)
        held = {e.id for name in taken for e in self.lexicon.find_matches(name)}
        return any(e.place == self.lexicon.actor or e.id in held for e in found)

    def _claim_look(self, parts: ClauseParts) -> list[Claim]:
        words = [self.extract(parts.target), *(self.extract(p.noun) for p in parts.phrases)]
        room = strip_article(words[0]) in self.lexicon.here
        here = all(not w or self.lexicon.is_here(w) or self.lexicon.is_way(w) for w in words)
        if here and not parts.exceptions:
            return [{"type": "inspect", "target": words[0]} if room else {"type": "look"}]
        if not parts.phrases and parts.target:
            return self._claim_roles("inspect", parts)
        self.clause.lose(self.clause.rest)
        return []

    def _claim_search(self, parts: ClauseParts) -> list[Claim]:
        """“Search the bench”, “search for the ring in the chest”, “look under”."""
        phrase = self.clause.verb.phrase
        if not self.clause.rest and phrase.endswith((" in", " inside", " under", " behind")):
            return [{"type": "search", "target": "it"}]
        seeks = phrase.endswith((" for", "find")) or not parts.target
        where = [p for p in parts.phrases if p.preposition in en.ROLES["take"] and p.noun]
        if seeks and where:
            return [{"type": "search", "target": self.extract(where[-1].noun)}]
        if seeks or self.lexicon.is_here(self.extract(parts.target)):
            return [{"type": "search", "target": "here"}]
        if strip_article(self.extract(parts.target)) in WORDS.floor:
            return [{"type": "search", "target": "here"}]
        return self._claim_roles("search", parts)

    def _claim_use(self, parts: ClauseParts) -> list[Claim]:
        verb = self.clause.verb
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
            self.clause.lose(parts.target)
        claims = self._claim_roles("use", parts._replace(target=on[0].noun, phrases=others))
        return [claim | {"tool": means.words} for claim in claims]

    def _claim_going(self, parts: ClauseParts) -> list[Claim]:
        """“Move north”, “move to the exit”: the speaker moves, and no thing is used."""
        words = self.extract(parts.target)
        if parts.target and self.clause.find_destination(parts):
            return self._claim_roles("put", parts._replace(
                phrases=tuple(p._replace(preposition="on") if p.preposition == "to" else p
                              for p in parts.phrases)))  # fmt: skip
        going = not parts.target or self.lexicon.is_way(words) or self.lexicon.is_near(words)
        return self._claim_move() if going and self.clause.rest else []

    def _claim_tool(self, parts: ClauseParts) -> list[Claim]:
        """“Use the key to open the gate”: the deed, with the key."""
        doing = find_leading_verb(parts.purpose, self.lexicon)
        means = self.nouns.read(parts.target)
        if doing is None or means.kind != "thing":
            self.clause.lose(parts.purpose)
            return []
        inner = make_clause_claims(
            self.lexicon, doing, parts.purpose[doing.length :], self.clause.earlier
        )
        return [
            claim | {"tool": means.words} if claim["type"] in WORDS.tooled else claim
            for claim in inner
        ]

    def _split_names(self, phrase: EnglishPhrase) -> tuple[str, str] | None:
        """“Use iron key cellar door”: a tool, and what it is used on."""
        if self.lexicon.is_known(self.extract(phrase)):
            return None
        for cut in range(1, len(phrase)):
            pair = self.extract(phrase[:cut]), self.extract(phrase[cut:])
            if all(len(self.lexicon.find_matches(name)) == 1 for name in pair):
                return pair
        return None

    def _claim_craft(self) -> Claim:
        """“Slice the carrot with the knife”, “cook it on the stove”."""
        parts = self.clause.split(self.clause.rest)
        self.clause.lose(parts.purpose)
        plain = any(p.preposition in en.ROLES["use"] for p in parts.phrases)
        roles = en.ROLES["use"] if plain else PAIRS.crafted_with
        claim: Claim = {"type": "use"}
        target = self.extract(parts.target)
        for phrase in parts.phrases:
            if roles.get(phrase.preposition) and phrase.noun and "tool" not in claim:
                claim["tool"] = self.extract(phrase.noun)
            elif phrase.noun:
                target = f"{target} {self.extract(phrase.tokens)}"
        return claim | ({"target": target} if target else {}) | {"manner": self.clause.verb.manner}


def _is_hand(phrase: PrepositionalPhrase) -> bool:
    """“With my left hand”: what everybody does things with."""
    return bool(phrase.noun) and phrase.noun[-1].low in WORDS.hands


def _promote_tool(claim: Claim) -> Claim:
    """“Dig with the spade”: without a target, the tool becomes what is used."""
    if claim["type"] == "use" and "tool" in claim and "target" not in claim:
        return {"type": "use", "target": claim["tool"]}
    return claim
