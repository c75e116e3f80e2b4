"""The tables of a workspace: agents that play in runs while users watch.

`TableRunner` plays one run; `TableService` keeps one runner for each run that needs it.
"""

import asyncio
import time
from collections import OrderedDict, defaultdict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from saniwa.app.agent_cast import open_named_agent
from saniwa.app.game_table_models import TableModelSetting, check_model_allowed, make_table_models
from saniwa.core.errors import SaniwaError, make_rate_limit_error
from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs.game_table import AgentTurn, PersonTurn, TableMove, make_seating_error
from saniwa.runs.playing import PlayRequest
from saniwa.runs.run import Run
from saniwa.runs.timeline import PERSON, find_player
from saniwa.store.play_records import PlayRecords
from saniwa.store.run_records import make_turn_conflict_error
from saniwa.world.model import Id

if TYPE_CHECKING:
    from saniwa.agent.layer_contracts import AgentProblem
    from saniwa.app.agent_cast import Cast
    from saniwa.runs.game_table import GameTable


class ChangeNotifier:
    """Wakes the tasks that wait for a change of a run."""

    def __init__(self) -> None:
        self._waiting = defaultdict[str, set[asyncio.Event]](set)
        self.silent = False
        """Whether it is closed: no more notifications come, and waiters should end."""

    def close(self) -> None:
        """Wake all waiters for the last time."""
        self.silent = True
        for waiting in list(self._waiting.values()):
            for event in waiting:
                event.set()

    def notify(self, name: str) -> None:
        """Wake every task that waits for this name."""
        for event in self._waiting.get(name, ()):
            event.set()

    def has_waiters(self, name: str) -> bool:
        """Whether any task waits for this name now."""
        return name in self._waiting

    async def wait(self, name: str, seconds: float) -> None:
        """Wait until `notify` is called for the name, or until the time has passed."""
        event = asyncio.Event()
        self._waiting[name].add(event)
        try:
            async with asyncio.timeout(seconds):
                await event.wait()
        except TimeoutError:
            pass
        finally:
            self._waiting[name].discard(event)
            if not self._waiting[name]:
                del self._waiting[name]


class TablePace:
    """The requested pace of a table; it can change while an agent thinks."""

    def __init__(self) -> None:
        """Create a pace for a table that is stopped."""
        self._pace, self._left = 0.0, 0
        self._pausing = False
        self._changed = asyncio.Event()

    def start(self, pace: float, moves: int) -> None:
        """Allow so many turns, with so many seconds between them."""
        self._pace, self._left = pace, moves
        self._pausing = False
        self._changed.set()

    def pause(self) -> None:
        """Stop before the next turn."""
        self._pausing = True
        self._changed.set()

    def count_turn(self) -> bool:
        """Count one more turn; return whether it is allowed."""
        self._left -= 1
        return self._left >= 0

    async def wait(self, least: float = 0.0) -> bool:
        """Wait until the next turn is due, or the pace changes; return whether to stop.

        The turn is due after at least `least` seconds, whatever the pace.
        """
        self._changed.clear()
        if not self._pausing:
            # Yields to other tasks at least once, however short the wait.
            with suppress(TimeoutError):
                async with asyncio.timeout(max(self._pace, least)):
                    await self._changed.wait()
        return self._pausing


class TableTrouble(msgspec.Struct, frozen=True, kw_only=True):
    """Why an agent could not continue."""

    code: str
    """The error's code."""
    message: str
    """What is wrong."""
    hint: str = ""
    """What to do."""


def _make_trouble(problem: "SaniwaError | AgentProblem") -> TableTrouble:
    """Return an error's code, message and hint."""
    return TableTrouble(code=str(problem.code), message=problem.message, hint=problem.hint)


def _make_unexpected_trouble(problem: Exception) -> TableTrouble:
    """Return what is reported of an unexpected error; the server's log has the rest."""
    return TableTrouble(
        code="SYSTEM_ERROR",
        message=f"an unexpected error occurred: {type(problem).__name__}",
        hint="everything acknowledged is saved; report this error",
    )


StopReason = Literal["", "person", "resting", "end", "error", "unwatched", "paused", "moves"]
"""Why a table is stopped; empty while it runs, and before it ever ran."""
UNWATCHED_SECONDS: Final = 60.0
"""Seconds without watchers after which a table stops."""


