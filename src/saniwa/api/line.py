"""A request as one line: for programs as JSON, for people in columns."""

from collections.abc import Callable
from typing import Final, Literal, TextIO

import msgspec

from saniwa.core.quoted import printable

Form = Literal["people", "json", "none"]
"""How requests are written down."""


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is written about a request; nothing of what was said in it."""

    time: str
    """When it came; ISO 8601."""
    request: str
    """Its id, which the answer carries as `X-Request-Id`."""
    method: str
    """How it was asked."""
    route: str
    """The path as the table has it; `page` for what is no operation."""
    status: int
    """What was answered; 0 if whoever asked was gone before."""
    ms: float
    """How long it took."""
    visitor: str = ""
    """The name of whoever asked; nothing for who did not sign in."""
    run: str = ""
    """The run it was about."""
    code: str = ""
    """The code of the problem that was answered."""
    error: str = ""
    """The kind of error that nobody foresaw."""
    trace: tuple[str, ...] = ()
    """And where it happened, the innermost place last."""
    held_ms: float = 0.0
    """How long it kept all other requests waiting; told from 200 on."""
    during: tuple[str, ...] = ()
    """What was asked for while the server stood still and no request says why."""


Write = Callable[[Line], None]
"""Writes a line down."""


def writer(form: Form, stream: TextIO) -> Write:
    """Writes lines to a stream, each whole and at once."""
    if form == "none":
        return lambda _: None
    made = _for_programs if form == "json" else _for_people

    def write(line: Line) -> None:
        stream.write(made(line) + "\n")
        stream.flush()

    return write


def _for_programs(line: Line) -> str:
    return msgspec.json.encode(line).decode()


_HOUR: Final = slice(11, 19)


def _for_people(line: Line) -> str:
    told = f"{line.time[_HOUR]}  {line.status or 'gone'}  {line.ms:7.1f} ms"
    parts = [f"{told}  {line.method:<6} {line.route}", line.visitor, line.run]
    parts += [line.code, line.error, " < ".join(reversed(line.trace))]
    if line.held_ms:
        parts.append(f"kept the server busy for {line.held_ms:.0f} ms")
    parts += line.during
    return printable("  ".join(part for part in parts if part))
