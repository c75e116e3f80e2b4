"""The server process: the app with all layers, its socket, log and telemetry.

A connection that never sends anything costs an open file from its first moment, long
before TLS or HTTP see it. So connections are counted when they are accepted, one too
many is closed at once, and a slow client has deadlines.
"""

import asyncio
import gc
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import Any, Final, TextIO
from weakref import WeakKeyDictionary

import h11
import msgspec
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from saniwa.app.gate.configuration import locate_gate
from saniwa.app.workspace import Workspace
from saniwa.core import system_calls
from saniwa.core.errors import ProtocolError
from saniwa.core.extras import require_packages
from saniwa.core.text import quote_value
from saniwa.core.tracing import use_tracer
from saniwa.http.access_log import AccessLog, LogFormat, make_log_writer
from saniwa.http.admission import RequestAdmission
from saniwa.http.application import HTTP_OPERATIONS, make_app
from saniwa.http.host_names import is_same_machine
from saniwa.http.limits import find_client_network
from saniwa.http.page import build_custom_page_routes, build_page_routes
from saniwa.http.router import make_text_body_check
from saniwa.http.server_settings import ServerSettings
from saniwa.store.gate.people import People

REQUEST_HEAD_SECONDS: Final = 10.0
"""Seconds until a request's head must have arrived completely."""
UNREAD_ANSWER_SECONDS: Final = 30.0
"""Seconds for which an answer may stay unread."""


MAX_HEAD_BYTES: Final = 65_536
"""The most bytes of a request's head."""


class AnswerConnection(h11.Connection):
    """The HTTP of one connection; sends an answer of known length in one piece.

    uvicorn writes the head of an answer, and then its body. Each piece is a call of the
    system that wakes the client, and the client can do nothing with a head alone.
    """

    _head = b""

    def send(self, event: h11.Event) -> bytes | None:  # type: ignore[override]  # h11 overloads it
        """Return the bytes to send now; a head with a length waits for its body."""
        found = super().send(event)
        if isinstance(event, h11.Response) and _has_length(event):
            self._head, found = found or b"", b""
        elif self._head and found is not None:
            self._head, found = b"", self._head + found
        return found


def _has_length(answer: h11.Response) -> bool:
    return any(name == b"content-length" for name, _ in answer.headers)


class DeadlineProtocol(H11Protocol):
    """The HTTP protocol of uvicorn with deadlines for slow clients."""

    head_seconds = REQUEST_HEAD_SECONDS
    """Seconds until a request's head must have arrived completely."""
    unread_seconds = UNREAD_ANSWER_SECONDS
    """Seconds for which an answer may stay unread."""

    def __init__(self, *given: Any, **named: Any) -> None:
        """Create a protocol with uvicorn's own arguments."""
        super().__init__(*given, **named)
        self.conn = AnswerConnection(h11.SERVER, MAX_HEAD_BYTES)
        self._deadlines: dict[str, asyncio.TimerHandle] = {}

    def _start_deadline(self, what: str, seconds: float) -> None:
        """Start a deadline, or let it run on: single bytes do not extend the time."""
        if what not in self._deadlines:
            self._deadlines[what] = self.loop.call_later(seconds, self.transport.abort)

    def _end_deadline(self, what: str) -> None:
        if what in self._deadlines:
            self._deadlines.pop(what).cancel()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn does
        """Start to wait for the first request."""
        super().connection_made(transport)
        self._start_deadline("head", self.head_seconds)

    def data_received(self, data: bytes) -> None:
        """Wait on for an incomplete request; stop waiting when it is complete."""
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._start_deadline("head", self.head_seconds)
        else:
            self._end_deadline("head")

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel both timers."""
        self._end_deadline("head")
        self._end_deadline("answer")
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Start to wait for a client that does not read its answer."""
        super().pause_writing()
        self._start_deadline("answer", self.unread_seconds)

    def resume_writing(self) -> None:
        """Stop waiting: the client reads on."""
        super().resume_writing()
        self._end_deadline("answer")


MAX_CONNECTIONS_PER_ADDRESS: Final = 100
"""Connections of one address, on a server that other machines can reach."""
MAX_CONNECTIONS: Final = 10_000
"""Connections of all clients, if the system sets no limit."""


