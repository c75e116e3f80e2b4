import asyncio

from starlette.types import Receive, Scope, Send

from saniwa.app.caller import LOCAL_CALLER
from saniwa.core.errors import ProtocolError
from saniwa.http.limits import StreamLimit
from saniwa.http.problem_details import find_error_status
from saniwa.http.request_scope import SCOPE_CALLER
from saniwa.http.server_settings import AllowedRate, RequestLimits
from tests.unit.http.middleware.guarded_requests import ask_app, make_scope

LIMITS = RequestLimits(rate=AllowedRate(each_second=1, at_once=1), streams=3, streams_each=2)
LIVE = "/api/v1/runs/r/live"


class LiveStreams:
    """Streams that stay open until released."""

    def __init__(self) -> None:
        self.end = asyncio.Event()
        self.streams = StreamLimit(LIMITS)

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Wait, then answer."""
        await self.end.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})

    def open_stream(self, client: str, path: str = LIVE) -> "asyncio.Task[int]":
        """Open one more stream."""

        async def count_status() -> int:
            asked = make_scope(path=path, client=client) | {SCOPE_CALLER: LOCAL_CALLER}
            try:
                with self.streams.count_stream(asked):
                    return (await ask_app(self, asked)).status
            except ProtocolError as problem:
                return find_error_status(problem)

        return asyncio.ensure_future(count_status())


def test_only_so_many_streams_are_open() -> None:
    """The number of open streams is limited per address and in total."""

    async def flood() -> tuple[list[int], int, int]:
        live = LiveStreams()
        one = [live.open_stream("192.0.2.1") for _ in range(3)]
        others = [live.open_stream(f"192.0.2.{n}") for n in (2, 3)]
        async with asyncio.timeout(5):
            await asyncio.wait([one[2], others[1]])
        there = live.streams.open_count
        live.end.set()
        return [await each for each in (*one, *others)], there, live.streams.open_count

    statuses, there, left = asyncio.run(flood())

    assert [200, 200, 429, 200, 429] == statuses
    assert (3, 0) == (there, left)


def test_a_stream_that_breaks_is_counted_no_longer() -> None:
    """A stream that fails is no longer counted."""

    async def break_stream() -> int:
        live = LiveStreams()
        task = live.open_stream("192.0.2.1")
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return live.streams.open_count

    assert 0 == asyncio.run(break_stream())


def test_what_is_not_a_stream_is_not_counted() -> None:
    """Other requests are not counted."""

    async def open_many() -> list[int]:
        live = LiveStreams()
        live.end.set()
        paths = ["/api/v1/runs", "/play/live", "/api/v1/runs/r/live/x"] * 3
        return [await live.open_stream("192.0.2.1", path) for path in paths]

    assert [200] * 9 == asyncio.run(open_many())
