import logging
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp_types as wire
import pytest
from mcp import Client
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated
from mcp.shared.exceptions import MCPError

from saniwa.app.run_service import RunService
from saniwa.mcp.gate_tools import list_addresses
from saniwa.mcp.server import McpServer, build_server, render_instructions
from saniwa.process.submission import Visitor
from tests.fakes.paper_process import AGENT, REVIEWER, PaperGates

PATIENCE = 120.0
MODES = ("auto", "legacy")


def make_server(office: PaperGates, visitor: Visitor = AGENT) -> McpServer:
    """A server at an office's gate."""
    return build_server(office.make_gate(visitor), RunService("memory:"), str)


def talk(
    at: McpServer, conversation: Callable[[Client], Awaitable[None]], mode: str = "auto"
) -> None:
    """Run a conversation as a client."""

    async def run_conversation() -> None:
        with anyio.fail_after(PATIENCE):
            async with Client(at.server, mode=mode) as client:
                await conversation(client)

    anyio.run(run_conversation)


def read_shape(result: Any) -> dict[str, Any]:
    """The structured content of a result."""
    assert isinstance(result, wire.CallToolResult)
    shape = result.structured_content
    assert isinstance(shape, dict)
    return shape


@pytest.mark.parametrize("mode", MODES)
def test_old_and_new_clients_see_the_same_tools(mode: str) -> None:
    """Old and new clients see the same tools, with descriptions, schemas and annotations."""

    async def ask(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}

        assert 16 == len(tools)
        assert all(tool.description and tool.output_schema for tool in tools.values())
        writing = {
            name
            for name, tool in tools.items()
            if tool.annotations and not tool.annotations.read_only_hint
        }
        assert {"emit_event", "create_run", "begin_run", "say"} == writing
        assert tools["emit_event"].annotations
        assert tools["emit_event"].annotations.idempotent_hint is True

    talk(make_server(PaperGates()), ask, mode)


@pytest.mark.parametrize("mode", MODES)
def test_a_refusal_is_no_protocol_error(mode: str) -> None:
    """A refusal is a normal result with `success: false`."""
    office = PaperGates()
    run_id = office.begin()
    sent = {
        "run_id": run_id,
        "event_name": "approve",
        "expected_revision": 1,
        "idempotency_key": "k",
    }

    async def ask(client: Client) -> None:
        result = await client.call_tool("emit_event", sent)

        assert result.is_error is False
        assert "FORBIDDEN" == read_shape(result)["error"]["code"]

    talk(make_server(office), ask, mode)


def test_what_stops_a_call_is_reported_with_its_code() -> None:
    """A missing run and an invalid argument are errors with their codes."""

    async def ask(client: Client) -> None:
        absent = await client.call_tool("get_state", {"run_id": "run-none"})
        spoofed = await client.call_tool("get_state", {"role": "human"})

        assert absent.is_error is True
        assert "RUN_NOT_FOUND" == read_shape(absent)["error"]["code"]
        assert "INVALID_PAYLOAD" == read_shape(spoofed)["error"]["code"]

    talk(make_server(PaperGates()), ask)


