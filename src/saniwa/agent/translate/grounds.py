"""Builds the grounds of a turn: everything a narration of it may say, in any language.

`statements.supports_statement` compares a narration with them.
"""

import re
from collections.abc import Iterator
from types import ModuleType
from typing import Final

from saniwa.agent.translate import tokens as agent_tokens
from saniwa.agent.translate import words_en, words_ja
from saniwa.agent.translate.name_mentions import ParsedNarration, parse_narration
from saniwa.agent.translate.narration_facts import NarrationFacts
from saniwa.agent.translate.statements import (
    QUOTED_TOKEN,
    THEY_TOKEN,
    YOU_TOKEN,
    NarrationStatement,
    NarrationToken,
    StatementGround,
    split_statements,
)
from saniwa.turn.description import name_for_viewer
from saniwa.world import actions
from saniwa.world.model import Entity, Exit, Id
from saniwa.world.view import find_room, list_scope

_KANA = re.compile("^[ぁ-ゟ]+$")


class NarrationReader:
    """Reads texts as the viewer of a turn can understand them."""

    def __init__(self, facts: NarrationFacts) -> None:
        """Prepare to read in the language of the world."""
        self._facts = facts
        self._japanese = facts.after.language == "ja"
        self.words: ModuleType = words_ja if self._japanese else words_en
        self._met_words: frozenset[str] = frozenset()
        if self._japanese:
            self._met_words = frozenset(self._list_unlisted_words())

    def read_statements(self, telling: ParsedNarration) -> Iterator[NarrationStatement]:
        """Yield the statements of a narration."""
        for statement in split_statements(self._tokenize(telling)):
            text = statement.text.replace(" ", "") if self._japanese else statement.text
            yield statement._replace(text=text)

    def build_grounds(self, text: str, *, tells: bool) -> Iterator[StatementGround]:
        """Build a ground for each statement of a text."""
        for statement in self.read_statements(parse_narration(text, self._facts)):
            ground = self._make_ground(statement, tells=tells)
            yield ground
            if not statement.marks:
                yield self._make_seen_ground(ground)

    def extract_stems(self, text: str) -> frozenset[str]:
        """Return the words of a text that need a ground."""
        tokens = self._tokenize(parse_narration(text, self._facts))
        return frozenset(t.word for t in tokens if t.kind == "word")

    def _make_ground(self, statement: NarrationStatement, *, tells: bool) -> StatementGround:
        # How things are now is decided by the worlds and the plain narrator.
        lasting = frozenset[str]() if tells else self._lasting_words
        return StatementGround(
            words=statement.words - lasting,
            things=frozenset().union(*statement.names, *statement.its),
            needs=(statement.words - {YOU_TOKEN}) if tells else frozenset(),
            actor=min(statement.first, default=""),
            named=bool(statement.first),
            marks=statement.marks,
            whole=statement.marks > 0,
            least=0 if tells else min(2, len(statement.words - lasting) + len(statement.names)),
            tells=tells,
        )

    def _make_seen_ground(self, ground: StatementGround) -> StatementGround:
        """Make the same ground as something the viewer sees or hears."""
        return ground._replace(
            words=ground.words - self._lasting_words | {YOU_TOKEN},
            needs=self.words.PERCEPTION,
            actor=YOU_TOKEN,
            least=1,
            tells=False,
        )

    @property
    def _lasting_words(self) -> frozenset[str]:
        words = self.words
        how: frozenset[str] = words.OPEN | words.CLOSED | words.LOCKED | words.UNLOCKED
        held: frozenset[str] = words.HELD
        return how | held

    def _tokenize(self, telling: ParsedNarration) -> list[NarrationToken]:
        low, mentions = telling.low, telling.mentions
        if self._japanese:
            return list(agent_tokens.tokenize_japanese(low, mentions, self._facts, self._met_words))
        return list(agent_tokens.tokenize_english(low, mentions, self._facts))

    def _list_unlisted_words(self) -> Iterator[str]:
        """List words in the texts the viewer has met that are in no table."""
        for text in (self._facts.plain_text, *self._facts.descriptions, self._facts.labels):
            run = ""
            for token in self._tokenize(parse_narration(text, self._facts)):
                if token.kind == "word" and _KANA.match(token.word):
                    run += token.word
                    continue
                yield from [run] if len(run) > 1 else []
                run = ""
                if token.kind == "word":
                    yield token.word


_HAND_ACTIONS: Final = frozenset(actions.ACTIONS) - {"move", "wait", "look", "speak"}


def build_action_grounds(
    facts: NarrationFacts, reader: NarrationReader
) -> Iterator[StatementGround]:
    """Build grounds for everything that was done where the viewer could see it."""
    words = reader.words
    for action in facts.witnessed_actions:
        kind = actions.get_action_type(action)
        verbs, others = words.DEEDS.get(kind, (frozenset(), frozenset()))
        if not verbs:
            continue
        actor, people = _describe_actor(action.actor_id, facts, reader)
        parts = frozenset(list_action_ids(action))
        things = parts | _find_surrounding_ids(action, facts)
        allowed = verbs | others | people | _collect_extra_words(action, facts, reader)
        things |= {action.actor_id}
        needs, undone = verbs | _get_spoken_words(action), _is_undone(action, facts)
        yield StatementGround(
            allowed, things, needs, _find_subject_ids(action, facts), actor, undone, tells=True
        )
        if kind in _HAND_ACTIONS:
            yield StatementGround(words.REACHING | people, things, words.REACHES, actor=actor)
        if isinstance(action, actions.Give):
            yield _make_receiver_ground(action, facts, reader)


