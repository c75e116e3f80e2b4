"""The outermost layer: gives every request an id, an answer and a log line.

Unexpected errors end here. Only their type and place are logged: their messages may
quote what a user wrote. A request that blocked the event loop has the time in its line,
and a watchdog logs every other time in which the loop did not run.
"""

import asyncio
import re
import time
import traceback
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from pathlib import PurePath
from types import coroutine
from typing import Any, Final, Literal, NamedTuple, TextIO

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saniwa.core.clock import Clock, format_timestamp
from saniwa.core.ids import Ids
from saniwa.core.text import escape_control_characters
from saniwa.http.problem_details import make_system_error
from saniwa.http.request_scope import SCOPE_CALLER, SCOPE_REQUEST, RequestNote, find_request_note
from saniwa.http.responses import send_problem

FREEZE_SECONDS: Final = 0.2
"""Seconds for which no request may block the others."""


TICK_SECONDS: Final = 0.05
"""Seconds between two checks of the event loop."""


MAX_NAMED_OPERATIONS: Final = 5
"""Operations that are named with a freeze."""


class LoopFreeze(NamedTuple):
    """A time in which the event loop did not run."""

    seconds: float
    """Its duration."""
    operations: tuple[str, ...]
    """The operations under way meanwhile."""


class LoopHoldTime:
    """The longest time for which one request blocked the event loop."""

    __slots__ = ("_read_cpu", "cpu", "seconds")

    def __init__(self, read_cpu: Callable[[], float] = time.thread_time) -> None:
        """Start at zero; `read_cpu` reads the CPU seconds of the loop's own thread."""
        self._read_cpu = read_cpu
        self.seconds = 0.0
        """Wall-clock time."""
        self.cpu = 0.0
        """CPU seconds of the loop's own thread."""

    @coroutine
    def measure(self, work: Awaitable[None]) -> Generator[Any, Any, None]:
        """Do the work of a request, and measure each of its steps."""
        steps = work.__await__()
        resume = partial(steps.send, None)
        while True:
            began, cpu = time.monotonic(), self._read_cpu()
            try:
                waited_for = resume()
            except StopIteration:
                return
            finally:
                self.seconds = max(self.seconds, time.monotonic() - began)
                self.cpu = max(self.cpu, self._read_cpu() - cpu)
            try:
                value = yield waited_for
            except BaseException as problem:  # noqa: BLE001 - passed on to the work
                resume = partial(steps.throw, problem)
            else:
                resume = partial(steps.send, value)


class LoopWatchdog:
    """Checks the event loop many times a second, and reports when it was blocked."""

    def __init__(self, report: Callable[[LoopFreeze], None]) -> None:
        """Create a watchdog that reports freezes; `watch_loop` starts it."""
        self._report = report
        self._explained = 0.0
        self._seen = dict[int, Callable[[], str]]()
        self._under_way = dict[int, Callable[[], str]]()
        self.longest_gap = 0.0
        """The most CPU seconds of this process between two checks."""
        self.longest_hold = 0.0
        """The most CPU seconds for which a request blocked the loop, if they are read."""
        self.read_cpu: Callable[[], float] = float
        """Reads CPU seconds; always zero unless it is set, because it is a system call."""

    def begin_request(self, name: Callable[[], str]) -> int:
        """Note that a request is under way; `name` returns its operation."""
        key = id(name)
        self._under_way[key] = self._seen[key] = name
        return key

    def end_request(self, key: int, hold: LoopHoldTime) -> None:
        """Note that a request has ended, and how long it blocked the loop."""
        del self._under_way[key]
        self._explained = max(self._explained, hold.seconds)
        self.longest_hold = max(self.longest_hold, hold.cpu)

    async def watch_loop(self) -> None:
        """Check the loop until this is cancelled."""
        last, last_cpu = time.monotonic(), time.process_time()
        while True:
            await asyncio.sleep(TICK_SECONDS)
            now, cpu = time.monotonic(), time.process_time()
            self.longest_gap = max(self.longest_gap, cpu - last_cpu)
            self._check_delay(now - last - TICK_SECONDS)
            last, last_cpu = now, cpu

    def _check_delay(self, late: float) -> None:
        if late > FREEZE_SECONDS and self._explained < FREEZE_SECONDS:
            names = sorted({name() for name in self._seen.values()})
            self._report(LoopFreeze(late, tuple(names[:MAX_NAMED_OPERATIONS])))
        self._explained = 0.0
        self._seen = dict(self._under_way)


