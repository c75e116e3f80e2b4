"""Read where the words after an English verb of motion lead, and make its claims."""

import re

from saniwa.core.suggestions import find_typo_correction
from saniwa.language.en.clause import ClauseParts, EnglishClause
from saniwa.language.en.words import EnglishPhrase, count_preposition, list_words
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import PAIRS, SEQUENCES, WORDS
from saniwa.language.parser_context import (
    Claim,
    make_emote_claim,
    make_unrecognised_claim,
    strip_article,
)
from saniwa.world.model import Id
from saniwa.world.queries import find_room

_TO_WAY = re.compile(
    r"(?:direction|way|exit|door|path|passage|doorway|stairs|road) "
    r"(?:of |to |(?:leading|that leads) (?:to )?|towards )"
)
_LEAVING = (("away", "from"), ("out", "of"), ("from",))


class PlaceReader:
    """Reads the ways and places of one clause."""

    def __init__(self, clause: EnglishClause) -> None:
        """Read the words of `clause`."""
        self.clause, self.lexicon, self.verb = clause, clause.lexicon, clause.verb
        self.extract = clause.extract

    def claim_move(self) -> list[Claim] | None:
        """The claims of going somewhere; None for "leave the lamp", which is no move."""
        clause, verb = self.clause, self.verb
        searched = self._find_searched()
        if searched:
            return [{"type": "search", "target": searched}]
        clause.rest = self._skip_carried(clause.rest)
        away = self._skip_leaving(clause.rest)
        if away is not None and not away:
            return [{"type": "move", "target": "out"}]
        rest = clause.strip_manner(away or clause.rest)
        if not rest:
            if clause.rest and count_preposition(list_words(clause.rest), 0):
                clause.lose(clause.rest)  # "Run out of time"
            way = PAIRS.ways_of_verbs.get(verb.phrase, PAIRS.up_and_down.get(verb.phrase, ""))
            way = "back" if verb.phrase.endswith(" back") else way
            return [{"type": "move", "target": way} if way else {"type": "move"}]
        if verb.word in ("leave", "exit", "vacate") and rest[0].low not in WORDS.leaving_by:
            after = self._skip_here(rest)
            words = self.extract(rest)
            if not after and (self.lexicon.is_here(words) or words.lower().endswith("this place")):
                return [{"type": "move", "target": "out"}]
            if not after and verb.word == "leave" and not self.lexicon.is_way(words):
                return None
            rest = after or rest
        return self._claim_passing(rest) or self._claim_going_to(rest)

    def _claim_passing(self, rest: EnglishPhrase) -> list[Claim]:
        """“To the greenhouse through the garden”: first into the garden, which is next to here."""
        words = list_words(rest)
        cut = next((n for n in range(1, len(rest) - 1) if words[n] in ("through", "via")), 0)
        if not cut:
            return []
        way = self.extract(_skip_preposition(rest[:cut]))
        led = self.lexicon.find_exit(way)
        if led and [led.door] == [e.id for e in self.clause.nouns.find_entities(rest[cut + 1 :])]:
            return [{"type": "move", "target": way}]  # "East through the office door"
        first, last = (self.extract(_skip_preposition(p)) for p in (rest[cut:], rest[:cut]))
        near = None if self.lexicon.is_near(last) else self.lexicon.find_exit(first)
        passed = self.lexicon.world.locations.get(near.to) if near else None
        goals = self.lexicon.find_bearers(last)
        if passed is None or all(beyond.to not in goals for beyond in passed.exits):
            return []
        return [{"type": "move", "target": first}, {"type": "move", "target": last}]

    def _skip_carried(self, rest: EnglishPhrase) -> EnglishPhrase:
        """“Into the garden” for "into the garden with the umbrella", which is held."""
        place = next((n for n, t in enumerate(rest) if n and t.low in ("with", "carrying")), 0)
        found = self.clause.nouns.find_entities(rest[place + 1 :]) if place else ()
        held = found and all(e.place == self.lexicon.actor for e in found)
        brought = place and list_words(rest[place + 1 :]) in (("it",), ("them",), ("me",))
        brought = brought and any(c["type"] == "take" for c in self.clause.earlier)
        return rest[:place] if held or brought else rest

    def _find_searched(self) -> str:
        """“Go through the basket”: a container is searched; else empty."""
        rest = self.clause.rest
        if self.verb.phrase != "go" or len(rest) < 2 or rest[0].low != "through":
            return ""
        noun = self.extract(self.clause.strip_manner(rest[1:]))
        if strip_article(noun) in self.lexicon.here:
            return "here"
        found = self.lexicon.find_matches(noun) if noun else ()
        return noun if found and all(e.kind == "container" for e in found) else ""

    def _claim_going_to(self, rest: EnglishPhrase) -> list[Claim]:
        verb, lexicon, clause = self.verb, self.lexicon, self.clause
        target = self._find_climb(rest) or self._find_place(rest)
        if target is None:
            clause.lose(rest)
            return []
        nearing = any(t.low in WORDS.nearing for t in rest) or verb.word == "approach"
        away = lexicon.is_near(target) or lexicon.is_here(target)
        start = next((n for n, t in enumerate(rest) if t.low in en.DETERMINERS), 0)
        doors = [e for e in clause.nouns.find_entities(rest[start:]) if e.kind == "door"]
        if len(doors) == 1 and not lexicon.find_matches(target) and not away:
            target = doors[0].name  # "the green door", by its description
        described = lexicon.narrated and nearing and clause.nouns.find_entities(rest[start:])
        if nearing and not away and (described or lexicon.can_see(target)):
            seen: Claim = {"type": "inspect", "target": target}
            return [make_emote_claim(clause.render()) if lexicon.narrated else seen]
        crossed = self.verb.word in WORDS.crossing and strip_article(target).endswith(
            tuple(" " + name for name in lexicon.here)
        )
        if crossed:
            return [make_emote_claim(clause.render())]  # "Cross the warm kitchen"
        if not self._is_place(target):
            near = find_typo_correction(strip_article(target), {*lexicon.labels, *lexicon.near})
            clause.lose_words(target, f"{verb.phrase} {near}" if near else "")
        if verb.phrase in PAIRS.up_and_down and lexicon.can_see(target):
            return [make_unrecognised_claim(clause.render(), "no way")]
        if lexicon.is_here(target) and (verb.word in WORDS.crossing or rest[0].low in WORDS.across):
            return [make_emote_claim(clause.render())]  # "Cross the room"
        # The place one is in is meant before a thing with its name in it.
        room = find_room(lexicon.world, lexicon.actor)
        named = strip_article(target) in lexicon.here
        return [{"type": "move"} | ({"targetId": room} if named else {"target": target})]

    def find_way(self, kind: str, rest: EnglishPhrase, parts: ClauseParts) -> str:
        """“Take the north exit”, “use the path”: a way that is taken; else empty."""
        if kind not in ("take", "use") or self.verb.word not in ("take", "use", "follow"):
            return ""
        text = self._strip_way(self.extract(rest))
        if (
            parts.target
            and parts.target[0].low in en.DETERMINERS
            and self._is_way_noun(parts, text)
        ):
            return text
        words = strip_article(self.extract(parts.target)).split()
        climbed = words[-1:] and words[-1] in WORDS.climbed and parts.particles
        if climbed and not self.lexicon.find_matches(" ".join(words)):
            return parts.particles[0].low  # "take the ladder up"
        text = " ".join(words)
        if not words or parts.particles or self.lexicon.find_matches(text):
            return ""
        if self.lexicon.is_way(text) and words[-1] not in WORDS.particles:
            return text
        named = " ".join(words[:-1])
        return named if words[-1] in WORDS.ways and named and self.lexicon.is_way(named) else ""

    def _is_way_noun(self, parts: ClauseParts, way: str) -> bool:
        """“The exit leading north”, “the way east”, “the exit to the garden”."""
        noun = [t.low for t in parts.target[1:]]
        if not noun or noun[0] not in WORDS.ways or self.lexicon.find_matches(noun[0]):
            return False
        return self.lexicon.is_way(way) or self.lexicon.is_near(way)

    def _skip_here(self, rest: EnglishPhrase) -> EnglishPhrase:
        """“By the east” after "leave the kitchen"; empty if nothing follows."""
        for number in range(1, len(rest)):
            after = rest[number:]
            if after[0].low in WORDS.leaving_by and self.lexicon.is_here(
                self.extract(rest[:number])
            ):
                return after
        return ()

    def _find_place(self, rest: EnglishPhrase) -> str | None:
        """Where the words lead; None if some of them lead nowhere."""
        lexicon = self.lexicon
        words = self.extract(rest)
        if lexicon.is_way(words):
            return words
        to = _find_last_destination(rest)
        before = rest[: len(rest) - len(to)]
        steps = _skip_preposition(to)
        if steps == to and before:
            return None
        if before and not self._is_way_part(before):
            return None
        on = self.verb.word == "step" and rest[0].low in ("on", "onto", "upon")
        bare = self.verb.word not in WORDS.entered and rest[0].low in (*en.ARTICLES, *en.MINE)
        target = self._strip_way(self.extract(steps))
        left = list_words(to[: len(to) - len(steps)]) in _LEAVING
        if left and (
            lexicon.is_near(target) or lexicon.is_elsewhere(target)
        ):  # "get out of the cellar", said in the kitchen
            return None
        fetching = steps != to and to[0].low == "for" and not lexicon.is_near(target)
        if fetching and not lexicon.is_way(target):  # "come back for the cup"
            return None
        if strip_article(target) in WORDS.floor and target != "here":  # "stomp on the floor"
            return None
        if (on or bare) and not (lexicon.is_near(target) or lexicon.is_way(target)):
            return None
        return target

    def _is_way_part(self, before: EnglishPhrase) -> bool:
        """Whether the words before the last place are part of the way."""
        if all(t.low in (*en.DIRECTIONS, *WORDS.on_foot) for t in before):
            return True
        while len(before) > 1 and before[-1].low in ("up", "down"):
            before = before[:-1]  # "climb the steps up to the deck"
        inner = _skip_preposition(before)
        words = self._strip_way(self.extract(inner))
        if self._is_stairs(inner):  # "down the stairs to the cellar"
            return True
        if inner != before or self.verb.word == "follow":
            return self._is_passed(words, before, inner)
        return self.lexicon.is_destination(words)

    def _is_passed(self, words: str, before: EnglishPhrase, inner: EnglishPhrase) -> bool:
        """“Through the gate”, “across the room”: what one passes on the way is known."""
        bare = strip_article(words)
        pointed = bare in WORDS.out | WORDS.back | en.THINGS or self.lexicon.is_here(words)
        noun = bare.split()
        named = noun and noun[-1] in WORDS.ways and WORDS.way_adjectives.issuperset(noun[:-1])
        found = self.clause.nouns.find_entities(inner)
        if found:  # "through the window" leads nowhere, "over the rug" does
            return any(e.kind == "door" for e in found) or before[0].low in WORDS.passing
        return bool(pointed or named) or self.lexicon.is_known(words)

    def _is_stairs(self, phrase: EnglishPhrase) -> bool:
        """“The old stairs”, “the cellar steps”: a noun that only says how one gets there."""
        words = [t.low for t in phrase if t.low not in en.DETERMINERS]
        if not words or not self._leads_up(words[-1]):
            return False
        if self.lexicon.find_matches(self.extract(phrase)):
            return False
        room = self.lexicon.find_room()
        idle = WORDS.way_adjectives | set(room.description.lower().split() if room else ())
        which = " ".join(w for w in words[:-1] if w not in idle)
        return not which or self.lexicon.is_near(which) or self.lexicon.is_here(which)

    def _leads_up(self, noun: str) -> bool:
        """Stairs lead up anywhere, a tree where the place is described with one."""
        if noun not in WORDS.climbable:
            return noun in WORDS.climbed
        room = self.lexicon.world.locations.get(
            find_room(self.lexicon.world, self.lexicon.actor) or Id("")
        )
        described = room.description.lower() if room else ""
        return noun in {word.strip(".,;:!?") for word in described.split()}

    def _find_climb(self, rest: EnglishPhrase) -> str:
        """“Up” for "climb the stairs", "run up the stairs", "take the ladder up"; else empty."""
        way, noun = PAIRS.up_and_down.get(self.verb.phrase, ""), rest
        if len(rest) > 1 and rest[0].low in ("up", "down"):
            way, noun = rest[0].low, rest[1:]
        elif len(rest) > 1 and rest[-1].low in ("up", "down"):
            way, noun = rest[-1].low, rest[:-1]
        back = noun is not rest and all(t.low in WORDS.on_foot for t in noun)  # "climb back up"
        return way if way and (back or self._is_stairs(noun) or self._is_door(noun, way)) else ""

    def _is_door(self, noun: EnglishPhrase, way: str) -> bool:
        """“Down the hatch”, where that is the door in the way down."""
        leads = self.lexicon.find_exit(way)
        found = self.clause.find_in_reach(noun) if noun and leads else ()
        return leads is not None and [e.id for e in found] == [leads.door]

    def _skip_leaving(self, rest: EnglishPhrase) -> EnglishPhrase | None:
        """What follows "out of the kitchen", said there; None if nothing is left so."""
        words = list_words(rest)
        out = self.verb.phrase.endswith(" out") and words[:1] == ("of",)
        opener = next((o for o in _LEAVING if words[: len(o)] == o), ("of",) if out else ())
        for stop in range(len(rest), len(opener), -1) if opener else ():
            if self.lexicon.is_here(self.extract(rest[len(opener) : stop])):
                return None if words[0] == "from" and stop == len(rest) else rest[stop:]
        return None

    def _strip_way(self, words: str) -> str:
        """“East” for "the east exit", “the garden” for "the direction of the garden"."""
        bare = strip_article(words)
        prefix = _TO_WAY.match(bare)
        if prefix:
            return strip_article(words[len(words) - len(bare) + prefix.end() :])
        if bare.endswith((" of the room", " of here", " of the house")):
            bare = words = bare.rpartition(" of ")[0]
        first, _, after = bare.partition(" ")
        if first in WORDS.ways and self.lexicon.is_way(after):
            return after
        head, _, last = bare.rpartition(" ")
        if last in WORDS.climbed and self.lexicon.is_near(head):  # "the cellar stairs"
            return head
        return head if last in WORDS.ways and self.lexicon.is_way(head) else words

    def _is_place(self, words: str) -> bool:
        """Whether the words could name a place: a known name, or one with an article."""
        bare = strip_article(words)
        known = bare in WORDS.out | WORDS.back | en.THINGS | WORDS.here or self.lexicon.is_known(
            words
        )
        return known or bare != words.lower().strip() or self.lexicon.narrated


def _find_last_destination(rest: EnglishPhrase) -> EnglishPhrase:
    """“through the gate to the orchard”: the last place is the destination."""
    for number in range(len(rest) - 1, 0, -1):
        if rest[number].kind == "word" and rest[number].low in ("to", "into", "onto"):
            return rest[number:]
    return rest


def _skip_preposition(rest: EnglishPhrase) -> EnglishPhrase:
    words = list_words(rest)
    for length in (3, 2, 1):
        if len(rest) > length and words[:length] in SEQUENCES.to_place:
            return rest[length:]
    return rest
