"""`saniwa host --stdio`: stories and scenarios for engines of every kind."""

import asyncio
import sys

import click

from saniwa.cli.converse import converse
from saniwa.cli.options import store_option, store_place


@click.command(
    epilog="""\b
Example:
  printf '%s\\n' '{"op":"begin"}' '{"op":"step"}' | saniwa host --stdio --story lantern-island
"""
)
@click.option(
    "--stdio", is_flag=True, required=True, help="Speak JSON lines on stdin and stdout."
)
@click.option(
    "--story", metavar="WHAT", default="", help="A story: its id, its file, its folder."
)
@click.option("--scenario", metavar="ID", default="", help="Or a scenario.")
@click.option("--language", metavar="CODE", default="", help="The language, as in: ja.")
@store_option
@click.option("--registry", metavar="PATH", help="The registry of scenarios.")
@click.option(
    "--stories", metavar="FOLDER", default="stories", help="The project's own stories."
)
def host(
    stdio: bool,  # noqa: ARG001 - the flag is the agreement
    story: str,
    scenario: str,
    language: str,
    store: str | None,
    registry: str | None,
    stories: str,
) -> None:
    """Play stories and scenarios: one JSON object a line in, one a line out.

    Operations: begin, resume, moment, step, choose, say, back, skip, preview, backlog,
    save, saves, load, remove, asset. Each answer is {"ok": true, ...} with the moment to
    show, or {"ok": false, "error": {...}}; a bad line is answered, never fatal.
    `saniwa schema host` prints the JSON Schema.
    """
    from saniwa.wiring.garden.garden import Places
    from saniwa.wiring.garden.grounds import Wish, host_door

    places = Places(store=store_place(store), registry=registry or "", stories=stories)
    door = host_door(places, Wish(scenario=scenario, story=story, language=language))
    with asyncio.Runner() as loop:
        converse(
            lambda line: loop.run(door.answer(line)),
            sys.stdin.buffer,
            sys.stdout.buffer,
        )
