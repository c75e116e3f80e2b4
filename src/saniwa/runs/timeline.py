"""The state of a run after each of its turns, built from its record and turns alone.

The same turns give the same timeline, whether they have just been played or are read
back after a restart. This module judges nothing and stores nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple, Self

import msgspec

from saniwa.core.errors import RunError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.rulebook.book import Rulebook, add_manners
from saniwa.rulebook.loader import build_rulebook
from saniwa.runs import describe
from saniwa.scenario.loader import load_scenario
from saniwa.store.run_records import RunRecord
from saniwa.turn.play import reapply_turn, update_left_places, update_mentioned
from saniwa.turn.record import (
    RulebookEdit,
    RunReturn,
    Seating,
    SpokenWords,
    Turn,
    render_public_words,
)
from saniwa.world.actions import takes_time
from saniwa.world.fingerprint import compute_fingerprint, compute_world_hash
from saniwa.world.model import Id, World

PERSON: Final = "person"
"""The player of a seat that no agent has."""
MOST_FRUITLESS_TURNS: Final = 2
"""Turns without effect in a row after which an agent's seat is passed over."""
BEGINNING = -1
"""The number of the point before the first turn."""
RECENT_TURNS = 8
"""How many of the latest turns stay in memory: enough for a table that reads each
round."""
LANGUAGES = ("en", "ja")
"""The languages a run can be played in."""


class WorldPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A world, and what words in it can refer back to."""

    world: World
    """The world at this point."""
    mentioned: tuple[Id, ...] = ()
    """The ids that had been mentioned, latest first."""
    came_from: Mapping[Id, Id] = {}
    """The place left last by each character who moved and each thing that was taken."""

    def make_words(self, actor: Id, text: str, **more: Any) -> SpokenWords:
        """The words of an actor at this point; `more` are fields of `SpokenWords`."""
        return SpokenWords(
            actor_id=actor, text=text, mentioned=self.mentioned, came_from=self.came_from, **more
        )

    def follow(self, turn: Turn, world: World, **more: Any) -> Self:
        """The point after a turn that led to `world`; `more` are its other fields."""
        return msgspec.structs.replace(
            self,
            world=world,
            mentioned=update_mentioned(turn, self.mentioned),
            came_from=update_left_places(turn.actor_id, turn.changes, self.came_from),
            **more,
        )


class TimelinePoint(WorldPoint, frozen=True, kw_only=True):
    """The state of the run after one of its turns."""

    number: int
    """The turn's number; -1 for the beginning."""
    back: "TimelinePoint | None" = None
    """The point that one undo returns to; None if there is nothing to take back."""
    undoes: str = ""
    """The words that one undo takes back."""
    has_idle_turns: bool = False
    """Whether turns came after those words that changed nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineStart:
    """A record's opening world and rulebook, loaded.

    Runs that begin alike may share it.
    """

    world: World
    """The world at the beginning."""
    book: Rulebook
    """The rulebook that judges the first turn."""

    @classmethod
    def from_record(cls, record: RunRecord) -> "TimelineStart":
        """Load the start that a record describes.

        Raises:
            RunError: `RUN_DIVERGED` if the stored scenario now opens another world.
        """
        opened = _load_opening(msgspec.json.encode(record.scenario), record.language)
        if opened.world_hash != record.world_hash:
            raise make_divergence_error(
                record.run_id, BEGINNING, record.world_hash, opened.world_hash
            )
        book = build_rulebook(record.books)
        return cls(world=add_manners(opened.world, book), book=book)


class TimelineEdit(NamedTuple):
    """A layer that was added to a run's rulebook."""

    turn: int
    """The number of the turn that stored it."""
    at: int
    """When; milliseconds since 1970."""
    layer: dict[str, Any]
    """The layer."""


