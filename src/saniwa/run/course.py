"""Where a run stands, worked out from its record and its turns and nothing else.

The same turns give the same course, whether they have just been played or are read back
after a restart. Decides nothing and keeps nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from saniwa.core.errors import RunError
from saniwa.rulebook.book import Rulebook, taught
from saniwa.rulebook.load import book_from_layers
from saniwa.run.seats import Places
from saniwa.scenario.load import load
from saniwa.store.layout import RunRecord
from saniwa.turn.play import left_in, mentioned_in, reapply
from saniwa.turn.trace import Asked, Edit, Return, Seating, Turn
from saniwa.turn.witnessed import outward
from saniwa.world.canonical import fingerprint, world_hash
from saniwa.world.model import Id, World

BEGINNING = -1
"""The number of the point before the first turn."""
RECENT = 8
"""Turns kept at hand, the latest: as many as a table needs that looks every round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """How the run stood after one of its turns."""

    number: int
    """The turn; -1 for the beginning."""
    world: World
    """What was true."""
    mentioned: tuple[Id, ...] = ()
    """What had been spoken of, latest first."""
    came_from: Mapping[Id, Id] = field(default_factory=dict)
    """For everybody who had gone somewhere, the place they had left last."""
    back: "Point | None" = None
    """Where taking back one step leads; None where there is nothing to take back."""
    undoes: str = ""
    """The words that taking back one step takes back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What a record opens with, read: runs that begin alike may share it."""

    world: World
    """What is true at first."""
    book: Rulebook
    """What the first turn is judged by."""

    @classmethod
    def of(cls, record: RunRecord) -> "Start":
        """The start a record tells of.

        Raises:
            RunError: `RUN_DIVERGED` if the kept scenario opens another world today.
        """
        opened = _opened(msgspec.json.encode(record.scenario), record.language)
        if opened.world_hash != record.world_hash:
            raise diverged(
                record.run_id, BEGINNING, record.world_hash, opened.world_hash
            )
        book = book_from_layers(record.books)
        return cls(world=taught(opened.world, book), book=book)


class KeptEdit(NamedTuple):
    """A layer that was laid over a run's book."""

    turn: int
    """The turn that kept it."""
    at: int
    """When; milliseconds since 1970."""
    layer: dict[str, Any]
    """The layer."""


