"""Untrusted claims, and what a parser may know of the world while it makes them.

A claim made here is a guess in words. What words refer to is resolved later, by
`turn.claim_resolution`, against the world at that moment.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from saniwa.language.lexicon import en, ja, readings
from saniwa.language.name_index import index_world_names
from saniwa.language.name_match import list_spellings, parse_noun_phrase, rank_match
from saniwa.language.text import NO_TEXT, PreparedText, fold_text
from saniwa.world.model import Entity, Exit, Id, Location, World
from saniwa.world.queries import find_room, list_scope

Claim = dict[str, Any]
"""`type`, and ids or words for each role; see `turn.claim_resolution`."""

_LONGEST_NAME = 400
"""The most characters of words that can name a thing."""
_SHARED: dict[str, tuple[str, ...]] = {"put": ("destination",), "give": ("recipient",)}
_SHARED_BACKWARDS: dict[str, tuple[str, ...]] = {
    "take": ("source",),
    "lock": ("tool",),
    "unlock": ("tool",),
    "open": ("tool",),
    "use": ("tool",),
} | _SHARED
_DIRECTIONS = frozenset(en.DIRECTIONS) | frozenset(ja.DIRECTIONS)
_HERE = en.WORDS.here | ja.HERE
_POINTING = en.THINGS | ja.THINGS | ja.HANDS | {"hand", "hands", "bare hands", "both hands"}
_ENGLISH_PERSONS = en.PEOPLE | en.SELF
_PERSONS = _ENGLISH_PERSONS | ja.PEOPLE | ja.SELF
_OFF_STATES = (*ja.LISTS.off, *en.WORDS.off_states)
_FLOOR = en.WORDS.floor | ja.FLOOR


def make_unrecognised_claim(words: str, problem: str = "") -> Claim:
    """A claim for words that are not understood, unchanged."""
    return {"type": "unrecognised", "words": words} | ({"problem": problem} if problem else {})


def make_emote_claim(words: str) -> Claim:
    """A claim for a gesture, in the speaker's words."""
    return {"type": "emote", "content": words}


def share_group_roles(group: Sequence[Claim]) -> list[Claim]:
    """Let claims under one verb share the roles that only one of them states.

    "Put the coin and the ring in the box" puts both into the box; "take the lamp and
    the coin from the chest" takes both out of it, but never the other way round.
    """
    claims = [dict(claim) for claim in group]
    if claims and claims[-1]["type"] == "put" and "destination" in claims[-1]:
        # "Leave the cup and the bun on the table".
        claims = [c | {"type": "put"} if c["type"] == "drop" else c for c in claims]
    elif claims and claims[-1]["type"] == "drop":
        # "Put the coin and the ring down".
        bare = {"type", "target", "targetId"}
        claims = [
            c | {"type": "drop"} if c["type"] == "put" and bare >= {*c} else c for c in claims
        ]
    elif claims and claims[-1]["type"] == "take" and "source" in claims[-1]:
        # "Pull the plum and the leaflet off the bench".
        claims = [c | {"type": "take"} if c["type"] == "use" else c for c in claims]
    _copy_shared_roles(list(reversed(claims)), _SHARED_BACKWARDS)
    _copy_shared_roles(claims, _SHARED)
    return claims


def _copy_shared_roles(claims: Iterable[Claim], shared: dict[str, tuple[str, ...]]) -> None:
    before: Claim = {}
    for claim in claims:
        if before.get("type") == claim["type"]:
            for role in shared.get(claim["type"], ()):
                if role in before and role not in claim:
                    claim[role] = before[role]
                    if role == "destination" and "relation" in before:
                        claim["relation"] = before["relation"]
        before = claim


@lru_cache(maxsize=16384)
def strip_article(words: str) -> str:
    """The folded words without a leading article."""
    folded = fold_text(words)
    for article in (*en.ARTICLES, *en.MINE):
        if folded.startswith(article + " "):
            return folded[len(article) + 1 :].strip()
    return folded


def list_folded_names(entity: Entity) -> set[str]:
    """All folded names of an entity."""
    return {fold_text(name) for name in (entity.name, *entity.aliases, entity.id)}


def list_use_states(entity: Entity) -> tuple[str, ...]:
    """The states that a thing has after it is used."""
    effect = entity.attributes.get("use")
    states = effect.get("state") if isinstance(effect, Mapping) else None
    return tuple(map(str, states)) if isinstance(states, (list, tuple)) else ()