class Timeline:
    """The points of a run, added turn by turn."""

    def __init__(self, record: RunRecord, start: TimelineStart | None = None) -> None:
        """Start at the run's beginning; `start` is what the record opens with.

        Raises:
            RunError: `RUN_DIVERGED` if the stored scenario now opens another world.
        """
        start = start or TimelineStart.from_record(record)
        world = start.world
        self.run_id = record.run_id
        self.edits: tuple[TimelineEdit, ...] = ()
        """Every edit of the book, oldest first."""
        self._opening = record.books
        self.book: Rulebook = start.book
        self.places = SeatTimeline()
        """The seating, and how far each round of turns has come."""
        self.begun = False
        """Whether anything has been said or done; taking a seat does not count."""
        self.last: Turn | None = None
        """The last turn that is no rulebook edit or seating: a question outlives
        both."""
        self.asked = dict[str, tuple[int, IdempotencyKey]]()
        """The requests that had a key, by key, with the number of their turn."""
        self._beginning = TimelinePoint(number=BEGINNING, world=world)
        self._points = [self._beginning]
        self._recent: tuple[Turn, ...] = ()

    @property
    def layers(self) -> tuple[dict[str, Any], ...]:
        """The rulebook layers that judge the next turn, lowest first."""
        return (*self._opening, *(each.layer for each in self.edits))

    @property
    def point(self) -> TimelinePoint:
        """The run's current point."""
        return self._points[-1]

    @property
    def count(self) -> int:
        """The number of turns followed, which is also the number of the next turn."""
        return len(self._points) - 1

    def find_point(self, number: int) -> TimelinePoint:
        """The run's state after a turn; -1 for the beginning.

        Raises:
            IndexError: There is no such turn.
        """
        if not BEGINNING <= number < self.count:
            raise IndexError(number)
        return self._points[number + 1]

    def find_recent_turns(self, start: int) -> tuple[Turn, ...] | None:
        """The turns from `start` on; None if they are no longer all in memory."""
        # Read the attribute once: another thread may be adding turns meanwhile.
        recent = self._recent
        first = recent[0].number if recent else 0
        return recent[start - first :] if start >= first else None

    def follow(self, turn: Turn, world: World) -> None:
        """Add a turn that has just been played and stored, and led to `world`."""
        assert turn.number == self.count, "turns are followed in order"
        if isinstance(turn.aside, RulebookEdit):
            kept = TimelineEdit(turn.number, turn.timestamp, turn.aside.book)
            self.edits = (*self.edits, kept)
            self.book = build_rulebook(self.layers)
        point = self._make_point(turn, world)
        # The world knows the words of the current rulebook's crafts.
        taught = add_manners(point.world, self.book)
        point = point if taught is point.world else msgspec.structs.replace(point, world=taught)
        if not isinstance(turn.aside, Seating):
            self.begun = True
        self.places.follow(turn)
        self._points.append(point)
        self._recent = (*self._recent, turn)[-RECENT_TURNS:]
        if not isinstance(turn.aside, RulebookEdit | Seating):
            self.last = turn
        if turn.asked is not None:
            self.asked[turn.asked.key] = (turn.number, turn.asked)

    def follow_recorded(self, turn: Turn) -> None:
        """Add a stored turn: apply its recorded changes again and compare the worlds.

        Raises:
            RunError: `RUN_DIVERGED` if it no longer leads to its recorded world.
        """
        self._check_fingerprint(turn, turn.world_before, self.point.world)
        world = self._reapply_turn(turn)
        self._check_fingerprint(turn, turn.world_after, world)
        self.follow(turn, world)

    def _make_point(self, turn: Turn, world: World) -> TimelinePoint:
        here = self.point
        if isinstance(turn.aside, RunReturn):
            there = self.find_point(turn.aside.to)
            # Undo after undo goes further back; undo after load reverses the load.
            loaded = msgspec.structs.replace(
                there, number=turn.number, back=here, undoes="", has_idle_turns=False
            )
            return there if turn.aside.why == "undo" else loaded
        # Looking around and talking change nothing, so there is nothing to take back.
        changed = turn.world_before != turn.world_after
        if changed:
            undone = {"back": here, "undoes": render_public_words(turn), "has_idle_turns": False}
        else:
            undone = {"has_idle_turns": here.has_idle_turns or turn.aside is None}
        return here.follow(turn, world, number=turn.number, **undone)

    def _reapply_turn(self, turn: Turn) -> World:
        try:
            if isinstance(turn.aside, RunReturn):
                return self.find_point(turn.aside.to).world
            return reapply_turn(turn, self.point.world)
        except (AssertionError, IndexError) as problem:
            raise make_divergence_error(
                self.run_id, turn.number, turn.world_after, "nothing that can be"
            ) from problem

    def _check_fingerprint(self, turn: Turn, recorded: str, world: World) -> None:
        found = compute_fingerprint(world)
        if found != recorded:
            raise make_divergence_error(self.run_id, turn.number, recorded, found)


def load_opening_world(record: RunRecord) -> World:
    """The world the run began with, in the run's language."""
    return _load_opening(msgspec.json.encode(record.scenario), record.language).world


def load_opening_words(record: RunRecord) -> str:
    """The author's opening text for the player; empty if there is none."""
    return _load_opening(msgspec.json.encode(record.scenario), record.language).words


class _Opening(NamedTuple):
    world: World
    world_hash: str
    words: str


@lru_cache(maxsize=32)
def _load_opening(scenario: bytes, language: str) -> _Opening:
    """Load what a stored scenario opens with; cached for all runs that begin alike."""
    read = load_scenario(msgspec.json.decode(scenario))
    world = msgspec.structs.replace(read.world, language=language)
    return _Opening(world, compute_world_hash(world), read.opening)


