"""Prompts, waits and decisions at real MCP servers, with the SDK's client."""

from functools import partial
from pathlib import Path
from typing import Any

import anyio
import mcp_types as wire
import pytest
from mcp import Client, MCPError, StdioServerParameters

from saniwa.app.gate.configuration import locate_gate
from saniwa.app.gate.gate_opening import open_gate, open_people
from tests.fakes.commands import get_shim_folder
from tests.journeys.mcp_clients import (
    PATIENCE,
    SECRET,
    FormPerson,
    McpVisit,
    make_environment,
    open_http_client,
    open_http_server,
    open_person_client,
    open_stdio_client,
    run_async,
)

pytestmark = pytest.mark.slow

_STEPS: list[tuple[str, list[dict[str, Any]]]] = [
    ("submit_hypothesis", [{"type": "hypothesis", "content": "Tea is better."}]),
    ("submit_evidence", [{"type": "evidence", "content": {"cups": 10}}]),
    ("submit_observation", [{"type": "observation", "content": word} for word in "ab"]),
    ("submit_synthesis", [{"type": "synthesis", "content": {"claim": "c", "confidence": "high"}}]),
    ("submit_decision", [{"type": "decision", "content": "Drink tea."}]),
]


def _walk_to_decide(folder: Path) -> str:
    """A run that waits for a reviewer, with a registered reviewer."""
    place = folder / ".state_gate"
    open_people(locate_gate(place)).add("ann", "reviewer", SECRET, at="2026-01-01T00:00:00Z")
    with open_gate(place) as gate:
        run_id = gate.create_run("exploration").run_id
        for revision, (event, artifacts) in enumerate(_STEPS, start=1):
            answer = gate.emit_event(
                run_id=run_id,
                event_name=event,
                expected_revision=revision,
                idempotency_key=event,
                artifacts=artifacts,
            )
            assert answer["success"], answer
    return run_id


@pytest.mark.parametrize("mode", ["auto", "legacy", "http"])
def test_the_person_in_front_of_a_client_is_asked_before_a_decision(
    tmp_path: Path, mode: str
) -> None:
    """Before a decision the client asks the person, and the person's reason is kept."""
    run_id = _walk_to_decide(tmp_path)
    person = FormPerson(agreed=True, reason="measured twice")

    async def decide() -> None:
        async with open_person_client(tmp_path, person, mode) as visit:
            answer = await visit.send(run_id, "approve", 6, payload={"reason": "made up"})
            assert answer["success"], answer
            state = await visit.call("get_state", run_id=run_id)
            assert ("done", "measured twice", "ann") == (
                state["current_state"],
                state["last_decision"]["reason"],
                state["last_decision"]["by"],
            )

    run_async(decide)

    assert 1 == len(person.asked)
    assert person.asked[0].startswith("approve, as reviewer?")
    assert "Drink tea." in person.asked[0]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize(
    "person",
    [FormPerson(agreed=False), FormPerson("decline"), FormPerson("cancel"), FormPerson("accept")],
    ids=["no", "decline", "cancel", "nothing"],
)
def test_a_person_who_does_not_agree_decides_nothing(
    tmp_path: Path, mode: str, person: FormPerson
) -> None:
    """Without the person's agreement nothing is decided, even if the model has a digest."""
    run_id = _walk_to_decide(tmp_path)

    async def decide() -> None:
        async with open_person_client(tmp_path, person, mode) as visit:
            digest = (await visit.call("review", run_id=run_id))["digest"]
            answer = await visit.send(run_id, "approve", 6, approval_digest=digest)
            assert "DECISION_DECLINED" == answer["error"]["code"]
            assert "decide" == (await visit.call("get_state", run_id=run_id))["current_state"]

    run_async(decide)


def test_an_agents_server_asks_no_person(tmp_path: Path) -> None:
    """Without a credential no person is asked, and the decision is forbidden."""
    run_id = _walk_to_decide(tmp_path)
    person = FormPerson(agreed=True)

    async def decide() -> None:
        server = StdioServerParameters(
            command=str(get_shim_folder() / "saniwa"),
            args=["mcp"],
            env=make_environment(),
            cwd=tmp_path,
        )
        with anyio.fail_after(PATIENCE):
            async with Client(server, elicitation_callback=person.answer) as client:
                answer = await McpVisit(client).send(run_id, "approve", 6)
                assert "FORBIDDEN" == answer["error"]["code"]

    run_async(decide)

    assert [] == person.asked