@dataclass(frozen=True)
class ParserContext:
    """What a parser may use of the world: names, exits, people. Changes nothing."""

    world: World
    """The world when the words are parsed."""
    actor: Id
    """Who speaks."""
    own_names: frozenset[str]
    """The speaker's names."""
    people: frozenset[str]
    """The names of other people, with the last word of each name."""
    labels: frozenset[str]
    """The labels of the exits from this place."""
    near: frozenset[str]
    """The names of the adjacent places."""
    here: frozenset[str]
    """The names of this place."""
    heard: PreparedText
    """The words that are parsed."""
    narrated: bool = False
    """Whether a character describes their actions in a written reply; else a player
    types."""
    matches: dict[str, tuple[Entity, ...]] = field(default_factory=dict, compare=False)
    """What was found in reach so far, by the words for it."""

    told_parts: dict[str, str] = field(default_factory=dict, compare=False)
    """Doors and lids that the words describe, with the name of what has them."""

    @cached_property
    def scope(self) -> tuple[Entity, ...]:
        """Everything in reach of the speaker."""
        around = list_scope(self.world, self.actor)
        return tuple(self.world.entities[e] for e in around if e in self.world.entities)

    def find_room(self) -> Location | None:
        """The place that the speaker is in."""
        return self.world.locations.get(find_room(self.world, self.actor) or Id(""))

    def list_craft_verbs(self, language: str) -> tuple[tuple[str, str], ...]:
        """The verbs for crafts in a language, each with its craft.

        If a rulebook has no English verb for a craft, the craft's name is used.
        """
        return tuple(
            (manner.name, verb)
            for manner in self.world.manners
            for verb in manner.get_verbs(language) or ((manner.name,) if language == "en" else ())
        )

    @classmethod
    def from_world(
        cls, world: World, actor: Id, heard: PreparedText = NO_TEXT, *, narrated: bool = False
    ) -> "ParserContext":
        """Build the context for a speaker; costs the number of people."""
        others = {n for e in world.list_characters() if e.id != actor for n in list_folded_names(e)}
        me = world.entities.get(actor)
        room = world.locations.get(find_room(world, actor) or Id(""))
        exits = room.exits if room else ()
        beyond = [world.locations[way.to] for way in exits if way.to in world.locations]
        return cls(
            world=world,
            actor=actor,
            own_names=frozenset(list_folded_names(me) if me else ()),
            people=frozenset(others | {n.split()[-1] for n in others if n.split()}),
            labels=frozenset(fold_text(way.label) for way in exits if way.label),
            near=frozenset(fold_text(n) for p in beyond for n in (p.name, *p.aliases, p.id)),
            here=frozenset(fold_text(n) for n in ((room.name, *room.aliases) if room else ())),
            heard=heard,
            narrated=narrated,
        )

    def is_way(self, words: str) -> bool:
        """Whether the words are a direction, or the label of an exit from here."""
        bare = strip_article(words)
        return bare in self.labels or not _DIRECTIONS.isdisjoint((bare, readings.fold_kana(bare)))

    def is_person(self, words: str) -> bool:
        """Whether the words name or refer to another person."""
        bare = strip_article(words)
        return bare in self.people or bare in _PERSONS

    def is_near(self, words: str) -> bool:
        """Whether the words name an adjacent place."""
        return strip_article(words) in self.near

    def is_here(self, words: str) -> bool:
        """Whether the words mean the place the speaker is in."""
        bare = strip_article(words)
        named = next((bare.removeprefix(w) for w in ja.THIS if bare.startswith(w)), bare)
        return not (self.here.isdisjoint((bare, named)) and _HERE.isdisjoint((bare, named)))

    def is_destination(self, words: str) -> bool:
        """Whether the words name an exit, an adjacent place, or a thing in reach."""
        return self.is_way(words) or self.is_near(words) or bool(self.find_in_scope(words))

    def find_exit(self, words: str) -> Exit | None:
        """The exit that a direction, or the name of an adjacent place, means; else None."""
        bare = strip_article(words)
        room = self.find_room()
        for way in room.exits if room else ():
            to = self.world.locations.get(way.to)
            names = {fold_text(n) for n in (to.name, *to.aliases, to.id)} if to else set[str]()
            if bare in (fold_text(way.label), *names):
                return way
        return None

    def find_door(self, place: str) -> str:
        """The name of the door in the way to an adjacent place; empty if there is none."""
        way = self.find_exit(place) if place else None
        door = self.world.entities.get(way.door) if way and way.door else None
        return door.name if door else ""

    def find_way_door(self, words: str) -> Entity | None:
        """The one door that the words name, or that is in the way to the place they name."""
        meant = [e for e in self.find_matches(words) if e.kind == "door"] if words else []
        way = self.find_exit(words) if words else None
        door = self.world.entities.get(way.door) if way and way.door else None
        return door or (meant[0] if len(meant) == 1 else None)

    def count_person_words(self, words: Sequence[str]) -> int:
        """How many leading words name another person; 0 if none do."""
        for length in range(min(6, len(words)), 0, -1):
            name = strip_article(" ".join(words[:length]))
            if name in self.people or name in _ENGLISH_PERSONS:
                return length
        return 0

    def find_in_scope(self, words: str) -> tuple[Entity, ...]:
        """Everything in reach that has exactly this name."""
        named = index_world_names(self.world).find_bearers(strip_article(words))
        return tuple(e for e in self.scope if e.id in named) if named else ()

    def find_matches(self, words: str) -> tuple[Entity, ...]:
        """Everything in reach that the words name, at least in part."""
        found = self.matches.get(words)
        if found is None:
            phrase = parse_noun_phrase(words[:_LONGEST_NAME])
            around = self.scope if phrase.bare and len(words) <= _LONGEST_NAME else ()
            found = tuple(e for e in around if rank_match(phrase, e) is not None)
            self.matches[words] = found
        return found

    def can_see(self, words: str) -> bool:
        """Whether the words name, at least in part, something in reach but no door."""
        return any(e.kind != "door" for e in self.find_matches(words))

    def is_left_off(self, words: str) -> bool:
        """Whether using what the words name leaves it switched off, or they name nothing."""
        return all(
            any(state.startswith(_OFF_STATES) for state in list_use_states(each))
            for each in self.list_bearers(words)
        )

    def find_bearers(self, words: str) -> tuple[Id, ...]:
        """Everything in the world, in reach or not, that has this full name."""
        phrase = parse_noun_phrase(words)
        return index_world_names(self.world).find_bearers(*list_spellings(phrase))

    def list_bearers(self, words: str) -> tuple[Entity, ...]:
        """Everything in reach that the words name, else everything elsewhere of that name."""
        found = (self.world.entities.get(each) for each in self.find_bearers(words))
        return self.find_matches(words) or tuple(each for each in found if each)

    def is_known(self, words: str) -> bool:
        """Whether the words name anything: a thing, a person, a place or an exit."""
        return bool(self.find_matches(words) or self.find_bearers(words)) or self.is_way(words)

    def is_elsewhere(self, words: str) -> bool:
        """Whether the words name a place other than the one the speaker is in."""
        if self.is_here(words) or self.find_matches(words):
            return False
        return any(found in self.world.locations for found in self.find_bearers(words))

    def make_inventory_claim(self) -> Claim:
        """The claim that inspects the speaker."""
        return {"type": "inspect", "targetId": self.actor}

    def settle_destination(self, claim: Claim) -> list[Claim]:
        """The claim, with "on the floor" and the words "in" and "on" resolved.

        `relation` remains only if it contradicts the kind of the thing named: on a
        container, in a supporter.
        """
        destination = strip_article(claim.get("destination", ""))
        if claim["type"] == "put" and destination in _FLOOR and not self.find_in_scope(destination):
            claim = {"type": "drop"} | {k: v for k, v in claim.items() if k == "target"}
        if "relation" in claim and not self._is_relation_wrong(claim["relation"], destination):
            claim = {k: v for k, v in claim.items() if k != "relation"}
        return [claim]

    def _is_relation_wrong(self, relation: str, words: str) -> bool:
        """Whether everything that the words may mean is of the other kind."""
        kinds = {e.kind for e in self.find_matches(words)}
        return kinds == {"container" if relation == "on" else "supporter"}

    def split_open_with_tool(self, claim: Claim) -> list[Claim]:
        """Split “open X with Y” into unlocking and opening, unless X is not locked.

        Only `unlock` takes a tool, and a player does not need a refusal that the door is
        not locked. Words that name no tool ("with a smile") are not understood, and
        open nothing.
        """
        if claim["type"] != "open" or "tool" not in claim:
            return [claim]
        tool = claim["tool"]
        bare = {k: v for k, v in claim.items() if k != "tool"}
        meant = self.find_in_scope(claim.get("target", ""))
        if meant and not any(e.locked for e in meant):
            return [bare] if self._is_tool(tool) else [make_unrecognised_claim(tool)]
        return [bare | {"type": "unlock", "tool": tool}, bare]

    def _is_tool(self, words: str) -> bool:
        """Whether the words could name a tool; "with a smile" names none."""
        bare = strip_article(words)
        return bare in _POINTING or self.can_see(words) or bool(self.find_bearers(words))
