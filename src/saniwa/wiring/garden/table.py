"""The table of one run: agents take their turns while it goes on, and people watch.

One task a run at most. It ends when a person is to act, at the story's end, at an error,
when somebody says so, and when nobody has watched for a while.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, Literal

from saniwa.core.errors import SaniwaError
from saniwa.run.conductor import Run
from saniwa.run.hosted.moment import Request
from saniwa.run.hosted.trouble import another_request, stale
from saniwa.run.seats import PERSON, plays
from saniwa.run.table.players import Awaited, Move, Played
from saniwa.turn.trace import Asked
from saniwa.wiring.garden.bell import Bell
from saniwa.wiring.garden.gait import Gait
from saniwa.wiring.garden.noted import NotedModel
from saniwa.wiring.garden.seating import agent_named, check_model, models_of
from saniwa.wiring.garden.trouble import Trouble, no_agent, surprise, trouble_of
from saniwa.world.model import Id

if TYPE_CHECKING:
    # Late: most runs have no agents.
    from saniwa.run.table.gathering import Gathering
    from saniwa.wiring.cast import Company

Stopped = Literal[
    "", "person", "resting", "end", "error", "unwatched", "paused", "moves"
]
"""Why a table stands still; empty while it goes, and before it ever went."""
PATIENCE: Final = 60.0
"""Seconds without anybody watching after which a table stands still."""


class Table:
    """Agents and people round one run."""

    def __init__(
        self,
        run: Run,
        store: str,
        noted: NotedModel,
        bell: Bell,
        seconds: Callable[[], float],
        least: Callable[[], float] = lambda: 0.0,
        sync: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """A table round a run; its agents' journals lie beside the store.

        `seconds` is a clock that only goes forward; `least` tells how many of them are
        between two turns, however fast it was told to go. `sync` returns when every turn
        of the store is durable; it is left out for a store that syncs each turn itself.
        """
        self.run: Final = run
        """The run."""
        self.model = noted.read()
        """The model its agents ask; empty for those of their definitions."""
        self.thinking: Id | None = None
        """Whose agent is taking its turn right now."""
        self.trouble: Trouble | None = None
        """Why the last agent could not go on; None if it could."""
        self.stopped: Stopped = ""
        """Why it stands still."""
        self._store, self._noted = store, noted
        self._bell, self._seconds, self._least = bell, seconds, least
        self._sync = sync
        self._seen = seconds()
        self._company: Company | None = None
        self._alone = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._gait = Gait()

    @property
    def going(self) -> bool:
        """Whether agents play by themselves."""
        return self._task is not None and not self._task.done()

    @property
    def busy(self) -> bool:
        """Whether agents play, or somebody is changing something here."""
        return self.going or self._alone.locked()

    @property
    def gathering(self) -> "Gathering":
        """Who sits here."""
        return self._sat().gathering

    def watched(self) -> None:
        """Somebody looks."""
        self._seen = self._seconds()

    @asynccontextmanager
    async def still(self) -> AsyncIterator["Gathering"]:
        """The table between two turns, for changing seats."""
        async with self._alone:
            self.run.catch_up()
            yield self.gathering

    async def use(self, model: str) -> None:
        """Take another model, if one is named, and see that every agent has one.

        Raises:
            ConfigurationError: It is not there, or must not be named.
            RunError: `SEATING_UNFIT` for an agent that says nothing aloud.
        """
        async with self.using(model):
            pass

    @asynccontextmanager
    async def using(
        self, model: str, seats: Mapping[str, str] | None = None
    ) -> AsyncIterator["Gathering"]:
        """Do something with another model, if one is named; if that fails, it is let be.

        `seats` are those that are about to be given.

        Raises:
            ConfigurationError: It is not there, or must not be named.
            RunError: `SEATING_UNFIT` for an agent that says nothing aloud.
        """
        # The model a table has already was allowed when it was given to it.
        if model != self.model:
            check_model(model)
        before, noted = self.model, False
        try:
            await self._ask(model or before)
            self._sat().check(seats)
            if self.model != before:
                # First: a request that is sent again after a crash finds it done or undone.
                self._noted.write(self.model)
                noted = True
            yield self.gathering
        except Exception:
            if noted:
                self._noted.write(before)
            await self._ask(before)
            raise

    async def step(self, request: Request, model: str = "") -> int:
        """Let the agent whose turn it is take it; the revision afterwards.

        `model` as for `use`.

        Raises:
            RunError: `SEATING_UNFIT` where no agent is to act.
            StoreError: `REVISION_CONFLICT`, `IDEMPOTENCY_CONFLICT`.
            SaniwaError: The agent could not go on.
        """
        async with self._alone:
            self.run.catch_up()
            if not self._done(request.asked):
                if request.revision != self.run.count:
                    raise stale(self.run.id, request.revision, self.run.count)
                async with self.using(model):
                    _check(await self._move(request.asked))
            found = self.run.request(request.asked.key) if request.asked else None
            return self.run.count if found is None else found[0] + 1

    def go(self, pace: float, moves: int) -> None:
        """Let agents play, one turn after another, with so many seconds in between.

        Where they play already, they go on like this.
        """
        self.watched()
        self._gait.go(pace, moves)
        if not self.going:
            self.stopped, self.trouble = "", None
            self._task = asyncio.create_task(self._played())

    def pause(self) -> None:
        """Stand still after the turn that is being taken."""
        self._gait.pause()

    async def close(self) -> None:
        """Let everybody go; what they did is kept."""
        self.pause()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._leave()

    async def _played(self) -> None:
        try:
            self.stopped = await self._until_stopped()
        except SaniwaError as problem:
            self.stopped, self.trouble = "error", trouble_of(problem)
        except Exception as problem:
            # The door: whoever watches is told, and the server's log has the rest.
            self.stopped, self.trouble = "error", surprise(problem)
            raise
        finally:
            self._ring()

    async def _until_stopped(self) -> Stopped:
        while self._gait.another():
            async with self._alone:
                self.run.catch_up()
                if self.run.finished:
                    return "end"
                moved = await self._move()
            if not isinstance(moved, Played):
                return "person" if isinstance(moved, Awaited) else "resting"
            if moved.problem is not None:
                return "error"
            if await self._gait.rest(self._least()):
                return "paused"
            if self._forgotten():
                return "unwatched"
        return "moves"

    def _ring(self) -> None:
        self._look_round()
        self._bell.ring(self.run.id)

    def _look_round(self) -> None:
        if self._bell.heard(self.run.id):
            self.watched()

    def _forgotten(self) -> bool:
        self._look_round()
        return self._seconds() - self._seen > PATIENCE

    async def _move(self, asked: Asked | None = None) -> Move:
        gathering, self.trouble = self.gathering, None
        awaited = gathering.awaited()
        if awaited is not None and plays(gathering.seating, awaited) != PERSON:
            self.thinking = awaited
        try:
            moved = await gathering.next(asked=asked)
            # The next model is told of this turn, so the turn must be durable before.
            if self._sync is not None:
                await self._sync()
        except SaniwaError as problem:
            self.trouble = trouble_of(problem)
            raise
        finally:
            self.thinking = None
            self._ring()
        if isinstance(moved, Played) and moved.problem is not None:
            known = moved.problem
            self.trouble = Trouble(
                code=known.code, message=known.message, hint=known.hint
            )
        return moved

    def _done(self, asked: Asked | None) -> bool:
        found = self.run.request(asked.key) if asked else None
        if found is not None and found[1] != asked:
            raise another_request(found[1].key)
        return found is not None

    async def _ask(self, model: str) -> None:
        if model != self.model:
            await self._leave()
            self.model = model

    def _sat(self) -> "Company":
        if self._company is None:
            from saniwa.wiring.cast import Company
            from saniwa.wiring.journals import journals_beside

            self._company = Company(
                self.run,
                models_of(self._store, self.run.id, self.model),
                agent_named,
                journals=journals_beside(self._store, self.run.id),
            )
        return self._company

    async def _leave(self) -> None:
        company, self._company = self._company, None
        if company is not None:
            await company.close()


def _check(moved: Move) -> None:
    """See that an agent has moved.

    Raises:
        RunError: `SEATING_UNFIT`.
    """
    if isinstance(moved, Played):
        return
    if isinstance(moved, Awaited):
        raise no_agent(
            f"a person plays {moved.actor!r}, who is to act now",
            "say something as them, or seat an agent",
        )
    raise no_agent("everybody at the table rests", "seat an agent, or take a seat")
