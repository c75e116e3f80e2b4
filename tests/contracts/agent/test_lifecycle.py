"""The contract of `Lifecycle`: an agent is started once, and all its parts are released."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from saniwa.agent.definition import IterationBudget
from saniwa.agent.layer_contracts import StartOptions
from saniwa.core.errors import AlreadyStartedError, LifecycleError, StoreError
from tests.fakes.agent_parts import AgentPartsFactory, HeldJournal, HeldOracle


def test_an_agent_is_started_once() -> None:
    """A second start is refused, whether the agent is running or stopped."""

    async def play() -> None:
        made = AgentPartsFactory().build()
        await made.start(StartOptions())
        with pytest.raises(AlreadyStartedError) as again:
            await made.start(StartOptions())
        await made.stop()
        with pytest.raises(AlreadyStartedError):
            await made.start(StartOptions())
        assert ("ALREADY_STARTED", False) == (again.value.code, again.value.recoverable)

    asyncio.run(play())


def test_nothing_can_be_stopped_before_it_was_started() -> None:
    """Stopping an agent that was not started is an error."""
    with pytest.raises(LifecycleError) as refused:
        asyncio.run(AgentPartsFactory().build().stop())

    assert "NOT_STARTED" == refused.value.code


def test_start_makes_everything_ready() -> None:
    """After `start` the parts are open and `stop` can be called."""

    async def play() -> tuple[int, str]:
        shop = AgentPartsFactory()
        made = shop.build()
        await made.start(StartOptions(paced=True))
        opened, phase = shop.opened, made.phase
        await made.stop()
        return opened, phase

    assert (1, "started") == asyncio.run(play())


def test_stopping_twice_says_the_same() -> None:
    """Stopping again returns the same result."""

    async def play() -> None:
        made = AgentPartsFactory().build()
        await made.start(StartOptions())
        await made.wait()
        first, second = await made.stop(), await made.stop()
        assert first is second
        assert first.success

    asyncio.run(play())


def test_everything_is_released_when_it_is_done() -> None:
    """Stopping closes the bridge and the journal."""

    async def play() -> bool:
        shop = AgentPartsFactory()
        made = shop.build()
        await made.start(StartOptions())
        await made.wait()
        await made.stop()
        return shop.is_released

    assert asyncio.run(play())


def test_everything_is_released_when_it_is_stopped_in_the_middle() -> None:
    """An agent that waits for its model is stopped at once with a recoverable error."""

    async def play() -> None:
        shop = AgentPartsFactory(HeldOracle(stuck=True))
        made = shop.build()
        await made.start(StartOptions())
        await shop.oracle.asked.wait()

        result = await made.stop()

        assert result.error is not None
        assert shop.is_released
        assert (False, "AGENT_STOPPED", True) == (
            result.success,
            result.error.code,
            result.error.recoverable,
        )

    asyncio.run(play())


def test_everything_is_released_when_a_part_fails() -> None:
    """An agent that failed releases its parts when stopped."""

    async def play() -> None:
        shop = AgentPartsFactory(HeldOracle(broken=True))
        made = shop.build()
        await made.start(StartOptions())
        await made.wait()
        result = await made.stop()

        assert not result.success
        assert shop.is_released

    asyncio.run(play())


def test_everything_is_released_when_the_stopping_task_is_cancelled() -> None:
    """If the task that stops an agent is cancelled, stopping again releases everything."""

    async def play() -> bool:
        shop = AgentPartsFactory(HeldOracle(stuck=True))
        made = shop.build()
        await made.start(StartOptions())
        await shop.oracle.asked.wait()
        stopping = asyncio.create_task(made.stop())
        await asyncio.sleep(0)
        stopping.cancel()
        await asyncio.gather(stopping, return_exceptions=True)
        await made.stop()
        return shop.is_released

    assert asyncio.run(play())


def test_a_cancelled_wait_stops_no_agent() -> None:
    """Cancelling a wait does not stop the agent."""

    async def play() -> bool:
        shop = AgentPartsFactory(HeldOracle(stuck=True))
        made = shop.build()
        await made.start(StartOptions())
        waiting = asyncio.create_task(made.wait())
        await shop.oracle.asked.wait()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        shop.oracle.stuck = False
        still = made.phase == "started"
        await made.stop()
        return still

    assert asyncio.run(play())


def test_a_start_that_fails_releases_what_it_opened() -> None:
    """An agent whose journal cannot be read does not start and releases what it opened."""

    class UnreadableJournal(HeldJournal):
        def read_entries(self) -> Any:
            raise StoreError("STORE_UNREADABLE", "torn")

    async def play() -> None:
        shop = AgentPartsFactory()
        shop.journal = UnreadableJournal()
        made = shop.build()
        with pytest.raises(StoreError):
            await made.start(StartOptions(resume=True))
        assert ("stopped", True) == (made.phase, shop.is_released)

    asyncio.run(play())


@pytest.mark.parametrize("stuck", ["bridge", "journal", "both"])
def test_one_part_that_cannot_be_released_keeps_no_other(stuck: str) -> None:
    """If one part fails to close, the other is closed too, and then the failure is raised."""

    class StuckOracle(HeldOracle):
        async def close(self) -> None:
            await super().close()
            raise RuntimeError("stuck")

    class StuckJournal(HeldJournal):
        def close(self) -> None:
            super().close()
            raise RuntimeError("stuck")

    async def play() -> None:
        shop = AgentPartsFactory(StuckOracle() if stuck != "journal" else None)
        if stuck != "bridge":
            shop.journal = StuckJournal()
        made = shop.build()
        await made.start(StartOptions(paced=True))
        with pytest.raises((RuntimeError, ExceptionGroup), match=r"stuck|could not release"):
            await made.stop()
        assert (1, 1) == (shop.journal.closed, shop.oracle.closed)

    asyncio.run(play())


def test_the_end_is_in_the_journal_before_stop_returns() -> None:
    """When `stop` returns, the last entry of the journal says why the agent ended."""

    async def play() -> Mapping[str, Any]:
        shop = AgentPartsFactory(HeldOracle(stuck=True))
        made = shop.build()
        await made.start(StartOptions())
        await shop.oracle.asked.wait()
        await made.stop()
        return list(shop.journal.read_entries())[-1]

    last = asyncio.run(play())

    assert ("error", "AGENT_STOPPED") == (last["event"], last["error"]["code"])


def test_a_paced_agent_takes_its_turns_when_it_is_asked() -> None:
    """A paced agent does one iteration per turn, and returns None when it is done."""

    async def play() -> list[int | None]:
        made = AgentPartsFactory().build(completion=IterationBudget(max_iterations=2))
        await made.start(StartOptions(paced=True))
        taken = [await made.take_turn() for _ in range(3)]
        await made.stop()
        return [None if each is None else each.iteration for each in taken]

    assert [1, 2, None] == asyncio.run(play())


def test_with_makes_sure_of_the_end() -> None:
    """Leaving a `with` block stops the agent, also after an exception."""

    async def play() -> bool:
        shop = AgentPartsFactory(HeldOracle(stuck=True))
        with pytest.raises(KeyError):
            async with shop.build():
                raise KeyError
        return shop.is_released

    assert asyncio.run(play())
