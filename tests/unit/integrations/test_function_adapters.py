import asyncio
import inspect
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from saniwa import (
    AgentError,
    SaniwaError,
    guard_function,
    make_agent_function,
    open_agent,
    open_bridge,
    open_gate,
    open_toolbox,
)
from saniwa.agent.bridge import OracleBridge
from saniwa.agent.definition import (
    AgentDefinition,
    AgentFlow,
    AgentParameter,
    AgentStep,
    KeywordSignal,
    PromptReference,
)
from saniwa.agent.loop.lifecycle import DefaultAgentFactory
from saniwa.agent.prompt_resolver import MemoryPromptResolver
from saniwa.agent.tools.tool import ApprovalDecision
from saniwa.models.canned_answers import CannedOracle
from saniwa.process.gate import Gate
from tests.fakes.tool_agent import FirmApprover, make_call, write_tool_agent

_RULES = """\
process_id: letters
version: "1"
name: Letters
states:
  - {name: draft, tool_permissions: {ask: [publish], denied: ["publish(drafts/*)"]}}
  - {name: sent, is_final: true}
events: [{name: send, allowed_roles: [agent]}]
transitions: [{from: draft, event: send, to: sent}]
"""


@pytest.fixture
def gate(tmp_path: Path) -> Any:
    """A gate whose draft may not be published without a person."""
    place = tmp_path / ".state_gate"
    (place / "processes").mkdir(parents=True)
    (place / "processes" / "letters.yaml").write_text(_RULES)
    with open_gate(place) as opened:
        yield opened


def publish(path: str, times: int = 1) -> str:
    """Publish."""
    return path * times


def test_a_function_keeps_its_name_and_form(gate: Gate) -> None:
    """A guarded function keeps its name, docstring and signature."""
    run_id = gate.create_run("letters").run_id
    guarded = guard_function(publish, gate, run_id)

    assert ("publish", "Publish.") == (guarded.__name__, guarded.__doc__)
    assert inspect.signature(publish) == inspect.signature(guarded)
    assert inspect.iscoroutinefunction(guarded)


def test_a_call_is_denied_asked_about_or_made(gate: Gate) -> None:
    """A call is denied, needs a person or is made, by its arguments and the run's current state."""
    run_id = gate.create_run("letters").run_id
    asked: list[tuple[str, dict[str, Any], str]] = []

    async def agree(*call: Any) -> bool:
        asked.append(call)
        return True

    alone = guard_function(publish, gate, run_id)
    with_person = guard_function(publish, gate, run_id, ask=agree)
    with_refusal = guard_function(publish, gate, run_id, ask=lambda *_: False, refuse=KeyError)
    for denied in (alone("a"), with_person(path="drafts/a")):
        with pytest.raises(SaniwaError) as refused:
            asyncio.run(denied)
        assert "TOOL_DENIED" == refused.value.code
    with pytest.raises(KeyError):
        asyncio.run(with_refusal("a"))

    assert "aa" == asyncio.run(with_person("a", times=2))
    assert [
        (
            "publish",
            {"path": "a", "times": 2},
            "'publish' needs a person's approval in state 'draft'",
        )
    ] == asked
    gate.emit_event(run_id=run_id, event_name="send", expected_revision=1, idempotency_key="k")
    assert "a" == asyncio.run(alone("a"))


def test_a_function_that_no_state_names_is_refused(gate: Gate) -> None:
    """A function that no state names is refused, unless the program allows it."""
    run_id = gate.create_run("letters").run_id

    with pytest.raises(SaniwaError) as refused:
        guard_function(publish, gate, run_id, name="pubilsh")
    assert ("TOOL_UNNAMED", {"tool": "pubilsh"}) == (refused.value.code, refused.value.details)
    free = guard_function(publish, gate, run_id, name="pubilsh", allow_unnamed=True)
    assert "a" == asyncio.run(free("a"))


async def _stream() -> Any:
    yield "a"


def _count() -> Any:
    yield 1


@pytest.mark.parametrize("generator", [_stream, _count])
def test_a_generator_cannot_be_guarded(gate: Gate, generator: Any) -> None:
    """A generator function is refused, because its work would begin after the check."""
    run_id = gate.create_run("letters").run_id

    with pytest.raises(TypeError, match="generator"):
        guard_function(generator, gate, run_id, name="publish")


def _make_agent(*answers: str) -> Any:
    definition = AgentDefinition(
        version="1.0.0",
        name="my-oracle",
        description="Thinks.",
        parameters={"depth": AgentParameter(type="number"), "topic": AgentParameter(required=True)},
        flow=AgentFlow(
            entry_step="ask",
            steps={"ask": AgentStep(id="ask", prompt=PromptReference(path="a.md"))},
        ),
        completion=KeywordSignal(completion_keyword="DONE"),
    )
    factory = DefaultAgentFactory(
        lambda _: OracleBridge(CannedOracle(list(answers))),
        resolver=lambda *_: MemoryPromptResolver({"a.md": "And now?"}, system="You think."),
    )
    return make_agent_function(definition, factory)


def test_an_agent_is_a_function_of_its_parameters() -> None:
    """An agent becomes a function of its parameters that returns its last words."""
    think = _make_agent("well", "it is DONE")

    assert ("my_oracle", "Thinks.") == (think.__name__, think.__doc__)
    assert "(*, topic: str, depth: float | None = None) -> str" == str(inspect.signature(think))
    assert "it is DONE" == asyncio.run(think(topic="rain"))


def test_an_agent_with_a_toolbox_uses_its_tools(tmp_path: Path) -> None:
    """An agent with tools can be made from public names, and a person's refusal is obeyed."""
    calls = [make_call("append", line="x"), "Done."]
    definition = open_agent(str(write_tool_agent(tmp_path / "hands", calls, mode="")))
    decisions = (ApprovalDecision("skip"), False), (ApprovalDecision("run"), True)
    for decision, written in decisions:
        approver = FirmApprover(decision)
        factory = DefaultAgentFactory(
            lambda each: open_bridge(each.asking, folder=each.folder),
            toolbox=partial(open_toolbox, workspace=tmp_path / "work", approver=approver),
        )

        assert "Done." == asyncio.run(make_agent_function(definition, factory)())
        assert written == (tmp_path / "work" / "effects.txt").exists()


def test_an_agent_that_does_not_finish_raises() -> None:
    """An agent that does not finish raises an error."""
    with pytest.raises(AgentError) as failed:
        asyncio.run(_make_agent("well")(topic="rain"))

    assert "CANNED_EXHAUSTED" == failed.value.code
