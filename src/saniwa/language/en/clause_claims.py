"""Make the claims of one English clause: a verb, and the roles of what follows it.

Every word needs a use. A clause with a word that has none claims nothing: its claim
names the word and the nearest reading that would be understood.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from saniwa.language.en.clause import ClauseParts, EnglishClause
from saniwa.language.en.places import PlaceReader
from saniwa.language.en.roles import SHUTTING, RoleReader
from saniwa.language.en.words import (
    SPEECH,
    EnglishPhrase,
    EnglishVerb,
    count_preposition,
    find_in_reach,
    find_leading_verb,
    list_words,
)
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import PAIRS, SEQUENCES, WORDS
from saniwa.language.mood import SentenceMood, make_withheld_claim
from saniwa.language.parser_context import (
    Claim,
    ParserContext,
    list_use_states,
    make_emote_claim,
    make_unrecognised_claim,
    strip_article,
)
from saniwa.world.queries import find_room

_DEEDS_OF_GESTURES = {
    phrase: kind
    for kind in ("eat", "take")
    for phrase in en.VERBS[kind]
    if phrase in WORDS.gestures
}
_ONE = frozenset({"it", "this", "that", "this one", "that one"})
_AWAY = frozenset({"from", "off", "out of", "off of"})
_NARRATED_GESTURES = tuple(g + end for g in WORDS.narrated_gestures for end in (" ", "\0"))
_WHAT = frozenset({"what", "what's"})
_LEFT_ALONE = SentenceMood("prohibition", "leave")


def make_clause_claims(
    lexicon: ParserContext, verb: EnglishVerb, rest: EnglishPhrase, earlier: Sequence[Claim] = ()
) -> list[Claim]:
    """The claims of a verb and the words after it; `earlier` are those before it."""
    claims = ClauseReader(EnglishClause(lexicon, verb, rest, earlier)).read()
    if any("leftover" in claim for claim in claims):
        plain = _strip_description(lexicon, verb, rest)
        if plain is not rest:
            return ClauseReader(EnglishClause(lexicon, verb, plain, earlier)).read()
    return claims


def _strip_description(
    lexicon: ParserContext, verb: EnglishVerb, rest: EnglishPhrase
) -> EnglishPhrase:
    """“The box” for "the box marked with a cross", if its description has these words."""
    words = list_words(rest)
    for place in range(1, len(rest) - 1):
        held = words[place] == "with" and verb.kind not in WORDS.tooled
        if not (held or words[place] in ("on", "in") or words[place].endswith("ed")):
            continue
        names = (rest[start:place] for start in range(max(0, place - 3), place))
        owner = next((found for n in names if len(found := find_in_reach(lexicon, n)) == 1), ())
        told = {w.strip(".,;:!?\"'()") for e in owner for w in e.description.lower().split()}
        for stop in range(min(len(rest), place + 7), place + 1, -1) if told else ():
            inner = range(place, stop)
            said = {words[n] for n in inner if not count_preposition(words, n)} - en.DETERMINERS
            if said and said <= told and not find_in_reach(lexicon, rest[place + 1 : stop]):
                return (*rest[:place], *rest[stop:])
    return rest


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
        if contents := self._claim_what_is_inside():
            return contents
        if clause.verb.kind in en.ROLES and not _WHAT.isdisjoint(t.low for t in clause.rest):
            clause.lose(clause.rest)  # "Take what's on the desk"
        if clause.verb.manner:
            return self._end([self._claim_craft()])
        if self._is_turning_key():
            return []
        if food := self._find_bitten():
            return [{"type": "eat", "target": food}]
        if _is_gesture(clause):
            return [make_emote_claim(clause.render())]
        said = (clause.rest, clause.strip_manner(clause.rest))
        if any(" ".join((clause.verb.phrase, *list_words(r))) in WORDS.idioms for r in said):
            return [make_unrecognised_claim(clause.render())]
        parts = clause.split(self._strip_idle_words(clause.rest))
        kind, parts = self._settle_hand(self._find_kind(parts), parts)
        if kind == "deed" or self._is_deed(kind, parts):
            return [make_unrecognised_claim(clause.render(), "no way")]
        return self._end(self._claim(kind, parts))

    def _find_bitten(self) -> str:
        """“Takes the rusk and takes a bite”: the food of the clause before; else empty."""
        food = self.clause.get_earlier_target() if self.clause.verb.kind == "take" else ""
        food = next(
            (
                str(c["target"])
                for c in reversed(self.clause.earlier)
                if "target" in c and c["target"] != "it"
            ),
            food,
        )
        found = self.lexicon.find_matches(food) if food and _takes_bite(self.clause) else ()
        return food if any(e.edible for e in found) else ""

    def _end(self, claims: list[Claim]) -> list[Claim]:
        return [self.clause.lost] if self.clause.lost is not None else claims

    def _settle_verb(self) -> None:
        """“Scoff” is a gesture, and "scoff the bun" a meal."""
        clause, verb = self.clause, self.clause.verb
        kind = _DEEDS_OF_GESTURES.get(verb.phrase) if verb.kind == "gesture" else None
        if kind and self.nouns.find_entities(clause.split(clause.rest).target):
            clause.verb = verb._replace(kind=kind)

    def _strip_idle_words(self, rest: EnglishPhrase) -> EnglishPhrase:
        """“The lamp” for "fetch me the lamp", “it” for "drink it all"."""
        verb = self.clause.verb
        if rest and rest[-1].low == "instead" and not self.clause.earlier:
            self.clause.lose(rest[-1:])
        if verb.kind == "eat" and len(rest) > 1 and rest[-1].low == "all":
            return rest[:-1]
        aloud = list_words(rest[-2:]) in (("to", "me"), ("to", "us"))
        if aloud and verb.kind == "inspect" and len(rest) > 2:
            return rest[:-2]  # "read the letter to me"
        fetched = verb.kind == "take" or verb.word in ("bring", "read", "reread")
        if not fetched or len(rest) < 2 or rest[0].low not in ("me", "us", "myself"):
            return rest
        if verb.kind == "give":
            self.clause.verb = verb._replace(kind="take")
        return rest[1:]

    def _is_turning_key(self) -> bool:
        """“Put the key in the door and turn it”: turning it is no second deed."""
        last = self.clause.earlier[-1] if self.clause.earlier else {}
        if self.clause.verb.word not in ("turn", "twist"):
            return False
        turned = self.clause.strip_article(self.clause.split(self.clause.rest).target)
        return turned in ("it", "key") and last.get("type") == "unlock" and "tool" in last

    def _claim_contents(self, parts: ClauseParts) -> list[Claim]:
        """“Open the barrel and take it out”: what is in it, if "it" can be only one thing."""
        last, it = (
            self.clause.earlier[-1] if self.clause.earlier else {},
            self.extract(parts.target),
        )
        phrase = self.clause.verb.phrase
        out = phrase in WORDS.taking_out or any(t.low == "out" for t in parts.particles)
        opened = out and it.lower() in en.THINGS and last.get("type") in ("open", "search")
        found = self.lexicon.find_matches(str(last.get("target", ""))) if opened else ()
        if [e.kind for e in found] != ["container"]:
            return []
        if len(self.lexicon.world.contents.get(found[0].id, ())) > 1 and it.lower() in _ONE:
            self.clause.lose(parts.target)
        return [{"type": "take", "target": "all", "source": last["target"]}]

    def _claim_what_is_inside(self) -> list[Claim]:
        """“Take what is in the basket”, “take what's lying inside”, “empty the basket”."""
        rest, verb = self.clause.rest, self.clause.verb
        words = list_words(rest)
        named = rest if verb.word == "empty" else ()
        if verb.kind == "take" and words in SEQUENCES.contents:
            named = rest[:1]  # "Open the chest and take the contents"
        if verb.kind == "take" and words[:1] in (("what",), ("what's",)):
            start = 1 + (words[1:2] == ("is",))
            start += words[start : start + 1] in (("lying",), ("standing",), ("left",))
            if words[start:] in SEQUENCES.inside or words[start - 1 :] in SEQUENCES.inside:
                named = rest[:1]
            elif words[start : start + 1] in (("in",), ("inside",), ("on",)):
                named = rest[start + 1 :]
        if not named:
            return []
        earlier = self.clause.get_earlier_target()
        pointed = named == rest[:1] or self.clause.strip_article(named) in _ONE
        holder = earlier if pointed else self.extract(named)
        found = self.lexicon.find_matches(holder) if holder else ()
        kept = {e.kind for e in found} <= {"container", "supporter"}
        return [{"type": "take", "target": "all", "source": holder}] if found and kept else []

    def _claim(self, kind: str, parts: ClauseParts) -> list[Claim]:
        """The claims of a verb of this kind; `lost` is set if a word has no use."""
        if kind in ("introduce", "describe"):
            return _claim_authoring(kind, self.clause)
        if kind == "inventory":
            self.clause.lose(self.clause.rest)
            return [self.lexicon.make_inventory_claim()]
        early = {"wait": self._claim_wait, "look": self._claim_look}.get(kind)
        if early:
            return early(parts)
        way = PlaceReader(self.clause).find_way(kind, self.clause.rest, parts)
        if way:
            return [{"type": "move", "target": way}]
        if kind == "move":
            return self._claim_move()
        read = {
            "use": self._claim_use,
            "search": self._claim_search,
            "inspect": self._claim_inspect,
            "take": self._claim_take,
        }.get(kind)
        if read:
            return read(parts)
        if self.clause.verb.word == "bring" and (away := self._claim_away(parts)):
            return away
        given = self.clause.verb.word in WORDS.supplying
        if kind == "give" and (given or all(p.preposition != "to" for p in parts.phrases)):
            return self._claim_give(parts)
        return self._claim_roles(kind, parts)

    def _claim_inspect(self, parts: ClauseParts) -> list[Claim]:
        goods = [t.low for t in parts.target if t.low not in en.DETERMINERS]
        if "through" in self.clause.verb.phrase and goods and len(parts.phrases) == 1:
            held = self.clause.find_in_reach(parts.phrases[0].noun)
            if WORDS.stuff.issuperset(goods) and len(held) == 1:
                return [{"type": "search", "target": self.extract(parts.phrases[0].noun)}]
        watched = [t.low for t in parts.target]
        whose = watched[0] if len(watched) > 1 and watched[-1] in WORDS.demeanour else ""
        if whose and (whose in ("his", "her", "their") or self.lexicon.is_person(whose[:-2])):
            return [make_emote_claim(self.clause.render())]  # "Watch her face"
        return self._claim_roles("inspect", parts)

    def _claim_take(self, parts: ClauseParts) -> list[Claim]:
        said = set(pairwise(list_words(self.clause.rest)))  # "Take the key I am carrying"
        told = not said.isdisjoint({("i", "am"), ("i", "have"), ("i'm", "holding")})
        keeps = told or self.clause.verb.kind != "take"
        every = self.nouns.read(parts.target).words.lower() in WORDS.all if keeps else False
        pronoun = self.clause.strip_article(parts.target) in en.THINGS
        held = keeps and self._is_held(parts.target) and (self.clause.earlier or not pronoun)
        if held or every:
            return [make_emote_claim(self.clause.render())]
        if away := self._claim_away(parts):
            return away
        off = [p for p in parts.phrases if p.preposition in WORDS.out_of]
        plucked = any(self.clause.is_own_body(p, out=True) for p in off)
        if plucked and (self._is_held(parts.target) or not self.clause.find_in_reach(parts.target)):
            return [make_emote_claim(self.clause.render())]  # "Picks a thread off her sleeve"
        return self._claim_contents(parts) or self._claim_roles("take", parts)

    def _claim_away(self, parts: ClauseParts) -> list[Claim]:
        """“Get the box from the shop” goes there and takes it; “carry it to the shop” takes it along."""
        if len(parts.phrases) != 1 or not parts.target:
            return []
        phrase = parts.phrases[0]
        place = self.extract(phrase.noun)
        door = self.lexicon.find_way_door(place) if self.lexicon.is_near(place) else None
        if not self.lexicon.is_near(place):
            return []
        here = bool(self.clause.find_in_reach(parts.target))
        if door is not None and not door.open:
            self.clause.lose(() if here or phrase.preposition != "from" else phrase.tokens)
            return []
        going: Claim = {"type": "move", "target": place}
        taken: Claim = {"type": "take", "target": self.extract(parts.target)}
        if phrase.preposition == "from" and not here:
            way, world = self.lexicon.find_exit(place), self.lexicon.world
            bearers = self.lexicon.find_bearers(self.clause.strip_article(parts.target))
            goal = way.to if way else None
            there = any(e in world.entities and find_room(world, e) == goal for e in bearers)
            fetched = self.clause.verb.word in WORDS.fetching and not self.clause.earlier
            named = there and fetched
            return [going, taken] if named else []
        carried = phrase.preposition == "to" and self.clause.verb.word in WORDS.carrying
        if not carried or not self._is_held(parts.target):
            return []
        last = self.clause.earlier[-1]["type"] if self.clause.earlier else ""
        pronoun = self.clause.strip_article(parts.target) in en.THINGS
        return [going] if last == "take" or not pronoun else []

    def _settle_hand(self, kind: str, parts: ClauseParts) -> tuple[str, ClauseParts]:
        """“Press the key into Marta's hand”: it is given to her."""
        for place, phrase in enumerate(parts.phrases if kind in ("put", "use") else ()):
            first, last = phrase.noun[:1], phrase.noun[-1:]
            name = (
                first[0].low.removesuffix("'s")
                if phrase.preposition in WORDS.into and first
                else ""
            )
            if name in self.lexicon.people and last[0].low in WORDS.hands:
                whose = first[0]._replace(low=name, end=first[0].start + len(name))
                to = phrase._replace(preposition="to", noun=(whose,))
                phrases = (*parts.phrases[:place], to, *parts.phrases[place + 1 :])
                return "give", parts._replace(phrases=phrases)
        for phrase in parts.phrases if kind in ("put", "move") else ():
            if parts.target and self.clause.is_own_body(phrase):
                # "Tuck it under my arm": it is taken, unless it is held.
                return "take", parts
        return kind, parts

    def _claim_move(self) -> list[Claim]:
        moved = PlaceReader(self.clause).claim_move()
        return self._claim_leave() if moved is None else moved

    def _find_kind(self, parts: ClauseParts) -> str:
        """The action, with particles that follow the object: "pick the lamp up"."""
        verb, placed = self.clause.verb, self.clause.find_destination(parts)
        if verb.word in WORDS.switching_on and self._is_switched_on(parts):
            return "use"
        if verb.length == 1:
            for particle in parts.particles:
                swung = {"open": "open", "shut": "close"}.get(particle.low, "")
                swung = "" if verb.word in WORDS.holding_open else swung
                kind = PAIRS.split_verbs.get(f"{verb.word} {particle.low}", swung)
                if kind and not (kind == "drop" and placed is not None):
                    return kind
        if verb.kind == "drop" and placed is not None:
            return "put"
        if verb.kind == "give" and placed is not None and placed.preposition == "to":
            return "put"  # "Return the cup to the shelf"
        if verb.word in WORDS.carrying and placed is not None:
            into = placed.preposition in ("into", "onto", "on to", "in to")
            return "put" if into and parts.target else verb.kind
        return self._find_rarer_kind(parts, placed is not None)

    def _is_switched_on(self, parts: ClauseParts) -> bool:
        """“Put the heater on”, “stick on the radio”: it is a thing with a use."""
        split = [t.low for t in parts.particles] == ["on"] and self.clause.verb.length == 1
        if not (split or self.clause.verb.phrase.endswith(" on")) or parts.phrases:
            return False
        found = self.nouns.find_entities(parts.target) if parts.target else ()
        return bool(found) and all("use" in e.attributes for e in found)

    def _find_rarer_kind(self, parts: ClauseParts, placed: bool) -> str:
        """The action of a verb that has several: "bring", "slip", "lift", "rest"."""
        verb, openers = self.clause.verb, {p.preposition for p in parts.phrases}
        if verb.word == "bring" and openers & {"from", "out of"}:
            return "take"
        whom = self.lexicon.count_person_words([t.low for t in parts.target])
        locked = any(t.low in WORDS.keyholes for p in parts.phrases for t in p.noun)
        if verb.word == "slip" and not (whom or "to" in openers):
            placed = placed or (locked and bool(parts.target))
            taken = parts.target and openers & {"off", "from", "out of"}
            return "put" if placed else "take" if taken else "move"
        heads = [t.low for t in parts.target]
        last = heads[heads.index("of") - 1 if "of" in heads[1:] else -1] if heads else ""
        out, lifts = bool(openers & _AWAY), verb.word in WORDS.lifting
        if last in WORDS.covers and not self.clause.find_in_reach(parts.target):
            owner = parts.target[heads.index("of") + 1 :] if "of" in heads else ()
            named = (owner, *(p.noun for p in parts.phrases))
            whole = [e for noun in named if noun for e in self.clause.find_in_reach(noun)]
            bare = lifts and not owner and not out
            if bare or ((out or lifts) and any(e.openable for e in whole)):
                return "open"  # "Lift the lid", "pry the lid off the barrel"
        if verb.word in ("turn", "twist") and locked:
            return "put"  # "Turn the key in the lock"
        if verb.word in WORDS.lifting | WORDS.pulling:
            lifts = lifts and not (self.lexicon.narrated and verb.word == "raise")
            loose = lifts and any(e.takeable for e in self.clause.find_in_reach(parts.target))
            return "take" if out or loose else verb.kind
        if verb.phrase == "try" and parts.target and not parts.phrases:
            part = self.nouns.read_part(parts.target)
            tried = self.nouns.find_entities(parts.target)
            tried = tried or (self.lexicon.find_matches(part.words) if part else ())
            if tried and all(e.edible for e in tried):
                return "eat"
            return "open" if tried and all(e.openable for e in tried) else verb.kind
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
        means = any(p.preposition in en.ROLES["use"] for p in parts.phrases)
        words = self.extract(parts.target) if rest else ""
        matches = self.lexicon.find_matches(words)
        effects = [e for e in matches if "use" in e.attributes]
        if means and verb.word in WORDS.preparing and effects:
            return not any(map(list_use_states, effects))  # "wipe the press with the cloth"
        if not rest or (means and verb.word != "break"):
            return not rest
        if not matches and (self.lexicon.is_near(words) or self.lexicon.is_here(words)):
            return True  # "Water the garden"
        return bool(matches) and not any("use" in e.attributes for e in matches)

    # One reader for each kind of verb.

    def _claim_roles(self, kind: str, parts: ClauseParts) -> list[Claim]:
        """The claims of a verb whose prepositions open roles."""
        roles = RoleReader(self.clause)
        if kind == "put" and self.clause.find_destination(parts):  # "Move the cup to the shelf"
            phrases = (
                p._replace(preposition="on") if p.preposition == "to" else p for p in parts.phrases
            )
            parts = parts._replace(phrases=tuple(phrases))
        if not parts.purpose:
            return roles.claim(kind, parts)
        # “Put the key into the lock to unlock it”: what is done, and with what.
        claim, target = roles.read(kind, parts)
        owner = str(claim.get("destination", "")) if claim["type"] == "put" else ""
        inner = self._claim_purpose(parts) if owner else []
        if not inner or any(one["type"] not in SHUTTING for one in inner):
            known = target.words if target.kind == "thing" else ""
            self.clause.lose(parts.purpose, roles.render_nearest(known))
        tool: Claim = {"tool": target.words}
        return [
            one | tool | ({"target": owner} if _is_pointing(one.get("target", "it")) else {})
            for one in inner
        ]

    def _claim_purpose(self, parts: ClauseParts) -> list[Claim]:
        """The claims of "to open the gate"; empty if that is no deed."""
        verb = find_leading_verb(parts.purpose, self.lexicon)
        if verb is None:
            return []
        rest = parts.purpose[verb.length :]
        return make_clause_claims(self.lexicon, verb, rest, self.clause.earlier)

    def _claim_wait(self, parts: ClauseParts) -> list[Claim]:
        """“Wait a moment” waits; “rest the shoe on the table” puts it there."""
        rest = self.clause.rest
        idle = parts.manner and not parts.target
        # "Wait and see what Marta does"
        watches = rest and rest[0].low in WORDS.watched and not self._is_about_item(rest)
        if rest and rest[0].low not in WORDS.waiting_for and not (idle or watches):
            self.clause.lose(rest)
        return [{"type": "wait"}]

    def _is_about_item(self, phrase: EnglishPhrase) -> bool:
        found = (e for t in phrase for e in self.clause.find_in_reach((t,)))
        return any(e.kind != "character" for e in found)

    def _claim_give(self, parts: ClauseParts) -> list[Claim]:
        """“Give the keeper the coin”, “supply her with it”: the recipient comes first."""
        phrase = parts.target
        supplied = [p for p in parts.phrases if p.preposition in ("with", "to") and p.noun]
        if (
            self.clause.verb.word in WORDS.supplying
            and supplied
            and (self.lexicon.is_person(self.extract(phrase)))
        ):
            others = tuple(p for p in parts.phrases if p is not supplied[0])
            parts = parts._replace(target=supplied[0].noun, phrases=others)
            claims = self._claim_roles("give", parts)
            return [claim | {"recipient": self.extract(phrase)} for claim in claims]
        cut = self.lexicon.count_person_words([t.low for t in phrase])
        if cut in (0, len(phrase)):
            cut = _find_second_object(phrase)
        if cut == 0 or phrase[0].low in ("both", "only", "just"):
            return self._claim_roles("give", parts)
        claims = self._claim_roles("give", parts._replace(target=phrase[cut:]))
        return [claim | {"recipient": self.extract(phrase[:cut])} for claim in claims]

    def _claim_leave(self) -> list[Claim]:
        """“Leave the lamp”, “leave the lamp on the table”: it is put down.

        “Leave the box closed” asks for nothing.
        """
        rest = self.clause.rest
        parts = self.clause.split(rest)
        placed = self.clause.find_destination(parts) is not None
        held = self._is_held(parts.target)
        alone = rest[-1].low in ("alone", "be") or list_words(rest)[-2:] == ("in", "peace")
        alone = alone or list_words(rest)[-3:] in SEQUENCES.unmoved
        if alone or rest[-1].low in WORDS.state_adjectives or (placed and not held):
            return [make_withheld_claim(self.clause.render(), _LEFT_ALONE)]
        if self.clause.earlier and not held:
            return []
        if not held and not placed and self.clause.find_in_reach(parts.target):
            return [make_withheld_claim(self.clause.render(), _LEFT_ALONE)]
        if any(t.low in WORDS.remaining for t in rest):
            self.clause.lose(rest)
        return self._claim_roles("put" if placed else "drop", parts)

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
        here = all(not w or self.lexicon.is_here(w) or self.lexicon.is_way(w) for w in words)
        if here and not parts.exceptions:
            return [{"type": "look"}]
        if not parts.phrases and parts.target:
            return self._claim_roles("inspect", parts)
        self.clause.lose(self.clause.rest)
        return []

    def _claim_search(self, parts: ClauseParts) -> list[Claim]:
        """“Search the bench”, “search for the ring in the chest”, “look under”."""
        phrase = self.clause.verb.phrase
        if not self.clause.rest and phrase.endswith((" in", " inside", " under", " behind")):
            return [{"type": "search", "target": "it"}]
        words = self.extract(parts.target)
        seeks = phrase.endswith((" for", "find")) or not parts.target
        where = [p for p in parts.phrases if p.preposition in en.ROLES["take"] and p.noun]
        if seeks and where:
            return [{"type": "search", "target": self.extract(where[-1].noun)}]
        if seeks or self.lexicon.is_here(words) or strip_article(words) in WORDS.floor:
            return [{"type": "search", "target": "here"}]
        return self._claim_roles("search", parts)

    def _claim_use(self, parts: ClauseParts) -> list[Claim]:
        verb = self.clause.verb
        if verb.phrase == "move" and (going := self._claim_going(parts)):
            return going
        if verb.word in WORDS.operating and self._is_opened_by(parts.target):
            return self._claim_roles("open", parts)
        if verb.phrase not in WORDS.tool_verbs:
            return [_promote_tool(c) for c in self._claim_roles("use", parts)]
        if parts.purpose:
            return self._claim_tool(parts)
        names = self._split_names(parts.target) if not parts.phrases else None
        if names is not None:
            return [{"type": "use", "target": names[1], "tool": names[0]}]
        on = [p for p in parts.phrases if p.preposition in WORDS.use_on and p.noun]
        on = [p for p in on if p.noun[0].low not in PAIRS.qualities]  # "to warm the bun"
        if not on or not parts.target:
            return [_promote_tool(c) for c in self._claim_roles("use", parts)]
        others = tuple(p for p in parts.phrases if p is not on[0])
        means = self.nouns.read(parts.target)
        if means.kind != "thing":
            self.clause.lose(parts.target)
        claims = self._claim_roles("use", parts._replace(target=on[0].noun, phrases=others))
        return [claim | {"tool": means.words} for claim in claims]

    def _is_opened_by(self, phrase: EnglishPhrase) -> bool:
        """“Turn the handle of the gate”: whether the part opens what it belongs to."""
        part = self.nouns.read_part(phrase)
        if part is None or strip_article(part.extra).split()[-1:] == []:
            return False
        found = self.lexicon.find_matches(part.words)
        opens = strip_article(part.extra).split()[-1] in WORDS.opening_parts
        return (
            opens and bool(found) and all(e.openable and "use" not in e.attributes for e in found)
        )

    def _claim_going(self, parts: ClauseParts) -> list[Claim]:
        """“Move north”, “move to the exit”: the speaker moves, and no thing is used."""
        words = self.extract(parts.target)
        if parts.target and self.clause.find_destination(parts):
            return self._claim_roles("put", parts)
        places = (self.lexicon.is_way, self.lexicon.is_near, self.lexicon.is_here)
        going = not parts.target or any(is_place(words) for is_place in places)
        return self._claim_move() if going and self.clause.rest else []

    def _claim_tool(self, parts: ClauseParts) -> list[Claim]:
        """“Use the key to open the gate”: the deed, with the key."""
        means, claims = self.nouns.read(parts.target), self._claim_purpose(parts)
        if means.kind != "thing" or not claims:
            self.clause.lose(parts.purpose)
        tool: Claim = {"tool": means.words}
        return [one | tool if one["type"] in WORDS.tooled else one for one in claims]

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


