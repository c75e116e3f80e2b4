"""`saniwa mcp`: the server that agents and their editors start."""

import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

import click

from saniwa.cli.gate.door import dir_option, tell_mended
from saniwa.cli.options import store_option, store_place
from saniwa.core.errors import ProtocolError
from saniwa.core.extra import missing

if TYPE_CHECKING:
    from saniwa.mcp.http import Address
    from saniwa.mcp.server import Door
    from saniwa.process.gate import Gate

_LIBRARIES = ("mcp", "mcp_types", "anyio", "starlette", "uvicorn", "pydantic")


@click.command(
    epilog="""\b
Examples:
  saniwa mcp                              for a client that starts it: stdio
  saniwa mcp --role agent --run last      for one run
  saniwa mcp --http 127.0.0.1:8765        for clients on this machine
"""
)
@dir_option
@click.option(
    "--role",
    metavar="ROLE",
    help="The role of whoever comes in (else $STATE_GATE_ROLE, else agent).",
)
@click.option(
    "--http",
    "address",
    metavar="HOST:PORT",
    help="Speak streamable HTTP there; port 0 for a free one.",
)
@store_option
@click.option(
    "--run", metavar="RUN", help="The run that is meant where a call names none."
)
def mcp(
    place: str | None,
    role: str | None,
    address: str | None,
    store: str | None,
    run: str | None,
) -> None:
    """Speak the Model Context Protocol: the gate's tools, and the world's.

    Whoever comes in has the role the server was started with; no tool takes one. A
    credential in $STATE_GATE_CREDENTIAL makes it a person's door. With --http, other
    machines come in only with the token in $STATE_GATE_TOKEN.
    """
    from saniwa.wiring.gate import open_gate

    _check_library()
    gate = open_gate(place, role=role, as_written=True, store=store)
    try:
        _serve(gate, place, store_place(store), run, address)
    finally:
        gate.close()
        _tell_mended(gate)


def _serve(
    gate: "Gate", place: str | None, store: str, run: str | None, address: str | None
) -> None:
    from saniwa.mcp.assemble import assemble
    from saniwa.wiring import Parts

    named = _named(gate, place, run)
    listening = None if address is None else _address(address)
    with closing(Parts.open(store)) as parts:
        door = assemble(gate, parts, named, partial(_tell_mended, gate))
        if listening is None:
            _speak(door)
        else:
            _listen(door, listening, gate)


def _speak(door: "Door") -> None:
    from saniwa.mcp import stdio

    if sys.stdin.isatty():
        _tell("waiting for a client on standard input; Ctrl-C ends")
    _until_done(partial(stdio.serve, door.server))


def _listen(door: "Door", address: "Address", gate: "Gate") -> None:
    from saniwa.mcp import http

    token = os.environ.get("STATE_GATE_TOKEN", "")
    http.check_guarded(address, token, person=gate.visitor.person)

    def tell(where: str) -> None:
        _tell(f"listening at {where}, for the role {gate.visitor.role!r}; Ctrl-C ends")

    _until_done(partial(http.serve, door, address, token, tell))


def _named(gate: "Gate", place: str | None, run: str | None) -> Callable[[], str]:
    from saniwa.wiring.gate import configured_run, gate_folders, run_named

    if run is not None:
        run_id = run_named(gate, run)
        return lambda: run_id
    places = gate_folders(place)

    def configured() -> str:
        # Asked anew with every call: somebody may name another run while we serve.
        named = configured_run(places)
        return run_named(gate, named) if named else ""

    return configured


def _address(text: str) -> "Address":
    from saniwa.mcp.http import Address

    host, colon, port = text.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise click.BadParameter(
            f"{text!r} is no HOST:PORT, such as 127.0.0.1:8765", param_hint="--http"
        )
    return Address(host.removeprefix("[").removesuffix("]"), int(port))


def _until_done(serve: Callable[[], Awaitable[None]]) -> None:
    import anyio

    try:
        anyio.run(serve)
    except BaseExceptionGroup as several:
        # The SDK's tasks fail together; one of them was the first to know.
        first: BaseException = several
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        raise first from several


def _tell_mended(gate: "Gate") -> None:
    """What was mended since the last time; who mends may be at work in other threads."""
    mended = getattr(gate.log, "mended", [])
    while mended:
        tell_mended([mended.pop(0)])


def _tell(text: str) -> None:
    click.echo(f"saniwa mcp: {text}", err=True)


def _check_library() -> None:
    try:
        import mcp.server.lowlevel  # noqa: F401 - only to know whether it is there
    except ImportError as problem:
        if (problem.name or "").partition(".")[0] not in _LIBRARIES:
            raise
        what = "the MCP server needs"
        raise missing("mcp", extra="mcp", what=what, kind=ProtocolError) from problem
