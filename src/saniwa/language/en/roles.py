"""Fill the roles of an English verb: what it acts on, where, with what, and for whom.

A preposition opens a role, belongs to the name of a thing, or has no use.
"""

import re
from collections.abc import Sequence

from saniwa.language.en.clause import ClauseParts, EnglishClause, PrepositionalPhrase
from saniwa.language.en.exclusions import EXCEPT
from saniwa.language.en.noun_phrases import NounReading, list_targets, to_singular
from saniwa.language.en.words import EnglishPhrase
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import GROUPS, LISTS, PAIRS, WORDS
from saniwa.language.name_match import is_head_noun, parse_noun_phrase
from saniwa.language.parser_context import Claim, make_unrecognised_claim, strip_article
from saniwa.world.model import HOLDERS, Entity

SHUTTING = frozenset({"open", "close", "lock", "unlock"})
"""The actions that open or close something."""
_LOOKING = frozenset({"inspect", "search", "look"})
_HANDLING = frozenset({"take", "drop", "put", "give"})
_PLACED = re.compile(rf" (?:of|{'|'.join(LISTS.where_in)}) ")
_WORD = re.compile(r"[^\W\d_]+")
_DOERS = en.SELF | {"you", "yourself", "them", "him", "her"}


class RoleReader:
    """Reads the object and the prepositional phrases of one clause."""

    def __init__(self, clause: EnglishClause) -> None:
        """Read the words of `clause`."""
        self.clause, self.lexicon = clause, clause.lexicon
        self.extract, self.lose = clause.extract, clause.lose

    def claim(self, kind: str, parts: ClauseParts) -> list[Claim]:
        """The claims of a verb of this kind."""
        scenery = self._claim_scenery(parts) if kind == "inspect" else None
        if scenery:
            return [scenery]
        claim, target = self.read(kind, parts)
        if self._is_key_turned(claim, target):
            return [{"type": "unlock", "target": claim["destination"], "tool": target.words}]
        if kind in _HANDLING and strip_article(target.words) in _DOERS - en.PEOPLE:
            self.clause.lose_words(target.words)  # "Put yourself in my place"
        swept = kind == "take" and any(map(self.clause.is_ground, parts.phrases))
        if (kind == "drop" or swept) and self._is_vaguely_named(target.words):
            self.clause.lose_words(target.words)
        allowed = GROUPS.verb_particles.get(claim["type"], ())
        self.lose(tuple(t for t in parts.particles if t.low not in allowed)[:1])
        words = claim.pop("target", target.words)
        if parts.exceptions and target.several:
            target = target._replace(several=self._leave_out(target, parts.exceptions))
        elif parts.exceptions:
            words = self._add_exceptions(kind, words, parts.exceptions)
        if target.kind in ("lost", "no thing"):
            # "Take heart" is no attempt to take anything.
            known = target.kind == "lost" and target.words
            self.clause.lose_words(target.extra, self.render_nearest(target.words if known else ""))
        chosen = self._choose_held(kind, target.several)
        if target.extra and len(chosen) < len(target.several):
            self.clause.lose_words(target.extra)
        if not words and kind in ("inspect", "eat") and self.clause.get_earlier_target():
            words = "it"  # "Take the letter and read"
        named = chosen or (({"target": words},) if words else ({},))
        claims = [self._place_claim({"type": kind} | name | claim, parts) for name in named]
        return [one for each in claims for one in self.lexicon.settle_destination(each)]

    def _claim_scenery(self, parts: ClauseParts) -> Claim | None:
        """The claim of a look at what only a description names; None if it is a thing."""
        seen = parts.target
        if not seen or self.clause.nouns.find_entities(seen):
            return None
        whole = (*seen, *(t for p in parts.phrases for t in p.tokens))
        told = self.clause.nouns.read(seen).kind in ("thing", "no thing")
        return self._find_scenery(self.extract(whole)) if told else None

    def _find_scenery(self, words: str) -> Claim | None:
        """“Look at the flowers”, “the sticker on the case”: only a description tells of them."""
        bare = strip_article(words)
        name, *others = _PLACED.split(bare, maxsplit=1)
        if not name or name in en.THINGS | en.PEOPLE or self.lexicon.is_known(name):
            return None
        if self.lexicon.is_known(bare):
            return None
        room = self.lexicon.find_room()
        whole = [e for other in others for e in self.lexicon.find_matches(other)]
        nouns = {to_singular(part.split()[-1]) for part in ((name,) if whole else (name, *others))}
        if not whole and room is not None and nouns <= _list_told(room.description):
            whole_scene = bare in WORDS.here
            return {"type": "look"} if whole_scene else make_unrecognised_claim(bare, "scenery")
        around = whole or self.lexicon.scope
        owners = [e for e in around if nouns <= _list_told(e.description)]
        owners = owners or self._find_approached(name)
        return {"type": "inspect", "target": owners[0].name} if len(owners) == 1 else None

    def _find_approached(self, name: str) -> list[Entity]:
        """“I step up to the board and study the chalk marks”: the board, if its description has chalk."""
        last = self.clause.earlier[-1] if self.clause.earlier else {}
        found = self.lexicon.find_matches(str(last.get("target", "")))
        said = {to_singular(word) for word in name.split()}
        told = [e for e in found if not said.isdisjoint(_list_told(e.description))]
        return told if last.get("type") == "emote" and len(found) == 1 else []

    def read(self, kind: str, parts: ClauseParts) -> tuple[Claim, NounReading]:
        """A claim with the roles that prepositions open, and the object."""
        target, phrases = self._read_target(kind, parts)
        claim: Claim = {"type": kind} | ({"source": target.extra} if target.kind == "part" else {})
        for phrase in phrases:
            if self._is_place_of_tool(claim, phrase):
                continue  # "unlock it with the tin key on the desk"
            if not self._use_phrase(claim, target, phrase):
                known = target.words if target.kind == "thing" else ""
                self.lose(phrase.tokens, self.render_nearest(known))
        return claim, target

    def _is_place_of_tool(self, claim: Claim, phrase: PrepositionalPhrase) -> bool:
        tools = self.lexicon.find_matches(str(claim["tool"])) if "tool" in claim else ()
        holders = {e.id for e in self.clause.find_in_reach(phrase.noun)} if tools else set[str]()
        within = phrase.preposition in LISTS.where_in
        there = [e for e in tools if e.place in holders]
        if within and len(tools) > 1 and len(there) == 1:
            claim["tool"] = there[0].name  # "with the key on the desk", of several keys
            return True
        return within and len(tools) == 1 and tools[0].place in holders

    def render_nearest(self, words: str) -> str:
        """The clause with only this object; empty without one."""
        return f"{self.clause.verb.phrase} {words}" if words else ""

    def _choose_held(self, kind: str, several: Sequence[Claim]) -> Sequence[Claim]:
        """Of several things, those that can be taken, or are held and can be given away."""
        if kind not in _HANDLING:
            return several
        held = {e.id for e in self.lexicon.scope if e.place == self.lexicon.actor}
        return [s for s in several if (s.get("targetId") in held) is (kind != "take")] or several

    def _place_claim(self, claim: Claim, parts: ClauseParts) -> Claim:
        """The claim, with "here" and "back" as its destination."""
        if claim["type"] != "put" or "destination" in claim:
            return claim
        if any(t.low == "here" for t in parts.manner):
            return claim | {"type": "drop"}
        idle = [t.low for t in (*parts.manner, *parts.particles)]
        last = self.clause.earlier[-1] if self.clause.earlier else {}
        holder = last.get("source", last.get("destination", last.get("target")))
        there = "there" in idle and last.get("type") in ("take", "put", "open", "search")
        bare = any(not p.noun and p.preposition in ("in", "inside") for p in parts.phrases)
        within = (bare or "in" in idle) and last.get("type") in ("open", "search")
        if holder and (there or within):
            return claim | {"destination": holder}  # "Take it out and put the cup in there"
        back = any(t.low == "back" for t in parts.particles)
        return claim | {"destination": "back"} if back else claim

    def _read_target(
        self, kind: str, parts: ClauseParts
    ) -> tuple[NounReading, Sequence[PrepositionalPhrase]]:
        """What the object names, and the phrases that do not belong to it."""
        target, own = self._find_door(parts), self._find_cleared(kind, parts)
        if own is not None:
            target = NounReading("several", several=list_targets(self._list_contents(own)))
        elif target is None:
            target = self._count_contents(kind, parts) or self.clause.nouns.read(parts.target)
            if kind in SHUTTING and not self.lexicon.find_matches(target.words):
                door = self.lexicon.find_door(target.words)  # "Unlock the ticket office"
                target = NounReading("thing", door) if door else target
            unknown = target.kind in ("thing", "no thing")
            opened = self._find_opened(kind, target.words)
            if opened is not None:
                target = NounReading("part", opened, target.words) if opened else target
                target = target if opened else NounReading("lost", extra=target.words)
            elif self._is_coloured_part(parts.target, target):
                own = self._find_owner(parts)  # "the red button on the hoist", with a red ribbon
                said = NounReading("thing", self.extract(parts.target))
                target = target if own else self._find_part_of_earlier(kind, said)
            elif unknown and not self._is_named(parts.target, target.words):
                own = self._find_owner(parts)
                target = target if own else self._find_part_of_earlier(kind, target)
            if own is not None:
                part = self.extract(parts.target)
                apart = kind == "use" and own.preposition in ("off", "off of", "from", "out of")
                target = NounReading(
                    "lost" if apart else "part", "" if apart else self._name_owner(own.noun), part
                )  # "Break the handle off the cup"
            target = self._settle_part(kind, target)
        else:
            own = self._find_door_phrase(parts)
        return target, [p for p in parts.phrases if p is not own]

    def _find_opened(self, kind: str, words: str) -> str | None:
        """What "the door" belongs to in "unlock the locker and open the door".

        It is what was opened, closed, locked or unlocked before; empty if it could as well
        be a door of its own, None if the words mean something else.
        """
        named = words.lower().split()
        if kind not in SHUTTING or named[:1] != ["the"] or named[1:] not in (["door"], ["doors"]):
            return None
        last = self.clause.earlier[-1:]
        done = [c for c in self.clause.earlier if c["type"] in SHUTTING | {"move"}][-1:]
        if last and last[0]["type"] == "emote" and "target" in last[0]:
            done = [*last]  # "Crouches beside the car and opens the door"
        if not done or done[0]["type"] in ("move", kind) or "target" not in done[0]:
            return None  # after "open the chest" it is another door that is opened
        if kind == "open" and done[0] is not self.clause.earlier[-1]:
            return None
        owner = str(done[0]["target"])
        found = self.lexicon.find_matches(owner)
        if len(found) != 1 or not (found[0].openable or found[0].lockable):
            return None
        known = _list_told(" ".join((found[0].name, *found[0].aliases, found[0].description)))
        doored = found[0].kind == "door" or not WORDS.doored.isdisjoint(known)
        doors = (e for e in self.lexicon.scope if e.kind == "door")
        fits = {"close": lambda e: e.open, "lock": lambda e: not e.locked}
        others = filter(fits.get(kind, lambda e: not e.open), doors)
        plain = any(is_head_noun(parse_noun_phrase("door"), e) for e in others)
        return owner if doored or not plain or named[1] == "doors" else ""

    def _find_part_of_earlier(self, kind: str, target: NounReading) -> NounReading:
        """“Unlock the chest and open the lid”: a part of what was spoken of."""
        whole, part = self.clause.get_earlier_target(), strip_article(target.words)
        opened = [c for c in self.clause.earlier if c["type"] in SHUTTING and "target" in c]
        whole = str(opened[-1]["target"]) if opened and part in WORDS.opened_parts else whole
        parts = WORDS.parts if kind in _LOOKING else WORDS.opened_parts | WORDS.used_parts
        if kind == "use" and part in WORDS.keyholes:
            return target  # "Try it in the lock": the lock that it fits
        whole = self._find_told(kind, part, whole) or whole
        known = part.split(" ")[-1] in parts and self.lexicon.find_matches(whole)
        return NounReading("part", whole, part) if known else target

    def _find_told(self, kind: str, part: str, whole: str) -> str:
        """“Open the drawer”, “push the button”: the one thing that is described with it."""
        opens = kind in SHUTTING and part in WORDS.opened_parts
        works = kind == "use" and part in WORDS.used_parts
        around = [
            e
            for e in self.lexicon.scope
            if (opens and e.openable) or (works and "use" in e.attributes)
        ]
        if any(e in around for e in self.lexicon.find_matches(whole)):
            return ""
        told = [e for e in around if to_singular(part) in _list_told(e.description)]
        return told[0].name if len(told) == 1 else ""

    def _count_contents(self, kind: str, parts: ClauseParts) -> NounReading | None:
        """“Both things in the basket”, if there are two."""
        noun = [t.low for t in parts.target if t.low not in en.DETERMINERS]
        counts = len(noun) == 2 and noun[0] in PAIRS.numbers and noun[1] in WORDS.counted
        if (
            kind == "put"
            and " ".join(noun) in WORDS.all
            and (emptied := self.clause.nouns.list_emptied())
        ):
            return NounReading("several", several=emptied)  # "empty the box and put everything …"
        if counts or (len(noun) == 2 and noun[0] in PAIRS.numbers and not parts.phrases):
            found = self._list_opened()
            named = counts or all(
                is_head_noun(parse_noun_phrase(to_singular(noun[1])), e) for e in found
            )
            if named and not parts.phrases and len(found) == int(PAIRS.numbers[noun[0]]):
                return NounReading("several", several=list_targets(found))
        for phrase in parts.phrases if counts else ():
            opens = en.ROLES.get(kind, {}).get(phrase.preposition)
            found = self._list_contents(phrase)
            if opens == "source" and len(found) == int(PAIRS.numbers[noun[0]]):
                return NounReading("several", several=list_targets(found))
        return None

    def _list_contents(self, phrase: PrepositionalPhrase) -> list[Entity]:
        """What can be taken from the holder that the phrase names, or that was just opened."""
        if self.extract(phrase.noun).lower() == "it" and (inside := self._list_opened()):
            return inside
        holders = [e.id for e in self.clause.find_in_reach(phrase.noun)]
        return [e for e in self.lexicon.scope if [e.place] == holders and e.takeable]

    def _list_opened(self) -> list[Entity]:
        """What can be taken from what was opened or searched just before."""
        last = self.clause.earlier[-1] if self.clause.earlier else {}
        opened = last.get("type") in ("open", "search")
        found = self.lexicon.find_matches(str(last.get("target", ""))) if opened else ()
        world = self.lexicon.world
        inside = (world.entities[i] for e in found for i in world.contents.get(e.id, ()))
        return [e for e in inside if e.takeable] if len(found) == 1 else []

    def _find_cleared(self, kind: str, parts: ClauseParts) -> PrepositionalPhrase | None:
        """“Off the shelf” in "move everything off the shelf onto the table"."""
        places = [p for p in parts.phrases if p.preposition in en.ROLES["take"]]
        placed = kind == "put" and len(parts.phrases) > 1 and places[:1] == [parts.phrases[0]]
        named = self.clause.nouns.read(parts.target).words.lower() in WORDS.all if placed else ""
        return places[0] if named and self._list_contents(places[0]) else None

    def _find_door_phrase(self, parts: ClauseParts) -> PrepositionalPhrase | None:
        """“To the cellar” in "the door to the cellar"."""
        nouns = [t.low for t in parts.target[-2:]]
        if nouns[-1:] and nouns[-1] in ("leading", "going", "opening"):
            nouns.pop()
        for phrase in parts.phrases if nouns and nouns[-1] in WORDS.door_nouns else ():
            leads = phrase.preposition in ("to", "into", "of", "for", "in")
            if leads and self.lexicon.is_near(self.extract(phrase.noun)):
                return phrase
        return None

    def _find_door(self, parts: ClauseParts) -> NounReading | None:
        """The door in the way to a place: "the door to the cellar"."""
        phrase = self._find_door_phrase(parts)
        door = self.lexicon.find_door(self.clause.strip_article(phrase.noun)) if phrase else ""
        return NounReading("thing", door) if door else None

    def _is_named(self, noun: EnglishPhrase, words: str) -> bool:
        """Whether the words are a name; "the writing" is no name of a writing desk."""
        if not self.lexicon.is_known(words) or not self._is_part(noun):
            return self.lexicon.is_known(words)
        said, found = parse_noun_phrase(words), self.lexicon.find_matches(words)
        return not found or any(is_head_noun(said, e) for e in found)

    def _is_coloured_part(self, noun: EnglishPhrase, target: NounReading) -> bool:
        """“The red button”, where only something else is called red."""
        if target.kind not in ("lost", "part") or not self._is_part(noun):
            return False
        said = parse_noun_phrase(target.words)
        found = self.lexicon.find_matches(target.words)
        return bool(found) and not any(is_head_noun(said, e) for e in found)

    def _is_part(self, noun: EnglishPhrase) -> bool:
        return bool(noun) and noun[-1].low in WORDS.parts | WORDS.used_parts

    def _find_owner(self, parts: ClauseParts) -> PrepositionalPhrase | None:
        """“The switch on the lamp”: the phrase that says what the part belongs to."""
        is_part = self._is_part(parts.target)
        for phrase in parts.phrases:
            noun = _strip_side(phrase.noun)
            found = self.clause.find_in_reach(noun)
            holds = any(e.kind in HOLDERS for e in found)
            pointed = is_part and self._is_of_it(phrase.noun)
            if (
                (found or pointed)
                and phrase.preposition in en.ROLES["take"]
                and (is_part or not holds)
            ):
                return phrase
        return None

    def _name_owner(self, noun: EnglishPhrase) -> str:
        noun = _strip_side(noun)
        return "it" if noun[0].low == "its" else self.extract(noun)

    def _is_of_it(self, noun: EnglishPhrase) -> bool:
        """“The switch on it”, “the carving on its lid”."""
        owned = noun[:1] and noun[0].low == "its" and noun[-1].low in WORDS.parts
        return bool(owned) or self.extract(noun).lower() in ("it", "them")

    def _settle_part(self, kind: str, target: NounReading) -> NounReading:
        """A part of a thing as the thing, for verbs for which they are the same."""
        if target.kind != "part":
            return target
        part = strip_article(target.extra).split()[-1]
        opens = kind in SHUTTING and part in WORDS.opened_parts
        used = kind == "use" and part in WORDS.used_parts | WORDS.keyholes
        used = used and self.clause.verb.word not in WORDS.spoiling
        if kind in _LOOKING or opens or used:
            return NounReading("thing", target.words)
        if part == "contents" and kind == "take":
            return NounReading("part", "all", target.words)
        return NounReading("lost", extra=target.extra)

    def _use_phrase(self, claim: Claim, target: NounReading, phrase: PrepositionalPhrase) -> bool:
        """Use one prepositional phrase; whether it has a use."""
        kind, opener, words = claim["type"], phrase.preposition, self.extract(phrase.noun)
        role = en.ROLES.get(kind, {}).get(opener)
        if not phrase.noun:
            return role == "destination"
        here = opener in LISTS.where_in and self.lexicon.is_here(words)
        if here or self.clause.is_ground(phrase):
            # Putting on the floor, or in the room one is in, is dropping.
            dropped = kind == "put" and "destination" not in claim and opener in en.ROLES["put"]
            claim["type"] = "drop" if dropped else kind
        elif self._is_elsewhere(opener, words):
            return False
        elif self._is_on_wall(kind, target, phrase) or self._is_idle(kind, phrase):
            return True
        elif role:
            self._fill_role(claim, role, phrase)
        elif role is None:
            if target.kind != "thing" or not self._is_place_of(kind, opener, words):
                return False
            claim["target"] = f"{claim.get('target', target.words)} {opener} {words}"
        return True

    def _is_idle(self, kind: str, phrase: PrepositionalPhrase) -> bool:
        """“With my left hand”, “close it behind you”: it says nothing new."""
        if kind == "put" and phrase.preposition == "with":  # "in the basket with the wool"
            holders = {e.id for e in self.lexicon.scope if e.kind in HOLDERS - {"character"}}
            return any(e.place in holders for e in self.clause.find_in_reach(phrase.noun))
        if kind == "eat" and phrase.preposition in WORDS.out_of:  # "drink the tea from the flask"
            drunk = self.clause.find_in_reach(self.clause.split(self.clause.rest).target)
            whole = {e.id for e in self.clause.find_in_reach(phrase.noun)}
            if any(e.id in whole for e in drunk):
                return True
        if kind == "eat" and phrase.preposition == "with" and len(phrase.noun) == 1:
            return phrase.noun[0].low in en.THINGS  # "eat the bun and drink the milk with it"
        if phrase.preposition in WORDS.means:
            return phrase.noun[-1].low in WORDS.hands
        if kind not in ("put", "use") and self.clause.is_own_body(phrase, out=kind == "drop"):
            return True  # "Take it in one hand", "between my fingers"
        if phrase.preposition in WORDS.beside:
            return self._is_beside(kind, phrase)
        if phrase.preposition == "for" and self.lexicon.is_person(self.extract(phrase.noun)):
            return kind in SHUTTING | {"put", "use"}  # "open it for Otto"
        behind = phrase.preposition == "behind" and kind in SHUTTING
        return behind and self.clause.strip_article(phrase.noun) in _DOERS

    def _is_beside(self, kind: str, phrase: PrepositionalPhrase) -> bool:
        """“Put it on the desk next to the chart”, where the chart is on the desk."""
        goal = self.clause.find_destination(self.clause.split(self.clause.rest))
        holders = {e.id for e in self.clause.find_in_reach(goal.noun)} if goal else set[str]()
        found = self.lexicon.find_matches(to_singular(self.extract(phrase.noun)))
        return kind == "put" and any(e.place in holders for e in found)

    def _is_on_wall(self, kind: str, target: NounReading, phrase: PrepositionalPhrase) -> bool:
        """“The chart on the wall”, which is in the room and on nothing else."""
        part, room = self.clause.strip_article(phrase.noun), self.lexicon.find_room()
        named = part and part.split(" ")[-1] in WORDS.room_parts  # "on the far wall"
        if not named or kind in ("put", "drop", "give") or room is None:
            return False
        found = self.lexicon.find_matches(target.words)
        within = phrase.preposition in en.ROLES["take"] or phrase.preposition == "against"
        return within and bool(found) and all(e.place == room.id for e in found)

    def _is_elsewhere(self, opener: str, words: str) -> bool:
        if opener == "out of" and strip_article(words) in self.lexicon.here:
            return True  # "Take the lamp out of the kitchen": it is to be carried away
        return opener in en.ROLES["take"] and self.lexicon.is_elsewhere(words)

    def _is_place_of(self, kind: str, opener: str, words: str) -> bool:
        """Whether a thing can be there: "at Nell" says where it is thrown."""
        if opener not in LISTS.where_in or (kind == "drop" and self.lexicon.is_person(words)):
            return False
        kinds = HOLDERS - {"character"} if opener == "at" else HOLDERS
        return any(e.kind in kinds for e in self.lexicon.find_matches(words))

    def _is_vaguely_named(self, words: str) -> bool:
        """“Throw away the stone”, where there is a stone mask, and it is not held."""
        found, phrase = self.lexicon.find_matches(words), parse_noun_phrase(words)
        held = any(e.place == self.lexicon.actor for e in found)
        return bool(found) and not held and not any(is_head_noun(phrase, e) for e in found)

    def _is_key_turned(self, claim: Claim, target: NounReading) -> bool:
        """“Insert the key into the cellar door”: it is unlocked with the key."""
        if claim["type"] != "put":
            return False
        found = self.lexicon.find_matches(str(claim.get("destination", "")))
        if claim.get("relation") == "lock":
            return True
        doors = bool(found) and all(e.kind == "door" for e in found)
        key = self.clause.get_earlier_target() if target.words == "it" else ""
        used = {e.id for e in self.lexicon.find_matches(key or target.words)}
        return doors and any(e.required_key in used for e in found)

    def _fill_role(self, claim: Claim, role: str, phrase: PrepositionalPhrase) -> None:
        noun = self.clause.nouns.read(phrase.noun)
        idle = WORDS.opened_parts | (WORDS.laid_on if role == "destination" else frozenset())
        if noun.kind == "part" and strip_article(noun.extra).split()[-1] not in idle:
            self.lose(phrase.tokens)
        abstract = phrase.noun[-1].low in WORDS.abstract | WORDS.body or role == "source"
        if noun.kind in ("lost", "several") or (noun.kind == "no thing" and abstract):
            self.clause.lose_words(noun.extra or self.extract(phrase.tokens))
        if role in claim or (role == "tool" and self._is_no_tool(claim["type"], noun.words)):
            self.lose(phrase.tokens)
        claim[role] = noun.words
        if role == "destination":
            onto = phrase.preposition in WORDS.onto
            people = {e.kind for e in self.lexicon.find_matches(noun.words)} == {"character"}
            if onto and people:
                self.lose(phrase.tokens)
            claim["relation"] = "on" if onto else "in"
            if noun.kind == "part" and noun.extra.endswith(("lock", "keyhole")):
                claim["relation"] = "lock"

    def _is_no_tool(self, kind: str, words: str) -> bool:
        """Whether it is a person, or in reach and no key: "open it with the umbrella"."""
        if self.lexicon.is_person(words):
            return True
        found = self.lexicon.find_matches(words)
        keys = {e.required_key for e in self.lexicon.scope}
        fits = "key" in words.lower() or any(e.id in keys for e in found)
        return kind == "open" and bool(found) and not fits

    def _add_exceptions(self, kind: str, words: str, exceptions: EnglishPhrase) -> str:
        """“All but the key”; only what can be done to all can be done to all but one."""
        names = self._list_exceptions(exceptions)
        if words.lower() not in WORDS.all or not names or kind not in _HANDLING:
            self.lose(exceptions)
        return f"all but {names}"

    def _leave_out(self, target: NounReading, exceptions: EnglishPhrase) -> tuple[Claim, ...]:
        """Of several things, those that are not excluded."""
        names = self._list_exceptions(exceptions).split(" and ")
        excluded = {e.id for name in names for e in self.lexicon.find_matches(name)}
        left = tuple(one for one in target.several if one.get("targetId") not in excluded)
        if not left or len(left) == len(target.several):
            self.lose(exceptions)
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
        known = self.lexicon.is_known
        return " and ".join(text if known(text) else to_singular(text) for text in texts)


def _strip_side(noun: EnglishPhrase) -> EnglishPhrase:
    """“The spotlight” for "the side of the spotlight"."""
    of = next((n for n, t in enumerate(noun) if t.low == "of"), 0)
    return noun[of + 1 :] if of and noun[of - 1].low in WORDS.parts and noun[of + 1 :] else noun


def _list_told(description: str) -> set[str]:
    """The words of a description, in the singular."""
    return {to_singular(word) for word in _WORD.findall(description.lower())}
