"""What comes in from an editor, before anything is made of it."""

import re
from typing import Any, BinaryIO, Final

from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol

LARGEST: Final = 64 * 1024 * 1024
"""Bytes that one message may have."""
_LONGEST_HEADER = 64 * 1024
_LENGTH = re.compile(rb"Content-Length: *(\d+)\s*", re.IGNORECASE)


class Bounded:
    """A stream that ends where somebody announces more than we would ever read."""

    def __init__(self, stream: BinaryIO) -> None:
        """The same stream, bounded."""
        self._stream = stream

    def readline(self) -> bytes:
        """The next line of a header; nothing where the conversation is over."""
        line = self._stream.readline(_LONGEST_HEADER)
        found = _LENGTH.fullmatch(line)
        # Python reads no number of thousands of digits, so they are counted first.
        if found and (len(found[1]) > len(str(LARGEST)) or int(found[1]) > LARGEST):
            return b""
        return line

    def read(self, size: int) -> bytes:
        """The body of a message."""
        return self._stream.read(size)


class Protocol(LanguageServerProtocol):
    """Answers a request that cannot be understood, instead of only logging it."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """The message; a request that is none is answered with -32602.

        Raises:
            JsonRpcException: It is none; the server logs it.
        """
        try:
            return super().structure_message(data)
        except JsonRpcException:
            asked = data.get("id")
            if "method" in data and isinstance(asked, int | str):
                problem = JsonRpcInvalidParams("the parameters cannot be understood")
                self._send_response(asked, None, problem.to_response_error())
            raise
