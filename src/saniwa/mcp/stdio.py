"""Speaking on standard input and output: one JSON message a line.

Only the protocol is written to standard output; what anybody prints goes to standard
error. A line that is no message is answered with an error and passed over. When input
ends, what was asked before is still answered.
"""

import re
from collections.abc import AsyncIterator
from typing import Any, TypeGuard, cast

import anyio
import mcp_types as wire
import msgspec
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage as Message

from saniwa.core.ready import ready
from saniwa.mcp.lines import LONGEST_LINE, Lines

PATIENCE = 60.0
"""Seconds that calls have to finish after standard input was closed."""
_ENDLESS = "subscriptions/listen"
_TAKEN_BACK = "notifications/cancelled"
_IS_ID = re.compile(rb'"|-?[0-9]+\Z').match


async def serve(server: Server[Any], descriptor: int = 0) -> None:
    """Answer whoever speaks there until they close it; nothing is left unanswered."""
    lines = cast("anyio.AsyncFile[str]", _addressed(Lines(descriptor)))
    async with stdio_server(stdin=lines) as (read, write):
        owed = _Owed(write)
        ahead, relayed = anyio.create_memory_object_stream[Message | Exception](0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_relay, read, ahead, owed)
            await server.run(relayed, owed, server.create_initialization_options())
            tasks.cancel_scope.cancel()


class _Envelope(msgspec.Struct):
    """As much of a message as tells whether somebody waits for its answer."""

    method: msgspec.Raw = msgspec.Raw(b"")
    id: msgspec.Raw = msgspec.Raw(b"")


async def _addressed(lines: Lines) -> AsyncIterator[str]:
    """The lines; a request under an id that can be none comes as an empty one.

    The SDK would take it for a notification, and whoever asked would wait for ever.
    """
    async for line in lines:
        try:
            seen = msgspec.json.decode(line, type=_Envelope)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            yield line  # The SDK says what is wrong with it.
            continue
        asked = bytes(seen.method) and bytes(seen.id)
        yield "" if asked and _IS_ID(asked) is None else line


async def _relay(
    read: Any, ahead: MemoryObjectSendStream[Message | Exception], owed: "_Owed"
) -> None:
    async with ahead, read:
        async for item in read:
            if isinstance(item, Exception):
                await owed.send(Message(_no_message()))
                continue
            owed.note(item)
            await ahead.send(item)
        with anyio.move_on_after(PATIENCE):
            await owed.settled()


class _Owed:
    """The way out, which knows what has been asked and not been answered."""

    def __init__(self, write: Any) -> None:
        self._write = write
        self._open: set[wire.RequestId] = set()
        self._changed = anyio.Event()

    def note(self, item: Message) -> None:
        """Take in what a client sends."""
        message = item.message
        if isinstance(message, wire.JSONRPCRequest) and message.method != _ENDLESS:
            self._open.add(message.id)
            return
        if _is_taken_back(message):
            self._close((message.params or {}).get("requestId"))

    async def settled(self) -> None:
        """Wait until nothing is owed."""
        while self._open:
            await self._changed.wait()

    async def send(self, item: Message, /) -> None:
        """Write it, and remember whose answer it was."""
        await self._write.send(item)
        if isinstance(item.message, wire.JSONRPCResponse | wire.JSONRPCError):
            self._close(item.message.id)

    async def aclose(self) -> None:
        """Nothing more is written."""
        await self._write.aclose()

    async def __aenter__(self) -> "_Owed":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _close(self, mark: object) -> None:
        self._open.discard(cast("wire.RequestId", mark))
        self._changed.set()
        self._changed = anyio.Event()


def _is_taken_back(message: object) -> TypeGuard[wire.JSONRPCNotification]:
    return (
        isinstance(message, wire.JSONRPCNotification) and message.method == _TAKEN_BACK
    )


def _no_message() -> wire.JSONRPCError:
    told = f"the line is no JSON-RPC message of at most {LONGEST_LINE} bytes"
    error = wire.ErrorData(code=wire.PARSE_ERROR, message=told)
    return wire.JSONRPCError(jsonrpc="2.0", id=None, error=error)


ready(_Envelope)