class TableRunner:
    """Plays one run with its agents, and with people in the other seats."""

    def __init__(
        self,
        run: Run,
        store: str,
        setting: TableModelSetting,
        notifier: ChangeNotifier,
        seconds: Callable[[], float],
        least: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """Create the table of a run; its agents' journals are next to the store.

        `seconds` is a monotonic clock; `least` returns the minimum seconds between two
        turns, whatever the pace.
        """
        self.run: Final = run
        """The run."""
        self.model = setting.read()
        """The model of its agents; empty for those of their definitions."""
        self.thinking: Id | None = None
        """The character whose agent is taking its turn now."""
        self.trouble: TableTrouble | None = None
        """Why the last agent failed; None if it did not."""
        self.stopped: StopReason = ""
        """Why it is stopped."""
        self._store, self._noted = store, setting
        self._notifier, self._seconds, self._least = notifier, seconds, least
        self._seen = seconds()
        self._cast: Cast | None = None
        self._turn_lock = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._pacing = TablePace()

    @property
    def is_running(self) -> bool:
        """Whether agents play on their own."""
        return self._task is not None and not self._task.done()

    @property
    def is_busy(self) -> bool:
        """Whether agents play, or a request is changing the table."""
        return self.is_running or self._turn_lock.locked()

    @property
    def game(self) -> "GameTable":
        """The table with its seats."""
        return self._open_cast().game

    def mark_watched(self) -> None:
        """Note that a user is watching now."""
        self._seen = self._seconds()

    @asynccontextmanager
    async def hold_between_turns(self) -> AsyncIterator["GameTable"]:
        """Yield the table between two turns, for changing seats."""
        async with self._turn_lock:
            self.run.catch_up()
            yield self.game

    async def use_model(self, model: str) -> None:
        """Use another model, if one is named, and check that every agent has one.

        Raises:
            ConfigurationError: It does not exist, or is not allowed.
            RunError: `SEATING_UNFIT` for an agent that cannot speak.
        """
        async with self.try_model(model):
            pass

    @asynccontextmanager
    async def try_model(
        self, model: str, seats: Mapping[str, str] | None = None
    ) -> AsyncIterator["GameTable"]:
        """Use another model in a block, if one is named; undo it if that fails.

        `seats` are those that are about to be assigned.

        Raises:
            ConfigurationError: It does not exist, or is not allowed.
            RunError: `SEATING_UNFIT` for an agent that cannot speak.
        """
        # The table's current model was allowed when it was chosen.
        if model != self.model:
            check_model_allowed(model)
        before, stored = self.model, False
        try:
            await self._switch_model(model or before)
            self._open_cast().check_agents(seats)
            if self.model != before:
                # Before the block: a request that is repeated after a crash finds it
                # done or undone.
                await self._noted.write(self.model)
                stored = True
            yield self.game
        except Exception:
            if stored:
                await self._noted.write(before)
            await self._switch_model(before)
            raise

    async def step(self, request: PlayRequest, model: str = "") -> int:
        """Let the next agent take its turn; return the revision afterwards.

        `model` as for `use_model`.

        Raises:
            RunError: `SEATING_UNFIT` if it is no agent's turn.
            StoreError: `REVISION_CONFLICT`, `IDEMPOTENCY_CONFLICT`.
            SaniwaError: The agent failed.
        """
        async with self._turn_lock:
            self.run.catch_up()
            if self.run.find_repeated(request.asked) is None:
                if request.revision != self.run.count:
                    raise make_turn_conflict_error(self.run.id, request.revision, self.run.count)
                async with self.try_model(model):
                    _check_moved(await self._take_turn(request.asked))
            number = self.run.find_repeated(request.asked)
            return self.run.count if number is None else number + 1

    def start(self, pace: float, moves: int) -> None:
        """Let agents play turn after turn, with so many seconds between them.

        If they are playing already, they continue at this pace.
        """
        self.mark_watched()
        self._pacing.start(pace, moves)
        if not self.is_running:
            self.stopped, self.trouble = "", None
            self._task = asyncio.create_task(self._play())

    def pause(self) -> None:
        """Stop after the current turn."""
        self._pacing.pause()

    async def close(self) -> None:
        """Stop all agents; their turns are stored."""
        self.pause()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._close_cast()

    async def _play(self) -> None:
        try:
            self.stopped = await self._play_until_stopped()
        except SaniwaError as problem:
            self.stopped, self.trouble = "error", _make_trouble(problem)
        except Exception as problem:
            # The error boundary of the task: watchers see the trouble, and the server's
            # log has the rest.
            self.stopped, self.trouble = "error", _make_unexpected_trouble(problem)
            raise
        finally:
            self._notify()

    async def _play_until_stopped(self) -> StopReason:
        while self._pacing.count_turn():
            async with self._turn_lock:
                self.run.catch_up()
                if self.run.is_finished:
                    return "end"
                moved = await self._take_turn()
            if not isinstance(moved, AgentTurn):
                return "person" if isinstance(moved, PersonTurn) else "resting"
            if moved.problem is not None:
                return "error"
            if await self._pacing.wait(self._least()):
                return "paused"
            if self._is_unwatched():
                return "unwatched"
        return "moves"

    def _notify(self) -> None:
        self._note_watchers()
        self._notifier.notify(self.run.id)

    def _note_watchers(self) -> None:
        if self._notifier.has_waiters(self.run.id):
            self.mark_watched()

    def _is_unwatched(self) -> bool:
        self._note_watchers()
        return self._seconds() - self._seen > UNWATCHED_SECONDS

    async def _take_turn(self, asked: IdempotencyKey | None = None) -> TableMove:
        game, self.trouble = self.game, None
        awaited = game.find_awaited_actor()
        if awaited is not None and find_player(game.seating, awaited) != PERSON:
            self.thinking = awaited
        try:
            moved = await game.play_next(asked=asked)
        except SaniwaError as problem:
            self.trouble = _make_trouble(problem)
            raise
        finally:
            self.thinking = None
            self._notify()
        if isinstance(moved, AgentTurn) and moved.problem is not None:
            self.trouble = _make_trouble(moved.problem)
        return moved

    async def _switch_model(self, model: str) -> None:
        if model != self.model:
            await self._close_cast()
            self.model = model

    def _open_cast(self) -> "Cast":
        if self._cast is None:
            from saniwa.app.agent_cast import Cast
            from saniwa.app.agent_journals import make_journal_opener

            self._cast = Cast(
                self.run,
                make_table_models(self._store, self.run.id, self.model),
                open_named_agent,
                journals=make_journal_opener(self._store, self.run.id),
            )
        return self._cast

    async def _close_cast(self) -> None:
        cast, self._cast = self._cast, None
        if cast is not None:
            await cast.close()


def _check_moved(moved: TableMove) -> None:
    """Check that an agent has taken a turn.

    Raises:
        RunError: `SEATING_UNFIT`.
    """
    if isinstance(moved, AgentTurn):
        return
    if isinstance(moved, PersonTurn):
        raise make_seating_error(
            f"it is the turn of {moved.actor!r}, who is played by a person",
            "act for that character, or let an agent play it",
        )
    raise make_seating_error(
        "no character can act now", "let an agent play a character, or play one yourself"
    )


MOST_TABLES: Final = 64
"""Idle tables that are kept, besides those at which agents play."""
MOST_RUNNING: Final = 8
"""Tables at which agents may play on their own at once."""
LEAST_PAUSE_SECONDS: Final = 0.2
"""Seconds between two agent turns, over all tables together: people play as well."""
_RETRY_SECONDS: Final = 10


class TableService:
    """Keeps a table for each run that needs one."""

    def __init__(
        self,
        store: str,
        plays: PlayRecords,
        notifier: ChangeNotifier,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        """Serve tables for a store's runs; other arguments as for `TableRunner`."""
        self._tables = OrderedDict[str, TableRunner]()

        def make_table(run: Run) -> TableRunner:
            setting = TableModelSetting(plays, run.id)
            least = self._compute_least_pause
            return TableRunner(run, store, setting, notifier, seconds, least)

        self._make_table = make_table

    async def open_table(self, run: Run) -> TableRunner:
        """Return the table of a run."""
        table, left = self._tables.get(run.id), list[TableRunner]()
        # A run that was evicted and opened again is another object with the same turns.
        if table is None or (table.run is not run and not table.is_busy):
            left += [] if table is None else [table]
            table = self._tables[run.id] = self._make_table(run)
        self._tables.move_to_end(run.id)
        # Other requests run while these close, so the cache is updated before.
        for each in left + self._evict_idle():
            await each.close()
        return table

    def check_capacity(self, table: TableRunner) -> None:
        """Return if agents play at a table already, or may start to.

        Raises:
            ProtocolError: `TOO_MANY_REQUESTS`.
        """
        if not table.is_running and self._count_running() >= MOST_RUNNING:
            raise make_rate_limit_error(
                f"agents already play in {MOST_RUNNING} runs", _RETRY_SECONDS
            )

    async def close(self) -> None:
        """Close all tables."""
        tables, self._tables = [*self._tables.values()], OrderedDict()
        for table in tables:
            await table.close()

    def _evict_idle(self) -> list[TableRunner]:
        """Remove idle tables above the limit from the cache, and return them."""
        idle = [id for id, table in self._tables.items() if not table.is_busy]
        return [self._tables.pop(id) for id in idle[: max(len(idle) - MOST_TABLES, 0)]]

    def _count_running(self) -> int:
        return sum(table.is_running for table in self._tables.values())

    def _compute_least_pause(self) -> float:
        return LEAST_PAUSE_SECONDS * self._count_running()
