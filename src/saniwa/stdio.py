"""The loop of every JSON lines interface: reads lines and writes their answers."""

from collections.abc import Callable
from typing import Any, BinaryIO, Final

import msgspec

from saniwa.core.errors import ProtocolError

MAX_LINE_BYTES: Final = 64 * 1024 * 1024
"""The longest line in bytes; a longer one is answered with an error and skipped."""


def serve_lines(answer: Callable[[bytes], msgspec.Struct], lines: BinaryIO, out: BinaryIO) -> None:
    """Answer every line with one line, until input ends."""
    while line := lines.readline(MAX_LINE_BYTES):
        complete = line.endswith(b"\n") or len(line) < MAX_LINE_BYTES
        reply = answer(line) if complete else _refuse_long_line(lines)
        out.write(msgspec.json.encode(reply) + b"\n")
        out.flush()


def _refuse_long_line(lines: BinaryIO) -> Any:
    from saniwa.runs.json_line_messages import make_error_answer

    while (rest := lines.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
        pass
    return make_error_answer(
        ProtocolError("PROTOCOL_LINE_TOO_LONG", f"the line is longer than {MAX_LINE_BYTES} bytes")
    )
