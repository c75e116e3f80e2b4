"""Serves MCP on standard input and output: one JSON message on each line.

Only the protocol is written to standard output; other output goes to standard error. An
invalid line is answered with an error and skipped. When input ends, requests that came
before are still answered.
"""

import os
import re
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any, cast

import anyio
import mcp_types as wire
import msgspec
from anyio import from_thread
from anyio.lowlevel import EventLoopToken
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage as Message

from saniwa.core.decoder_warming import warm_decoders

LONGEST_LINE = 4 * 1024 * 1024
"""The longest line in bytes, the same as for a message over HTTP."""
_CHUNK = 65_536


class DescriptorLines:
    """Lines of a file descriptor, read in a thread that can be abandoned.

    The SDK's own reader waits in a thread that cannot be abandoned, so that Ctrl-C
    would hang until the next line; and it does not limit the length of a line.
    """

    def __init__(self, descriptor: int) -> None:
        """Read lines from this descriptor."""
        self._descriptor = descriptor
        self._buffer = bytearray()
        self._skipping = False

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield the lines as they come; one that is too long comes as an empty one."""
        send, received = anyio.create_memory_object_stream[str](16)
        token = anyio.lowlevel.current_token()
        with send, received:
            reading = threading.Thread(target=self._read_in_thread, args=(send, token), daemon=True)
            reading.start()
            async for line in received:
                yield line

    def _read_in_thread(self, send: MemoryObjectSendStream[str], token: EventLoopToken) -> None:
        # The receiver or the event loop is gone: there is nothing left to do.
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, RuntimeError):
            # A descriptor that cannot be read counts as ended.
            with suppress(OSError):
                self._forward_lines(lambda line: from_thread.run(send.send, line, token=token))
            from_thread.run_sync(send.close, token=token)

    def _forward_lines(self, tell: Callable[[str], None]) -> None:
        # Directly from the descriptor: a thread that dies in a buffered read keeps the
        # buffer's lock, on which the interpreter fails at exit.
        while chunk := os.read(self._descriptor, _CHUNK):
            for line in self._split_chunk(chunk):
                tell(line)

    def _split_chunk(self, chunk: bytes) -> list[str]:
        *ended, rest = chunk.split(b"\n")
        lines = []
        for part in ended:
            self._append_part(part)
            lines.append("" if self._skipping else self._buffer.decode("utf-8", "replace"))
            self._buffer.clear()
            self._skipping = False
        self._append_part(rest)
        return lines

    def _append_part(self, part: bytes) -> None:
        if self._skipping or len(self._buffer) + len(part) > LONGEST_LINE:
            self._skipping = True
            self._buffer.clear()
        else:
            self._buffer += part


ANSWER_SECONDS = 60.0
"""Seconds that calls have to finish after standard input was closed."""
_ENDLESS = "subscriptions/listen"
_CANCELLED = "notifications/cancelled"
_IS_ID = re.compile(rb'"|-?[0-9]+\Z').match


async def serve_stdio(server: Server[Any], descriptor: int = 0) -> None:
    """Serve until input is closed; every request is answered."""
    lines = cast("anyio.AsyncFile[str]", _blank_invalid_ids(DescriptorLines(descriptor)))
    async with stdio_server(stdin=lines) as (read, write):
        owed = _PendingAnswers(write)
        ahead, relayed = anyio.create_memory_object_stream[Message | Exception](0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_relay_messages, read, ahead, owed)
            await server.run(relayed, owed, server.create_initialization_options())
            tasks.cancel_scope.cancel()


class _Envelope(msgspec.Struct):
    """The part of a message that shows whether it needs an answer."""

    method: msgspec.Raw = msgspec.Raw(b"")
    id: msgspec.Raw = msgspec.Raw(b"")


async def _blank_invalid_ids(lines: DescriptorLines) -> AsyncIterator[str]:
    """Yield the lines; a request with an invalid id comes as an empty one.

    The SDK would take it for a notification, and the client would wait forever.
    """
    async for line in lines:
        try:
            seen = msgspec.json.decode(line, type=_Envelope)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            yield line  # The SDK reports what is wrong with it.
            continue
        request_id = bytes(seen.method) and bytes(seen.id)
        yield "" if request_id and _IS_ID(request_id) is None else line


async def _relay_messages(
    read: Any, ahead: MemoryObjectSendStream[Message | Exception], owed: "_PendingAnswers"
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
    """The output stream, which knows the requests that are not answered yet."""

    def __init__(self, write: Any) -> None:
        self._write = write
        self._open: set[wire.RequestId] = set()
        self._changed = anyio.Event()

    def note(self, item: Message) -> None:
        """Note a message of the client."""
        message = item.message
        if isinstance(message, wire.JSONRPCRequest) and message.method != _ENDLESS:
            self._open.add(message.id)
            return
        if isinstance(message, wire.JSONRPCNotification) and message.method == _CANCELLED:
            self._mark_answered((message.params or {}).get("requestId"))

    async def wait_until_answered(self) -> None:
        """Wait until every request is answered."""
        while self._open:
            await self._changed.wait()

    async def send(self, item: Message, /) -> None:
        """Write a message, and note which request it answers."""
        await self._write.send(item)
        if isinstance(item.message, wire.JSONRPCResponse | wire.JSONRPCError):
            self._mark_answered(item.message.id)

    async def aclose(self) -> None:
        """Close the output."""
        await self._write.aclose()

    async def __aenter__(self) -> "_PendingAnswers":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _mark_answered(self, mark: object) -> None:
        self._open.discard(cast("wire.RequestId", mark))
        self._changed.set()
        self._changed = anyio.Event()


def _make_parse_error() -> wire.JSONRPCError:
    message = f"the line is not a JSON-RPC message of at most {LONGEST_LINE} bytes"
    error = wire.ErrorData(code=wire.PARSE_ERROR, message=message)
    return wire.JSONRPCError(jsonrpc="2.0", id=None, error=error)


warm_decoders(_Envelope)