def make_divergence_error(run_id: str, number: int, recorded: str, found: str) -> RunError:
    """The error for a run whose turns no longer lead to the recorded world."""
    place = f"at turn {number + 1}" if number >= 0 else "at its beginning"
    return describe(
        "RUN_DIVERGED", run=run_id, turn=number, place=place, recorded=recorded, found=found
    ).to_error(RunError)


class PendingTurn(NamedTuple):
    """A turn that was judged but not played."""

    turn: Turn
    """The turn as it would be stored, without its id and its time."""
    here: TimelinePoint
    """The run's point when it was judged."""
    after: World
    """The world after it."""


class SeatPosition(msgspec.Struct, frozen=True, kw_only=True):
    """How far the current round of seats has come."""

    round: int = 0
    """The number of the round; from 0."""
    acted: tuple[Id, ...] = ()
    """The characters who have had their turn in it."""
    last: Id | None = None
    """The character who acted last."""
    fruitless: int = 0
    """How many turns of that character in a row had no effect."""
    back: int | None = None
    """The turn before the last deed of a person, to which undo returns, taking back all
    that others did since; None if no person has done anything."""


def find_player(seating: Seating | None, who: Id) -> str:
    """Who plays a character: an agent's name, or `person` if no agent does."""
    return PERSON if seating is None else seating.seats.get(who, PERSON)


def advance_position(place: SeatPosition, turn: Turn, seating: Seating | None) -> SeatPosition:
    """The position after a turn that is no aside."""
    who, seats = turn.actor_id, () if seating is None else seating.seats
    came_to_nothing = not takes_time(turn.applied_actions)
    again = place.fruitless if place.last == who else 0
    fruitless = again + 1 if came_to_nothing else 0
    moved = msgspec.structs.replace(
        place, last=who, fruitless=fruitless, back=_find_undo_target(place, turn, seating)
    )
    if who not in seats or (came_to_nothing and _keeps_turn(turn, seating, fruitless)):
        return moved
    over = who in place.acted or set(seats) <= set(place.acted)
    return msgspec.structs.replace(
        moved, round=place.round + over, acted=(who,) if over else (*place.acted, who)
    )


def _find_undo_target(place: SeatPosition, turn: Turn, seating: Seating | None) -> int | None:
    theirs = find_player(seating, turn.actor_id) == PERSON
    changed = turn.world_before != turn.world_after
    return turn.number - 1 if theirs and changed else place.back


def _keeps_turn(turn: Turn, seating: Seating | None, fruitless: int) -> bool:
    """Whether the character who acted without effect may act again."""
    if find_player(seating, turn.actor_id) != PERSON and fruitless >= MOST_FRUITLESS_TURNS:
        return False
    # The character who was asked must be able to answer, whatever the order.
    asked = turn.clarification is not None
    return asked or (seating is not None and seating.order == "order")


class SeatTimeline:
    """The seat position and the seating after every turn of a run."""

    def __init__(self) -> None:
        self._places = [SeatPosition()]
        self._seatings = list[Seating | None]([None])
        self.agents = dict[Id, str]()
        """The latest agent of each seat that ever had one."""

    @property
    def position(self) -> SeatPosition:
        """The current position."""
        return self._places[-1]

    @property
    def seating(self) -> Seating | None:
        """The current seating; None if no turn has set one."""
        return self._seatings[-1]

    def is_agent_turn(self, turn: Turn) -> bool:
        """Whether an agent had the actor's seat when the turn was played."""
        return find_player(self._seatings[turn.number + 1], turn.actor_id) != PERSON

    def find_undo_target(self, steps: int) -> int | None:
        """The turn to return to when a person takes back that many deeds.

        What agents did since goes back too. With fewer deeds than steps, all of them
        are taken back; None if no person has done anything.
        """
        found, here = None, self.position
        for _ in range(steps):
            if here.back is None:
                break
            found, here = here.back, self._places[here.back + 1]
        return found

    def follow(self, turn: Turn) -> None:
        """Add the run's next turn."""
        self._places.append(self._make_position(turn))
        if not isinstance(turn.aside, Seating):
            self._seatings.append(self.seating)
            return
        self._seatings.append(turn.aside)
        played = turn.aside.seats.items()
        self.agents.update((Id(who), name) for who, name in played if name != PERSON)

    def _make_position(self, turn: Turn) -> SeatPosition:
        match turn.aside:
            case None:
                return advance_position(self.position, turn, self.seating)
            case RunReturn(to=to, why="undo"):
                return self._places[to + 1]
            case RunReturn(to=to):
                there = self._places[to + 1]
                return msgspec.structs.replace(there, back=turn.number - 1)
            case Seating() as seating:
                before = self.seating
                if before is not None and before.order == seating.order:
                    return self.position
                return msgspec.structs.replace(self.position, acted=(), fruitless=0)
            case _:
                return self.position
