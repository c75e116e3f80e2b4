"""Everything a narration of one turn may mention, as far as its viewer could know it.

It also finds the names in a narration (`parse_narration`).
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from saniwa.agent.translate.statements import YOU_TOKEN, NarrationToken
from saniwa.language.names import WorldNames, index_world_names
from saniwa.language.text import lower_text, prepare_text
from saniwa.turn.description import NarrationLine
from saniwa.turn.narration import narrate
from saniwa.turn.play import replay_worlds
from saniwa.turn.record import Turn
from saniwa.world.actions import Action, Speak
from saniwa.world.change_records import MoveChange
from saniwa.world.model import Entity, Id, Location, World
from saniwa.world.view import find_room, is_within_reach, list_scope


def fold_text(text: str) -> str:
    """Normalize width, composition and case; not cached, as texts may be long."""
    return lower_text(unicodedata.normalize("NFKC", text))


@dataclass(frozen=True)
class NarrationFacts:
    """One turn, the worlds around it, and the viewer."""

    turn: Turn
    """The turn to narrate."""
    before: World
    """The world before it."""
    after: World
    """The world after it."""
    viewer: Id
    """The viewer for whom it is narrated."""

    @cached_property
    def plain_text(self) -> str:
        """The turn in the plain narrator's words."""
        return "\n".join(f"{line.speaker} {line.text}" for line in self._lines)

    @cached_property
    def narration(self) -> str:
        """The same without speech, which need not be true."""
        return "\n".join(line.text for line in self._lines if not line.speaker)

    @cached_property
    def _lines(self) -> tuple[NarrationLine, ...]:
        return narrate(self.turn, self.before, self.after, self.viewer)

    @cached_property
    def worlds(self) -> tuple[World, ...]:
        """Before, after, and every world in between."""
        return (self.before, *replay_worlds(self.turn, self.before), self.after)

    @cached_property
    def perceived_ids(self) -> frozenset[Id]:
        """Every thing and place the viewer could perceive in this turn or now."""
        return frozenset(seen for world in self.worlds for seen in self._list_around(world))

    def _list_around(self, world: World) -> Iterator[Id]:
        yield from list_scope(world, self.viewer)
        room = world.locations.get(find_room(world, self.viewer) or Id(""))
        if room is None:
            return
        yield room.id
        for way in room.exits:
            door = world.entities.get(way.door) if way.door else None
            if door is None or not door.hidden:
                yield way.to

    @cached_property
    def names(self) -> tuple[WorldNames, ...]:
        """The names of everything, before and after."""
        first, last = index_world_names(self.before), index_world_names(self.after)
        return (first,) if first is last else (first, last)

    @cached_property
    def speeches(self) -> tuple[str, ...]:
        """What was spoken aloud, folded."""
        spoken = self.turn.applied_actions
        return tuple(fold_text(act.content) for act in spoken if isinstance(act, Speak))

    @cached_property
    def corpus(self) -> str:
        """Every text the viewer could have met, folded: what may be quoted."""
        texts = [self.plain_text, self.turn.raw_text, *self.speeches, *self.descriptions]
        return fold_text("\n".join(texts))

    @cached_property
    def descriptions(self) -> tuple[str, ...]:
        """The descriptions and states of everything in view."""
        words = (each for seen in sorted(self.perceived_ids) for each in self._list_words(seen))
        return tuple(dict.fromkeys(each for each in words if each))

    def _list_words(self, seen: Id) -> Iterator[str]:
        found = self.find_entity(seen)
        # What is in another place cannot be seen from here.
        if found is None or not (seen in self._rooms or self._is_still_seen(seen)):
            return
        yield found.description
        if isinstance(found, Entity):
            yield from (f"{found.name} {how}" for how in (*found.state, *found.status))

    @cached_property
    def labels(self) -> str:
        """The time of day, and the labels of the exits."""
        rooms = (self.after.locations.get(room or Id("")) for room in self._rooms)
        ways = (way.label for room in rooms if room is not None for way in room.exits)
        return "\n".join((self.after.time.label, *sorted(set(ways))))

    @cached_property
    def _rooms(self) -> frozenset[Id | None]:
        """Where the viewer was."""
        return frozenset(find_room(world, self.viewer) for world in self.worlds)

    def _is_still_seen(self, thing: Id) -> bool:
        """Whether it is not a place, and was not left behind."""
        if thing in self.after.locations:
            return False
        stayed = len(self._rooms) == 1 or thing not in self.after.entities
        return stayed or is_within_reach(self.after, self.viewer, thing)

    def find_entity(self, who: Id) -> Entity | Location | None:
        """Find the entity or place, as it is now or was before."""
        for world in (self.after, self.before):
            found = world.entities.get(who) or world.locations.get(who)
            if found is not None:
                return found
        return None

    @cached_property
    def witnessed_actions(self) -> tuple[Action, ...]:
        """Everything that was done where the viewer was."""
        return tuple(a for a in self.turn.applied_actions if self._is_watching(a.actor_id))

    def _is_watching(self, actor: Id) -> bool:
        rooms = {find_room(world, actor) for world in self.worlds}
        return actor == self.viewer or not rooms.isdisjoint(self._rooms)

    @cached_property
    def refused_actions(self) -> tuple[Action, ...]:
        """Everything the viewer tried in vain."""
        judged = zip(self.turn.normalized_actions, self.turn.validation_results, strict=True)
        own = self.viewer == self.turn.actor_id
        return tuple(action for action, verdict in judged if own and not verdict.success)

    @cached_property
    def moved_ids(self) -> frozenset[Id]:
        """Everything that has moved in this turn."""
        moves = (each for each in self.turn.changes if isinstance(each, MoveChange))
        return frozenset(each.entity_id for each in moves)

    @property
    def has_no_effect(self) -> bool:
        """Whether something was tried and nothing happened."""
        return not self.turn.applied_actions


