"""Clients of real MCP servers, each a process with pipes or a port."""

import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp_types as wire
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.fakes.commands import get_shim_folder

PATIENCE = 120.0
SECRET = "correct horse battery"


def make_environment(**more: str) -> dict[str, str]:
    """The tests' environment, without the user's settings of a gate."""
    ours = ("STATE_GATE", "SANIWA")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    return kept | more


class McpVisit:
    """A client's calls."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._count = 0

    async def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; returns its structured content."""
        result = await self.client.call_tool(name, arguments)
        assert isinstance(result, wire.CallToolResult)
        shape = result.structured_content
        assert isinstance(shape, dict)
        return shape

    async def send(
        self, run_id: str, event: str, revision: int, *files: str, **more: Any
    ) -> dict[str, Any]:
        """Send an event with a new key."""
        self._count += 1
        return await self.call(
            "emit_event",
            run_id=run_id,
            event_name=event,
            expected_revision=revision,
            idempotency_key=more.pop("key", f"{event}-{revision}-{self._count}"),
            artifact_paths=list(files),
            **more,
        )


@asynccontextmanager
async def open_stdio_client(
    folder: Path, *options: str, mode: str = "auto", **variables: str
) -> AsyncIterator[McpVisit]:
    """A client that has started its own server."""
    server = StdioServerParameters(
        command=str(get_shim_folder() / "saniwa"),
        args=["mcp", *options],
        env=make_environment(**variables),
        cwd=folder,
    )
    with anyio.fail_after(PATIENCE):
        async with Client(server, mode=mode) as client:
            yield McpVisit(client)


@contextmanager
def open_http_server(folder: Path, *options: str, **variables: str) -> Iterator[str]:
    """A server that listens on a free port, with its address; it is stopped with Ctrl-C."""
    server = subprocess.Popen(
        [sys.executable, "-m", "saniwa", "mcp", "--http", "127.0.0.1:0", *options],
        cwd=folder,
        env=make_environment(**variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stderr is not None
    try:
        told = server.stderr.readline()
        assert "listening at " in told, told + server.stderr.read()
        yield told.partition("listening at ")[2].partition(",")[0]
        server.send_signal(signal.SIGINT)
        out, _ = server.communicate(timeout=PATIENCE)
    finally:
        if server.poll() is None:
            server.kill()
            server.communicate()
    assert (130, "") == (server.returncode, out)


@asynccontextmanager
async def open_http_client(where: str, **headers: str) -> AsyncIterator[McpVisit]:
    """A client of a running server."""
    with anyio.fail_after(PATIENCE):
        async with httpx2.AsyncClient(headers=headers) as web:
            transport: Any = streamable_http_client(where, http_client=web)
            async with Client(transport) as client:
                yield McpVisit(client)


class FormPerson:
    """A person at a client who answers the server's questions."""

    def __init__(self, action: str = "accept", **content: Any) -> None:
        self.asked: list[str] = []
        self._answer = wire.ElicitResult(action=action, content=content or None)  # type: ignore[arg-type]

    async def answer(self, context: Any, params: wire.ElicitRequestParams) -> wire.ElicitResult:  # noqa: ARG002 - as the SDK calls it
        """Answer a form."""
        assert isinstance(params, wire.ElicitRequestFormParams)
        self.asked.append(params.message)
        return self._answer


@asynccontextmanager
async def open_person_client(
    folder: Path, person: FormPerson, mode: str
) -> AsyncIterator[McpVisit]:
    """A client of the server of `ann`, a reviewer; `mode` is that of the client, or `http`."""
    credential = {"STATE_GATE_CREDENTIAL": f"ann:{SECRET}"}
    with anyio.fail_after(PATIENCE):
        if mode == "http":
            token = {"STATE_GATE_TOKEN": "t0ken"}
            with open_http_server(folder, **credential, **token) as where:
                async with httpx2.AsyncClient(headers={"Authorization": "Bearer t0ken"}) as web:
                    transport: Any = streamable_http_client(where, http_client=web)
                    async with Client(transport, elicitation_callback=person.answer) as client:
                        yield McpVisit(client)
        else:
            server = StdioServerParameters(
                command=str(get_shim_folder() / "saniwa"),
                args=["mcp"],
                env=make_environment(**credential),
                cwd=folder,
            )
            async with Client(server, mode=mode, elicitation_callback=person.answer) as client:
                yield McpVisit(client)


def run_async(journey: Callable[[], Awaitable[None]]) -> None:
    """Run the coroutine."""
    anyio.run(journey)


def write_evidence(folder: Path, run_id: str, **files: str) -> None:
    """Write files into the folder of a run's evidence."""
    place = folder / ".state_gate" / "artifacts" / run_id
    place.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (place / f"{name}.md").write_text(content, encoding="utf-8")
