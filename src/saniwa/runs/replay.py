"""Replay a stored run and find the first difference from its record.

Every turn is judged again from the recorded claims, under the rulebook of its time.
Turns are streamed: of a long run, only the worlds that a later turn returned to stay in
memory. Nothing is written.
"""

from typing import Any

import msgspec

from saniwa.rulebook.book import Rulebook, add_manners
from saniwa.rulebook.loader import build_rulebook
from saniwa.runs.ports import RunStore
from saniwa.runs.timeline import BEGINNING, WorldPoint, load_opening_world
from saniwa.turn.answers import play_words
from saniwa.turn.record import RulebookEdit, RunReturn, Seating, Turn
from saniwa.world.fingerprint import compute_fingerprint, compute_world_hash
from saniwa.world.queries import is_goal_reached

_COMPARED = {
    "world_before": "worldBefore",
    "book": "book",
    "clarification": "clarification",
    "rejections": "rejections",
    "answers": "answers",
    "normalized_actions": "normalizedActions",
    "validation_results": "validationResults",
    "applied_actions": "appliedActions",
    "changes": "changes",
    "world_after": "worldAfter",
}
"""The fields of a turn that replay must reproduce, causes before effects."""


class ReplayDifference(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The first difference between the record and the replay."""

    turn: int
    """The number of the turn; -1 for the initial world."""
    field: str
    """The field of the record that differs, such as `validationResults`."""
    recorded: Any
    """The recorded value."""
    replayed: Any
    """The value in the replay."""


class ReplayResult(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The result of a replay."""

    run: str
    """The run's id."""
    turns_checked: int
    """The number of turns without a difference."""
    first_difference: ReplayDifference | None = None
    """The first difference; null if there is none."""
    goal_reached: bool | None = None
    """Whether the run ends at its goal; null if it has no goal or the replay differs."""

    @property
    def is_same(self) -> bool:
        """Whether the replay reproduced every turn."""
        return self.first_difference is None


class _ReplayState(WorldPoint, frozen=True, kw_only=True):
    """The state of the replay after a turn."""

    book: Rulebook
    layers: tuple[dict[str, Any], ...]


def replay_run(store: RunStore, run_id: str) -> ReplayResult:
    """Judge every turn of the run again; stop at the first one that differs.

    Raises:
        StoreError: `RUN_NOT_FOUND`, `TRACE_CORRUPT`.
        RulebookError: A book of the run can no longer be read.
    """
    record = store.load_record(run_id)
    world = load_opening_world(record)
    if compute_world_hash(world) != record.world_hash:
        parted = ReplayDifference(
            turn=BEGINNING,
            field="worldHash",
            recorded=record.world_hash,
            replayed=compute_world_hash(world),
        )
        return ReplayResult(run=run_id, turns_checked=0, first_difference=parted)
    book = build_rulebook(record.books)
    place = _ReplayState(world=world, book=book, layers=record.books)
    asides = (turn.aside for turn in store.read_turns(run_id))
    wanted = {aside.to for aside in asides if isinstance(aside, RunReturn)}
    remembered = {BEGINNING: place}
    checked = 0
    for turn in store.read_turns(run_id):
        again, place = _replay_turn(turn, place, remembered)
        difference = _find_first_difference(turn, again)
        if difference is not None:
            return ReplayResult(run=run_id, turns_checked=checked, first_difference=difference)
        if turn.number in wanted:
            remembered[turn.number] = place
        checked += 1
    reached = None if place.world.goal is None else is_goal_reached(place.world)
    return ReplayResult(run=run_id, turns_checked=checked, goal_reached=reached)


def _replay_turn(
    turn: Turn, place: _ReplayState, remembered: dict[int, _ReplayState]
) -> tuple[Turn, _ReplayState]:
    """Judge a turn again; return it, and the state after it."""
    match turn.aside:
        case RunReturn(to=to):
            # Only the world and the mentions go back; the rulebook stays edited.
            there = remembered.get(to, place)
            after = msgspec.structs.replace(
                place, world=there.world, mentioned=there.mentioned, came_from=there.came_from
            )
        case RulebookEdit(book=layer):
            layers = (*place.layers, layer)
            after = msgspec.structs.replace(place, layers=layers, book=build_rulebook(layers))
        case Seating():
            after = place
        case None:
            return _judge_again(turn, place)
    again = msgspec.structs.replace(
        turn,
        world_before=compute_fingerprint(place.world),
        world_after=compute_fingerprint(after.world),
        book=after.book.fingerprint,
    )
    return again, after


def _judge_again(turn: Turn, place: _ReplayState) -> tuple[Turn, _ReplayState]:
    words = place.make_words(
        turn.actor_id,
        turn.raw_text,
        number=turn.number,
        id=turn.id,
        timestamp=turn.timestamp,
        played=turn.played,
    )
    world = add_manners(place.world, place.book)
    played = play_words(words, turn.parsed_actions, world, place.book)
    return played.turn, place.follow(played.turn, played.world)


def _find_first_difference(turn: Turn, again: Turn) -> ReplayDifference | None:
    for part, name in _COMPARED.items():
        recorded, replayed = _to_plain(turn, part), _to_plain(again, part)
        if recorded != replayed:
            return ReplayDifference(
                turn=turn.number, field=name, recorded=recorded, replayed=replayed
            )
    return None


def _to_plain(turn: Turn, field: str) -> Any:
    value = getattr(turn, field)
    if field == "rejections":
        # The claims beyond the limit were not stored, so they cannot be counted again.
        value = [each for each in value if each.code != "TOO_MANY_CLAIMS"]
    return msgspec.json.decode(msgspec.json.encode(value))
