"""Playing a recorded run again, to see whether it still says the same.

Every turn is judged anew from what the parser heard, under the book of its time. Streams:
of a long run only the worlds that somebody went back to are remembered.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import msgspec

from saniwa.rulebook.book import Rulebook, taught
from saniwa.rulebook.load import book_from_layers
from saniwa.run.course import BEGINNING, opening_world
from saniwa.run.ports import Runs, TurnLog
from saniwa.turn.play import left_in, mentioned_in, play_turn
from saniwa.turn.trace import Edit, Return, Seating, Turn, Words
from saniwa.world.canonical import fingerprint, world_hash
from saniwa.world.model import Id, World
from saniwa.world.view import goal_reached

_COMPARED = {
    "world_before": "worldBefore",
    "book": "book",
    "clarification": "clarification",
    "rejections": "rejections",
    "normalized_actions": "normalizedActions",
    "validation_results": "validationResults",
    "applied_actions": "appliedActions",
    "changes": "changes",
    "world_after": "worldAfter",
}
"""The fields of a turn that judging again must give again, causes before effects."""


class Difference(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The first place where record and replay part."""

    turn: int
    """The turn's number; -1 for the world the run opened with."""
    field: str
    """The field of the record that differs, such as `validationResults`."""
    recorded: Any
    """What was written then."""
    replayed: Any
    """What comes out now."""


class Replay(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What came of playing a run again."""

    run: str
    """The run's id."""
    turns_checked: int
    """Turns that say the same; all of them where there is no difference."""
    first_difference: Difference | None = None
    """Where record and replay part; None if they never do."""
    goal_reached: bool | None = None
    """Whether it ends at its goal; None where it has none, or where they part."""

    @property
    def same(self) -> bool:
        """Whether the run still says what it said."""
        return self.first_difference is None


class Recorded(Runs, TurnLog, Protocol):
    """What a replay reads; it writes nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where the replay stands."""

    world: World
    book: Rulebook
    layers: tuple[dict[str, Any], ...]
    mentioned: tuple[Id, ...] = ()
    came_from: Mapping[Id, Id] = field(default_factory=dict)


class _Passed(NamedTuple):
    """A turn played again, and where it led."""

    turn: Turn
    place: _Place


def replay(store: Recorded, run_id: str) -> Replay:
    """Judge every turn of the run again and stop at the first that comes out otherwise.

    Raises:
        StoreError: `RUN_NOT_FOUND`, `TRACE_CORRUPT`.
        RulebookError: A book of the run can no longer be read.
    """
    record = store.record(run_id)
    world = opening_world(record)
    if world_hash(world) != record.world_hash:
        parted = _parted(BEGINNING, "worldHash", record.world_hash, world_hash(world))
        return Replay(run=run_id, turns_checked=0, first_difference=parted)
    book = book_from_layers(record.books)
    place = _Place(world=world, book=book, layers=record.books)
    wanted = _gone_back_to(run_id, store)
    remembered = {BEGINNING: place}
    checked = 0
    for turn in store.turns(run_id):
        again, place = _again(turn, place, remembered)
        difference = _first_difference(turn, again)
        if difference is not None:
            return Replay(
                run=run_id, turns_checked=checked, first_difference=difference
            )
        if turn.number in wanted:
            remembered[turn.number] = place
        checked += 1
    reached = None if place.world.goal is None else goal_reached(place.world)
    return Replay(run=run_id, turns_checked=checked, goal_reached=reached)


def _gone_back_to(run_id: str, store: TurnLog) -> set[int]:
    asides = (turn.aside for turn in store.turns(run_id))
    return {aside.to for aside in asides if isinstance(aside, Return)}


def _again(turn: Turn, place: _Place, remembered: dict[int, _Place]) -> _Passed:
    match turn.aside:
        case Return(to=to):
            # Only the world and what was spoken of go back; the book stays edited.
            there = remembered.get(to, place)
            after = replace(
                place,
                world=there.world,
                mentioned=there.mentioned,
                came_from=there.came_from,
            )
        case Edit(book=layer):
            layers = (*place.layers, layer)
            after = replace(place, layers=layers, book=book_from_layers(layers))
        case Seating():
            after = place
        case None:
            return _judged(turn, place)
    again = msgspec.structs.replace(
        turn,
        world_before=fingerprint(place.world),
        world_after=fingerprint(after.world),
        book=after.book.fingerprint,
    )
    return _Passed(again, after)


def _judged(turn: Turn, place: _Place) -> _Passed:
    words = Words(
        actor_id=turn.actor_id,
        text=turn.raw_text,
        number=turn.number,
        id=turn.id,
        timestamp=turn.timestamp,
        mentioned=place.mentioned,
        came_from=place.came_from.get(turn.actor_id),
    )
    world = taught(place.world, place.book)
    played = play_turn(words, turn.parsed_actions, world, place.book)
    after = replace(
        place,
        world=played.world,
        mentioned=mentioned_in(played.turn, place.mentioned),
        came_from=left_in(played.turn, place.came_from),
    )
    return _Passed(played.turn, after)


def _first_difference(turn: Turn, again: Turn) -> Difference | None:
    for part, name in _COMPARED.items():
        recorded, replayed = _plain(turn, part), _plain(again, part)
        if recorded != replayed:
            return _parted(turn.number, name, recorded, replayed)
    return None


def _plain(turn: Turn, field: str) -> Any:
    value = getattr(turn, field)
    if field == "rejections":
        # The claims beyond the limit were not kept, so nobody can count them again.
        value = [each for each in value if each.code != "TOO_MANY_CLAIMS"]
    return msgspec.json.decode(msgspec.json.encode(value))


def _parted(turn: int, field: str, recorded: Any, replayed: Any) -> Difference:
    return Difference(turn=turn, field=field, recorded=recorded, replayed=replayed)
