"""What is done to a run beside its story: going back, saving, other rules, other seats.

Whatever of it counts is kept as a turn, like everything said.
"""

import asyncio
from collections.abc import Mapping
from itertools import islice
from typing import Any, Literal, NoReturn

from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import StoreError
from saniwa.core.ids import Ids, TimeOrderedIds
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.load import book_from_layers
from saniwa.run import present
from saniwa.run.course import BEGINNING, Start
from saniwa.run.hearing import plain
from saniwa.run.opening import player_of
from saniwa.run.ports import Store
from saniwa.run.standing import Standing, Told, Untold
from saniwa.run.trouble import no_such_save, no_such_turn
from saniwa.store.layout import RunRecord, Save
from saniwa.store.row import conflict
from saniwa.turn.trace import Aside, Asked, Edit, Return, Seating, Turn
from saniwa.turn.witnessed import outward
from saniwa.world.canonical import fingerprint
from saniwa.world.model import World


class Keeping(Standing):
    """A run that keeps what is done to it, one thing at a time."""

    def __init__(
        self,
        record: RunRecord,
        store: Store,
        *,
        start: Start | None = None,
        ids: Ids | None = None,
        clock: Clock | None = None,
    ) -> None:
        """As `Standing`; ids and times of turns come from the ports."""
        super().__init__(record, store, start)
        self._ids = ids or TimeOrderedIds()
        self._clock = clock or SystemClock()
        self._lock = asyncio.Lock()

    def catch_up(self, limit: int | None = None) -> int:
        """Follow the turns that other writers appended; return how many were followed.

        With `limit`, follow at most that many: a server calls this in short steps.

        Raises:
            RunError: `RUN_DIVERGED`.
            StoreError: The store cannot be read.
        """
        before = self.count
        for turn in islice(self._store.turns(self.id, before), limit):
            self._course.retrace(turn)
        return self.count - before

    async def undo(
        self, steps: int = 1, *, asked: Asked | None = None
    ) -> Told | Untold:
        """Take back the last things that happened, as one turn that is kept.

        At the beginning there is nothing to take back: the host is told so, and
        nothing is kept. `asked` names the request, here and below, and is kept with the
        turn.

        Raises:
            StoreError: As for `say`.
        """
        async with self._lock:
            here = self._course.point
            if here.back is None:
                return Untold(None, present.nothing_to_undo(self.world))
            back, undone = here.back, here.undoes
            for _ in range(steps - 1):
                if back.back is not None:
                    back, undone = back.back, ""
            return self._go_back(
                Return(to=back.number, why="undo"), undone, asked=asked
            )

    async def back_to(
        self,
        number: int,
        why: Literal["undo", "load"] = "undo",
        *,
        viewer: str | None = None,
        asked: Asked | None = None,
    ) -> Told:
        """Go back to how the run stood after one of its turns; -1 for the beginning.

        That is kept as a turn. Undo goes further back from an `undo`, and comes back
        from a `load`. Who plays is told where they are again, or the viewer.

        Raises:
            StoreError: As for `say`; `TRACE_CORRUPT` for no turn of this run.
        """
        async with self._lock:
            if not BEGINNING <= number < self.count:
                raise self._beyond("the story", number)
            undone, since = self._undone(number) if why == "undo" else ("", False)
            return self._go_back(
                Return(to=number, why=why),
                undone,
                viewer=viewer,
                since=since,
                asked=asked,
            )

    async def save(self, name: str) -> Save:
        """Name the point where the run stands; the same name moves.

        Raises:
            StoreError: `SAVE_UNNAMED` for a name that cannot be kept; as for `say`.
        """
        async with self._lock:
            save = Save(
                run_id=self.id,
                name=name,
                turn=self.count - 1,
                created=self._clock.now(),
            )
            self._store.save(save)
            return save

    async def load(self, name: str, *, asked: Asked | None = None) -> Told:
        """Go back to a named point; that is kept as a turn, and undo comes back from it.

        Raises:
            RunError: `SAVE_NOT_FOUND`.
            StoreError: As for `say`; `TRACE_CORRUPT` for a save of no turn of this run.
        """
        async with self._lock:
            saved = self._saved(name)
            if not BEGINNING <= saved.turn < self.count:
                self._catch_up(saved)
            return self._go_back(Return(to=saved.turn, why="load"), asked=asked)

    async def edit(
        self, layer: Mapping[str, Any], *, asked: Asked | None = None
    ) -> Turn:
        """Lay a layer over the rulebook; the next turn is judged by it.

        The edit is kept as a turn, survives a restart, and is not undone by `undo`.

        Raises:
            RulebookError: The layer cannot be read; nothing is kept.
            StoreError: As for `say`.
        """
        async with self._lock:
            (document,) = plain([dict(layer)])
            book = book_from_layers((*self._course.layers, document))
            turn = self._aside(Edit(book=document), self.world, book, asked)
            self._keep(turn, self.world)
            return turn

    async def seat(self, seating: Seating, *, asked: Asked | None = None) -> Turn:
        """Say who plays whom from now on; kept as a turn, and not undone by `undo`.

        Raises:
            RunError: `ACTOR_UNKNOWN` for a seat of nobody there is.
            StoreError: As for `say`.
        """
        async with self._lock:
            for who in sorted(seating.seats):
                player_of(self.world, who)
            turn = self._aside(seating, self.world, self.book, asked)
            self._keep(turn, self.world)
            return turn

    def _go_back(
        self,
        aside: Return,
        undone: str = "",
        *,
        viewer: str | None = None,
        since: bool = False,
        asked: Asked | None = None,
    ) -> Told:
        there = self._course.after(aside.to).world
        turn = self._aside(aside, there, self.book, asked)
        self._keep(turn, there)
        watcher = self._speaker(viewer)
        return Told(turn, present.returned(aside, there, watcher, undone, since=since))

    def _undone(self, number: int) -> tuple[str, bool]:
        """The words of the turn after this one, and whether others acted since."""
        turns = self.so_far(number + 1)
        first = next(turns, None)
        if first is None or first.aside is not None:
            return "", False
        others = (t.aside is None and t.actor_id != first.actor_id for t in turns)
        return outward(first), any(others)

    def _aside(
        self, aside: Aside, after: World, book: Rulebook, asked: Asked | None = None
    ) -> Turn:
        return Turn(
            id=self._ids.fresh("turn"),
            number=self.count,
            actor_id=self.actor,
            raw_text="",
            parsed_actions=(),
            normalized_actions=(),
            validation_results=(),
            applied_actions=(),
            timestamp=self._clock.now(),
            world_before=fingerprint(self.world),
            world_after=fingerprint(after),
            book=book.fingerprint,
            aside=aside,
            asked=asked,
        )

    def _keep(self, turn: Turn, world: World) -> None:
        # Straight through, with no pause in between: a cancelled task cannot leave a
        # kept turn behind that the run does not know of.
        try:
            self._store.append(self.id, turn)
        except StoreError as problem:
            # Only the turns that another writer appended are read; all of them where
            # the store holds fewer than we know.
            if problem.code == "REVISION_CONFLICT" and not self.catch_up():
                self._course = self._followed()
            raise
        self._course.follow(turn, world)

    def _catch_up(self, save: Save) -> NoReturn:
        """Somebody else has saved beyond where we stand: go there, and say so."""
        number, self._course = self.count, self._followed()
        if BEGINNING <= save.turn < self.count:
            raise conflict(self.id, number, self.count)
        raise self._beyond(f"the save {save.name!r}", save.turn, save=save.name)

    def _beyond(self, what: str, turn: int, **details: str) -> StoreError:
        return no_such_turn(self.id, self.count, what, turn, **details)

    def _saved(self, name: str) -> Save:
        saves = {save.name: save for save in self._store.saves(self.id)}
        if name not in saves:
            raise no_such_save(name, saves)
        return saves[name]
