import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from saniwa.app.game_table_models import TableModelSetting
from saniwa.app.game_tables import UNWATCHED_SECONDS, ChangeNotifier, TableRunner
from saniwa.core.errors import RunError, StoreError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs.playing import PlayRequest
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.store.play_records import MemoryPlayRecords
from saniwa.turn.record import Turn
from tests.fakes.runs import open_courtyard_run

MODEL = "canned:models/answers.yaml"
ANSWERS = 'answers: ["Thought: Yes.\\nOutput: Good day!"]\nrepeat: true\n'


class HandSetClock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        """The seconds so far."""
        return self.now


class SlowStore(MemoryRunStore):
    """Stores a turn when the test releases the disk."""

    def __init__(self) -> None:
        super().__init__()
        self.synced, self.begun = asyncio.Event(), 0
        self.synced.set()

    async def append(self, run_id: str, turn: Turn) -> None:
        """Store the turn once the disk is released."""
        self.begun += 1
        await self.synced.wait()
        await super().append(run_id, turn)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project with canned answers."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir(exist_ok=True)
    (tmp_path / "models" / "answers.yaml").write_text(ANSWERS, encoding="utf-8")


def play_at_table(
    play: Callable[[TableRunner, HandSetClock, ChangeNotifier], Awaitable[None]],
    store: MemoryRunStore | None = None,
) -> None:
    """Run a test at a table of agents only."""

    async def play_session() -> None:
        run, hours, bell = (
            open_courtyard_run(store or MemoryRunStore()),
            HandSetClock(),
            ChangeNotifier(),
        )
        noted = TableModelSetting(MemoryPlayRecords(), run.id)
        table = TableRunner(run, "memory:", noted, bell, hours)
        async with table.try_model(MODEL, {run.actor: "character"}) as gathering:
            await gathering.seat_agents({run.actor: "character"})
        try:
            await play(table, hours, bell)
        finally:
            await table.close()

    asyncio.run(play_session())


async def wait_until_still(table: TableRunner) -> None:
    """Let the table continue until it stops."""
    while table.is_running:
        await asyncio.sleep(0)


def test_a_table_without_watchers_does_not_move() -> None:
    """A table that is not watched stops after a while."""

    async def play(table: TableRunner, hours: HandSetClock, bell: ChangeNotifier) -> None:
        del bell
        table.start(0, 1_000)
        hours.now = UNWATCHED_SECONDS + 1
        await wait_until_still(table)

        assert "unwatched" == table.stopped
        assert 2 == table.run.count

    play_at_table(play)


def test_a_caller_that_waits_for_news_watches() -> None:
    """A client that waits for changes counts as watching."""

    async def play(table: TableRunner, hours: HandSetClock, bell: ChangeNotifier) -> None:
        listening = asyncio.create_task(bell.wait(table.run.id, 60))
        await asyncio.sleep(0)
        table.start(0, 1)
        hours.now = UNWATCHED_SECONDS + 1
        # Notified by the first turn, the browser asks again at once.
        while table.is_running:
            if listening.done():
                listening = asyncio.create_task(bell.wait(table.run.id, 60))
            await asyncio.sleep(0)
        listening.cancel()

        assert "moves" == table.stopped

    play_at_table(play)


def test_two_steps_at_once_are_one() -> None:
    """Of two steps at once, the second has a stale revision."""

    async def play(table: TableRunner, hours: HandSetClock, bell: ChangeNotifier) -> None:
        del hours, bell
        request = PlayRequest(revision=table.run.count)
        both = await asyncio.gather(
            table.step(request), table.step(request), return_exceptions=True
        )

        assert [int, StoreError] == [type(each) for each in both]
        assert 2 == table.run.count

    play_at_table(play)


def test_a_key_means_one_request() -> None:
    """Another request with the same key is refused."""

    async def play(table: TableRunner, hours: HandSetClock, bell: ChangeNotifier) -> None:
        del hours, bell
        await table.step(PlayRequest(revision=1, asked=IdempotencyKey(key="k", digest="a")))
        with pytest.raises(StoreError) as problem:
            await table.step(PlayRequest(revision=1, asked=IdempotencyKey(key="k", digest="b")))

        assert "IDEMPOTENCY_CONFLICT" == problem.value.code

    play_at_table(play)


def test_closing_ends_what_continues() -> None:
    """Closing stops the agents, and the turns are kept."""

    async def play(table: TableRunner, hours: HandSetClock, bell: ChangeNotifier) -> None:
        del hours, bell
        table.start(30, 1_000)
        while table.run.count < 2:
            await asyncio.sleep(0)
        await table.close()

        assert table.is_running is False
        assert 2 == table.run.count

    play_at_table(play)


def test_a_pause_is_heard_however_fast_agents_play() -> None:
    """After a pause request, the current turn is the last."""

    async def play(table: TableRunner, hours: HandSetClock, bell: ChangeNotifier) -> None:
        del hours, bell
        table.start(0, 30)
        table.pause()
        await wait_until_still(table)

        assert "paused" == table.stopped
        assert 2 == table.run.count

    play_at_table(play)


def test_continuing_after_a_pause_is_heard_before_the_turn_is_over() -> None:
    """Continuing during the last turn cancels the pause."""

    async def play(table: TableRunner, hours: HandSetClock, bell: ChangeNotifier) -> None:
        del hours, bell
        table.start(0, 30)
        table.pause()
        table.start(0, 2)
        await wait_until_still(table)

        assert "moves" == table.stopped
        assert 3 == table.run.count

    play_at_table(play)


def test_a_table_that_was_paused_continues() -> None:
    """A paused table can be continued."""

    async def play(table: TableRunner, hours: HandSetClock, bell: ChangeNotifier) -> None:
        del hours, bell
        table.start(0, 30)
        table.pause()
        await wait_until_still(table)
        table.start(0, 2)
        await wait_until_still(table)

        assert "moves" == table.stopped
        assert 4 == table.run.count

    play_at_table(play)


def test_a_table_that_goes_takes_another_pace_at_once() -> None:
    """A new pace applies at once, and restarts the count of turns."""

    async def play(table: TableRunner, hours: HandSetClock, bell: ChangeNotifier) -> None:
        del hours, bell
        table.start(30, 1_000)
        while table.run.count < 2:
            await asyncio.sleep(0)
        table.start(0, 2)
        await wait_until_still(table)

        assert "moves" == table.stopped
        assert 4 == table.run.count

    play_at_table(play)


def test_a_step_that_is_refused_leaves_the_model() -> None:
    """A refused step does not change the model."""

    async def play(table: TableRunner, hours: HandSetClock, bell: ChangeNotifier) -> None:
        del hours, bell
        await table.game.take_seat(table.run.actor)
        with pytest.raises(RunError) as problem:
            await table.step(PlayRequest(revision=table.run.count), "fuzz:1")

        assert "SEATING_UNFIT" == problem.value.code
        assert MODEL == table.model == table._noted.read()

    play_at_table(play)


def test_the_next_agent_waits_until_the_last_turn_is_durable() -> None:
    """The next agent waits until the last turn is durable."""
    store = SlowStore()

    async def play(table: TableRunner, hours: HandSetClock, bell: ChangeNotifier) -> None:
        del hours, bell
        store.synced.clear()
        table.start(0, 2)
        for _ in range(200):
            await asyncio.sleep(0)
        early = store.begun, table.run.count
        store.synced.set()
        await wait_until_still(table)

        assert (2, 1) == early
        assert (3, 3) == (store.begun, table.run.count)

    play_at_table(play, store)
