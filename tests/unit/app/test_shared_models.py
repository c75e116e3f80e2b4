import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from saniwa.agent.definition import AgentDefinition, AgentFlow, AgentLimits, ModelSettings
from saniwa.agent.layer_contracts import QueryOptions, QueryResult
from saniwa.app.model_factory import SharedModels, open_table_models
from saniwa.core.errors import ConfigurationError, SdkBridgeError
from saniwa.models.canned_answers import CannedOracle
from saniwa.models.metering import MeteredOracle, UsageMeter
from saniwa.models.oracle import AnswerHistory, Oracle, Usage

OPTIONS = QueryOptions()


class _OracleOpener:
    """Opens oracles that answer with their name, and records them."""

    def __init__(self) -> None:
        self.opened = list[tuple[str, str, str | None]]()
        self.closed = 0

    def __call__(self, asking: ModelSettings, meter: UsageMeter, folder: str | None) -> Oracle:
        self.opened.append((asking.use, asking.url, folder))
        canned = CannedOracle(lambda _: asking.use)
        oracle = MeteredOracle(canned, meter)
        oracle.close = self._close  # type: ignore[method-assign]
        return oracle

    async def _close(self) -> None:
        self.closed += 1


def _make_agent(use: str = "", **limits: Any) -> AgentDefinition:
    return AgentDefinition(
        version="1.0.0",
        name="somebody",
        folder="agents/somebody",
        asking=ModelSettings(use=use),
        limits=AgentLimits(**limits),
        flow=AgentFlow(entry_step="a", steps={}),
    )


def test_a_model_is_opened_once_for_everyone() -> None:
    """A model that the user named is opened once for all, and closed once."""
    opened = _OracleOpener()
    models = SharedModels(opened, use="canned:x")

    async def ask_all() -> list[str]:
        bridges = [
            models.open_bridge(_make_agent("a:b")),
            models.open_bridge(_make_agent()),
            models.open_bridge(),
        ]
        said = [(await each.query("?", OPTIONS)).text for each in bridges]
        for each in bridges:
            await each.close()
        assert 0 == opened.closed
        await models.close()
        return said

    assert ["canned:x"] * 3 == asyncio.run(ask_all())
    assert [("canned:x", "", None)] == opened.opened
    assert (3, 1) == (models.usage.calls, opened.closed)


def test_an_agents_own_model_counts_where_the_user_names_none() -> None:
    """Without a user's model an agent's own is used, with files in its folder."""
    opened = _OracleOpener()
    models = SharedModels(opened)
    models.open_bridge(_make_agent("canned:own"))

    assert [("canned:own", "", "agents/somebody")] == opened.opened


@pytest.mark.parametrize("agent", [None, _make_agent()])
def test_without_a_model_the_options_are_named(agent: AgentDefinition | None) -> None:
    """Without any model, the error names the options."""
    with pytest.raises(ConfigurationError) as problem:
        SharedModels(_OracleOpener()).open_bridge(agent)

    assert "MODEL_UNNAMED" == problem.value.code
    assert "--model" in problem.value.hint
    assert "--replay" in problem.value.hint


def test_one_ceiling_holds_for_all_models_together() -> None:
    """One limit applies to all models, including what was spent before."""
    meter = UsageMeter(AgentLimits(max_calls=3), Usage(calls=1))
    models = SharedModels(_OracleOpener(), meter=meter)

    async def ask_all() -> None:
        await models.open_bridge(_make_agent("a:b")).query("?", OPTIONS)
        await models.open_bridge(_make_agent("c:d")).query("?", OPTIONS)
        with pytest.raises(SdkBridgeError) as problem:
            await models.open_bridge(_make_agent("a:b")).query("?", OPTIONS)
        assert "BUDGET_SPENT" == problem.value.code

    asyncio.run(ask_all())