class Course:
    """A run's turns, followed one by one."""

    def __init__(self, record: RunRecord, start: Start | None = None) -> None:
        """Stand at the run's beginning; `start` is what the record opens with.

        Raises:
            RunError: `RUN_DIVERGED` if the kept scenario opens another world today.
        """
        start = start or Start.of(record)
        world = start.world
        self.run_id = record.run_id
        self.edits: tuple[KeptEdit, ...] = ()
        """Every edit of the book, oldest first."""
        self._opening = record.books
        self.book: Rulebook = start.book
        self.places = Places()
        """Who plays whom, and how far round the table the run has come."""
        self.begun = False
        """Whether anything has been said or done; taking one's seat is not."""
        self.last: Turn | None = None
        """The last turn of the story; a question outlives other rules and other seats."""
        self.asked = dict[str, tuple[int, Asked]]()
        """The requests that hosts named, by their keys, with the turn each became."""
        self._beginning = Point(number=BEGINNING, world=world)
        self._points = [self._beginning]
        self._recent: tuple[Turn, ...] = ()

    @property
    def layers(self) -> tuple[dict[str, Any], ...]:
        """The layers that the next turn is judged by, lowest first."""
        return (*self._opening, *(each.layer for each in self.edits))

    @property
    def point(self) -> Point:
        """How the run stands now."""
        return self._points[-1]

    @property
    def count(self) -> int:
        """How many turns were followed; the number of the next."""
        return len(self._points) - 1

    def after(self, number: int) -> Point:
        """How the run stood after a turn; -1 for the beginning.

        Raises:
            IndexError: There is no such turn.
        """
        if not BEGINNING <= number < self.count:
            raise IndexError(number)
        return self._points[number + 1]

    def recent(self, start: int) -> tuple[Turn, ...] | None:
        """The turns from `start` on; None where they are no longer all at hand."""
        # Looked at once: whoever watches a run from another thread sees it go on.
        recent = self._recent
        first = recent[0].number if recent else 0
        return recent[start - first :] if start >= first else None

    def follow(self, turn: Turn, world: World) -> None:
        """Go on by one turn that has just been played and kept, and left `world`."""
        assert turn.number == self.count, "turns are followed in order"
        if isinstance(turn.aside, Edit):
            kept = KeptEdit(turn.number, turn.timestamp, turn.aside.book)
            self.edits = (*self.edits, kept)
            self.book = book_from_layers(self.layers)
        point = self._speaking(self._next(turn, world))
        if not isinstance(turn.aside, Seating):
            self.begun = True
        self.places.follow(turn)
        self._points.append(point)
        self._recent = (*self._recent, turn)[-RECENT:]
        if not isinstance(turn.aside, Edit | Seating):
            self.last = turn
        if turn.asked is not None:
            self.asked[turn.asked.key] = (turn.number, turn.asked)

    def retrace(self, turn: Turn) -> None:
        """Go on by one turn that was kept before, taken at its word and compared.

        Raises:
            RunError: `RUN_DIVERGED` if it no longer leads where it led.
        """
        self._compare(turn, turn.world_before, self.point.world)
        world = self._world_after(turn)
        self._compare(turn, turn.world_after, world)
        self.follow(turn, world)

    def _next(self, turn: Turn, world: World) -> Point:
        here = self.point
        if isinstance(turn.aside, Return):
            there = self.after(turn.aside.to)
            # Undo after undo goes further back; undo after load comes back from there.
            loaded = replace(there, number=turn.number, back=here, undoes="")
            return there if turn.aside.why == "undo" else loaded
        mentioned = mentioned_in(turn, here.mentioned)
        # Looking around and talking change nothing, so there is nothing to take back.
        changed = turn.world_before != turn.world_after
        return Point(
            number=turn.number,
            world=world,
            mentioned=mentioned,
            came_from=left_in(turn, here.came_from),
            back=here if changed else here.back,
            undoes=outward(turn) if changed else here.undoes,
        )

    def _speaking(self, point: Point) -> Point:
        """The point; its people have words for what the book of now teaches."""
        world = taught(point.world, self.book)
        return point if world is point.world else replace(point, world=world)

    def _world_after(self, turn: Turn) -> World:
        try:
            if isinstance(turn.aside, Return):
                return self.after(turn.aside.to).world
            return reapply(turn, self.point.world)
        except (AssertionError, IndexError) as problem:
            raise diverged(
                self.run_id, turn.number, turn.world_after, "nothing that can be"
            ) from problem

    def _compare(self, turn: Turn, recorded: str, world: World) -> None:
        found = fingerprint(world)
        if found != recorded:
            raise diverged(self.run_id, turn.number, recorded, found)


def opening_world(record: RunRecord) -> World:
    """The world the run began with, told in the run's language."""
    return _opened(msgspec.json.encode(record.scenario), record.language).world


def opening_words(record: RunRecord) -> str:
    """The author's first words to the player; empty if there are none."""
    return _opened(msgspec.json.encode(record.scenario), record.language).words


class _Opened(NamedTuple):
    world: World
    world_hash: str
    words: str


@lru_cache(maxsize=32)
def _opened(scenario: bytes, language: str) -> _Opened:
    """What a kept scenario opens with; read once for all runs that begin alike."""
    read = load(msgspec.json.decode(scenario))
    world = msgspec.structs.replace(read.world, language=language)
    return _Opened(world, world_hash(world), read.opening)


def diverged(run_id: str, number: int, recorded: str, found: str) -> RunError:
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
