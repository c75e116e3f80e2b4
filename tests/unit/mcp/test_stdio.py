import os
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest

from saniwa.app.run_service import RunService
from saniwa.mcp import stdio
from saniwa.mcp.server import build_server
from tests.fakes.paper_process import PaperGates

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def call(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    """A message that calls a tool."""
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


class ServerPipes:
    """A server on pipes, with its input and its whole output."""

    def __init__(self, office: PaperGates, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._door = build_server(office.make_gate(), RunService("memory:"), str)
        self._out = folder / "out"
        self._monkeypatch = monkeypatch

    def ask_all(self, *messages: dict[str, Any] | bytes) -> list[dict[str, Any]]:
        """The answers to these lines, which arrive at once, before the end of input."""
        ear, mouth = os.pipe()
        told = b"".join(
            (m if isinstance(m, bytes) else msgspec.json.encode(m)) + b"\n" for m in messages
        )

        def speak() -> None:
            with suppress(BrokenPipeError), os.fdopen(mouth, "wb") as out:
                out.write(told)

        async def listen() -> None:
            with anyio.fail_after(30):
                await stdio.serve_stdio(self._door.server, ear)

        threading.Thread(target=speak).start()
        with self._out.open("w", encoding="utf-8") as out:
            self._monkeypatch.setattr(sys, "stdout", out)
            anyio.run(listen)
        os.close(ear)
        lines = self._out.read_text(encoding="utf-8").split("\n")
        return [msgspec.json.decode(line) for line in lines if line]


def test_what_was_asked_before_the_end_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every call before the end of input is answered."""
    office = PaperGates()
    run_id = office.begin()
    pipes = ServerPipes(office, tmp_path, monkeypatch)

    answers = pipes.ask_all(
        HELLO, READY, *(call(n, "get_state", run_id=run_id) for n in range(2, 30))
    )

    assert set(range(1, 30)) == {answer["id"] for answer in answers}


def test_a_line_that_is_no_message_is_answered_and_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An invalid line gets an error, and the other lines are answered."""
    garbage = [b"", b"hello", b"\xff\xfe", b"[1]", b'{"jsonrpc":', b"[" * 5000]
    pipes = ServerPipes(PaperGates(), tmp_path, monkeypatch)

    answers = pipes.ask_all(*garbage, HELLO, READY, *garbage, call(2, "list_runs"), *garbage)

    wrong = [answer for answer in answers if answer["id"] is None]
    assert {-32700} == {answer["error"]["code"] for answer in wrong}
    assert 3 * len(garbage) == len(wrong)
    assert {1, 2} == {answer["id"] for answer in answers if answer["id"] is not None}


@pytest.mark.parametrize("mark", ["1e400", "1.5", "true", "null", "[]", "{}"])
def test_a_request_under_no_id_is_answered_that_it_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    """An invalid id is refused, and the other requests are answered."""
    asked = msgspec.json.encode(call(77, "list_runs")).replace(b"77", mark.encode())
    pipes = ServerPipes(PaperGates(), tmp_path, monkeypatch)

    answers = pipes.ask_all(HELLO, READY, asked, call(2, "list_runs"))

    assert {1: 0, 2: 0, None: -32700} == {
        answer["id"]: answer.get("error", {}).get("code", 0) for answer in answers
    }


def test_a_call_that_was_taken_back_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the end of input, a cancelled call is not waited for."""
    office = PaperGates()
    run_id = office.begin()
    back = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}
    pipes = ServerPipes(office, tmp_path, monkeypatch)

    answers = pipes.ask_all(
        HELLO, READY, call(2, "get_state", run_id=run_id), back, call(3, "list_runs")
    )

    assert {1, 3} <= {answer["id"] for answer in answers}


def test_a_silent_client_is_an_end_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An input that closes at once ends the server without output."""
    assert [] == ServerPipes(PaperGates(), tmp_path, monkeypatch).ask_all()