def compute_max_connections() -> int:
    """Return the limit for all clients; a quarter of open files is for the store."""
    allowed = system_calls.read_open_file_limit()
    if allowed is None:
        return MAX_CONNECTIONS
    return min(allowed * 3 // 4, MAX_CONNECTIONS)


class CountedListener(socket.socket):
    """A listening socket with limits on connections, for each address and in total."""

    max_total = MAX_CONNECTIONS
    """Connections of all clients."""
    each: int | None = None
    """Connections of one address; None for no limit."""
    proxy = ""
    """An address without a limit, because all others come through it."""

    def __init__(self, *given: Any, **named: Any) -> None:
        """Create a socket with the usual arguments."""
        super().__init__(*given, **named)
        self._open = WeakKeyDictionary[socket.socket, str]()

    def set_limits(self, settings: ServerSettings) -> None:
        """Set the limits according to how the server is opened.

        On a server for this machine alone, all clients have one address.
        """
        self.max_total = compute_max_connections()
        # One address never has more than half, however small the total is.
        self.each = (
            None if settings.is_private else min(MAX_CONNECTIONS_PER_ADDRESS, self.max_total // 2)
        )
        self.proxy = settings.proxy

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection; one too many is closed and not returned.

        Raises:
            ConnectionAbortedError: It was one too many.
        """
        line, peer = super().accept()
        network = find_client_network({"client": peer})
        if self._is_full(network, str(peer[0])):
            self._forget_closed()
            if self._is_full(network, str(peer[0])):
                line.close()
                raise ConnectionAbortedError("too many connections are open")
        self._open[line] = network
        return line, peer

    def _forget_closed(self) -> None:
        for line in [each for each in self._open if each.fileno() < 0]:
            del self._open[line]

    def _is_full(self, network: str, peer: str) -> bool:
        if len(self._open) >= self.max_total:
            return True
        if self.each is None or (self.proxy and is_same_machine(peer, self.proxy)):
            return False
        return sum(each == network for each in self._open.values()) >= self.each


_OTEL_PREFIX = "OTEL_EXPORTER_"
_OTEL_PACKAGES = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")


def is_telemetry_wanted(requested: bool, environment: Mapping[str, str]) -> bool:
    """Whether telemetry is requested, or the environment names a collector.

    Raises:
        ProtocolError: `EXTRA_MISSING` if it is wanted and not installed.
    """
    if not requested and not any(name.startswith(_OTEL_PREFIX) for name in environment):
        return False
    # The packages inside of one that is missing cannot be looked for.
    for packages in (("opentelemetry",), _OTEL_PACKAGES):
        require_packages(
            *packages,
            extra="telemetry",
            what="telemetry needs",
            otherwise="serve without it",
            kind=ProtocolError,
        )
    return True


def list_exposure_warnings(settings: ServerSettings, people: Path) -> tuple[str, ...]:
    """Return warnings about a server that other machines reach; none if it is private.

    Raises:
        StoreError: `STORE_UNREADABLE` if the people's file cannot be read.
    """
    if settings.is_private:
        return ()
    warnings = []
    if not People(people).list_people():
        warnings.append(
            "no people are registered, so signing in from other machines is not possible; add one: "
            "saniwa gate people add NAME --role ROLE"
        )
    if not settings.https:
        warnings.append(
            "names and secrets are sent unencrypted: give --certificate and "
            "--private-key, or --behind-https if a proxy terminates TLS"
        )
    if settings.is_loopback_only and not settings.proxy:
        warnings.append(
            "every request comes from this machine, so all visitors share one rate "
            "limit: name the proxy with --trusted-proxy ADDRESS"
        )
    return tuple(warnings)


@contextmanager
def monitor_app(
    app: RequestAdmission,
    workspace: Workspace,
    form: LogFormat,
    stream: TextIO,
    *,
    telemetry: bool = False,
) -> Iterator[ASGIApp]:
    """Yield the app with access log and telemetry; close them afterwards.

    Raises:
        ProtocolError: `EXTRA_MISSING` if telemetry is wanted and not installed.
    """
    with ExitStack() as closing:
        watched: ASGIApp = app
        if is_telemetry_wanted(telemetry, os.environ):
            from saniwa.http.telemetry import start_telemetry

            exporter = start_telemetry(version("saniwa"))
            closing.callback(exporter.close)
            use_tracer(exporter.tracer)
            closing.callback(use_tracer, None)
            watched = exporter.wrap_app(
                app, streams=lambda: app.streams.open_count, runs=lambda: workspace.open_count
            )
        write, clock, ids = make_log_writer(form, stream), workspace.clock, workspace.ids
        yield AccessLog(watched, write, clock=clock, ids=ids, seconds=time.monotonic)


GRACE_SECONDS: Final = 2
"""Seconds that running requests have when the server is stopped."""
HANDSHAKE_SECONDS: Final = 10.0
"""Seconds until a TLS handshake must be complete; asyncio itself waits a minute."""
EXIT_SECONDS: Final = GRACE_SECONDS + 3
"""Seconds after which a stopped server has exited."""
THREAD_SWITCH_SECONDS: Final = 0.0005
"""Seconds after which a working thread lets another one run."""
YOUNG_OBJECTS: Final = 10_000
"""New objects after which the garbage collector runs; 700 in other programs."""
_PORT_TRIES: Final = 20
_ANY_ADDRESS: Final = ("0.0.0.0", "::")


class ServeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Where to listen, and with which files."""

    settings: ServerSettings
    """Host names and limits."""
    port: int = 0
    """The port; 0 for a free one."""
    exact: bool = False
    """Whether only this port is allowed; otherwise the next free one is used."""
    folder: Path = Path(".saniwa")
    """The folder of the server's key."""
    certificate: str = ""
    """The file of a TLS certificate; empty for none."""
    private_key: str = ""
    """The file of its key."""
    page: str = ""
    """The file of an author's own page; empty for none."""


def build_served_app(workspace: Workspace, serving: ServeOptions) -> RequestAdmission:
    """Build the application that is served."""
    places = locate_gate(workspace.places.gate or None)
    own = build_custom_page_routes(Path(serving.page)) if serving.page else []
    files = (serving.certificate, serving.private_key)
    workspace.protected_paths.add(serving.folder, *(Path(each) for each in files if each))
    return RequestAdmission(
        make_app(workspace, [*own, *build_page_routes()]),
        serving.settings,
        people=places.people,
        folder=serving.folder,
        clock=workspace.clock,
        takes_text=make_text_body_check(HTTP_OPERATIONS),
    )


def bind_socket(serving: ServeOptions) -> socket.socket:
    """Return a socket at the port, or at the first free one after it.

    Raises:
        ProtocolError: `PORT_TAKEN`.
    """
    host = serving.settings.host
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    tries = _PORT_TRIES if serving.port and not serving.exact else 1
    problem: Exception | None = None
    for port in range(serving.port, serving.port + tries):
        # With the protocol number, because asyncio sets TCP_NODELAY only on sockets
        # that are known to be TCP.
        listening = CountedListener(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.set_limits(serving.settings)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
        except (OSError, TypeError, UnicodeError) as failed:  # the host is invalid
            listening.close()
            problem = failed
        else:
            return listening
    raise ProtocolError(
        "PORT_TAKEN",
        f"cannot listen on {quote_value(host)}, port {serving.port}: {problem}",
        hint="choose another port with --port N; 0 picks a free one",
    ) from problem


def describe_other_port(listening: socket.socket, serving: ServeOptions) -> str:
    """Return a note that another port is used than the usual one; empty if it is not."""
    used = listening.getsockname()[1]
    if used == serving.port or not serving.port:
        return ""
    return f"port {serving.port} is already in use; this server uses {used} (--port chooses one)"


def find_browser_url(listening: socket.socket, serving: ServeOptions) -> str:
    """Return the URL for a browser."""
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    if host == "127.0.0.1":
        shown = "localhost"
    elif host in _ANY_ADDRESS:
        shown = next(iter(serving.settings.hosts), "localhost")
    return f"{'https' if serving.certificate else 'http'}://{shown}:{port}/"


async def serve_app(
    app: ASGIApp,
    serving: ServeOptions,
    listening: socket.socket,
    ready: Callable[[], None] = lambda: None,
    leaving: Callable[[], None] = lambda: None,
) -> None:
    """Serve until the process is stopped.

    `ready` is called when it accepts requests, and `leaving` when it is stopped:
    endless answers must end then by themselves.

    Raises:
        ProtocolError: `SYSTEM_ERROR` if the certificate and its key are unusable.
    """
    # Threads that read long texts switch sooner, so that short requests run in between.
    sys.setswitchinterval(THREAD_SWITCH_SECONDS)
    server = _Server(_make_config(app, serving), ready, leaving)
    # Objects made so far are not collected as garbage, which would pause requests; and
    # turns make few cycles, so looking for them seldom is enough.
    gc.collect()
    gc.freeze()
    before = gc.get_threshold()
    gc.set_threshold(YOUNG_OBJECTS, *before[1:])
    try:
        await server.serve(sockets=[listening])
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def _make_config(app: ASGIApp, serving: ServeOptions) -> uvicorn.Config:
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
        # Also because the other parser that uvicorn might find does not limit headers.
        http=DeadlineProtocol,
        loop="asyncio",
        ws="none",
    )
    try:
        config.load()
    except OSError as problem:
        key = serving.private_key or serving.certificate
        raise ProtocolError(
            "SYSTEM_ERROR",
            f"the certificate {serving.certificate!r} cannot be used "
            f"with the key in {key!r}: {problem.strerror or problem}",
            hint="--certificate and --private-key must be matching PEM files",
        ) from problem
    return config


def schedule_exit() -> None:
    """Exit this process after `EXIT_SECONDS`, whatever its threads are doing.

    Call it when the server is stopped: what was acknowledged is durable, and a thread
    that computes an answer for a closed request would delay the exit.
    """
    timer = threading.Timer(EXIT_SECONDS, os._exit, (0,))
    timer.daemon = True
    timer.start()


class _Server(uvicorn.Server):
    """Calls back when it accepts requests, and when it is stopped."""

    def __init__(
        self, config: uvicorn.Config, ready: Callable[[], None], leaving: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._ready = ready
        self._leaving = leaving

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen, and call `ready`.

        uvicorn has no setting for the time of a TLS handshake, and asyncio takes it only
        where a server starts.
        """
        loop = asyncio.get_running_loop()
        begin = loop.create_server
        if self.config.is_ssl:
            limited = partial(begin, ssl_handshake_timeout=HANDSHAKE_SECONDS)
            loop.create_server = limited  # type: ignore[method-assign]  # only way in
        try:
            await super().startup(sockets)
        finally:
            loop.create_server = begin  # type: ignore[method-assign]  # and out
        if self.started:
            self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop, and do not raise the signal again, as uvicorn would do.

        The caller has things to close, and Ctrl-C is the usual way to stop.
        """
        super().handle_exit(sig, frame)
        self._leaving()
        self._captured_signals.clear()
