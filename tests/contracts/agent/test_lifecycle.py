"""The contract of `Lifecycle` and `AgentFactory`: one life, everything released."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from saniwa.agent.bridges.bridge import Bridge
from saniwa.agent.bridges.canned import Canned
from saniwa.agent.contract import BuildOptions, Lifecycle, StartOptions
from saniwa.agent.definition import (
    AgentDefinition,
    Custom,
    IterationBudget,
    KeywordSignal,
    Parameter,
)
from saniwa.agent.looping.agent import Agent
from saniwa.agent.looping.factory import Factory
from saniwa.agent.looping.journal import MemoryJournal
from saniwa.agent.oracle import Answer, Hear, Request
from saniwa.agent.prompting.resolver import MemoryResolver
from saniwa.core.errors import (
    AlreadyStartedError,
    ConfigurationValidationError,
    DependencyResolutionError,
    LifecycleError,
    StoreError,
)
from tests.fakes.agents import definition

_DONE = IterationBudget(max_iterations=1)


class _Held(MemoryJournal):
    """A journal that knows whether it was let go of."""

    def __init__(self) -> None:
        super().__init__()
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


class _Oracle(Canned):
    """Answers, or never does; knows whether it was let go of."""

    def __init__(self, *, stuck: bool = False, broken: bool = False) -> None:
        super().__init__(["said"], repeat=True)
        self.stuck, self.broken = stuck, broken
        self.closed = 0
        self.asked = asyncio.Event()

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        self.asked.set()
        if self.broken:
            raise ZeroDivisionError
        if self.stuck:
            await asyncio.Event().wait()
        return await super().answer(request, hear)

    async def close(self) -> None:
        self.closed += 1


class _Shop:
    """A factory whose parts can be looked at afterwards."""

    def __init__(self, oracle: _Oracle | None = None) -> None:
        self.journal = _Held()
        self.oracle = oracle or _Oracle()
        self.opened = 0
        self.factory = Factory(
            self._bridge,
            journal=lambda _: self.journal,
            resolver=lambda *_: MemoryResolver({"ask.md": "What?"}, system="You."),
        )

    def _bridge(self, _: AgentDefinition) -> Bridge:
        self.opened += 1
        return Bridge(self.oracle)

    def build(self, **more: Any) -> Agent:
        return self.factory.build(definition(**{"completion": _DONE, **more}))

    @property
    def released(self) -> bool:
        return self.journal.closed > 0 and self.oracle.closed > 0


def test_what_is_built_can_be_started() -> None:
    """Building gives a lifecycle that has not begun, and opens nothing yet."""
    shop = _Shop()

    made: Lifecycle = shop.build()

    assert isinstance(made, Agent)
    assert ("created", 0) == (made.phase, shop.opened)


def test_something_that_cannot_be_had_fails_when_building() -> None:
    """A dependency that cannot be resolved is told before anything starts."""
    with pytest.raises(DependencyResolutionError):
        _Shop().build(completion=Custom(name="no-such-plugin"))


def test_an_argument_that_does_not_fit_fails_when_building() -> None:
    """Parameters are checked before anything starts, all at once."""
    shop = _Shop()
    agent = definition(
        completion=_DONE,
        parameters={
            "n": Parameter(type="number", required=True),
            "m": Parameter(required=True),
        },
    )

    with pytest.raises(ConfigurationValidationError) as refused:
        shop.factory.build(agent, BuildOptions(arguments={"n": "many"}))

    assert "n" in str(refused.value.details)
    assert "m" in str(refused.value.details)


def test_an_agent_is_started_once() -> None:
    """The second start is refused, running or stopped."""

    async def play() -> None:
        made = _Shop().build()
        await made.start(StartOptions())
        with pytest.raises(AlreadyStartedError) as again:
            await made.start(StartOptions())
        await made.stop()
        with pytest.raises(AlreadyStartedError):
            await made.start(StartOptions())
        assert ("ALREADY_STARTED", False) == (again.value.code, again.value.recoverable)

    asyncio.run(play())


def test_nothing_can_be_stopped_before_it_was_started() -> None:
    """Stop has start as its condition."""
    with pytest.raises(LifecycleError) as refused:
        asyncio.run(_Shop().build().stop())

    assert "NOT_STARTED" == refused.value.code


def test_start_makes_everything_ready() -> None:
    """After start the parts are open and stop can be called."""

    async def play() -> tuple[int, str]:
        shop = _Shop()
        made = shop.build()
        await made.start(StartOptions(paced=True))
        opened, phase = shop.opened, made.phase
        await made.stop()
        return opened, phase

    assert (1, "started") == asyncio.run(play())


def test_stopping_twice_says_the_same() -> None:
    """The result of an agent's life does not change."""

    async def play() -> None:
        made = _Shop().build()
        await made.start(StartOptions())
        await made.wait()
        first, second = await made.stop(), await made.stop()
        assert first is second
        assert first.success

    asyncio.run(play())


