"""The commands that serve: `serve` for a browser; `mcp`, `host`, `world`, `lsp` for programs.

Also `schema`, which prints the published JSON Schemas. Each opens the services it needs;
programs are served on stdin and stdout, and by `mcp` also over HTTP. The protocols
themselves are in `saniwa.http`, `saniwa.mcp`, `saniwa.runs.world_json_lines` and `saniwa.lsp`.
"""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial, reduce
from importlib import import_module
from operator import or_
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import click
import msgspec

from saniwa.cli.command_definition import define_command, resolve_store
from saniwa.cli.gate.options import report_repairs
from saniwa.cli.render import exit_with
from saniwa.core.errors import ProtocolError, SaniwaError, ScriptError
from saniwa.core.extras import make_missing_extra_error, require_packages
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.system_calls import HAS_XDG
from saniwa.runs.json_lines import serve_lines

if TYPE_CHECKING:
    from saniwa.app.scenario_lookup import BookLayers
    from saniwa.http.access_log import LogFormat
    from saniwa.mcp.http import ListenAddress
    from saniwa.mcp.server import McpServer
    from saniwa.process.gate import Gate
    from saniwa.runs.world_json_lines import WorldHandler
    from saniwa.scenario.loader import Scenario


_NO_BROWSER = "note: no browser could be opened; open the address yourself"


def open_browser(address: str) -> None:
    """Open the address in a browser, without waiting for it to start."""
    if HAS_XDG:
        Thread(target=_open_with_desktop, args=(address,), daemon=True).start()
    else:
        click.launch(address)


def _open_with_desktop(address: str) -> None:
    """Open the address with xdg-open; its output and the browser's are discarded."""
    program = shutil.which("xdg-open")
    if program is None or _fails_to_launch(program, address):
        click.echo(_NO_BROWSER, err=True)


def _fails_to_launch(program: str, address: str) -> bool:
    silent = subprocess.DEVNULL
    done = subprocess.run(
        [program, address], stdin=silent, stdout=silent, stderr=silent, check=False
    )
    return done.returncode != 0


DEFAULT_PORT = 8420
"""The port to listen on without `--port`."""
_EXISTING_FILE = click.Path(exists=True, dir_okay=False, readable=True)


@define_command("serve")
def serve(
    *,
    port: Annotated[int, click.IntRange(0, 65_535)] | None,
    host: str = "127.0.0.1",
    no_open: bool,
    page: Annotated[str | None, _EXISTING_FILE],
    store: str | None,
    registry: str | None,
    stories: str = "stories",
    results: str = "results",
    gate: str | None,
    evidence: tuple[str, ...],
    allow_host: tuple[str, ...],
    certificate: Annotated[str | None, _EXISTING_FILE],
    private_key: Annotated[str | None, _EXISTING_FILE],
    behind_https: bool,
    trusted_proxy: str | None,
    log: Literal["people", "json", "none"] | None,
    telemetry: bool,
) -> None:
    """Start the web interface: play, watch, decide, compare, write.

    It needs no API key and no network. Only this machine can connect, unless --host says
    otherwise; then all users sign in with a name from `saniwa gate people`. Ctrl-C stops
    the server; everything it has acknowledged is saved.
    """
    if private_key and not certificate:
        raise click.UsageError("--private-key needs --certificate.")
    require_packages(
        "starlette", "uvicorn", extra="serve", what="the web interface needs", kind=ProtocolError
    )
    from saniwa.app.gate.configuration import locate_gate
    from saniwa.app.workspace import Workspace, WorkspacePlaces
    from saniwa.http.host_names import is_ip_address
    from saniwa.http.page import CUSTOM_PAGE_PATH
    from saniwa.http.server import (
        ServeOptions,
        bind_socket,
        build_served_app,
        describe_other_port,
        find_browser_url,
        list_exposure_warnings,
        monitor_app,
        schedule_exit,
    )
    from saniwa.http.server import serve_app as answer
    from saniwa.http.server_settings import ServerSettings

    if trusted_proxy is not None and not is_ip_address(trusted_proxy):
        raise click.BadParameter(
            f"{trusted_proxy!r} is not an IP address, such as 127.0.0.1",
            param_hint="--trusted-proxy",
        )
    serving = ServeOptions(
        settings=ServerSettings(
            host=host,
            hosts=allow_host,
            proxy=trusted_proxy or "",
            https=bool(certificate) or behind_https,
        ),
        port=DEFAULT_PORT if port is None else port,
        exact=port is not None,
        certificate=certificate or "",
        private_key=private_key or "",
        page=page or "",
    )
    for each in list_exposure_warnings(serving.settings, locate_gate(gate).people):
        click.echo(f"note: {each}", err=True)
    listening = bind_socket(serving)
    if note := describe_other_port(listening, serving):
        click.echo(f"note: {note}", err=True)
    workspace = Workspace(
        WorkspacePlaces(
            store=resolve_store(store),
            registry=registry or "",
            stories=stories,
            gate=gate or "",
            results=results,
            evidence=evidence,
        ),
        together=True,
    )
    address = find_browser_url(listening, serving)

    def ready() -> None:
        click.echo(f"Saniwa is running at {address} (Ctrl-C stops it)")
        if page:
            click.echo(f"Your page is at {address}{CUSTOM_PAGE_PATH}")
        sys.stdout.flush()
        if not no_open:
            open_browser(f"{address}{CUSTOM_PAGE_PATH if page else ''}")

    form: LogFormat = log or ("people" if sys.stderr.isatty() else "none")
    guarded = build_served_app(workspace, serving)
    with monitor_app(guarded, workspace, form, sys.stderr, telemetry=telemetry) as app:

        def leaving() -> None:
            workspace.notifier.close()
            schedule_exit()

        asyncio.run(answer(app, serving, listening, ready, leaving))