def test_an_agents_own_ceiling_holds_next_to_the_tables() -> None:
    """An agent's own limit stops that agent only, in addition to the shared one."""
    meter = UsageMeter(AgentLimits(max_calls=2))
    models = SharedModels(_OracleOpener(), use="a:b", meter=meter)
    modest = models.open_bridge(_make_agent(max_calls=1))

    async def ask_all() -> None:
        await modest.query("?", OPTIONS)
        with pytest.raises(SdkBridgeError):
            await modest.query("?", OPTIONS)
        await models.open_bridge(_make_agent()).query("?", OPTIONS)
        with pytest.raises(SdkBridgeError):
            await models.open_bridge(_make_agent(max_calls=5)).query("?", OPTIONS)

    asyncio.run(ask_all())
    assert 2 == meter.spent.calls


def test_a_recording_that_is_not_there_is_an_error() -> None:
    """A missing recording is an error when the models are opened."""
    with pytest.raises(ConfigurationError):
        open_table_models(replay="nowhere.jsonl")


def test_what_is_asked_is_the_agents_way_of_asking() -> None:
    """The user's model is called with the agent's own settings."""
    seen = list[ModelSettings]()

    def open_noted(asking: ModelSettings, meter: UsageMeter, folder: str | None) -> Oracle:  # noqa: ARG001 - the port's signature
        seen.append(asking)
        return CannedOracle(["yes"])

    agent = _make_agent("a:b")
    SharedModels(open_noted, use="c:d", url="http://x").open_bridge(agent)

    assert [msgspec.structs.replace(agent.asking, use="c:d", url="http://x")] == seen


def test_what_the_table_refuses_is_not_set_aside_for_the_agent() -> None:
    """A question that the shared limit refuses does not count for the agent's own."""
    meter = UsageMeter(AgentLimits(max_calls=1))
    models = SharedModels(_OracleOpener(), use="a:b", meter=meter)
    modest = models.open_bridge(_make_agent(max_calls=2))
    ceilings = list[int]()

    async def ask_until_refused() -> None:
        for _ in range(4):
            try:
                await modest.query("?", OPTIONS)
            except SdkBridgeError as problem:
                ceilings.append(problem.details["ceiling"])

    asyncio.run(ask_until_refused())
    assert [1, 1, 1] == ceilings


def _open_canned_models(folder: Path, **more: Any) -> SharedModels:
    (folder / "answers.yaml").write_text("[one, two, three]", encoding="utf-8")
    return open_table_models(model=f"canned:{folder / 'answers.yaml'}", **more)


def _ask_models(models: SharedModels, count: int) -> list[str]:
    async def ask_all() -> list[str]:
        bridges = [models.open_bridge(_make_agent()), models.open_bridge()]
        said = [(await bridges[n % 2].query(f"{n}?", OPTIONS)).text for n in range(count)]
        await models.close()
        return said

    return asyncio.run(ask_all())


def test_a_table_that_is_resumed_gets_the_answers_that_follow(tmp_path: Path) -> None:
    """Resumed models continue with the next canned answer."""
    models = _open_canned_models(tmp_path, past=AnswerHistory(texts=("one",)))

    assert ["two", "three"] == _ask_models(models, 2)


def test_a_tables_recording_continues_too(tmp_path: Path) -> None:
    """A resumed replay continues with the next recorded answer."""
    tape = str(tmp_path / "tape.jsonl")
    models = _open_canned_models(tmp_path, record=tape)

    async def ask_repeatedly(models: SharedModels, times: int) -> list[QueryResult]:
        bridge = models.open_bridge()
        said = [await bridge.query("?", OPTIONS) for _ in range(times)]
        await models.close()
        return said

    first, *_ = asyncio.run(ask_repeatedly(models, 2))
    again = open_table_models(replay=tape, past=AnswerHistory(keys=(first.key,)))

    assert ["two"] == [each.text for each in asyncio.run(ask_repeatedly(again, 1))]


def test_what_was_cut_off_a_tables_recording_is_reported(tmp_path: Path) -> None:
    """The repair of a recording is reported when it is opened."""
    tape = tmp_path / "tape.jsonl"
    tape.write_bytes(b'{"torn')
    models = _open_canned_models(tmp_path, record=str(tape))
    _ask_models(models, 1)

    assert ["LOG_MENDED"] == [each.code for each in models.repairs]
    assert () == _open_canned_models(tmp_path).repairs
