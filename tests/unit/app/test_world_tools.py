"""The tools for an agent to look at a world, which change nothing."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from saniwa.agent.tools.tool import ToolCallError
from saniwa.app.agent_tools import WorldToolSource
from saniwa.app.run_service import RunService
from saniwa.models.oracle import ToolOutput
from tests.fakes.tool_agent import make_call, run_tool_agent, write_tool_agent


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with one run, after one turn."""
    place = tmp_path / "runs.sqlite"
    service = RunService.open(place)
    asyncio.run(service.begin("door_and_key").say("look around"))
    service.close()
    return place


def _ask(store: Path, name: str, **arguments: Any) -> ToolOutput:
    async def call() -> ToolOutput:
        source = WorldToolSource(store)
        try:
            tools = {tool.offer.name: tool for tool in await source.open()}
            return await tools[name].run(arguments)
        finally:
            await source.close()

    return asyncio.run(call())


def _count_turns(store: Path) -> int:
    service = RunService.open(store, must_exist=True)
    try:
        return service.resume("last").count
    finally:
        service.close()


def test_a_view_is_what_the_character_perceives(store: Path) -> None:
    """`view` has what the character perceives, with the run and turn."""
    output = _ask(store, "view")

    seen = json.loads(output.text)
    assert (1, "door_and_key") == (seen["turn"], seen["scenario"])
    assert seen["view"]
    assert output.text == output.result


def test_what_may_be_done_is_listed_with_its_words(store: Path) -> None:
    """Allowed actions are listed with words that can be said."""
    possible = json.loads(_ask(store, "admissible", run="last").text)["possible"]

    assert possible
    assert all(each["words"] and each["action"]["type"] for each in possible)


def test_a_preview_judges_words_and_changes_nothing(store: Path) -> None:
    """A preview judges words without a turn, and its output does not count as evidence."""
    done = json.loads(_ask(store, "preview", words="look around").text)
    output = _ask(store, "preview", words="eat the moon")

    assert (True, False) == (done["allowed"], json.loads(output.text)["allowed"])
    assert output.result is None
    assert 1 == _count_turns(store)


def test_a_run_that_is_not_there_fails_the_call(tmp_path: Path, store: Path) -> None:
    """An unknown run fails the call with its code, and no store is created."""
    with pytest.raises(ToolCallError, match="RUN_NOT_FOUND"):
        _ask(store, "view", run="nothing-like-it")
    with pytest.raises(ToolCallError, match=r"STORE_UNREADABLE.*saniwa play"):
        _ask(tmp_path / "none.sqlite", "view")
    assert not (tmp_path / "none.sqlite").exists()


def test_an_agent_file_names_them_as_tools(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent whose file allows a world tool can use it."""
    monkeypatch.setenv("SANIWA_STORE", str(store))
    answers = [make_call("view"), {"text": "I see it.", "when": "door_and_key"}]
    folder = write_tool_agent(tmp_path / "hands", answers, allowed=("view",))

    result = run_tool_agent(folder, tmp_path / "work")

    assert result.success
    assert ("view",) == result.summaries[0].tools_used


@pytest.mark.parametrize("name", ["view", "admissible"])
def test_a_character_that_is_not_there_fails_the_call(name: str, store: Path) -> None:
    """An unknown character fails the call."""
    with pytest.raises(ToolCallError, match="nobody"):
        _ask(store, name, actor="nobody")