def _is_pointing(words: object) -> bool:
    """Whether the words only point at something spoken of before."""
    return strip_article(str(words)) in en.THINGS


def _promote_tool(claim: Claim) -> Claim:
    """“Dig with the spade”: without a target, the tool becomes what is used."""
    if claim["type"] == "use" and "tool" in claim and "target" not in claim:
        return {"type": "use", "target": claim["tool"]}
    return claim


def _is_gesture(clause: EnglishClause) -> bool:
    """Whether the clause asks for no deed, but for a gesture."""
    verb, lexicon = clause.verb, clause.lexicon
    if _moves_body(clause) or (
        verb.kind == "take" and (_leads_person(clause) or _takes_bite(clause))
    ):
        return True
    if verb.kind == "gesture":
        return not (verb.word in WORDS.resting and _is_set_down(clause))
    if not lexicon.narrated:
        return False
    if verb.phrase in WORDS.gazing | WORDS.examining:
        parts = clause.split(clause.rest)
        seen = clause.extract(parts.target)
        closely = verb.phrase in WORDS.examining or any(
            t.low in WORDS.closely for t in parts.manner
        )
        return lexicon.is_person(seen) or not (closely or lexicon.can_see(seen))
    said = " ".join((*verb.phrase.split(), *list_words(clause.rest)))
    return f"{said} ".startswith(_NARRATED_GESTURES)


