"""A server: the door, the page beside it, and the guard before both."""

import asyncio
import gc
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import Final, TextIO

import msgspec
import uvicorn

from saniwa.app.gate.places import locate_gate
from saniwa.app.workspace import Workspace
from saniwa.core.errors import ProtocolError
from saniwa.core.extras import require_packages
from saniwa.core.text import quote_value
from saniwa.http.access_log import AccessLog, LogFormat, make_log_writer
from saniwa.http.app import make_app
from saniwa.http.asgi import App
from saniwa.http.connections import CountedListener, DeadlineProtocol
from saniwa.http.middleware.stack import MiddlewareStack, wrap_app
from saniwa.http.operations import OPERATIONS
from saniwa.http.page import build_custom_page_routes, build_page_routes
from saniwa.http.router import make_text_body_check
from saniwa.http.settings import ServerSettings
from saniwa.store.gate.people import People

_OTEL_PREFIX = "OTEL_EXPORTER_"
_OTEL_PACKAGES = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")


def is_telemetry_wanted(said: bool, environment: Mapping[str, str]) -> bool:
    """Whether it was said, or the environment names where to tell it.

    Raises:
        ProtocolError: `EXTRA_MISSING` if it is wanted and cannot be had.
    """
    if not said and not any(name.startswith(_OTEL_PREFIX) for name in environment):
        return False
    require_packages(
        "opentelemetry",
        extra="telemetry",
        what="telemetry needs",
        otherwise="serve without it",
        kind=ProtocolError,
    )
    require_packages(
        *_OTEL_PACKAGES,
        extra="telemetry",
        what="telemetry needs",
        otherwise="serve without it",
        kind=ProtocolError,
    )
    return True


def list_exposure_warnings(settings: ServerSettings, people: Path) -> tuple[str, ...]:
    """What is not as it should be for a server that others reach; nothing for one of our own.

    Raises:
        StoreError: `STORE_UNREADABLE` if who is known cannot be read.
    """
    if settings.is_private:
        return ()
    told = []
    if not People(people).list_people():
        told.append(
            "nobody is known yet, so nobody from elsewhere can sign in: "
            "saniwa gate people add NAME --role ROLE"
        )
    if not settings.https:
        told.append(
            "names and secrets travel in the clear: give --certificate and "
            "--private-key, or --behind-https if a proxy speaks TLS"
        )
    if settings.is_loopback_only and not settings.proxy:
        told.append(
            "only this machine reaches the server, so everybody comes from one address "
            "and shares its limits: name the proxy in front with --trusted-proxy ADDRESS"
        )
    return tuple(told)


@contextmanager
def monitor_app(
    app: MiddlewareStack,
    garden: Workspace,
    form: LogFormat,
    stream: TextIO,
    *,
    telemetry: bool = False,
) -> Iterator[App]:
    """The app with everything that is told about it; ends what it began.

    Raises:
        ProtocolError: `EXTRA_MISSING` if telemetry is wanted and cannot be had.
    """
    with _add_telemetry(app, garden, telemetry) as watched:
        yield AccessLog(
            watched,
            make_log_writer(form, stream),
            clock=garden.clock,
            ids=garden.ids,
            seconds=time.monotonic,
        )


@contextmanager
def _add_telemetry(
    app: MiddlewareStack, garden: Workspace, telemetry: bool
) -> Iterator[App]:
    if not is_telemetry_wanted(telemetry, os.environ):
        yield app
        return
    from saniwa.http.telemetry import start_telemetry

    told = start_telemetry(version("saniwa"))
    try:
        yield told.wrap_app(
            app, streams=lambda: app.streams.open_count, runs=lambda: garden.open_count
        )
    finally:
        told.close()


GRACE_SECONDS: Final = 2
"""Seconds that answers under way are given when the server is told to end."""
HANDSHAKE_SECONDS: Final = 10.0
"""Seconds until TLS must be agreed on; the event loop itself would wait a minute."""
EXIT_SECONDS: Final = GRACE_SECONDS + 3
"""Seconds after which a server that was told to end is gone."""
THREAD_SWITCH_SECONDS: Final = 0.0005
"""Seconds after which a thread that works lets another one go on."""
_PORT_TRIES: Final = 20
_ANY_ADDRESS: Final = ("0.0.0.0", "::")


class ServeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Where to listen, and as whom."""

    settings: ServerSettings
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


def build_served_app(garden: Workspace, serving: ServeOptions) -> MiddlewareStack:
    """The application that is served."""
    places = locate_gate(garden.places.gate or None)
    own = build_custom_page_routes(Path(serving.page)) if serving.page else []
    files = (serving.certificate, serving.private_key)
    garden.kept.add(serving.folder, *(Path(each) for each in files if each))
    return wrap_app(
        make_app(garden, [*own, *build_page_routes()]),
        serving.settings,
        people=places.people,
        folder=serving.folder,
        clock=garden.clock,
        takes_text=make_text_body_check(OPERATIONS),
    )


def bind_socket(serving: ServeOptions) -> socket.socket:
    """A socket at the port, or at the first free one after it.

    Raises:
        ProtocolError: `PORT_TAKEN`.
    """
    host = serving.settings.host
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    ports = [serving.port]
    if serving.port and not serving.exact:
        ports += [serving.port + n for n in range(1, _PORT_TRIES)]
    problem: Exception | None = None
    for port in ports:
        # By its number: asyncio sends at once only where it is told that this is TCP.
        listening = CountedListener(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.set_limits(serving.settings)
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
        f"nobody can listen at {quote_value(host)}, port {serving.port}: {problem}",
        hint="name another: --port N, or 0 for a free one",
    ) from problem


def find_browser_url(listening: socket.socket, serving: ServeOptions) -> str:
    """Where a browser finds it."""
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    if host == "127.0.0.1":
        shown = "localhost"
    elif host in _ANY_ADDRESS:
        shown = next(iter(serving.settings.hosts), "localhost")
    return f"{'https' if serving.certificate else 'http'}://{shown}:{port}/"


async def serve_app(
    app: App,
    serving: ServeOptions,
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
        timeout_graceful_shutdown=GRACE_SECONDS,
        ssl_certfile=serving.certificate or None,
        ssl_keyfile=serving.private_key or None,
        # Also because the other parser that uvicorn might find takes headers without end.
        http=DeadlineProtocol,
        loop="asyncio",
        ws="none",
    )
    # Threads that read long texts let go sooner, so that short requests pass between.
    sys.setswitchinterval(THREAD_SWITCH_SECONDS)
    try:
        config.load()
    except OSError as problem:
        raise _make_certificate_error(serving, problem) from problem
    server = _Server(config, ready, leaving)
    with _freeze_garbage():
        await server.serve(sockets=[listening])


def schedule_exit() -> None:
    """End this process after `EXIT_SECONDS` seconds, whatever its threads are still doing.

    To be called when the server was told to end: what was acknowledged is durable, and
    a thread that works out an answer for a request that is gone would hold it up.
    """
    timer = threading.Timer(EXIT_SECONDS, os._exit, (0,))
    timer.daemon = True
    timer.start()


@contextmanager
def _freeze_garbage() -> Iterator[None]:
    """Keep everybody from waiting while all that was made before is searched for garbage."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextmanager
def _limit_handshake(*, secured: bool) -> Iterator[None]:
    """Have servers that begin inside end a handshake that takes too long.

    uvicorn has no setting for it, and asyncio takes it only where a server begins.
    """
    loop = asyncio.get_running_loop()
    begin = loop.create_server
    if secured:
        limited = partial(begin, ssl_handshake_timeout=HANDSHAKE_SECONDS)
        loop.create_server = limited  # type: ignore[method-assign]
    try:
        yield
    finally:
        loop.create_server = begin  # type: ignore[method-assign]


def _make_certificate_error(serving: ServeOptions, problem: OSError) -> ProtocolError:
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
        with _limit_handshake(secured=self.config.is_ssl):
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
