import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import h11
import pytest
import uvicorn
from uvicorn.server import ServerState

from saniwa.http.server import AnswerConnection, DeadlineProtocol

GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
SOON = 0.02


class HastyProtocol(DeadlineProtocol):
    """A protocol with short time limits."""

    head_seconds = SOON
    unread_seconds = SOON
    ended: asyncio.Event


async def answer_hello(scope: Any, _receive: Any, send: Any) -> None:
    """Answer a little, or more than the buffers hold."""
    body = b"hello" if scope["path"] == "/" else bytes(50_000_000)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


Visit = Callable[[int], Awaitable[Any]]


def visit_server(protocol: type[DeadlineProtocol], visit: Visit) -> Any:
    """The result of a visit to a server with this protocol."""

    async def serve_and_visit() -> Any:
        config = uvicorn.Config(answer_hello, log_config=None, ws="none", lifespan="off")
        config.load()
        state = ServerState()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(
            lambda: protocol(config=config, server_state=state, app_state={}), "127.0.0.1", 0
        )
        async with server:
            given = await visit(server.sockets[0].getsockname()[1])
            for connection in list(state.connections):
                connection.transport.abort()
        return given

    return asyncio.run(serve_and_visit())


async def read_to_end(reader: asyncio.StreamReader) -> bytes:
    """Everything until the connection ends or is reset."""
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""


@pytest.mark.parametrize("said", [b"", b"G", GET[:-2]])
def test_a_connection_without_a_complete_request_is_closed(said: bytes) -> None:
    """A connection without a complete request is closed."""

    async def visit(port: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(said)
        answer = await read_to_end(reader)
        writer.close()
        return answer

    assert b"" == visit_server(HastyProtocol, visit)


def test_one_letter_at_a_time_wins_no_time() -> None:
    """A request sent byte by byte is cut off too."""

    async def visit(port: int) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        ended = asyncio.ensure_future(read_to_end(reader))
        sent = 0
        writer.write(b"GET / HTTP/1.1\r\nX: ")
        while not ended.done():
            writer.write(b"a")
            sent += 1
            await asyncio.wait([ended], timeout=SOON / 10)
        writer.close()
        return sent

    assert 1 < visit_server(HastyProtocol, visit) < 1_000


def test_a_second_request_is_awaited_no_longer_than_the_first() -> None:
    """A second request on a connection has the same time limit."""

    async def visit(port: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(GET)
        await reader.readuntil(b"0\r\n\r\n")
        writer.write(b"GET /")
        rest = await read_to_end(reader)
        writer.close()
        return rest

    assert b"" == visit_server(HastyProtocol, visit)


def test_a_connection_stays_open_between_timely_requests() -> None:
    """A connection is not closed between requests that arrive in time."""

    async def visit(port: int) -> list[bytes]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        answers = []
        for _ in range(3):
            writer.write(GET)
            answers.append((await reader.readuntil(b"0\r\n\r\n"))[:15])
        writer.close()
        return answers

    assert [b"HTTP/1.1 200 OK"] * 3 == visit_server(DeadlineProtocol, visit)


def _list_pieces(*headers: tuple[str, str]) -> list[bytes | None]:
    """The pieces in which an answer of one body is sent."""
    connection = AnswerConnection(h11.SERVER)
    connection.receive_data(GET + b"\r\n")
    connection.next_event()
    head = h11.Response(status_code=200, headers=[*headers])
    return [connection.send(each) for each in (head, h11.Data(data=b"tea"), h11.EndOfMessage())]


def test_an_answer_of_known_length_is_sent_in_one_piece() -> None:
    """The head of an answer that names its length is sent together with the body."""
    head, body, end = _list_pieces(("Content-Length", "3"))

    assert (b"", b"") == (head, end)
    assert b"HTTP/1.1 200 \r\nContent-Length: 3\r\n\r\ntea" == body


def test_the_head_of_a_stream_is_sent_at_once() -> None:
    """The head of an answer without a length does not wait for the body."""
    head, body, _ = _list_pieces()

    assert b"HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n" == head
    assert b"3\r\ntea\r\n" == body


def test_a_client_that_does_not_read_is_disconnected() -> None:
    """A client that does not read its answer is disconnected."""
    lost: list[DeadlineProtocol] = []

    class LosingProtocol(HastyProtocol):
        """Records when a connection has ended."""

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            lost.append(self)
            self.ended.set()

    async def visit(port: int) -> int:
        LosingProtocol.ended = asyncio.Event()
        # With such a limit nothing is read that was not requested.
        _, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
        writer.write(GET.replace(b"/ ", b"/much ", 1))
        await asyncio.wait_for(LosingProtocol.ended.wait(), 5)
        writer.close()
        return len(lost)

    assert 1 == visit_server(LosingProtocol, visit)