def test_a_mistake_of_saniwa_is_hidden_and_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A client sees only INTERNAL_ERROR for an unexpected error, which is logged in full."""
    office = PaperGates()
    run_id = office.begin()

    def fail_by_mistake(_: str) -> Any:
        raise ZeroDivisionError("secret of the house")

    monkeypatch.setattr(office.log, "load_run", fail_by_mistake)

    async def ask(client: Client) -> None:
        result = await client.call_tool("get_state", {"run_id": run_id})
        assert result.is_error is True
        assert "INTERNAL_ERROR" == read_shape(result)["error"]["code"]
        assert "secret" not in result.model_dump_json()
        with pytest.raises(MCPError, match="INTERNAL_ERROR") as caught:
            await client.read_resource(list_addresses(run_id)[0])
        assert "secret" not in str(caught.value.error)

    with caplog.at_level(logging.ERROR):
        talk(make_server(office), ask)

    assert "secret of the house" in caplog.text


def test_an_unknown_tool_is_offered_the_nearest() -> None:
    """The protocol error for an unknown tool suggests the nearest one."""

    async def ask(client: Client) -> None:
        with pytest.raises(MCPError, match="get_state"):
            await client.call_tool("get_stat", {})

    talk(make_server(PaperGates()), ask)


@pytest.mark.parametrize("mode", MODES)
def test_runs_are_resources(mode: str) -> None:
    """Runs are listed as resources, have a URI template, and are read as Markdown and CSV."""
    office = PaperGates()
    run_id = office.begin()

    async def ask(client: Client) -> None:
        listed = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        log = (await client.read_resource(list_addresses(run_id)[1])).contents[0]

        assert list(list_addresses(run_id)) == [str(each.uri) for each in listed]
        assert "stategate://runs/{run_id}/summary" in [t.uri_template for t in templates]
        assert isinstance(log, wire.TextResourceContents)
        assert "text/csv" == log.mime_type
        assert log.text.startswith("timestamp,state,revision,event,")
        with pytest.raises(MCPError, match="RUN_NOT_FOUND"):
            await client.read_resource("stategate://runs/run-none/summary")

    talk(make_server(office), ask, mode)


def test_a_client_is_notified_of_changes() -> None:
    """A client is notified when its run changes, and when there is a new run."""
    office = PaperGates()
    run_id = office.begin()
    summary = list_addresses(run_id)[0]
    sent = {"run_id": run_id, "event_name": "jot", "expected_revision": 1, "idempotency_key": "k"}

    async def ask(client: Client) -> None:
        listening = client.listen(resource_subscriptions=[summary], resources_list_changed=True)
        async with listening as heard:
            await client.call_tool("emit_event", sent)
            first = await anext(heard)
            await client.call_tool("create_run", {"process_id": "paper"})
            second = await anext(heard)

            assert ResourceUpdated(summary) == first
            assert ResourcesListChanged() == second

    talk(make_server(office), ask)


def test_a_slow_disk_keeps_no_other_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """While one call waits in its thread, others are answered."""
    office = PaperGates()
    run_id = office.begin()
    go_on = threading.Event()
    usual = office.log.load_run

    def wait_for_run(run: str) -> Any:
        if run == run_id:
            assert go_on.wait(PATIENCE)
        return usual(run)

    monkeypatch.setattr(office.log, "load_run", wait_for_run)

    async def ask(client: Client) -> None:
        answered: list[dict[str, Any]] = []

        async def wait() -> None:
            answered.append(read_shape(await client.call_tool("get_state", {"run_id": run_id})))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            quick = await client.call_tool("list_scenarios", {})
            assert quick.is_error is False
            assert [] == answered
            go_on.set()

        assert run_id == answered[0]["run_id"]

    talk(make_server(office), ask)


def test_what_is_to_be_reported_is_reported_before_the_answer() -> None:
    """Notices are shown before the answer of each call."""
    office = PaperGates()
    address = list_addresses(office.begin())[0]
    told: list[str] = []
    at = build_server(office.make_gate(), RunService("memory:"), str, lambda: told.append("told"))

    async def ask(client: Client) -> None:
        await client.call_tool("list_runs", {})
        assert 1 == len(told)
        await client.call_tool("get_state", {"run_id": "run-none"})
        assert 2 == len(told)
        await client.read_resource(address)
        assert 3 == len(told)

    talk(at, ask)


def test_two_clients_race_and_exactly_one_wins() -> None:
    """Of two clients at the same revision, exactly one succeeds; the other gets the current one."""
    office = PaperGates()
    run_id = office.begin()
    at = make_server(office)
    answers: list[dict[str, Any]] = []

    async def send(number: int) -> None:
        async with Client(at.server) as client:
            result = await client.call_tool(
                "emit_event",
                {
                    "run_id": run_id,
                    "event_name": "jot",
                    "expected_revision": 1,
                    "idempotency_key": f"k-{number}",
                },
            )
            answers.append(read_shape(result))

    async def race() -> None:
        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                for number in range(8):
                    tasks.start_soon(send, number)

    anyio.run(race)

    lost = [each["error"] for each in answers if not each["success"]]
    assert 7 == len(lost)
    assert {("REVISION_CONFLICT", 2)} == {(each["code"], each["current_revision"]) for each in lost}


def test_a_model_learns_its_role_and_who_decides() -> None:
    """The instructions give the role and who decides: an agent does not, a person reviews first."""
    assert "'agent'" in render_instructions(AGENT)
    assert "are only for people" in render_instructions(AGENT)
    assert "'reviewer'" in render_instructions(REVIEWER)
    assert "call review first" in render_instructions(REVIEWER)
