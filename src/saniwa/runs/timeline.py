"""Where a run stands, worked out from its record and its turns and nothing else.

The same turns give the same course, whether they have just been played or are read back
after a restart. Decides nothing and keeps nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.metadata import version
from typing import Any, NamedTuple

import msgspec

from saniwa.core.errors import RunError
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.rulebook.book import Rulebook, add_manners
from saniwa.rulebook.loader import build_rulebook
from saniwa.runs.seats import SeatTimeline
from saniwa.scenario.loader import Scenario, load_scenario
from saniwa.store.run_records import RunRecord
from saniwa.turn.play import reapply_turn, update_left_places, update_mentioned
from saniwa.turn.record import (
    IdempotencyKey,
    RulebookEdit,
    RunReturn,
    Seating,
    Turn,
    render_public_words,
)
from saniwa.world.canonical import compute_fingerprint, compute_world_hash
from saniwa.world.model import Id, World

BEGINNING = -1
"""The number of the point before the first turn."""
RECENT_TURNS = 8
"""Turns kept at hand, the latest: as many as a table needs that looks every round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelinePoint:
    """How the run stood after one of its turns."""

    number: int
    """The turn; -1 for the beginning."""
    world: World
    """What was true."""
    mentioned: tuple[Id, ...] = ()
    """What had been spoken of, latest first."""
    came_from: Mapping[Id, Id] = field(default_factory=dict)
    """For everybody who had gone somewhere, the place they had left last."""
    back: "TimelinePoint | None" = None
    """Where taking back one step leads; None where there is nothing to take back."""
    undoes: str = ""
    """The words that taking back one step takes back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineStart:
    """What a record opens with, read: runs that begin alike may share it."""

    world: World
    """What is true at first."""
    book: Rulebook
    """What the first turn is judged by."""

    @classmethod
    def from_record(cls, record: RunRecord) -> "TimelineStart":
        """The start a record tells of.

        Raises:
            RunError: `RUN_DIVERGED` if the kept scenario opens another world today.
        """
        opened = _load_opening(msgspec.json.encode(record.scenario), record.language)
        if opened.world_hash != record.world_hash:
            raise make_divergence_error(
                record.run_id, BEGINNING, record.world_hash, opened.world_hash
            )
        book = build_rulebook(record.books)
        return cls(world=add_manners(opened.world, book), book=book)


class TimelineEdit(NamedTuple):
    """A layer that was laid over a run's book."""

    turn: int
    """The turn that kept it."""
    at: int
    """When; milliseconds since 1970."""
    layer: dict[str, Any]
    """The layer."""


class Timeline:
    """A run's turns, followed one by one."""

    def __init__(self, record: RunRecord, start: TimelineStart | None = None) -> None:
        """Stand at the run's beginning; `start` is what the record opens with.

        Raises:
            RunError: `RUN_DIVERGED` if the kept scenario opens another world today.
        """
        start = start or TimelineStart.from_record(record)
        world = start.world
        self.run_id = record.run_id
        self.edits: tuple[TimelineEdit, ...] = ()
        """Every edit of the book, oldest first."""
        self._opening = record.books
        self.book: Rulebook = start.book
        self.places = SeatTimeline()
        """Who plays whom, and how far round the table the run has come."""
        self.begun = False
        """Whether anything has been said or done; taking one's seat is not."""
        self.last: Turn | None = None
        """The last turn of the story; a question outlives other rules and other seats."""
        self.asked = dict[str, tuple[int, IdempotencyKey]]()
        """The requests that hosts named, by their keys, with the turn each became."""
        self._beginning = TimelinePoint(number=BEGINNING, world=world)
        self._points = [self._beginning]
        self._recent: tuple[Turn, ...] = ()

    @property
    def layers(self) -> tuple[dict[str, Any], ...]:
        """The layers that the next turn is judged by, lowest first."""
        return (*self._opening, *(each.layer for each in self.edits))

    @property
    def point(self) -> TimelinePoint:
        """How the run stands now."""
        return self._points[-1]

    @property
    def count(self) -> int:
        """How many turns were followed; the number of the next."""
        return len(self._points) - 1

    def find_point(self, number: int) -> TimelinePoint:
        """How the run stood after a turn; -1 for the beginning.

        Raises:
            IndexError: There is no such turn.
        """
        if not BEGINNING <= number < self.count:
            raise IndexError(number)
        return self._points[number + 1]

    def find_recent_turns(self, start: int) -> tuple[Turn, ...] | None:
        """The turns from `start` on; None where they are no longer all at hand."""
        # Looked at once: whoever watches a run from another thread sees it go on.
        recent = self._recent
        first = recent[0].number if recent else 0
        return recent[start - first :] if start >= first else None

    def follow(self, turn: Turn, world: World) -> None:
        """Go on by one turn that has just been played and kept, and left `world`."""
        assert turn.number == self.count, "turns are followed in order"
        if isinstance(turn.aside, RulebookEdit):
            kept = TimelineEdit(turn.number, turn.timestamp, turn.aside.book)
            self.edits = (*self.edits, kept)
            self.book = build_rulebook(self.layers)
        point = self._teach_crafts(self._make_point(turn, world))
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
        """Go on by one turn that was kept before, taken at its word and compared.

        Raises:
            RunError: `RUN_DIVERGED` if it no longer leads where it led.
        """
        self._check_fingerprint(turn, turn.world_before, self.point.world)
        world = self._reapply_turn(turn)
        self._check_fingerprint(turn, turn.world_after, world)
        self.follow(turn, world)

    def _make_point(self, turn: Turn, world: World) -> TimelinePoint:
        here = self.point
        if isinstance(turn.aside, RunReturn):
            there = self.find_point(turn.aside.to)
            # Undo after undo goes further back; undo after load comes back from there.
            loaded = replace(there, number=turn.number, back=here, undoes="")
            return there if turn.aside.why == "undo" else loaded
        mentioned = update_mentioned(turn, here.mentioned)
        # Looking around and talking change nothing, so there is nothing to take back.
        changed = turn.world_before != turn.world_after
        return TimelinePoint(
            number=turn.number,
            world=world,
            mentioned=mentioned,
            came_from=update_left_places(turn, here.came_from),
            back=here if changed else here.back,
            undoes=render_public_words(turn) if changed else here.undoes,
        )

    def _teach_crafts(self, point: TimelinePoint) -> TimelinePoint:
        """The point; its people have words for what the book of now teaches."""
        world = add_manners(point.world, self.book)
        return point if world is point.world else replace(point, world=world)

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
    """The world the run began with, told in the run's language."""
    return _load_opening(msgspec.json.encode(record.scenario), record.language).world


