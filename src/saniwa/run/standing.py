"""Where a run stands: everything that can be asked of it and changes nothing."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from saniwa.rulebook.admissible import admissible
from saniwa.rulebook.book import Rulebook
from saniwa.run import present
from saniwa.run.course import Course, KeptEdit, Start, opening_words
from saniwa.run.hint import Hint, hint
from saniwa.run.ports import Store
from saniwa.run.seats import Places
from saniwa.script.directive import StepResult
from saniwa.store.layout import RunRecord, Save
from saniwa.turn.trace import Asked, Return, Seating, Turn
from saniwa.world.action import Action
from saniwa.world.model import Id, World
from saniwa.world.view import goal_reached


class Told(NamedTuple):
    """What came of something said or done to a run."""

    turn: Turn
    """The turn as it was kept."""
    step: StepResult
    """What the host shows."""


class Untold(NamedTuple):
    """Nothing was to be done, so nothing was kept."""

    turn: None
    """No turn."""
    step: StepResult
    """What the host shows."""


class Standing:
    """A run as it stands after its last turn."""

    def __init__(
        self, record: RunRecord, store: Store, start: Start | None = None
    ) -> None:
        """Stand where the kept turns leave the run; `start` as for a course.

        Raises:
            RunError: `RUN_DIVERGED` if a kept turn no longer leads where it led.
            StoreError: `TRACE_CORRUPT`, or the store cannot be read.
        """
        self.record = record
        self._store = store
        self._start = start
        self._course = self._followed()

    @property
    def id(self) -> str:
        """The run's id."""
        return self.record.run_id

    @property
    def actor(self) -> Id:
        """Whom the player plays."""
        return Id(self.record.actor_id)

    @property
    def world(self) -> World:
        """What is true now."""
        return self._course.point.world

    @property
    def book(self) -> Rulebook:
        """The rulebook the next turn is judged by."""
        return self._course.book

    @property
    def count(self) -> int:
        """How many turns the run has; the number of the next."""
        return self._course.count

    @property
    def seating(self) -> Seating | None:
        """Who plays whom; None where nobody has said."""
        return self._course.places.seating

    @property
    def edits(self) -> tuple[KeptEdit, ...]:
        """Every edit of the run's book, oldest first."""
        return self._course.edits

    @property
    def places(self) -> Places:
        """The place and the seating at every point of the run."""
        return self._course.places

    def request(self, key: str) -> tuple[int, Asked] | None:
        """The request of this key with the number of its turn; None if none had it."""
        return self._course.asked.get(key)

    @property
    def undoable(self) -> bool:
        """Whether anything has happened that could be taken back."""
        return self._course.point.back is not None

    def undoable_after(self, number: int) -> bool:
        """The same, as it was after one of the run's turns; -1 for the beginning.

        Raises:
            IndexError: There is no such turn.
        """
        return self._course.after(number).back is not None

    def undone_by(self, turn: Turn) -> str:
        """The words that a single step back took back; empty for any other turn."""
        here = self._course.after(turn.number - 1)
        returned = turn.aside if isinstance(turn.aside, Return) else None
        if returned is None or returned.why != "undo" or here.back is None:
            return ""
        return here.undoes if returned.to == here.back.number else ""

    @property
    def finished(self) -> bool:
        """Whether the story has ended well."""
        return goal_reached(self.world)

    def turns(self, start: int = 0) -> Iterator[Turn]:
        """The turns as they are kept, from `start` on, as a stream."""
        return self._store.turns(self.id, start)

    def so_far(self, start: int = 0) -> Iterator[Turn]:
        """The turns that led to where this run stands, from `start` on, as a stream.

        The store may be ahead of it; and is not asked for turns that are at hand.

        Raises:
            StoreError: `TRACE_CORRUPT`, or the store cannot be read.
        """
        first = max(start, 0)
        recent = self._course.recent(first)
        if recent is not None:
            return iter(recent)
        return islice(self._store.turns(self.id, first), self.count - first)

    def saves(self) -> Iterator[Save]:
        """The saves of this run, in order of name."""
        return self._store.saves(self.id)

    def admissible(self, actor: str | None = None) -> tuple[Action, ...]:
        """Everything the actor may do now, sorted."""
        return admissible(self.world, self._speaker(actor), self.book)

    def hint(self, actor: str | None = None) -> Hint:
        """What the actor might try next."""
        return hint(self.world, self._speaker(actor), self.book)

    def opening(self) -> StepResult:
        """The first thing the host shows: the scene, and at first the author's words."""
        words = "" if self._course.begun else opening_words(self.record)
        return present.opening(words, self.world, self.actor)

    def beginning(self) -> StepResult:
        """The first thing the host was shown, however far the run has come."""
        words = opening_words(self.record)
        return present.opening(words, self.world_after(-1), self.actor)

    def told(self, number: int, viewer: str | None = None) -> Told:
        """A turn of this run as it was told when it was played; no model is asked.

        Raises:
            IndexError: There is no such turn.
            StoreError: `TRACE_CORRUPT`, or the store cannot be read.
        """
        if not 0 <= number < self.count:
            raise IndexError(number)
        return self.told_again(next(self.so_far(number)), viewer)

    def told_again(self, turn: Turn, viewer: str | None = None) -> Told:
        """The same for a turn that is at hand."""
        before = self.world_after(turn.number - 1)
        after = self.world_after(turn.number)
        return Told(turn, present.present(turn, before, after, viewer_of(viewer)))

    def world_after(self, number: int) -> World:
        """What was true after one of the run's turns; -1 for the beginning.

        Raises:
            IndexError: There is no such turn.
        """
        return self._course.after(number).world

    def _followed(self) -> Course:
        course = Course(self.record, self._start)
        for turn in self._store.turns(self.id):
            course.retrace(turn)
        return course

    def _speaker(self, actor: str | None) -> Id:
        return self.actor if actor is None else Id(actor)


def viewer_of(name: str | None) -> Id | None:
    """Who watches, if anybody is named."""
    return None if name is None else Id(name)
