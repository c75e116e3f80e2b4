"""Tools from outside: a real MCP server, and installed functions."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from saniwa.agent.definition import ToolServerSettings
from saniwa.agent.tools import external_tools
from saniwa.agent.tools.external_tools import ServerTools, is_server_named, load_functions
from saniwa.agent.tools.tool import CallResults, ToolCallError
from saniwa.core.errors import DependencyResolutionError
from tests.fakes.tool_agent import make_call, run_tool_agent, write_tool_agent
from tests.house.pages import ROOT

_SERVER = {
    "command": [sys.executable, "-m", "tests.fakes.tool_server"],
    "environment": ["PYTHONPATH"],
    "timeoutSeconds": 600,
}


def test_an_agent_uses_the_tools_of_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real server is started, called and ended; a replay starts none."""
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}:{ROOT / 'src'}")
    answers = [
        make_call("mcp__counter__count", word="one"),
        make_call("mcp__counter__fail"),
        make_call("mcp__counter__count", word="two"),
        {"text": "All done.", "when": "2 lines"},
    ]
    folder = write_tool_agent(
        tmp_path / "hands",
        answers,
        allowed=("mcp__counter__*",),
        tools={"servers": {"counter": _SERVER}},
    )
    tape, journal = tmp_path / "tape.jsonl", tmp_path / "agent-1.jsonl"

    result = run_tool_agent(folder, tmp_path / "work", record=tape)
    first = journal.read_text()
    journal.unlink()
    again = run_tool_agent(folder, tmp_path / "elsewhere", replay=tape)

    assert ("All done.",) == result.summaries[0].assistant_responses
    assert "one\ntwo\n" == (tmp_path / "work" / "counted.txt").read_text()
    assert '"failed":true' in first
    assert again == result
    assert first == journal.read_text()
    assert not (tmp_path / "elsewhere").exists()


@contextmanager
def _serve_http(folder: Path) -> Iterator[str]:
    """Run the server on loopback in its own folder; yield its address."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [sys.executable, "-m", "tests.fakes.tool_server", str(port)]
    paths = f"{ROOT}{os.pathsep}{ROOT / 'src'}"
    environment = os.environ | {"PYTHONPATH": paths}
    quiet = subprocess.DEVNULL
    server = subprocess.Popen(command, cwd=folder, env=environment, stdout=quiet, stderr=quiet)
    try:
        _wait_for_port(port)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.kill()
        server.wait()


def _wait_for_port(port: int) -> None:
    for _ in range(600):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    pytest.fail("the server does not listen")


def test_an_agent_uses_the_tools_of_a_server_over_http(tmp_path: Path) -> None:
    """A real HTTP server is called, and its answer is the tool's result."""
    answers = [
        make_call("mcp__counter__count", word="one"),
        make_call("mcp__counter__fail"),
        {"text": "All done.", "when": "Error executing tool fail"},
    ]
    (tmp_path / "served").mkdir()
    with _serve_http(tmp_path / "served") as url:
        servers = {"counter": {"url": url, "timeoutSeconds": 600}}
        folder = write_tool_agent(
            tmp_path / "hands", answers, allowed=("mcp__counter__*",), tools={"servers": servers}
        )
        result = run_tool_agent(folder, tmp_path / "work")
    lines = (tmp_path / "agent-1.jsonl").read_text().splitlines()
    made = CallResults(map(json.loads, lines))

    assert ("All done.",) == result.summaries[0].assistant_responses
    assert "one\n" == (tmp_path / "served" / "counted.txt").read_text()
    assert made.find_result("mcp__counter__fail") is None
    counted = made.find_result("mcp__counter__count")
    assert counted is not None
    assert "1 lines" == counted.text


def test_an_address_where_no_server_listens_is_an_error(tmp_path: Path) -> None:
    """An address without a server is an error within the time limit."""
    settings = ToolServerSettings(url="http://127.0.0.1:9/mcp", timeout_seconds=5)

    with pytest.raises(DependencyResolutionError, match="'gone'") as caught:
        asyncio.run(ServerTools("gone", settings, tmp_path).open())

    assert "TOOL_SERVER_FAILED" == caught.value.code


def test_a_server_that_does_not_start_is_an_error(tmp_path: Path) -> None:
    """A server that does not start is an error, and no process is left."""
    source = ServerTools("gone", ToolServerSettings(command=("no-such-program",)), tmp_path)

    with pytest.raises(DependencyResolutionError, match="'gone'") as caught:
        asyncio.run(source.open())

    assert "TOOL_SERVER_FAILED" == caught.value.code


@pytest.mark.parametrize(
    ("tool", "is_named"),
    [
        ("mcp__files__read", True),
        ("mcp__files__*", True),
        ("mcp__*", True),
        ("*", True),
        ("Read", False),
        ("mcp__other__read", False),
        ("mcp__file", False),
    ],
)
def test_a_server_starts_only_if_a_tool_of_it_is_allowed(tool: str, is_named: bool) -> None:
    """A server is started only if `allowedTools` names one of its tools."""
    assert is_named == is_server_named("files", tool)


async def add_numbers(arguments: dict[str, Any]) -> dict[str, Any]:
    """Add two numbers."""
    return {"sum": arguments["a"] + arguments["b"]}


def _install(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    point = EntryPoint("add", value, external_tools.FUNCTION_GROUP)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: EntryPoints([point]))


def test_an_installed_function_is_a_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function's docstring is the description, and an exception is a failed call."""
    _install(monkeypatch, f"{__name__}:add_numbers")

    (tool,) = load_functions(("add",))

    assert "Add two numbers." == tool.offer.description
    assert '{"sum":3}' == asyncio.run(tool.run({"a": 1, "b": 2})).text
    with pytest.raises(ToolCallError, match="KeyError"):
        asyncio.run(tool.run({}))
    assert [] == list(load_functions(("Read",)))


def test_a_function_that_cannot_be_loaded_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that cannot be loaded is an error before the agent starts."""
    _install(monkeypatch, "no.such.module:add")

    with pytest.raises(DependencyResolutionError, match="'add'"):
        list(load_functions(("add",)))
