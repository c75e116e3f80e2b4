"""Lines in, lines out: how every door of JSON lines is spoken to."""

from collections.abc import Callable
from typing import Any, BinaryIO, Final

import msgspec

from saniwa.core.errors import ProtocolError

LONGEST_LINE: Final = 64 * 1024 * 1024
"""Bytes one line may have; a longer one is answered with an error and passed over."""


def converse(
    answer: Callable[[bytes], msgspec.Struct], lines: BinaryIO, out: BinaryIO
) -> None:
    """Answer every line with one line, until there are no more."""
    while line := lines.readline(LONGEST_LINE):
        whole = line.endswith(b"\n") or len(line) < LONGEST_LINE
        told = answer(line) if whole else _too_long(lines)
        out.write(msgspec.json.encode(told) + b"\n")
        out.flush()


def _too_long(lines: BinaryIO) -> Any:
    from saniwa.run.asking import refused

    while (rest := lines.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
        pass
    return refused(
        ProtocolError(
            "PROTOCOL_LINE_TOO_LONG", f"the line is longer than {LONGEST_LINE} bytes"
        )
    )
