"""`saniwa schema`: the contracts of what Saniwa reads and writes."""

import click

_NAMES = ("host", "openapi", "stepresult", "turn", "world")


@click.command(
    epilog="""\b
Examples:
  saniwa schema world > world.schema.json
  saniwa schema openapi > saniwa.openapi.json
"""
)
@click.argument("name", type=click.Choice(_NAMES))
def schema(name: str) -> None:
    """Print a contract: a JSON Schema (draft 2020-12), or the HTTP door's OpenAPI 3.1.

    stepresult: what hosts are told. host: the lines of `saniwa host`. turn: what a run
    records. world: the headless door's lines. openapi: everything `saniwa serve` can be
    asked.
    """
    if name == "openapi":
        from saniwa.web.contract import openapi_text

        click.echo(openapi_text())
    else:
        from saniwa.wiring import published_schema

        click.echo(published_schema(name))  # type: ignore[arg-type]