LogFormat = Literal["people", "json", "none"]
"""The format of the log."""


class LogLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is logged about a request; nothing of its content."""

    time: str
    """When it arrived; ISO 8601."""
    request: str
    """Its id, which the answer has as `X-Request-Id`."""
    method: str
    """The HTTP method."""
    route: str
    """The path template of the operation; `page` if it is not an operation."""
    status: int
    """The status of the answer; 0 if the client disconnected before."""
    ms: float
    """How long it took."""
    visitor: str = ""
    """The name of the caller; empty for a caller who did not sign in."""
    run: str = ""
    """The run it was about."""
    code: str = ""
    """The code of the error that was sent."""
    error: str = ""
    """The type of an unexpected error."""
    trace: tuple[str, ...] = ()
    """The place of that error, innermost frame last."""
    held_ms: float = 0.0
    """How long it blocked all other requests; logged from 200 on."""
    during: tuple[str, ...] = ()
    """Operations under way while the event loop was blocked for an unknown reason."""


LogWriter = Callable[[LogLine], None]
"""Writes a line to the log."""


def make_log_writer(form: LogFormat, stream: TextIO) -> LogWriter:
    """Return a function that writes each line to a stream and flushes it."""
    if form == "none":
        return lambda _: None

    def write(line: LogLine) -> None:
        text = msgspec.json.encode(line).decode() if form == "json" else _render_text(line)
        stream.write(f"{text}\n")
        stream.flush()

    return write


_TIME_OF_DAY: Final = slice(11, 19)


def _render_text(line: LogLine) -> str:
    head = f"{line.time[_TIME_OF_DAY]}  {line.status or 'gone'}  {line.ms:7.1f} ms"
    parts = [f"{head}  {line.method:<6} {line.route}", line.visitor, line.run]
    parts += [line.code, line.error, " < ".join(reversed(line.trace))]
    if line.held_ms:
        parts.append(f"kept the server busy for {line.held_ms:.0f} ms")
    parts += line.during
    return escape_control_characters("  ".join(part for part in parts if part))


REQUEST_ID_HEADER: Final = b"x-request-id"
"""The header of every answer with the request's id."""
LOOP_ROUTE: Final = "event loop"
"""The route of a line that is not about a request."""
PAGE_ROUTE: Final = "page"
"""The route of a request that is not an operation."""
_RUN_ID: Final = re.compile(r"[A-Za-z0-9_.-]{1,80}")
_ISSUED_RUN_ID: Final = re.compile(r"run-[0-9a-f-]{1,60}")
"""The format of ids that we create; an id that was not looked up may be any text."""
_METHOD_NAME: Final = re.compile(r"[A-Z]{1,10}")
_MAX_TRACE_FRAMES: Final = 8