def _is_set_down(clause: EnglishClause) -> bool:
    """“Sit the lamp on the table”, but not "sit down on the bench"."""
    parts = clause.split(clause.rest)
    return bool(parts.target) and clause.is_placed(parts)


def _find_second_object(phrase: EnglishPhrase) -> int:
    """Where the second object begins: "give mad hatter the key"; 0 if there is one."""
    return max((n for n, t in enumerate(phrase) if t.low in en.DETERMINERS), default=0)


def _takes_bite(clause: EnglishClause) -> bool:
    """“Takes a big bite”, “has a long sip”, with no word for the food."""
    words = list_words(clause.strip_manner(clause.rest))
    begun = words[:1] in (("a",), ("another",), ("one",))
    return begun and words[-1] in WORDS.bites and not clause.lexicon.is_known(words[-1])


def _leads_person(clause: EnglishClause) -> bool:
    """“Take Ines by the hand”."""
    words = list_words(clause.rest)
    if "by" not in words or words[-1] not in WORDS.body:
        return False
    return clause.lexicon.is_person(clause.extract(clause.rest[: words.index("by")]))


def _moves_body(clause: EnglishClause) -> bool:
    """Whether the object is a body part or a smile, and not the name of a thing."""
    verb, lexicon, rest = clause.verb, clause.lexicon, clause.rest
    looks = verb.kind in ("inspect", "look", "search") and not lexicon.narrated
    if looks or verb.kind in SPEECH or (verb.kind == "wait" and verb.word != "rest"):
        return False
    if verb.kind == "use" and rest[:1] and rest[0].low in WORDS.body_owners:
        worn = clause.split(rest).target  # "pulls her collar up"
        if len(worn) == 2 and worn[1].low in WORDS.clothes:
            return not lexicon.is_known(clause.extract(worn))
    if WORDS.body.isdisjoint(t.low for t in rest):
        return False
    start = _skip_recipient(clause) if verb.kind == "give" else 0
    target = clause.split(rest[start:]).target
    owned = target and (target[0].low in WORDS.body_owners or target[0].low.endswith("'s"))
    bare = len(target) == 1 and target[0].low in ("feet", "hands", "arms", "eyes", "shoulders")
    mine = len(target) > 1 and target[0].low in en.MINE and target[1].low in WORDS.body
    if not (bare or mine or (owned and target[-1].low in WORDS.body)):
        return False
    if verb.kind == "wait" and target[0].low in ("a", "an"):
        return False
    if mine:
        return not clause.find_in_reach(target[:2])
    return not lexicon.is_known(clause.extract(target))


