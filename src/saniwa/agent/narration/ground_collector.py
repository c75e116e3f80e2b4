"""Builds the grounds of a turn: everything a narration of it may say, in any language.

`statements.supports_statement` compares a narration with them.
"""

from collections.abc import Iterator
from typing import Final

from saniwa.agent.narration.narration_facts import NarrationFacts
from saniwa.agent.narration.narration_reader import NarrationReader
from saniwa.agent.narration.statements import QUOTED_TOKEN, THEY_TOKEN, YOU_TOKEN, StatementGround
from saniwa.turn.description import name_for_viewer
from saniwa.turn.dialogue import list_replies
from saniwa.world import actions
from saniwa.world.model import Entity, Exit, Id
from saniwa.world.queries import find_room, is_closed, list_scope

_HAND_ACTIONS: Final = frozenset(actions.ACTIONS) - {"move", "wait", "look", "speak", "emote"}


class GroundCollector:
    """Collects the grounds of one turn, in the words of its language."""

    def __init__(self, facts: NarrationFacts, reader: NarrationReader) -> None:
        self._facts = facts
        self._reader = reader
        self._words = reader.words
        self._room = find_room(facts.after, facts.viewer) or Id("")

    def collect(self) -> Iterator[StatementGround]:
        """Collect them: plain narration, actions, refusals, and what is in view."""
        yield from self._reader.build_grounds(self._facts.narration, tells=True)
        for action in self._facts.witnessed_actions:
            yield from self._build_action_grounds(action)
        for reply in list_replies(*self._facts.turn.validation_results):
            if find_room(self._facts.after, reply.actor_id) == self._room:
                yield self._build_reply_ground(reply)
        for action in self._facts.refused_actions:
            yield from self._build_refusal_grounds(action)
        for who in list_scope(self._facts.after, self._facts.viewer):
            yield from self._build_sight_grounds(who)
        yield from self._build_place_grounds()
        for text in self._facts.descriptions:
            yield from self._reader.build_grounds(text, tells=False)

    def _build_action_grounds(self, action: actions.Action) -> Iterator[StatementGround]:
        """Build grounds for something that was done where the viewer could see it."""
        words, kind = self._words, actions.get_action_type(action)
        verbs, others = self._get_deed_words(action)
        if not verbs:
            return
        actor, people = self._describe_actor(action.actor_id)
        things = {action.actor_id, *action.list_involved(), *self._find_surrounding_ids(action)}
        quoted = {QUOTED_TOKEN} if isinstance(action, actions.Speak) else set()
        yield StatementGround(
            verbs | others | people | self._collect_extra_words(action),
            frozenset(things),
            verbs | quoted,
            self._find_subject_ids(action),
            actor,
            self._is_undone(action),
            tells=True,
        )
        if kind in _HAND_ACTIONS:
            reach = words.reaching | people
            yield StatementGround(reach, frozenset(things), words.reaches, actor=actor)
        if isinstance(action, actions.Give):
            receiver, named = self._describe_actor(action.recipient_id)
            yield StatementGround(
                words.receiving | named | people,
                frozenset({action.target_id, action.recipient_id, action.actor_id}),
                words.received,
                frozenset({action.target_id}),
                receiver,
                named=True,
                tells=True,
            )

    def _build_reply_ground(self, reply: actions.Speak) -> StatementGround:
        """Build the ground for an answer that the author wrote: said, and not retold."""
        name = name_for_viewer(self._facts.after, reply.actor_id, self._facts.viewer)
        return StatementGround(
            self._reader.extract_stems(name) | {QUOTED_TOKEN},
            frozenset({reply.actor_id}),
            frozenset({QUOTED_TOKEN}),
            actor=reply.actor_id,
            tells=True,
        )

    def _get_deed_words(self, action: actions.Action) -> tuple[frozenset[str], frozenset[str]]:
        return self._words.deeds.get(actions.get_action_type(action), (frozenset(), frozenset()))

    def _describe_actor(self, who: Id) -> tuple[str, frozenset[str]]:
        if who == self._facts.viewer:
            return YOU_TOKEN, frozenset({YOU_TOKEN})
        name = name_for_viewer(self._facts.after, who, self._facts.viewer)
        return who, self._reader.extract_stems(name) | {THEY_TOKEN}

    def _collect_extra_words(self, action: actions.Action) -> frozenset[str]:
        """Return words that only this action allows."""
        if isinstance(action, actions.Speak):
            return self._reader.extract_stems(action.content) | {QUOTED_TOKEN}
        if isinstance(action, actions.Give):
            return frozenset({YOU_TOKEN, THEY_TOKEN})
        labels = " ".join(way.label for way in self._find_exits(action))
        return self._reader.extract_stems(labels)

    def _find_exits(self, action: actions.Action) -> list[Exit]:
        """Find the exits that lead where a move went, from every room the actor was in."""
        if not isinstance(action, actions.Move):
            return []
        rooms = {find_room(world, action.actor_id) for world in self._facts.worlds}
        found = (self._facts.before.locations.get(room) for room in sorted(filter(None, rooms)))
        exits = (way for room in found if room is not None for way in room.exits)
        return [way for way in exits if way.to == action.target_id]

    def _find_doors(self, action: actions.Action) -> frozenset[Id]:
        """Find the doors that a move goes through."""
        return frozenset(way.door for way in self._find_exits(action) if way.door)

    def _find_surrounding_ids(self, action: actions.Action) -> frozenset[Id]:
        """Find where it was done: the room, the thing's holder, the door of a move."""
        if isinstance(action, actions.Move):
            return self._find_doors(action)
        around = {find_room(self._facts.before, action.actor_id)}
        if isinstance(action, actions.Take):
            taken = self._facts.before.entities.get(action.target_id)
            around.add(taken.place if taken is not None else None)
        return frozenset(filter(None, around)) | self._find_subject_ids(action)

    def _find_subject_ids(self, action: actions.Action) -> frozenset[Id]:
        """Find what it was done to, and with."""
        tool = getattr(action, "tool_id", None)
        target = getattr(action, "target_id", None)
        found = self._facts.before.entities.get(target or Id(""))
        if found is not None and isinstance(action, actions.Lock | actions.Unlock):
            tool = tool or found.required_key
        return frozenset(part for part in (target, tool) if part)

    def _is_undone(self, action: actions.Action) -> bool:
        """Whether its effect no longer holds.

        Then a narration may tell the action, but not the state.
        """
        found = self._facts.after.entities.get(getattr(action, "target_id", None) or Id(""))
        if found is None:
            return False
        opened, locked = found.open, found.locked
        wanted = {"open": opened, "close": not opened, "lock": locked, "unlock": not locked}
        return not wanted.get(actions.get_action_type(action), True)

    def _build_refusal_grounds(self, action: actions.Action) -> Iterator[StatementGround]:
        """Build grounds for a refused action: trying, resisting, failing."""
        words, parts = self._words, frozenset(action.list_involved()) | self._find_doors(action)
        verbs, others = self._get_deed_words(action)
        # That it is locked may be told only if the plain narrator says so.
        found = [self._facts.after.entities.get(who) for who in parts]
        closed = any(each is not None and is_closed(each) for each in found)
        shut = words.closed if closed else frozenset()
        yield StatementGround(words.trying | {YOU_TOKEN}, parts, words.trying, actor=YOU_TOKEN)
        firm = words.holding_fast | shut
        yield StatementGround(firm | words.trying, parts, firm, tells=True)
        failing = verbs | words.moving | words.attempts
        allowed = failing | others | words.with_a_mark | {YOU_TOKEN}
        yield StatementGround(allowed - shut, parts, failing, actor=YOU_TOKEN, marks=1, tells=True)

    def _build_sight_grounds(self, who: Id) -> Iterator[StatementGround]:
        """Build grounds for something in view now: where it is, and that it is seen."""
        thing, words = self._facts.after.entities.get(who), self._words
        if thing is None or who == self._facts.viewer:
            return
        if thing.kind == "character":
            both = frozenset({who, self._room})
            here = words.here | {YOU_TOKEN, THEY_TOKEN}
            yield StatementGround(here | words.person, both, actor=who, named=True)
            yield StatementGround(here, both, needs=words.perception, actor=YOU_TOKEN)
        elif thing.place == self._facts.viewer:
            owned, tells = words.owned | {YOU_TOKEN}, who in self._facts.moved_ids
            yield StatementGround(owned, frozenset({who}), actor=YOU_TOKEN, tells=tells)
        else:
            yield from self._build_entity_grounds(thing)

    def _build_entity_grounds(self, thing: Entity) -> Iterator[StatementGround]:
        words, about = self._words, frozenset({thing.id})
        holder = self._facts.after.entities.get(thing.place or Id(""))
        things = frozenset({thing.id, self._room} | ({holder.id} if holder else set()))
        if holder is not None and holder.kind == "character":
            held, tells = words.held | {THEY_TOKEN}, thing.id in self._facts.moved_ids
            yield StatementGround(held, things, words.held, about, holder.id, tells=tells)
            return
        how = words.here
        if holder is not None:
            how |= words.inside if holder.kind == "container" else words.on
        if thing.openable:
            # Whether it is locked is not visible.
            how |= words.open if thing.open else words.closed
        yield StatementGround(how, things, about=about)
        yield StatementGround(how | {YOU_TOKEN}, things, words.perception, about, YOU_TOKEN)

    def _build_place_grounds(self) -> Iterator[StatementGround]:
        """Build grounds for the viewer's place, the time of day, and the exits."""
        after, stems = self._facts.after, self._reader.extract_stems
        here = after.locations.get(self._room)
        hour = stems(after.time.label) | {YOU_TOKEN}
        if here is None:
            yield StatementGround(hour)
            return
        yield StatementGround(hour, frozenset({here.id}), actor=YOU_TOKEN)
        for way in here.exits:
            door = after.entities.get(way.door) if way.door else None
            if door is None or not door.hidden:
                things = {way.to} | ({door.id} if door else set())
                yield StatementGround(self._words.way | stems(way.label), frozenset(things))
