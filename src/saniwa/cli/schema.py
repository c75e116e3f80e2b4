"""`saniwa schema`: the JSON Schemas of what Saniwa reads and writes."""

from typing import Literal

import click


@click.command(epilog="\b\nExample:\n  saniwa schema world > world.schema.json")
@click.argument("name", type=click.Choice(["stepresult", "world", "turn"]))
def schema(name: Literal["stepresult", "world", "turn"]) -> None:
    """Print a JSON Schema (draft 2020-12): stepresult, world (the headless door) or turn."""
    from saniwa.wiring import published_schema

    click.echo(published_schema(name))
