"""Speaking on standard input and output: one JSON message a line.

Only the protocol is written to standard output; what anybody prints goes to standard
error. A line that is no message is answered with an error and passed over. When input
ends, what was asked before is still answered.
"""

import os
import re
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any, TypeGuard, cast

import anyio
import mcp_types as wire
import msgspec
from anyio import from_thread
from anyio.lowlevel import EventLoopToken
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage as Message

from saniwa.core.warm_decoders import warm_decoders

LONGEST_LINE = 4 * 1024 * 1024
"""Bytes one line may have, as one message over HTTP."""
_CHUNK = 65_536


class DescriptorLines:
    """Lines of a descriptor, read in a thread that nobody has to wait for.

    The SDK's own reader waits in a thread that cannot be left, so that Ctrl-C would hang
    until the next line, and a line may be as long as memory.
    """

    def __init__(self, descriptor: int) -> None:
        """The lines that come in there."""
        self._descriptor = descriptor
        self._held = bytearray()
        self._skipping = False

    async def __aiter__(self) -> AsyncIterator[str]:
        """The lines as they come; one that was too long comes as an empty one."""
        send, received = anyio.create_memory_object_stream[str](16)
        token = anyio.lowlevel.current_token()
        with send, received:
            reading = threading.Thread(
                target=self._read_in_thread, args=(send, token), daemon=True
            )
            reading.start()
            async for line in received:
                yield line

    def _read_in_thread(
        self, send: MemoryObjectSendStream[str], token: EventLoopToken
    ) -> None:
        # Nobody listens any more, or the loop is gone: there is nothing left to do.
        with suppress(
            anyio.BrokenResourceError, anyio.ClosedResourceError, RuntimeError
        ):
            # A descriptor that cannot be read is one that has ended.
            with suppress(OSError):
                self._forward_lines(
                    lambda line: from_thread.run(send.send, line, token=token)
                )
            from_thread.run_sync(send.close, token=token)

    def _forward_lines(self, tell: Callable[[str], None]) -> None:
        # Straight from the descriptor: a thread that dies in a buffered read takes the
        # buffer's lock with it, and the interpreter stumbles over it on the way out.
        while chunk := os.read(self._descriptor, _CHUNK):
            for line in self._split_chunk(chunk):
                tell(line)

    def _split_chunk(self, chunk: bytes) -> list[str]:
        *ended, rest = chunk.split(b"\n")
        lines = []
        for part in ended:
            self._append_part(part)
            lines.append(
                "" if self._skipping else self._held.decode("utf-8", "replace")
            )
            self._held.clear()
            self._skipping = False
        self._append_part(rest)
        return lines

    def _append_part(self, part: bytes) -> None:
        if self._skipping or len(self._held) + len(part) > LONGEST_LINE:
            self._skipping = True
            self._held.clear()
        else:
            self._held += part


ANSWER_SECONDS = 60.0
"""Seconds that calls have to finish after standard input was closed."""
_ENDLESS = "subscriptions/listen"
_CANCELLED = "notifications/cancelled"
_IS_ID = re.compile(rb'"|-?[0-9]+\Z').match


async def serve_stdio(server: Server[Any], descriptor: int = 0) -> None:
    """Answer whoever speaks there until they close it; nothing is left unanswered."""
    lines = cast(
        "anyio.AsyncFile[str]", _blank_invalid_ids(DescriptorLines(descriptor))
    )
    async with stdio_server(stdin=lines) as (read, write):
        owed = _PendingAnswers(write)
        ahead, relayed = anyio.create_memory_object_stream[Message | Exception](0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_relay_messages, read, ahead, owed)
            await server.run(relayed, owed, server.create_initialization_options())
            tasks.cancel_scope.cancel()


class _Envelope(msgspec.Struct):
    """As much of a message as tells whether somebody waits for its answer."""

    method: msgspec.Raw = msgspec.Raw(b"")
    id: msgspec.Raw = msgspec.Raw(b"")


async def _blank_invalid_ids(lines: DescriptorLines) -> AsyncIterator[str]:
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


async def _relay_messages(
    read: Any,
    ahead: MemoryObjectSendStream[Message | Exception],
    owed: "_PendingAnswers",
) -> None:
    async with ahead, read:
        async for item in read:
            if isinstance(item, Exception):
                await owed.send(Message(_make_parse_error()))
                continue
            owed.note(item)
            await ahead.send(item)
        with anyio.move_on_after(ANSWER_SECONDS):
            await owed.wait_until_answered()


class _PendingAnswers:
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
        if _is_cancellation(message):
            self._mark_answered((message.params or {}).get("requestId"))

    async def wait_until_answered(self) -> None:
        """Wait until nothing is owed."""
        while self._open:
            await self._changed.wait()

    async def send(self, item: Message, /) -> None:
        """Write it, and remember whose answer it was."""
        await self._write.send(item)
        if isinstance(item.message, wire.JSONRPCResponse | wire.JSONRPCError):
            self._mark_answered(item.message.id)

    async def aclose(self) -> None:
        """Nothing more is written."""
        await self._write.aclose()

    async def __aenter__(self) -> "_PendingAnswers":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _mark_answered(self, mark: object) -> None:
        self._open.discard(cast("wire.RequestId", mark))
        self._changed.set()
        self._changed = anyio.Event()


def _is_cancellation(message: object) -> TypeGuard[wire.JSONRPCNotification]:
    return (
        isinstance(message, wire.JSONRPCNotification) and message.method == _CANCELLED
    )


def _make_parse_error() -> wire.JSONRPCError:
    told = f"the line is no JSON-RPC message of at most {LONGEST_LINE} bytes"
    error = wire.ErrorData(code=wire.PARSE_ERROR, message=told)
    return wire.JSONRPCError(jsonrpc="2.0", id=None, error=error)


warm_decoders(_Envelope)
