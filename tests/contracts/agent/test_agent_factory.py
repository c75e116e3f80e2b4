"""The contract of `AgentFactory`: an agent that can be started, or an error that says why."""

import asyncio
from typing import Any

import msgspec
import pytest

from saniwa.agent.definition import AgentParameter, CustomCompletion, KeywordSignal
from saniwa.agent.layer_contracts import AgentFactory, BuildOptions, Lifecycle, StartOptions
from saniwa.agent.loop.lifecycle import Agent, DefaultAgentFactory
from saniwa.agent.prompt_resolver import MemoryPromptResolver
from saniwa.core.errors import ConfigurationValidationError, DependencyResolutionError, StoreError
from tests.fakes.agent_parts import DONE, AgentPartsFactory, HeldOracle
from tests.fakes.agents import make_definition, make_step


def _to_factory(factory: AgentFactory) -> AgentFactory:
    return factory


def test_what_is_built_can_be_started() -> None:
    """Building an agent returns it unstarted and opens nothing."""
    shop = AgentPartsFactory()

    made: Lifecycle = shop.build()

    assert isinstance(made, Agent)
    assert ("created", 0) == (made.phase, shop.opened)


def test_something_that_cannot_be_had_fails_when_building() -> None:
    """A dependency that cannot be resolved is an error before anything starts."""
    with pytest.raises(DependencyResolutionError):
        AgentPartsFactory().build(completion=CustomCompletion(name="no-such-plugin"))


def test_an_argument_that_does_not_fit_fails_when_building() -> None:
    """Parameters are checked before anything starts, and all problems are reported at once."""
    shop = AgentPartsFactory()
    agent = make_definition(
        completion=DONE,
        parameters={
            "n": AgentParameter(type="number", required=True),
            "m": AgentParameter(required=True),
        },
    )

    with pytest.raises(ConfigurationValidationError) as refused:
        shop.factory.build(agent, BuildOptions(arguments={"n": "many"}))

    assert "n" in str(refused.value.details)
    assert "m" in str(refused.value.details)


def test_another_hard_stop_may_be_said_when_building() -> None:
    """An iteration limit given when building takes precedence over the definition."""

    async def play() -> tuple[bool, int]:
        shop = AgentPartsFactory()
        agent = make_definition(completion=KeywordSignal(completion_keyword="never"))
        made = shop.factory.build(agent, BuildOptions(max_iterations=2))
        await made.start(StartOptions())
        result = await made.wait()
        await made.stop()
        return result.success, result.total_iterations

    assert (False, 2) == asyncio.run(play())


def test_a_definition_that_is_not_valid_is_not_built() -> None:
    """A definition with a step that leads nowhere is refused before anything runs."""
    with pytest.raises(ConfigurationValidationError) as refused:
        AgentPartsFactory().build(completion=DONE, **_make_broken_flow())

    assert "nowhere" in str(refused.value.details)


def _make_broken_flow() -> dict[str, Any]:
    sound = make_definition(make_step("a"), completion=DONE)
    steps = {"a": make_step("a", next="nowhere")}
    return {"flow": msgspec.structs.replace(sound.flow, steps=steps)}


def test_an_agent_that_may_use_tools_is_not_built_without_them() -> None:
    """An agent whose definition allows tools is not built without a toolbox."""
    definition = make_definition(completion=DONE, allowed_tools=("Read",))

    with pytest.raises(DependencyResolutionError, match="built without a toolbox"):
        AgentPartsFactory().factory.build(definition)


def test_what_was_opened_is_released_when_the_rest_cannot_be() -> None:
    """If the journal cannot be opened, the bridge that was already open is closed."""

    def fail_opening(_: object) -> Any:
        raise StoreError("TRACE_UNWRITABLE", "no room")

    async def play() -> tuple[int, str]:
        shop, oracle = AgentPartsFactory(), HeldOracle()
        from saniwa.agent.bridge import OracleBridge

        factory = DefaultAgentFactory(
            lambda _: OracleBridge(oracle),
            journal=fail_opening,
            resolver=lambda *_: MemoryPromptResolver({"ask.md": "What?"}, system="You."),
        )
        made = _to_factory(factory).build(make_definition(completion=DONE))
        with pytest.raises(StoreError):
            await made.start(StartOptions())
        assert isinstance(made, Agent)
        assert shop.opened == 0
        return oracle.closed, made.phase

    assert (1, "stopped") == asyncio.run(play())