async def _check_prompts(visit: McpVisit, run_id: str) -> None:
    listed = await visit.client.list_prompts()
    assert ["take_up_run", "what_is_next"] == [each.name for each in listed.prompts]
    taken = await visit.client.get_prompt("take_up_run", {"run_id": run_id})
    (message,) = taken.messages
    assert isinstance(message.content, wire.TextContent)
    assert "is in state 'frame', revision 1" in message.content.text
    assert "You may send: submit_hypothesis" in message.content.text
    for name, arguments in (
        ("take_up_runs", {}),
        ("what_is_next", {"run_id": "run-none"}),
        ("what_is_next", {"role": "reviewer"}),
    ):
        with pytest.raises(MCPError) as refused:
            await visit.client.get_prompt(name, arguments)
        assert wire.INVALID_PARAMS == refused.value.error.code


async def _check_wait(visit: McpVisit, run_id: str) -> None:
    quiet = await visit.call("wait_for_change", run_id=run_id, after=1, seconds=0.3)
    assert (False, 1) == (quiet["changed"], quiet["revision"])
    known = await visit.call("wait_for_change", run_id=run_id, after=0)
    assert known["changed"]
    still = await visit.call("wait_for_change", run_id=run_id, seconds=0.3)
    assert (False, 1) == (still["changed"], still["revision"])
    woken: list[dict[str, Any]] = []

    async def wait(**after: int) -> None:
        woken.append(await visit.call("wait_for_change", run_id=run_id, seconds=60, **after))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(partial(wait, after=1))
        tasks.start_soon(wait)
        await anyio.sleep(0.5)
        _, artifacts = _STEPS[0]
        await visit.send(run_id, "submit_hypothesis", 1, artifacts=artifacts)
    assert [(True, "experiment", 2)] * 2 == [
        (each["changed"], each["current_state"], each["revision"]) for each in woken
    ]
    long = await visit.call("wait_for_change", run_id=run_id, seconds=61)
    assert "INVALID_PAYLOAD" == long["error"]["code"]


def test_prompts_and_waits_over_standard_input(tmp_path: Path) -> None:
    """A client's own run is the default of its server over stdio."""

    async def visit_stdio() -> None:
        async with open_stdio_client(tmp_path, "--only", "gate") as visit:
            begun = await visit.call("create_run", process_id="exploration")
            run_id = str(begun["run_id"])
            assert run_id == (await visit.call("get_state"))["run_id"]
            await _check_prompts(visit, run_id)
            await _check_wait(visit, run_id)
            tools = {each.name for each in (await visit.client.list_tools()).tools}
            assert {"emit_event", "wait_for_change"} <= tools
            assert "say" not in tools

    run_async(visit_stdio)


def test_prompts_and_waits_over_http(tmp_path: Path) -> None:
    """Over HTTP a run must be named, because clients share the server."""

    async def visit_http() -> None:
        with open_http_server(tmp_path) as where:
            async with open_http_client(where) as visit:
                begun = await visit.call("create_run", process_id="exploration")
                unnamed = await visit.call("get_state")
                assert "RUN_NOT_FOUND" == unnamed["error"]["code"]
                await _check_prompts(visit, str(begun["run_id"]))
                await _check_wait(visit, str(begun["run_id"]))

    run_async(visit_http)


def test_a_server_of_the_world_alone_has_no_gate(tmp_path: Path) -> None:
    """A server for worlds only has none of the gate's tools, prompts and resources."""

    async def visit_world() -> None:
        async with open_stdio_client(tmp_path, "--only", "world") as visit:
            tools = {each.name for each in (await visit.client.list_tools()).tools}
            assert "say" in tools
            assert "emit_event" not in tools
            with pytest.raises(MCPError):
                await visit.client.list_prompts()
            with pytest.raises(MCPError):
                await visit.client.list_resources()

    run_async(visit_world)