def load_opening_words(record: RunRecord) -> str:
    """The author's first words to the player; empty if there are none."""
    return _load_opening(msgspec.json.encode(record.scenario), record.language).words


class _Opening(NamedTuple):
    world: World
    world_hash: str
    words: str


@lru_cache(maxsize=32)
def _load_opening(scenario: bytes, language: str) -> _Opening:
    """What a kept scenario opens with; read once for all runs that begin alike."""
    read = load_scenario(msgspec.json.decode(scenario))
    world = msgspec.structs.replace(read.world, language=language)
    return _Opening(world, compute_world_hash(world), read.opening)


def make_divergence_error(
    run_id: str, number: int, recorded: str, found: str
) -> RunError:
    """The error for a run that does not lead today where it led when it was played."""
    place = f"at turn {number + 1}" if number >= 0 else "at its beginning"
    return RunError(
        "RUN_DIVERGED",
        f"run {run_id!r} leads elsewhere {place}: "
        f"the record says {recorded}, today it is {found}",
        hint="replay the run to see the first difference; "
        "it may have been recorded by another version",
        details={"run": run_id, "turn": number, "recorded": recorded, "found": found},
    )


LANGUAGES = ("en", "ja")
"""The languages a run can be told in."""


def make_run_record(
    scenario: Scenario,
    books: Sequence[Mapping[str, Any]],
    *,
    run_id: str,
    created: int,
    actor: str | None = None,
    language: str | None = None,
    seed: int = 0,
) -> RunRecord:
    """Everything needed to play the run again from nothing.

    Raises:
        RunError: `ACTOR_UNKNOWN`, `LANGUAGE_UNKNOWN`.
    """
    return RunRecord(
        run_id=run_id,
        scenario_id=scenario.id,
        scenario=scenario.document,
        scenario_hash=scenario.scenario_hash,
        world_hash=scenario.world_hash,
        books=tuple(dict(layer) for layer in books),
        actor_id=find_player_character(scenario.world, actor),
        language=_check_language(language or scenario.world.language),
        seed=seed,
        created=created,
        version=version("saniwa"),
    )


def find_player_character(world: World, named: str | None) -> str:
    """Whom the player plays: the character that is named, else the author's first.

    Raises:
        RunError: `ACTOR_UNKNOWN`.
    """
    cast = [who.id for who in world.list_characters()]
    who = world.protagonist if named is None else named
    if who not in cast:
        raise RunError(
            "ACTOR_UNKNOWN",
            f"there is no character {quote_value(who)} to play",
            hint=suggest_nearest(who or "", cast) or f"there is: {', '.join(cast)}",
            details={"actor": who, "cast": cast},
        )
    return who


def _check_language(named: str) -> str:
    if named not in LANGUAGES:
        raise RunError(
            "LANGUAGE_UNKNOWN",
            f"no story can be told in {quote_value(named)}",
            hint=f"there is: {', '.join(LANGUAGES)}",
        )
    return named


class PendingTurn(NamedTuple):
    """A turn that was weighed and has not happened."""

    turn: Turn
    """The turn as it would be kept, without its id and its time."""
    here: TimelinePoint
    """How the run stood when it was weighed."""
    after: World
    """The world it would leave."""