def open_world_handler(registry: str | Path | None = None) -> "WorldHandler":
    """Open the JSON lines handler for the scenarios of a registry."""
    from saniwa.app.scenario_lookup import load_book_layers, open_scenario
    from saniwa.runs.world_json_lines import WorldHandler

    def opener(
        named: str | dict[str, Any], book: str | dict[str, Any] | None
    ) -> tuple["Scenario", "BookLayers"]:
        scenario = open_scenario(named, registry)
        return scenario, load_book_layers(scenario, book, registry)

    return WorldHandler(opener)


AUTHORED_FORMATS: Final = {
    "agent": ("saniwa.agent.files.agent_file", "AGENT"),
    "flow": ("saniwa.agent.files.flow_file", "FLOW"),
    "plan": ("saniwa.experiment.plan_fields", "PLAN"),
    "process": ("saniwa.process.format", "PROCESS"),
    "registry": ("saniwa.scenario.format", "REGISTRY"),
    "rulebook": ("saniwa.rulebook.format", "BOOK"),
    "scenario": ("saniwa.scenario.format", "SCENARIO"),
}
"""The formats that people write, each with the module and name of its form."""


def render_authored_schema(name: str) -> str:
    """Return the JSON Schema of an authored format as text, for editors."""
    from saniwa.documents.json_schema import build_schema

    module, form = AUTHORED_FORMATS[name]
    schema = build_schema(getattr(import_module(module), form), name)
    return msgspec.json.format(msgspec.json.encode(schema), indent=2).decode()


def render_published_schema(name: Literal["stepresult", "host", "world", "turn"]) -> str:
    """Return a published JSON Schema as text."""
    match name:
        case "stepresult":
            from saniwa.story.step_result import read_schema_text

            return read_schema_text()
        case "host":
            from saniwa.app import host_json_lines

            return _render_lines_schema(
                host_json_lines.PLAY_REQUESTS,
                host_json_lines.PLAY_ANSWERS,
                name,
                host_json_lines.PLAY_PROTOCOL,
            )
        case "world":
            from saniwa.runs import world_json_lines

            return _render_lines_schema(
                world_json_lines.WORLD_REQUESTS,
                world_json_lines.WORLD_ANSWERS,
                name,
                world_json_lines.WORLD_PROTOCOL,
            )
        case "turn":
            from saniwa.turn.record import Turn

            return _add_schema_header(msgspec.json.schema(Turn), "urn:saniwa:turn:1")