class AccessLog:
    """ASGI middleware that logs every request."""

    def __init__(
        self,
        app: ASGIApp,
        write: LogWriter,
        *,
        clock: Clock,
        ids: Ids,
        seconds: Callable[[], float],
        freeze: float = FREEZE_SECONDS,
    ) -> None:
        """Wrap an app, outside of every other layer.

        A request that blocks the event loop for `freeze` seconds has the time in its
        line.
        """
        self._app = app
        self._write = write
        self._clock = clock
        self._ids = ids
        self._seconds = seconds
        self._freeze = freeze
        self.watchdog: Final = LoopWatchdog(self._write_freeze)
        """Watches the event loop."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request and log it."""
        if scope["type"] == "lifespan":
            watching = asyncio.create_task(self.watchdog.watch_loop())
            try:
                await self._app(scope, receive, send)
            finally:
                watching.cancel()
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        hold = LoopHoldTime(self.watchdog.read_cpu)
        key = self.watchdog.begin_request(lambda: _describe_operation(scope))
        scope[SCOPE_REQUEST] = RequestNote(self._ids.create_id("request"))
        answer = _IdentifiedResponse(send, scope[SCOPE_REQUEST].id)
        came, began = self._clock.now(), self._seconds()
        surprise: Exception | None = None
        try:
            await hold.measure(self._app(scope, receive, answer.send))
        except Exception as problem:  # noqa: BLE001 - the boundary: no client gets a traceback
            surprise = problem
            # An answer that had begun is not changed.
            if not answer.status:
                await send_problem(scope, answer.send, make_system_error(problem), 500)
        finally:
            self.watchdog.end_request(key, hold)
            ms = round((self._seconds() - began) * 1_000, 3)
            held = round(hold.seconds * 1_000) if hold.seconds >= self._freeze else 0
            came_at = format_timestamp(came)
            self._write(_build_line(scope, came_at, answer.status, ms, held, surprise))

    def _write_freeze(self, freeze: LoopFreeze) -> None:
        """Log that the event loop was blocked, and not by the work of a request."""
        ms, time = round(freeze.seconds * 1_000), format_timestamp(self._clock.now())
        line = LogLine(time=time, request="", method="", route=LOOP_ROUTE, status=0, ms=ms)
        self._write(msgspec.structs.replace(line, held_ms=ms, during=freeze.operations))


class _IdentifiedResponse:
    """Adds the request's id to an answer."""

    def __init__(self, send: Send, id: str) -> None:
        self._send = send
        self._id = id.encode()
        self.status = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = [*message.get("headers", ()), (REQUEST_ID_HEADER, self._id)]
            message = {**message, "headers": headers}
        await self._send(message)


def _describe_operation(scope: Scope) -> str:
    return f"{_show_method(scope)} {find_request_note(scope).route or PAGE_ROUTE}"


def _show_method(scope: Scope) -> str:
    method: str = scope["method"]
    return method if _METHOD_NAME.fullmatch(method) else "?"


def _build_line(
    scope: Scope, came: str, status: int, ms: float, held_ms: float, surprise: Exception | None
) -> LogLine:
    note: RequestNote = scope[SCOPE_REQUEST]
    caller = scope.get(SCOPE_CALLER)
    return LogLine(
        time=came,
        request=note.id,
        method=_show_method(scope),
        route=note.route or PAGE_ROUTE,
        status=status,
        ms=ms,
        visitor="" if caller is None else caller.name,
        run=_find_run_id(scope, status, note.code),
        code=note.code,
        error="" if surprise is None else type(surprise).__name__,
        trace=() if surprise is None else _list_trace_frames(surprise),
        held_ms=held_ms,
    )


def _find_run_id(scope: Scope, status: int, code: str) -> str:
    """Return the run of a request; empty for text that is not a known run's id."""
    run = str(scope.get("path_params", {}).get("run", ""))
    known = 0 < status < 400
    if code == "RUN_NOT_FOUND" or not (_RUN_ID if known else _ISSUED_RUN_ID).fullmatch(run):
        return ""
    return run


def _list_trace_frames(surprise: Exception) -> tuple[str, ...]:
    frames = traceback.extract_tb(surprise.__traceback__)[-_MAX_TRACE_FRAMES:]
    # The end of a path is enough to find it, without the machine's folders.
    files = ["/".join(PurePath(each.filename).parts[-3:]) for each in frames]
    return tuple(f"{file}:{f.lineno} {f.name}" for file, f in zip(files, frames, strict=True))