def list_action_ids(action: actions.Action) -> Iterator[Id]:
    """List everything that takes part in an action besides the actor."""
    for role in action.roles:
        part = getattr(action, role)
        if part is not None:
            yield part


def find_action_doors(action: actions.Action, facts: NarrationFacts) -> frozenset[Id]:
    """Return the doors that a move goes through."""
    ways = _find_exits(action, facts) if isinstance(action, actions.Move) else []
    return frozenset(way.door for way in ways if way.door)


def _describe_actor(
    who: Id, facts: NarrationFacts, reader: NarrationReader
) -> tuple[str, frozenset[str]]:
    if who == facts.viewer:
        return YOU_TOKEN, frozenset({YOU_TOKEN})
    return who, reader.extract_stems(name_for_viewer(facts.after, who, facts.viewer)) | {THEY_TOKEN}


def _get_spoken_words(action: actions.Action) -> frozenset[str]:
    return frozenset({QUOTED_TOKEN}) if isinstance(action, actions.Speak) else frozenset()


def _collect_extra_words(
    action: actions.Action, facts: NarrationFacts, reader: NarrationReader
) -> frozenset[str]:
    """Return words that only this action allows."""
    if isinstance(action, actions.Speak):
        return reader.extract_stems(action.content) | {QUOTED_TOKEN}
    if isinstance(action, actions.Give):
        return frozenset({YOU_TOKEN, THEY_TOKEN})
    if isinstance(action, actions.Move):
        return reader.extract_stems(" ".join(way.label for way in _find_exits(action, facts)))
    return frozenset()


def _find_exits(action: actions.Move, facts: NarrationFacts) -> list[Exit]:
    """Find the exits that lead where the actor went, from every room it was in."""
    rooms = {find_room(world, action.actor_id) for world in facts.worlds}
    found = (facts.before.locations.get(room or Id("")) for room in sorted(filter(None, rooms)))
    exits = (way for room in found if room is not None for way in room.exits)
    return [way for way in exits if way.to == action.target_id]


def _find_surrounding_ids(action: actions.Action, facts: NarrationFacts) -> frozenset[Id]:
    """Find where it was done: the room, the thing's holder, the door of a move."""
    if isinstance(action, actions.Move):
        return find_action_doors(action, facts)
    found = facts.before.entities.get(getattr(action, "target_id", None) or Id(""))
    room = find_room(facts.before, action.actor_id)
    around = {room} if room else set()
    if isinstance(found, Entity) and isinstance(action, actions.Take) and found.place:
        around.add(found.place)
    return frozenset(around) | _find_subject_ids(action, facts)


def _find_subject_ids(action: actions.Action, facts: NarrationFacts) -> frozenset[Id]:
    """Find what it was done to, and with."""
    tool = getattr(action, "tool_id", None)
    target = getattr(action, "target_id", None)
    found = facts.before.entities.get(target or Id(""))
    if found is not None and isinstance(action, actions.Lock | actions.Unlock):
        tool = tool or found.required_key
    return frozenset(part for part in (target, tool) if part)


def _is_undone(action: actions.Action, facts: NarrationFacts) -> bool:
    """Whether its effect no longer holds.

    Then a narration may tell the action, but not the state.
    """
    found = facts.after.entities.get(getattr(action, "target_id", None) or Id(""))
    if found is None:
        return False
    opened, locked = found.open, found.locked
    wanted = {"open": opened, "close": not opened, "lock": locked, "unlock": not locked}
    return not wanted.get(actions.get_action_type(action), True)


def _make_receiver_ground(
    action: actions.Give, facts: NarrationFacts, reader: NarrationReader
) -> StatementGround:
    actor, people = _describe_actor(action.recipient_id, facts, reader)
    _, giver = _describe_actor(action.actor_id, facts, reader)
    return StatementGround(
        reader.words.RECEIVING | people | giver,
        frozenset({action.target_id, action.recipient_id, action.actor_id}),
        reader.words.RECEIVED,
        frozenset({action.target_id}),
        actor,
        named=True,
        tells=True,
    )