def test_everything_is_released_when_it_is_done() -> None:
    """Stop lets go of the bridge and of the journal."""

    async def play() -> bool:
        shop = _Shop()
        made = shop.build()
        await made.start(StartOptions())
        await made.wait()
        await made.stop()
        return shop.released

    assert asyncio.run(play())


def test_everything_is_released_when_it_is_stopped_in_the_middle() -> None:
    """An agent that waits for its model is stopped at once, and can be taken up again."""

    async def play() -> None:
        shop = _Shop(_Oracle(stuck=True))
        made = shop.build()
        await made.start(StartOptions())
        await shop.oracle.asked.wait()

        result = await made.stop()

        assert result.error is not None
        assert shop.released
        assert (False, "AGENT_STOPPED", True) == (
            result.success,
            result.error.code,
            result.error.recoverable,
        )

    asyncio.run(play())


def test_everything_is_released_when_a_part_fails() -> None:
    """An agent that broke is stopped like any other."""

    async def play() -> None:
        shop = _Shop(_Oracle(broken=True))
        made = shop.build()
        await made.start(StartOptions())
        await made.wait()
        result = await made.stop()

        assert not result.success
        assert shop.released

    asyncio.run(play())


def test_everything_is_released_when_whoever_stops_it_is_cancelled() -> None:
    """Stopping goes on to its end, whoever has gone meanwhile."""

    async def play() -> bool:
        shop = _Shop(_Oracle(stuck=True))
        made = shop.build()
        await made.start(StartOptions())
        await shop.oracle.asked.wait()
        stopping = asyncio.create_task(made.stop())
        await asyncio.sleep(0)
        stopping.cancel()
        await asyncio.gather(stopping, return_exceptions=True)
        await made.stop()
        return shop.released

    assert asyncio.run(play())


def test_whoever_stops_waiting_stops_no_agent() -> None:
    """Waiting may be cancelled; the agent goes on."""

    async def play() -> bool:
        shop = _Shop(_Oracle(stuck=True))
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
    """An agent whose journal cannot be read never starts, and holds nothing."""

    class Unreadable(_Held):
        def entries(self) -> Any:
            raise StoreError("STORE_UNREADABLE", "torn")

    async def play() -> None:
        shop = _Shop()
        shop.journal = Unreadable()
        made = shop.build()
        with pytest.raises(StoreError):
            await made.start(StartOptions(resume=True))
        assert ("stopped", True) == (made.phase, shop.released)

    asyncio.run(play())


def test_one_part_that_cannot_be_released_keeps_no_other() -> None:
    """Everything else is let go of first, then the failure is told."""

    class Stuck(_Oracle):
        async def close(self) -> None:
            raise RuntimeError("stuck")

    async def play() -> None:
        shop = _Shop(Stuck())
        made = shop.build()
        await made.start(StartOptions(paced=True))
        with pytest.raises(RuntimeError, match="stuck"):
            await made.stop()
        assert 1 == shop.journal.closed

    asyncio.run(play())


def test_the_end_is_in_the_journal_before_stop_returns() -> None:
    """Stopping flushes: the last entry says why."""

    async def play() -> Mapping[str, Any]:
        shop = _Shop(_Oracle(stuck=True))
        made = shop.build()
        await made.start(StartOptions())
        await shop.oracle.asked.wait()
        await made.stop()
        return list(shop.journal.entries())[-1]

    last = asyncio.run(play())

    assert ("error", "AGENT_STOPPED") == (last["event"], last["error"]["code"])


def test_a_paced_agent_takes_its_turns_when_it_is_asked() -> None:
    """One iteration a turn; None when it is done."""

    async def play() -> list[int | None]:
        made = _Shop().build(completion=IterationBudget(max_iterations=2))
        await made.start(StartOptions(paced=True))
        taken = [await made.take_turn() for _ in range(3)]
        await made.stop()
        return [None if each is None else each.iteration for each in taken]

    assert [1, 2, None] == asyncio.run(play())


def test_a_lower_hard_stop_may_be_said_when_building() -> None:
    """Options can lower the limit of a definition, never raise it."""

    async def play() -> tuple[bool, int]:
        shop = _Shop()
        agent = definition(completion=KeywordSignal(completion_keyword="never"))
        made = shop.factory.build(agent, BuildOptions(max_iterations=2))
        await made.start(StartOptions())
        result = await made.wait()
        await made.stop()
        return result.success, result.total_iterations

    assert (False, 2) == asyncio.run(play())


def test_with_makes_sure_of_the_end() -> None:
    """Inside a `with`, leaving is stopping, also by an exception."""

    async def play() -> bool:
        shop = _Shop(_Oracle(stuck=True))
        with pytest.raises(KeyError):
            async with shop.build():
                raise KeyError
        return shop.released

    assert asyncio.run(play())