class NameMention(NamedTuple):
    """A name in the text."""

    start: int
    """Where it begins."""
    end: int
    """Where it ends (exclusive)."""
    name: str
    """The name, folded."""
    ids: tuple[Id, ...]
    """The ids of everything with this name, sorted."""


def make_name_token(
    mention: NameMention, facts: NarrationFacts, *, subject: bool = True
) -> NarrationToken:
    """Make the token for a name: the perceived things that have it."""
    if facts.viewer in mention.ids:
        return NarrationToken(YOU_TOKEN, mention.name, person=True, subject=subject)
    known = frozenset(mention.ids)
    ids = known & facts.perceived_ids or known
    person = any(_is_person(who, facts) for who in ids)
    return NarrationToken(
        mention.name, mention.name, ids, person, "name", subject=person and subject
    )


def _is_person(who: Id, facts: NarrationFacts) -> bool:
    found = facts.find_entity(who)
    return isinstance(found, Entity) and found.kind == "character"


_YOU_WORDS = frozenset({"you", "あなた", "i", "me"})


class ParsedNarration(NamedTuple):
    """A parsed narration."""

    text: str
    """The text as written, normalized, with a mark for each quotation."""
    low: str
    """The same in lower case, character for character."""
    quotes: tuple[str, ...]
    """The text between quotation marks."""
    mentions: tuple[NameMention, ...]
    """Every name in it; the longest match wins."""


def parse_narration(text: str, facts: NarrationFacts) -> ParsedNarration:
    """Parse a narration and find its names. Takes time in the length of the text."""
    prepared = prepare_text(text, ())
    return ParsedNarration(
        prepared.text, prepared.low, prepared.quotes, tuple(_find_mentions(prepared.low, facts))
    )


def _find_mentions(low: str, facts: NarrationFacts) -> Iterator[NameMention]:
    lengths = sorted({n for names in facts.names for n in names.lengths}, reverse=True)
    start = 0
    while start < len(low):
        found = _find_mention_at(low, start, lengths, facts)
        if found is not None:
            yield found
        start = found.end if found is not None else start + 1


def _find_mention_at(
    low: str, start: int, lengths: list[int], facts: NarrationFacts
) -> NameMention | None:
    for length in lengths:
        end = start + length
        word = low[start:end]
        if len(word) < length or _is_inside_word(low, start) or _is_inside_word(low, end):
            continue
        if word not in _YOU_WORDS and any(word in names.spoken for names in facts.names):
            ids = {who for names in facts.names for who in names.find_bearers(word)}
            return NameMention(start, end, word, tuple(sorted(ids)))
    return None


def _is_inside_word(low: str, place: int) -> bool:
    """Whether a word spans the position; kana may follow a name, kanji may not."""
    if not 0 < place < len(low):
        return False
    left, right = detect_script(low[place - 1]), detect_script(low[place])
    return left == right and left in ("latin", "kanji", "katakana")


def detect_script(letter: str) -> str:
    """Return the script of a character; empty for one of no script.

    Scripts are latin, kana, katakana, kanji and other; digits count as latin.
    """
    if "ぁ" <= letter <= "ゟ":
        return "kana"
    if "ァ" <= letter <= "ヺ" or letter == "ー":
        return "katakana"
    if "一" <= letter <= "鿿" or letter in "々〆":
        return "kanji"
    if not letter.isalpha():
        return "latin" if letter.isdigit() else ""
    return "latin" if ord(letter) < 0x250 else "other"
