"""A server: the door, the page beside it, and the guard before both."""

import asyncio
import gc
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Final

import msgspec
import uvicorn

from saniwa.api.app import make_app
from saniwa.api.guard.asgi import App
from saniwa.api.guard.guarded import Guarded, guard
from saniwa.api.guard.settings import Settings
from saniwa.api.routes import find_text_routes
from saniwa.api.table import OPERATIONS
from saniwa.core.errors import ProtocolError
from saniwa.core.quoted import quoted
from saniwa.web.connection import PatientProtocol
from saniwa.web.listener import CountedListener
from saniwa.web.own import own_routes
from saniwa.web.page import page_routes
from saniwa.wiring.garden.garden import Garden
from saniwa.wiring.gate_places import gate_folders

GRACE: Final = 2
"""Seconds that answers under way are given when the server is told to end."""
HANDSHAKE: Final = 10.0
"""Seconds until TLS must be agreed on; the event loop itself would wait a minute."""
LAST: Final = GRACE + 3
"""Seconds after which a server that was told to end is gone."""
TAKE_TURNS: Final = 0.0005
"""Seconds after which a thread that works lets another one go on."""
_TRIES: Final = 20
_EVERYWHERE: Final = ("0.0.0.0", "::")


class Serving(msgspec.Struct, frozen=True, kw_only=True):
    """Where to listen, and as whom."""

    settings: Settings
    """Host and strictness."""
    port: int = 0
    """The port; 0 for a free one."""
    exact: bool = False
    """Whether only this port will do; else the next free one is taken."""
    folder: Path = Path(".saniwa")
    """Where the server keeps its key."""
    certificate: str = ""
    """The file of a TLS certificate; empty for none."""
    private_key: str = ""
    """The file of its key."""
    page: str = ""
    """The file of somebody's own page; empty for none."""


def served(garden: Garden, serving: Serving) -> Guarded:
    """The application that is served."""
    places = gate_folders(garden.places.gate or None)
    own = own_routes(Path(serving.page)) if serving.page else []
    files = (serving.certificate, serving.private_key)
    garden.kept.add(serving.folder, *(Path(each) for each in files if each))
    return guard(
        make_app(garden, [*own, *page_routes()]),
        serving.settings,
        people=places.people,
        folder=serving.folder,
        clock=garden.clock,
        takes_text=find_text_routes(OPERATIONS),
    )


def bound(serving: Serving) -> socket.socket:
    """A socket at the port, or at the first free one after it.

    Raises:
        ProtocolError: `PORT_TAKEN`.
    """
    host = serving.settings.host
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    ports = [serving.port]
    if serving.port and not serving.exact:
        ports += [serving.port + n for n in range(1, _TRIES)]
    problem: Exception | None = None
    for port in ports:
        # By its number: asyncio sends at once only where it is told that this is TCP.
        listening = CountedListener(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.bound_by(serving.settings)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
        except (OSError, TypeError, UnicodeError) as failed:  # no name of a machine
            listening.close()
            problem = failed
        else:
            return listening
    raise ProtocolError(
        "PORT_TAKEN",
        f"nobody can listen at {quoted(host)}, port {serving.port}: {problem}",
        hint="name another: --port N, or 0 for a free one",
    ) from problem


def address_of(listening: socket.socket, serving: Serving) -> str:
    """Where a browser finds it."""
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    if host == "127.0.0.1":
        shown = "localhost"
    elif host in _EVERYWHERE:
        shown = next(iter(serving.settings.hosts), "localhost")
    return f"{'https' if serving.certificate else 'http'}://{shown}:{port}/"


async def serve(
    app: App,
    serving: Serving,
    listening: socket.socket,
    ready: Callable[[], None] = lambda: None,
    leaving: Callable[[], None] = lambda: None,
) -> None:
    """Answer until somebody ends it.

    `ready` is called when it answers, and `leaving` when it is told to end: whatever
    would go on for ever ends then by itself.

    Raises:
        ProtocolError: `SYSTEM_ERROR` if the certificate and its key are of no use.
    """
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="on",
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=GRACE,
        ssl_certfile=serving.certificate or None,
        ssl_keyfile=serving.private_key or None,
        # Also because the other parser that uvicorn might find takes headers without end.
        http=PatientProtocol,
        loop="asyncio",
        ws="none",
    )
    # Threads that read long texts let go sooner, so that short requests pass between.
    sys.setswitchinterval(TAKE_TURNS)
    try:
        config.load()
    except OSError as problem:
        raise _no_certificate(serving, problem) from problem
    server = _Server(config, ready, leaving)
    with _what_is_here_stays():
        await server.serve(sockets=[listening])


def end_without_delay() -> None:
    """End this process after `LAST` seconds, whatever its threads are still doing.

    To be called when the server was told to end: what was acknowledged is durable, and
    a thread that works out an answer for a request that is gone would hold it up.
    """
    timer = threading.Timer(LAST, os._exit, (0,))
    timer.daemon = True
    timer.start()


@contextmanager
def _what_is_here_stays() -> Iterator[None]:
    """Keep everybody from waiting while all that was made before is searched for garbage."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextmanager
def _handshake_limit(*, secured: bool) -> Iterator[None]:
    """Have servers that begin inside end a handshake that takes too long.

    uvicorn has no setting for it, and asyncio takes it only where a server begins.
    """
    loop = asyncio.get_running_loop()
    begin = loop.create_server
    if secured:
        limited = partial(begin, ssl_handshake_timeout=HANDSHAKE)
        loop.create_server = limited  # type: ignore[method-assign]
    try:
        yield
    finally:
        loop.create_server = begin  # type: ignore[method-assign]


def _no_certificate(serving: Serving, problem: OSError) -> ProtocolError:
    key = serving.private_key or serving.certificate
    return ProtocolError(
        "SYSTEM_ERROR",
        f"the certificate {serving.certificate!r} cannot be used "
        f"with the key in {key!r}: {problem.strerror or problem}",
        hint="--certificate and --private-key name PEM files that belong together",
    )


class _Server(uvicorn.Server):
    """Says when it answers, and when it is told to end."""

    def __init__(
        self,
        config: uvicorn.Config,
        ready: Callable[[], None],
        leaving: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._ready = ready
        self._leaving = leaving

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        with _handshake_limit(secured=self.config.is_ssl):
            await super().startup(sockets)
        if self.started:
            self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End, and leave it at that: uvicorn would be killed by the signal afterwards.

        Whoever serves has things to close, and Ctrl-C is the usual end.
        """
        super().handle_exit(sig, frame)
        self._leaving()
        self._captured_signals.clear()