def _skip_recipient(clause: EnglishClause) -> int:
    """Where the object of "give" begins: "give Pim a smile"."""
    rest = clause.rest
    start = clause.lexicon.count_person_words([t.low for t in rest])
    whose = start and rest[start - 1].low == "her"  # "give her smile": whose, not whom
    if whose and not (len(rest) > start and rest[start].low in WORDS.body_owners):
        start = 0
    return start or _find_second_object(clause.split(rest).target)


_ARTICLE = re.compile(r"^(?:the|an?|some)\s+", re.IGNORECASE)
_ANOTHER = re.compile(r"(?:,| and|, and) (?=an? )")
"""Between two that are introduced at once: "a cat named Tom and a dog named Rex"."""
_NAMING = re.compile(r" (?:named|called|by the name of|known as) ")
_ATTRIBUTIVE = re.compile(r",? (?:with|who|that|which|in|from|of|wearing) ")
_INTO_SCENE = re.compile(r",? (?:in)?to (?:the|this|our) (?:scene|room|story|world|game)$")


def _claim_authoring(kind: str, clause: EnglishClause) -> list[Claim]:
    """“Introduce a red cat named Tom”, “describe Marta as tall”."""
    words = clause.extract(clause.rest)
    if kind == "describe":
        named, _, content = words.partition(" as ")
        return [{"type": kind, "target": named, "content": content}]
    words = _INTO_SCENE.sub("", words)
    if not words or " to " in words or strip_article(words) in en.SELF | {"yourself"}:
        clause.lose_words(words or clause.verb.phrase)
    parts = _ANOTHER.split(words)
    several = len(parts) > 1 and all(map(_NAMING.search, parts))
    return [_claim_introduction(part, clause.lexicon) for part in (parts if several else [words])]


def _claim_introduction(words: str, lexicon: ParserContext) -> Claim:
    """A name, a look, or both: "a red cat named Tom", "Tom, a red cat", "the old sailor"."""
    look, *named = _NAMING.split(words, maxsplit=1)
    name = "".join(named)
    if not name and "," in words:
        name, _, look = (part.strip() for part in words.partition(","))
    name = name.strip("“”\"' ") or _ARTICLE.sub("", words)
    if lexicon.find_bearers(name):
        return {"type": "introduce", "target": name}
    facts: dict[str, Any] = {"name": name}
    if look and look != words:
        # "The red cat" and "the cat" are Tom as well.
        alias = _ATTRIBUTIVE.split(_ARTICLE.sub("", look))[0]
        facts |= {"description": look, "aliases": [alias]}
    return {"type": "introduce", "target": name, "metadata": facts}
