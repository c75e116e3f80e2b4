"""`saniwa serve`: the garden in a browser, and the HTTP door for every engine."""

import asyncio
import sys
from typing import TYPE_CHECKING

import click

from saniwa.cli.opening import open_page
from saniwa.cli.options import store_option, store_place
from saniwa.core.errors import ProtocolError
from saniwa.core.extra import need

if TYPE_CHECKING:
    from saniwa.api.line import Form

PORT = 8420
"""Where a browser finds the garden."""
_FILE = click.Path(exists=True, dir_okay=False, readable=True)


@click.command(
    epilog="""\b
Examples:
  saniwa serve                        the garden, in your browser
  saniwa serve --no-open --port 9000  for a browser you open yourself
  saniwa serve --host 0.0.0.0         for others too: everybody signs in
"""
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="N",
    help=f"The port; 0 for a free one (else {PORT}, or the next free one).",
)
@click.option(
    "--host",
    default="127.0.0.1",
    metavar="ADDRESS",
    help="The address to listen at; beyond this machine everybody signs in.",
)
@click.option("--no-open", is_flag=True, help="Open no browser.")
@click.option(
    "--page",
    type=_FILE,
    metavar="FILE",
    help="A page of your own, shown at /game.",
)
@store_option
@click.option("--registry", metavar="PATH", help="The registry of scenarios.")
@click.option(
    "--stories", metavar="FOLDER", default="stories", help="The project's own stories."
)
@click.option(
    "--results", metavar="FOLDER", default="results", help="The folder of experiments."
)
@click.option("--gate", metavar="FOLDER", help="The gate's folder.")
@click.option(
    "--evidence",
    multiple=True,
    metavar="FOLDER",
    help="A folder of the project that evidence is taken from, beside --results.",
)
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="Another name the server is known by, such as a proxy's.",
)
@click.option(
    "--certificate",
    type=_FILE,
    metavar="FILE",
    help="A TLS certificate, in PEM.",
)
@click.option("--private-key", type=_FILE, metavar="FILE", help="Its key, in PEM.")
@click.option("--behind-https", is_flag=True, help="A proxy in front speaks TLS.")
@click.option(
    "--trusted-proxy",
    metavar="ADDRESS",
    help="The IP address of a proxy whose X-Forwarded-For is believed.",
)
@click.option(
    "--log",
    type=click.Choice(("people", "json", "none")),
    help="A line for every request on standard error (else: people, on a terminal).",
)
@click.option(
    "--telemetry", is_flag=True, help="Tell OpenTelemetry; OTEL_… variables say where."
)
def serve(
    port: int | None,
    host: str,
    no_open: bool,
    page: str | None,
    store: str | None,
    registry: str | None,
    stories: str,
    results: str,
    gate: str | None,
    evidence: tuple[str, ...],
    allow_host: tuple[str, ...],
    certificate: str | None,
    private_key: str | None,
    behind_https: bool,
    trusted_proxy: str | None,
    log: "Form | None",
    telemetry: bool,
) -> None:
    """Open the garden in a browser: play, watch, decide, compare, write.

    Everything is embedded: no key, no network. Only this machine is let in, unless --host
    says otherwise; then everybody signs in with a name of `saniwa gate people`. Ctrl-C
    ends it, and nothing that was acknowledged is lost.
    """
    if private_key and not certificate:
        raise click.UsageError("--private-key is of no use without --certificate.")
    need(
        "starlette",
        "uvicorn",
        extra="serve",
        what="the garden needs",
        kind=ProtocolError,
    )
    from saniwa.api.guard.address import is_number
    from saniwa.api.guard.settings import Settings
    from saniwa.web.advice import advice
    from saniwa.web.outside import outside
    from saniwa.web.own import GAME
    from saniwa.web.serving import (
        Serving,
        address_of,
        bound,
        end_without_delay,
        served,
    )
    from saniwa.web.serving import serve as answer
    from saniwa.wiring.garden.garden import Garden, Places
    from saniwa.wiring.gate_places import gate_folders

    if trusted_proxy is not None and not is_number(trusted_proxy):
        raise click.BadParameter(
            f"{trusted_proxy!r} is not an IP address, such as 127.0.0.1",
            param_hint="--trusted-proxy",
        )
    serving = Serving(
        settings=Settings(
            host=host,
            hosts=allow_host,
            proxy=trusted_proxy or "",
            https=bool(certificate) or behind_https,
        ),
        port=PORT if port is None else port,
        exact=port is not None,
        certificate=certificate or "",
        private_key=private_key or "",
        page=page or "",
    )
    for each in advice(serving.settings, gate_folders(gate).people):
        click.echo(f"note: {each}", err=True)
    listening = bound(serving)
    garden = Garden(
        Places(
            store=store_place(store),
            registry=registry or "",
            stories=stories,
            gate=gate or "",
            results=results,
            evidence=evidence,
        ),
        together=True,
    )
    address = address_of(listening, serving)

    def ready() -> None:
        click.echo(f"The garden is open at {address}  (Ctrl-C closes it)")
        if page:
            click.echo(f"Your page is at {address}{GAME}")
        sys.stdout.flush()
        if not no_open:
            open_page(f"{address}{GAME if page else ''}")

    form: Form = log or ("people" if sys.stderr.isatty() else "none")
    guarded = served(garden, serving)
    with outside(guarded, garden, form, sys.stderr, telemetry=telemetry) as app:

        def leaving() -> None:
            garden.bell.fall_silent()
            end_without_delay()

        asyncio.run(answer(app, serving, listening, ready, leaving))
