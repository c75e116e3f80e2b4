"""Lines of a descriptor, for a program that must be able to leave at any time."""

import os
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

import anyio
from anyio import from_thread
from anyio.lowlevel import EventLoopToken
from anyio.streams.memory import MemoryObjectSendStream

LONGEST_LINE = 4 * 1024 * 1024
"""Bytes one line may have, as one message over HTTP."""
_CHUNK = 65_536


class Lines:
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
                target=self._read, args=(send, token), daemon=True
            )
            reading.start()
            async for line in received:
                yield line

    def _read(self, send: MemoryObjectSendStream[str], token: EventLoopToken) -> None:
        # Nobody listens any more, or the loop is gone: there is nothing left to do.
        with suppress(
            anyio.BrokenResourceError, anyio.ClosedResourceError, RuntimeError
        ):
            # A descriptor that cannot be read is one that has ended.
            with suppress(OSError):
                self._pass_on(
                    lambda line: from_thread.run(send.send, line, token=token)
                )
            from_thread.run_sync(send.close, token=token)

    def _pass_on(self, tell: Callable[[str], None]) -> None:
        # Straight from the descriptor: a thread that dies in a buffered read takes the
        # buffer's lock with it, and the interpreter stumbles over it on the way out.
        while chunk := os.read(self._descriptor, _CHUNK):
            for line in self._whole(chunk):
                tell(line)

    def _whole(self, chunk: bytes) -> list[str]:
        *ended, rest = chunk.split(b"\n")
        lines = []
        for part in ended:
            self._take(part)
            lines.append(
                "" if self._skipping else self._held.decode("utf-8", "replace")
            )
            self._held.clear()
            self._skipping = False
        self._take(rest)
        return lines

    def _take(self, part: bytes) -> None:
        if self._skipping or len(self._held) + len(part) > LONGEST_LINE:
            self._skipping = True
            self._held.clear()
        else:
            self._held += part
