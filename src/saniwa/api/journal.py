"""The outermost layer: every request gets an id, an answer and a line.

Errors that nobody foresaw end here. What is told of them is their kind and place: their
messages may quote what somebody wrote.
"""

import asyncio
import re
import traceback
from collections.abc import Callable
from pathlib import PurePath
from typing import Final

from saniwa.api.guard.asgi import CALLER, App, Message, Receive, Scope, Send, turn_away
from saniwa.api.line import Line, Write
from saniwa.api.note import REQUEST, Note, note_of
from saniwa.api.watchdog import FREEZE, Freeze, LoopHold, LoopWatchdog
from saniwa.core.clock import Clock
from saniwa.core.errors import SaniwaError
from saniwa.core.ids import Ids
from saniwa.process.record import timestamp

HEADER: Final = b"x-request-id"
"""The header of every answer that names the request."""
LOOP: Final = "event loop"
"""The route of a line that is about no request."""
PAGE: Final = "page"
"""The route of what is no operation."""
_RUN: Final = re.compile(r"[A-Za-z0-9_.-]{1,80}")
_OURS: Final = re.compile(r"run-[0-9a-f-]{1,60}")
"""How the ids look that we give; one that was not looked for might be anything."""
_METHOD: Final = re.compile(r"[A-Z]{1,10}")
_DEEPEST: Final = 8


class Journal:
    """Writes every request down."""

    def __init__(
        self,
        app: App,
        write: Write,
        *,
        clock: Clock,
        ids: Ids,
        seconds: Callable[[], float],
        freeze: float = FREEZE,
    ) -> None:
        """Stand before an app, outside of every other layer.

        A request that keeps the loop for `freeze` seconds has that on its line.
        """
        self._app = app
        self._write = write
        self._clock = clock
        self._ids = ids
        self._seconds = seconds
        self._freeze = freeze
        self.watchdog: Final = LoopWatchdog(self._report)
        """Looks at the event loop."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and write down that it was."""
        if scope["type"] == "lifespan":
            watching = asyncio.create_task(self.watchdog.watch())
            try:
                await self._app(scope, receive, send)
            finally:
                watching.cancel()
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        hold = LoopHold()
        key = self.watchdog.begin(lambda: _operation(scope))
        scope[REQUEST] = Note(self._ids.fresh("request"))
        answer = _Answer(send, scope[REQUEST].id)
        came, began = self._clock.now(), self._seconds()
        surprise: Exception | None = None
        try:
            await hold.measure(self._app(scope, receive, answer.send))
        except Exception as problem:  # noqa: BLE001 - the door: nobody meets a traceback
            surprise = problem
            await _excused(scope, answer, surprise)
        finally:
            self.watchdog.end(key, hold)
            ms = round((self._seconds() - began) * 1_000, 3)
            held = round(hold.seconds * 1_000) if hold.seconds >= self._freeze else 0
            self._write(
                _line(scope, timestamp(came), answer.status, ms, surprise, held)
            )

    def _report(self, freeze: Freeze) -> None:
        """Write down that the server stood still, and no request's own work says why."""
        ms = round(freeze.seconds * 1_000)
        self._write(
            Line(
                time=timestamp(self._clock.now()),
                request="",
                method="",
                route=LOOP,
                status=0,
                ms=ms,
                held_ms=ms,
                during=freeze.operations,
            )
        )


class _Answer:
    """What is answered, with the request's id on it."""

    def __init__(self, send: Send, id: str) -> None:
        self._send = send
        self._id = id.encode()
        self.status = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = [*message.get("headers", ()), (HEADER, self._id)]
            message = {**message, "headers": headers}
        await self._send(message)


async def _excused(scope: Scope, answer: _Answer, surprise: Exception) -> None:
    """Answer for an app that could not; one that had begun is left as it is."""
    if answer.status:
        return
    problem = SaniwaError(
        "SYSTEM_ERROR",
        f"something we did not foresee: {type(surprise).__name__}",
        hint="what was acknowledged is kept; report it, with the request's id",
    )
    await turn_away(scope, answer.send, problem, 500)


def _operation(scope: Scope) -> str:
    method = scope["method"] if _METHOD.fullmatch(scope["method"]) else "?"
    return f"{method} {note_of(scope).route or PAGE}"


def _line(
    scope: Scope,
    came: str,
    status: int,
    ms: float,
    surprise: Exception | None,
    held_ms: float = 0,
) -> Line:
    note: Note = scope[REQUEST]
    caller = scope.get(CALLER)
    return Line(
        time=came,
        request=note.id,
        method=scope["method"] if _METHOD.fullmatch(scope["method"]) else "?",
        route=note.route or PAGE,
        status=status,
        ms=ms,
        visitor="" if caller is None else caller.name,
        run=_run(scope, status, note.code),
        code=note.code,
        error="" if surprise is None else type(surprise).__name__,
        trace=() if surprise is None else _places(surprise),
        held_ms=held_ms,
    )


def _run(scope: Scope, status: int, code: str) -> str:
    """The run it was about; nothing that somebody only wrote in a run's place."""
    run = str(scope.get("path_params", {}).get("run", ""))
    known = 0 < status < 400
    if code == "RUN_NOT_FOUND" or not (_RUN if known else _OURS).fullmatch(run):
        return ""
    return run


def _places(surprise: Exception) -> tuple[str, ...]:
    frames = traceback.extract_tb(surprise.__traceback__)[-_DEEPEST:]
    return tuple(f"{_short(f.filename)}:{f.lineno} {f.name}" for f in frames)


def _short(file: str) -> str:
    """The last folders of a path: enough to find it, and nothing about the machine."""
    return "/".join(PurePath(file).parts[-3:])