def _render_lines_schema(
    requests: dict[str, type[Any]], answers: tuple[type[Any], ...], name: str, protocol: int
) -> str:
    """Build the schema of a protocol: each line is a request or an answer."""
    (request, *answered), parts = msgspec.json.schema_components(
        (reduce(or_, requests.values()), *answers), ref_template="#/$defs/{name}"
    )
    defined = parts | {"Request": request, "Answer": {"anyOf": answered}}
    either = [{"$ref": "#/$defs/Request"}, {"$ref": "#/$defs/Answer"}]
    schema = {"oneOf": either, "$defs": defined}
    return _add_schema_header(schema, f"urn:saniwa:{name}-lines:{protocol}")


def _add_schema_header(schema: dict[str, Any], urn: str) -> str:
    from saniwa.documents.json_schema import DIALECT

    head = {"$schema": DIALECT, "$id": urn}
    return msgspec.json.format(msgspec.json.encode(head | schema), indent=2).decode()


@define_command("host")
def host(
    *,
    stdio: Annotated[bool, {"required": True}],  # noqa: ARG001 - the flag is the agreement
    story: str = "",
    scenario: str = "",
    language: str = "",
    store: str | None,
    registry: str | None,
    stories: str = "stories",
) -> None:
    """Play stories and scenarios over JSON lines: one request per line, one answer per line.

    Operations: begin, resume, moment, step, choose, say, back, skip, preview, backlog,
    save, saves, load, remove, asset. Each answer is {"ok": true, ...} with the moment to
    show, or {"ok": false, "error": {...}}; a malformed line gets such an error.
    `saniwa schema host` prints the JSON Schema.
    """
    from saniwa.app.host_json_lines import HostDefaults, open_playing_handler
    from saniwa.app.workspace import WorkspacePlaces

    places = WorkspacePlaces(store=resolve_store(store), registry=registry or "", stories=stories)
    handler = open_playing_handler(
        places, HostDefaults(scenario=scenario, story=story, language=language)
    )
    with asyncio.Runner() as loop:
        serve_lines(
            lambda line: loop.run(handler.handle_line(line)), sys.stdin.buffer, sys.stdout.buffer
        )


@define_command("lsp")
def lsp(
    stdio: bool,  # noqa: ARG001 - editors may add it
) -> None:
    """Start a Language Server Protocol server for stories on stdin and stdout.

    Offers diagnostics, completion, definitions, references, renaming, hover, outline,
    formatting and quick fixes. Exits with status 0 after an orderly shutdown, else with 1.
    """
    with _require_extra(("pygls", "lsprotocol"), "lsp", "the language server needs", ScriptError):
        from saniwa.lsp.server import serve
    exit_with(serve())


@contextmanager
def _require_extra(
    libraries: tuple[str, ...], extra: str, what: str, kind: type[SaniwaError]
) -> Iterator[None]:
    """Report a missing library of an extra with the command that installs it."""
    try:
        yield
    except ImportError as problem:
        if (problem.name or "").partition(".")[0] not in libraries:
            raise
        raise make_missing_extra_error(libraries[0], extra=extra, what=what, kind=kind) from problem


_MCP_LIBRARIES = ("mcp", "mcp_types", "anyio", "starlette", "uvicorn", "pydantic")


@define_command("mcp")
def mcp(
    place: str | None,
    role: str | None,
    address: str | None,
    store: str | None,
    run: str | None,
    only: Literal["gate", "world"] | None,
) -> None:
    """Start a Model Context Protocol server with the tools of the gate and of the world.

    Every client has the role the server was started with; no tool can change it. A
    credential in $STATE_GATE_CREDENTIAL gives clients the role of that person. With
    --http, other machines need the token in $STATE_GATE_TOKEN.
    """
    from saniwa.app.gate.gate_opening import open_gate
    from saniwa.app.run_service import RunService

    with _require_extra(_MCP_LIBRARIES, "mcp", "the MCP server needs", ProtocolError):
        import mcp.server.lowlevel  # noqa: F401 - only to see whether it is installed
    from saniwa.mcp.server import build_server

    gate = open_gate(place, role=role, as_written=True, store=store)
    try:
        named = _make_run_resolver(gate, place, run)
        listening = None if address is None else _parse_address(address)
        with closing(RunService.open(resolve_store(store))) as parts:
            report = partial(_report_new_repairs, gate)
            alone = run is None and listening is None
            server = build_server(gate, parts, named, report, only, one_client=alone)
            if listening is None:
                _serve_stdio(server)
            else:
                _serve_http(server, listening, gate)
    finally:
        gate.close()
        _report_new_repairs(gate)


