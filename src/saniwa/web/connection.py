"""Connections that do nothing end: uvicorn itself waits for a request without an end.

Whoever opens a connection has so long to ask, also again on the same one; whoever does not
read an answer has so long to go on. How many connections there may be: `listener.py`.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

ASKING: Final = 10.0
"""Seconds until a request's head must have come whole."""
READING: Final = 30.0
"""Seconds for which an answer may lie unread."""


class _Deadline:
    """What must have happened until then."""

    def __init__(self, seconds: float, passed: Callable[[], None]) -> None:
        self._seconds = seconds
        self._passed = passed
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Wait from now on, or go on waiting: one letter at a time wins no time."""
        if self._timer is None:
            self._timer = loop.call_later(self._seconds, self._passed)

    def end(self) -> None:
        """It has happened."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class PatientProtocol(H11Protocol):
    """Speaks HTTP with whoever has something to say."""

    asking = ASKING
    """Seconds until a request's head must have come whole."""
    reading = READING
    """Seconds for which an answer may lie unread."""

    def __init__(self, *given: Any, **named: Any) -> None:
        """As uvicorn makes one."""
        super().__init__(*given, **named)
        self._head = _Deadline(self.asking, self._break_off)
        self._answer = _Deadline(self.reading, self._break_off)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has come: they shall say what they want."""
        super().connection_made(transport)
        self._head.begin(self.loop)

    def data_received(self, data: bytes) -> None:
        """Something was said: a whole request, or a part of one that is waited for."""
        super().data_received(data)
        if self._is_idle():
            self._head.begin(self.loop)
        else:
            self._head.end()

    def connection_lost(self, exc: Exception | None) -> None:
        """They have gone; nothing is waited for."""
        self._head.end()
        self._answer.end()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """They do not read what they asked for."""
        super().pause_writing()
        self._answer.begin(self.loop)

    def resume_writing(self) -> None:
        """They read on."""
        super().resume_writing()
        self._answer.end()

    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _break_off(self) -> None:
        self.transport.abort()
