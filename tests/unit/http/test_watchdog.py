import asyncio
import time

import pytest
from starlette.types import Receive, Scope, Send

from saniwa.core.clock import FixedClock
from saniwa.core.ids import CountingIds
from saniwa.http.access_log import (
    FREEZE_SECONDS,
    LOOP_ROUTE,
    AccessLog,
    LogLine,
    LoopFreeze,
    LoopHoldTime,
    LoopWatchdog,
)
from saniwa.http.request_scope import find_request_note
from tests.fakes.coroutine_tests import run_coroutine
from tests.unit.http.middleware.guarded_requests import ask, make_scope


def _keep_busy(seconds: float) -> None:
    # CPU seconds, as a busy machine may run the process only part of the time.
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


async def _answer_after_blocking(scope: Scope, _receive: Receive, send: Send) -> None:
    """An app that blocks the loop for too long."""
    find_request_note(scope).route = "/runs/{run}/preview"
    _keep_busy(FREEZE_SECONDS + 0.01)
    await asyncio.sleep(0)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"{}"})


async def _answer_after_waiting(scope: Scope, _receive: Receive, send: Send) -> None:
    """An app that waits without blocking the loop."""
    find_request_note(scope).route = "/runs/{run}/preview"
    await asyncio.sleep(0)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"{}"})


@pytest.mark.parametrize(
    ("app", "held"), [(_answer_after_blocking, True), (_answer_after_waiting, False)]
)
def test_a_request_that_keeps_the_loop_has_that_on_its_line(app: object, held: bool) -> None:
    """A request that blocks the loop is logged with its operation and the time."""
    lines = list[LogLine]()
    journal = AccessLog(
        app,  # type: ignore[arg-type]
        lines.append,
        clock=FixedClock(1_000),
        ids=CountingIds(),
        seconds=time.monotonic,
        # A machine that is busy with other things must not make a quick request look slow.
        freeze=FREEZE_SECONDS if held else 60,
    )
    ask(journal, make_scope())

    assert [("/runs/{run}/preview", held)] == [
        (line.route, line.held_ms >= FREEZE_SECONDS * 1_000) for line in lines
    ]


@run_coroutine
async def test_what_a_request_gives_and_raises_passes_through() -> None:
    """Measuring passes results and exceptions through."""

    async def sleep_once() -> None:
        await asyncio.sleep(0)

    async def fails() -> None:
        await asyncio.sleep(0)
        raise KeyError("x")

    async def waits() -> None:
        await asyncio.Event().wait()

    hold = LoopHoldTime()
    await hold.measure(sleep_once())
    with pytest.raises(KeyError):
        await hold.measure(fails())
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await hold.measure(waits())

    assert hold.seconds > 0


@run_coroutine
async def test_a_freeze_that_no_request_explains_is_reported() -> None:
    """A freeze that no request explains is reported with the operations at that time."""
    freezes = list[LoopFreeze]()
    watchdog = LoopWatchdog(freezes.append)
    watching = asyncio.create_task(watchdog.watch_loop())
    await asyncio.sleep(0)
    key = watchdog.begin_request(lambda: "POST /check/story")
    _keep_busy(FREEZE_SECONDS * 2)
    watchdog.end_request(key, LoopHoldTime())
    while not freezes:
        await asyncio.sleep(0.01)
    watching.cancel()

    assert ("POST /check/story",) == freezes[0].operations
    assert watchdog.longest_gap > FREEZE_SECONDS / 2


def test_a_freeze_is_one_line_about_no_request() -> None:
    """A freeze is one line in the log, not related to a request."""
    lines = list[LogLine]()
    journal = AccessLog(
        _answer_after_waiting,
        lines.append,
        clock=FixedClock(1_000),
        ids=CountingIds(),
        seconds=time.monotonic,
    )
    journal._write_freeze(LoopFreeze(0.5, ("GET /runs",)))

    assert [(LOOP_ROUTE, 500, ("GET /runs",))] == [
        (line.route, line.held_ms, line.during) for line in lines
    ]