def _serve_stdio(server: "McpServer") -> None:
    from saniwa.mcp import stdio

    if sys.stdin.isatty():
        _print_status("waiting for a client on standard input; Ctrl-C stops the server")
    _run_until_done(partial(stdio.serve_stdio, server.server))


def _serve_http(server: "McpServer", address: "ListenAddress", gate: "Gate") -> None:
    from saniwa.mcp import http

    token = os.environ.get("STATE_GATE_TOKEN", "")
    http.check_token(address, token, person=gate.visitor.person)

    def report_address(where: str) -> None:
        _print_status(
            f"listening at {where}, for the role {gate.visitor.role!r}; Ctrl-C stops the server"
        )

    _run_until_done(partial(http.serve_http, server, address, token, report_address))


def _make_run_resolver(gate: "Gate", place: str | None, run: str | None) -> Callable[[], str]:
    from saniwa.app.gate.configuration import find_default_run, locate_gate
    from saniwa.app.gate.gate_opening import find_gate_run

    if run is not None:
        run_id = find_gate_run(gate, run)
        return lambda: run_id
    places = locate_gate(place)

    def find_configured_run() -> str:
        # Read again for every call: the configured run may change while this serves.
        named = find_default_run(places)
        return find_gate_run(gate, named) if named else ""

    return find_configured_run


def _parse_address(text: str) -> "ListenAddress":
    from saniwa.mcp.http import ListenAddress

    host, colon, port = text.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise click.BadParameter(
            f"{text!r} is not HOST:PORT, such as 127.0.0.1:8765", param_hint="--http"
        )
    return ListenAddress(host.removeprefix("[").removesuffix("]"), int(port))


def _run_until_done(serve: Callable[[], Awaitable[None]]) -> None:
    import anyio

    try:
        anyio.run(serve)
    except BaseExceptionGroup as several:
        # The SDK's tasks fail together; the first exception is the cause.
        first: BaseException = several
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        raise first from several


def _report_new_repairs(gate: "Gate") -> None:
    """Print the log repairs made since the last call; other threads may add to them."""
    repairs = getattr(gate.log, "repairs", [])
    while repairs:
        report_repairs([repairs.pop(0)])


def _print_status(text: str) -> None:
    click.echo(f"saniwa mcp: {text}", err=True)


_CONTRACTS = ("host", "openapi", "stepresult", "turn", "world")


class _SchemaName(click.Choice[str]):
    """The name of a schema; an unknown one is answered with the nearest."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        message = super().get_invalid_choice_message(value, ctx)
        near = suggest_nearest(str(value), self.choices)
        return f"{message} {near}" if near else message


@define_command("schema")
def schema(name: Annotated[str, _SchemaName((*_CONTRACTS, *AUTHORED_FORMATS))]) -> None:
    """Print a JSON Schema (draft 2020-12), or the OpenAPI 3.1 document of the HTTP API.

    Interfaces: stepresult (what a host shows), host (the lines of `saniwa host`), turn
    (the record of a turn), world (the lines of `saniwa world`), openapi (the HTTP API of
    `saniwa serve`).

    Files, for completion in editors: agent (agent.json), flow (steps_registry.json), plan,
    process, registry, rulebook, scenario.
    """
    if name in AUTHORED_FORMATS:
        click.echo(render_authored_schema(name))
    elif name == "openapi":
        from saniwa.http.application import render_openapi

        click.echo(render_openapi())
    else:
        click.echo(render_published_schema(name))  # type: ignore[arg-type]  # a choice of the option


@define_command("world")
def world(
    stdio: Annotated[bool, {"required": True}],  # noqa: ARG001 - the flag is the agreement
    registry: str | None,
) -> None:
    """Query and change a world over JSON lines: one request per line, one answer per line.

    Operations: load, act, say, preview, admissible, view, fingerprint, snapshot,
    restore, edit. Each answer is {"ok": true, ...} or {"ok": false, "error": {...}}; a
    malformed line gets such an error. `saniwa schema world` prints the JSON Schema.
    """
    serve_lines(open_world_handler(registry).handle_line, sys.stdin.buffer, sys.stdout.buffer)
