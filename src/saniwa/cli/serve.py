"""`saniwa serve`: start the HTTP server and open its page in a browser."""

import asyncio
import shutil
import subprocess
import sys
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Literal

import click

from saniwa.cli.options import define_command, resolve_store
from saniwa.core.errors import ProtocolError
from saniwa.core.extras import require_packages
from saniwa.core.system_calls import HAS_XDG

if TYPE_CHECKING:
    from saniwa.http.access_log import LogFormat


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
    from saniwa.http.page import CUSTOM_PAGE_PATH
    from saniwa.http.server import (
        ServeOptions,
        bind_socket,
        build_served_app,
        find_browser_url,
        list_exposure_warnings,
        monitor_app,
        schedule_exit,
    )
    from saniwa.http.server import serve_app as answer
    from saniwa.http.settings import ServerSettings, is_ip_address

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