def build_refusal_grounds(facts: NarrationFacts, words: ModuleType) -> Iterator[StatementGround]:
    """Build grounds for each refused action: trying, resisting, failing."""
    for action in facts.refused_actions:
        parts = frozenset(list_action_ids(action)) | find_action_doors(action, facts)
        verbs, others = words.DEEDS.get(actions.get_action_type(action), (frozenset(), frozenset()))
        shut = frozenset().union(*(_get_shut_words(who, facts, words) for who in parts))
        yield StatementGround(words.TRYING | {YOU_TOKEN}, parts, words.TRYING, actor=YOU_TOKEN)
        firm = words.HOLDING_FAST | shut
        yield StatementGround(firm | words.TRYING, parts, firm, tells=True)
        failing = verbs | words.MOVING | words.ATTEMPTS
        allowed = failing | others | words.WITH_A_MARK | {YOU_TOKEN}
        yield StatementGround(allowed - shut, parts, failing, actor=YOU_TOKEN, marks=1, tells=True)


def _get_shut_words(who: Id, facts: NarrationFacts, words: ModuleType) -> frozenset[str]:
    """Return the words for closed, if it is.

    That it is locked may be told only if the plain narrator says so.
    """
    found = facts.after.entities.get(who)
    if found is None or not found.openable or found.open:
        return frozenset()
    shut: frozenset[str] = words.CLOSED
    return shut


def collect_grounds(facts: NarrationFacts, reader: NarrationReader) -> Iterator[StatementGround]:
    """Collect the grounds: plain narration, actions, refusals, and what is in view."""
    yield from reader.build_grounds(facts.narration, tells=True)
    yield from build_action_grounds(facts, reader)
    yield from build_refusal_grounds(facts, reader.words)
    yield from _build_sight_grounds(facts, reader.words)
    yield from _build_place_grounds(facts, reader)
    for text in facts.descriptions:
        yield from reader.build_grounds(text, tells=False)


def _build_sight_grounds(facts: NarrationFacts, words: ModuleType) -> Iterator[StatementGround]:
    """Build grounds for everything in view now: where it is, and that it is seen."""
    around = list_scope(facts.after, facts.viewer)
    for who in sorted(around):
        thing = facts.after.entities.get(who)
        if thing is None or who == facts.viewer:
            continue
        if thing.kind == "character":
            yield from _build_person_grounds(thing, facts, words)
        elif thing.place == facts.viewer:
            tells = who in facts.moved_ids
            yield StatementGround(
                words.OWNED | {YOU_TOKEN}, frozenset({who}), actor=YOU_TOKEN, tells=tells
            )
        else:
            yield from _build_entity_grounds(thing, facts, words)


def _build_person_grounds(
    thing: Entity, facts: NarrationFacts, words: ModuleType
) -> Iterator[StatementGround]:
    room = find_room(facts.after, facts.viewer) or Id("")
    both = frozenset({thing.id, room})
    here = words.HERE | words.PERSON | {THEY_TOKEN}
    yield StatementGround(here | {YOU_TOKEN}, both, actor=thing.id, named=True)
    yield StatementGround(
        words.HERE | {YOU_TOKEN, THEY_TOKEN}, both, needs=words.PERCEPTION, actor=YOU_TOKEN
    )


def _build_entity_grounds(
    thing: Entity, facts: NarrationFacts, words: ModuleType
) -> Iterator[StatementGround]:
    room = find_room(facts.after, facts.viewer) or Id("")
    holder = facts.after.entities.get(thing.place or Id(""))
    things = frozenset({thing.id, room} | ({holder.id} if holder else set()))
    if holder is not None and holder.kind == "character":
        yield StatementGround(
            words.HELD | {THEY_TOKEN},
            things,
            words.HELD,
            actor=holder.id,
            about=frozenset({thing.id}),
            tells=thing.id in facts.moved_ids,
        )
        return
    how = words.HERE | _get_placement_words(holder, words) | _get_condition_words(thing, words)
    yield StatementGround(how, things, about=frozenset({thing.id}))
    yield StatementGround(
        how | {YOU_TOKEN}, things, words.PERCEPTION, about=frozenset({thing.id}), actor=YOU_TOKEN
    )


def _get_placement_words(holder: Entity | None, words: ModuleType) -> frozenset[str]:
    if holder is None:
        return frozenset()
    inside: frozenset[str] = words.INSIDE if holder.kind == "container" else words.ON
    return inside


def _get_condition_words(thing: Entity, words: ModuleType) -> frozenset[str]:
    """Return the words for its visible condition.

    Whether it is locked is not visible.
    """
    if not thing.openable:
        return frozenset()
    how: frozenset[str] = words.OPEN if thing.open else words.CLOSED
    return how


def _build_place_grounds(
    facts: NarrationFacts, reader: NarrationReader
) -> Iterator[StatementGround]:
    """Build grounds for the viewer's place, the time of day, and the exits."""
    here = facts.after.locations.get(find_room(facts.after, facts.viewer) or Id(""))
    hour = reader.extract_stems(facts.after.time.label)
    if here is None:
        yield StatementGround(hour | {YOU_TOKEN})
        return
    yield StatementGround(hour | {YOU_TOKEN}, frozenset({here.id}), actor=YOU_TOKEN)
    for way in here.exits:
        door = facts.after.entities.get(way.door) if way.door else None
        if door is not None and door.hidden:
            continue
        things = {way.to} | ({door.id} if door else set())
        yield StatementGround(reader.words.WAY | reader.extract_stems(way.label), frozenset(things))
