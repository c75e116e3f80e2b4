"""Sealed lines: how an entry stands in a record's file, and how a file of them is read.

A line is the entry's JSON with its seal in front. Each seal covers the one before, so
that nothing can be changed, left out or put in without the rest saying so.
"""

import os
from collections.abc import Iterator
from hashlib import sha256

import msgspec

from saniwa.process.record import seal
from saniwa.store.gate.entry import LARGEST

_OPEN = b'{"seal":"'
_CLOSE = b'",'
_BODY = len(_OPEN) + 64 + len(_CLOSE)
LONGEST = LARGEST + _BODY
"""Bytes a line may have, its end included."""
_FIRST_CHUNK = 1 << 12
_CHUNK = 1 << 20
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])


def line_of(before: bytes, body: bytes) -> tuple[bytes, bytes]:
    """The seal of an entry's JSON, and its line."""
    sealed = seal(before, body)
    return sealed, b'{"seal":"%b",%b\n' % (sealed.hex().encode(), body[1:])


def body_of(line: bytes) -> bytes:
    """The entry's JSON in a line without its end; the seal is not looked at."""
    return b"{" + line[_BODY:]


def fits(before: bytes, line: bytes) -> bytes:
    """The seal of a line without its end; empty if it does not follow `before`."""
    found = sha256(before + b"{" + line[_BODY:]).digest()
    head = b'{"seal":"%b",' % found.hex().encode()
    return found if line.startswith(head) else b""


class Reading:
    """One way through a file of sealed lines, as far as they fit one another."""

    def __init__(self, fd: int, end: int, seal: bytes) -> None:
        """Stand at a byte of the open file, after the line that has the seal.

        At the first byte, the seal is `start_of` the run.
        """
        self._fd = fd
        self.end = end
        """The byte after the last line that fitted."""
        self.seal = seal
        """The seal of that line."""
        self.unended = False
        """Whether that line lacks nothing but its end."""
        self.clean = True
        """Whether the next line is empty or there is none."""

    def __iter__(self) -> Iterator[tuple[int, bytes, bytes]]:
        """Start, seal before and JSON of each line, up to the first that does not fit."""
        end, before = self.end, self.seal
        for lines in self._pieces():
            for line in lines:
                # `fits`, written out: a hundred thousand calls are a tenth of a second.
                body = b"{" + line[_BODY:]
                found = sha256(before + body).digest()
                if line[:_BODY] != b'{"seal":"%b",' % found.hex().encode():
                    self.clean = not line
                    return
                self.end = end + len(line) + 1
                self.seal = found
                yield end, before, body
                end, before = self.end, found

    def _pieces(self) -> Iterator[list[bytes]]:
        """The lines, many at a time; an empty one where there is room for lines."""
        rest = b""
        at, chunk = self.end, _FIRST_CHUNK
        while piece := os.pread(self._fd, chunk, at):
            at += len(piece)
            chunk = min(chunk << 4, _CHUNK)
            text = rest + piece
            # Room for lines is thousands of empty ones, and the first says it all.
            full = text.rstrip(b"\n")
            lines = full.split(b"\n")
            ends = len(text) - len(full)
            rest = b"" if ends else lines.pop()
            yield [*lines, b""] if ends > 1 else lines
            if len(rest) > LONGEST:
                break
        if rest:
            self.unended = bool(fits(self.seal, rest))
            yield [rest]

    def left(self) -> int:
        """Bytes after the last line, if they are anything but room for lines; else 0.

        Raises:
            ValueError: There is a whole line among them, which does not fit: this is no
                accident of writing.
        """
        at, torn, rest = self.end, False, b""
        while piece := os.pread(self._fd, _CHUNK, at):
            at += len(piece)
            text = rest + piece
            full = text.strip(b"\n")
            *lines, rest = full.split(b"\n")
            if text.endswith(b"\n"):
                lines.append(rest)
                rest = b""
            for line in lines:
                torn = _is_torn(line) or torn
            rest = rest[-LONGEST:]
        torn = _is_torn(rest) or torn
        return at - self.end if torn else 0


def line_number(fd: int, at: int) -> int:
    """Which line of the open file, from 1, starts at a byte."""
    number, place = 1, 0
    while place < at and (piece := os.pread(fd, min(_CHUNK, at - place), place)):
        number += piece.count(b"\n")
        place += len(piece)
    return number


def _is_torn(line: bytes) -> bool:
    """Whether there is something in the line; what is whole is no torn line."""
    if not line:
        return False
    line = line.strip(b"\0")
    if line.startswith(b"{") and line.endswith(b"}") and _is_object(line):
        raise ValueError("it is whole, but does not fit what should stand before it")
    return True


def _is_object(line: bytes) -> bool:
    try:
        _OBJECT.decode(line)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return False
    return True
