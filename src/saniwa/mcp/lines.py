"""Lines of a descriptor, for a program that must be able to leave at any time."""

import os
import threading

import anyio
import anyio.from_thread
import anyio.lowlevel

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

    def __aiter__(self) -> "Lines":
        """Begin to read."""
        self._send, self._received = anyio.create_memory_object_stream[str](16)
        self._token = anyio.lowlevel.current_token()
        threading.Thread(target=self._read, daemon=True).start()
        return self

    async def __anext__(self) -> str:
        """The next line; one that was too long comes as an empty one."""
        try:
            return await self._received.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    def _read(self) -> None:
        # Straight from the descriptor: a thread that dies in a buffered read takes the
        # buffer's lock with it, and the interpreter stumbles over it on the way out.
        try:
            while chunk := os.read(self._descriptor, _CHUNK):
                for line in self._whole(chunk):
                    anyio.from_thread.run(self._send.send, line, token=self._token)
            anyio.from_thread.run_sync(self._send.close, token=self._token)
        except (anyio.BrokenResourceError, anyio.RunFinishedError, RuntimeError):
            return

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
