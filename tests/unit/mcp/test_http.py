from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from sse_starlette.sse import AppStatus

from saniwa.app.run_service import RunService
from saniwa.core.errors import ProtocolError
from saniwa.mcp.http import ListenAddress, check_token, serve_http
from saniwa.mcp.server import build_server
from tests.fakes.paper_process import PaperGates

PATIENCE = 120.0
ASK = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
ACCEPT = {"accept": "application/json, text/event-stream"}


@pytest.fixture(autouse=True)
def _running_server_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    # The library remembers the end of any server of this process, and ends all later streams.
    monkeypatch.setattr(AppStatus, "should_exit", False)


def visit(
    conversation: Callable[[str], Awaitable[None]], *, host: str = "127.0.0.1", token: str = ""
) -> None:
    """Run a conversation with a server on a free port."""
    at = build_server(PaperGates().make_gate(), RunService("memory:"), str)

    async def visit_all() -> None:
        told: list[str] = []
        listening = anyio.Event()

        def tell(where: str) -> None:
            told.append(where)
            listening.set()

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(serve_http, at, ListenAddress(host, 0), token, tell)
                await listening.wait()
                await conversation(told[0])
                tasks.cancel_scope.cancel()

    anyio.run(visit_all)


async def ask_status(where: str, **headers: str) -> int:
    """The status of a first request with these headers."""
    async with httpx2.AsyncClient() as web:
        answer = await web.post(where, json=ASK, headers=ACCEPT | headers)
        return int(answer.status_code)


def test_a_client_comes_in_over_http() -> None:
    """The tools over HTTP are the same as over standard input."""

    async def ask(where: str) -> None:
        async with Client(where) as client:
            assert 16 == len((await client.list_tools()).tools)

    visit(ask)


def test_another_name_or_page_is_refused() -> None:
    """A request with another host name or origin is refused."""

    async def ask(where: str) -> None:
        assert 200 == await ask_status(where)
        assert 421 == await ask_status(where, host="evil.example")
        assert 403 == await ask_status(where, origin="http://evil.example")
        assert 200 == await ask_status(where, origin=where.removesuffix("/mcp"))

    visit(ask)


def test_without_the_token_no_client_comes_in() -> None:
    """A request without exactly the token is refused."""

    async def ask(where: str) -> None:
        assert 401 == await ask_status(where)
        assert 401 == await ask_status(where, authorization="Bearer wrong")
        assert 401 == await ask_status(where, authorization="Bearer secre")
        assert 401 == await ask_status(where, authorization="Basic secret")
        assert 401 == await ask_status(where, authorization="secret")
        assert 200 == await ask_status(where, authorization="Bearer secret")

    visit(ask, token="secret")


def test_a_client_with_the_token_comes_in_anywhere() -> None:
    """On a public address, a client with the token is accepted."""

    async def ask(where: str) -> None:
        near = where.replace("0.0.0.0", "127.0.0.1")
        headers = {"authorization": "Bearer secret"}
        async with httpx2.AsyncClient(headers=headers) as web:
            transport: Any = streamable_http_client(near, http_client=web)
            async with Client(transport) as client:
                assert (await client.call_tool("list_runs", {})).is_error is False

    visit(ask, host="0.0.0.0", token="secret")


@pytest.mark.parametrize(
    ("host", "token", "person", "safe"),
    [
        ("127.0.0.1", "", False, True),
        ("127.9.9.9", "", False, True),
        ("::1", "", False, True),
        ("localhost", "", False, True),
        ("0.0.0.0", "", False, False),
        ("::", "", False, False),
        ("", "", False, False),
        ("192.168.1.2", "", False, False),
        ("localhost.evil.example", "", False, False),
        ("0.0.0.0", "secret", False, True),
        ("127.0.0.1", "", True, False),
        ("127.0.0.1", "secret", True, True),
    ],
)
def test_an_open_door_needs_a_token(host: str, token: str, person: bool, safe: bool) -> None:
    """A token is required where others could connect, and for a person's role."""
    if safe:
        check_token(ListenAddress(host, 1), token, person=person)
        return
    with pytest.raises(ProtocolError) as caught:
        check_token(ListenAddress(host, 1), token, person=person)

    assert "TOKEN_MISSING" == caught.value.code
    assert "STATE_GATE_TOKEN" in caught.value.hint


def test_an_address_is_shown_as_a_browser_writes_it() -> None:
    """IPv6 addresses are in brackets."""
    assert "127.0.0.1:80" == str(ListenAddress("127.0.0.1", 80))
    assert "[::1]:80" == str(ListenAddress("::1", 80))
