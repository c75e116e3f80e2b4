"""`saniwa routes`: where the ways through a story lead, and the choices along them."""

from typing import TYPE_CHECKING, Any

import click
import msgspec

from saniwa.cli.explored import explored
from saniwa.cli.options import json_option
from saniwa.cli.render import FINDINGS, FINE, answer
from saniwa.cli.ways import show_routes

if TYPE_CHECKING:
    from saniwa.script.desk.exploring.routes import Routes


@click.command(epilog="\b\nExample:\n  saniwa routes story.md")
@click.argument("file", metavar="FILE")
@click.option(
    "--limit",
    type=click.IntRange(1, 1_000_000),
    default=1_000,
    show_default=True,
    help="Routes to list.",
)
@click.option(
    "--depth",
    type=click.IntRange(1, 10_000),
    default=200,
    show_default=True,
    help="Decisions one after another before a route is cut short.",
)
@click.option(
    "--steps",
    type=click.IntRange(1, 100_000_000),
    default=200_000,
    show_default=True,
    help="Steps to take in all.",
)
@click.option("--seed", type=int, default=0, help="Where the story's chance starts.")
@click.option("--all", "every", is_flag=True, help="Show all routes, not only 20.")
@json_option
@click.pass_context
def routes(
    ctx: click.Context,
    file: str,
    limit: int,
    depth: int,
    steps: int,
    seed: int,
    every: bool,
    as_json: bool,
) -> None:
    """Tell where the routes through FILE lead, and the choices that lead along them.

    The shortest 20 are shown, one to every ending among them. A route ends at an ending,
    at the end of the file, where it comes back to a moment it was in before, or where the
    story is stuck. `saniwa trace FILE --choices` takes the numbers. A story on a world is
    looked at on that world, of which nothing is kept. Ends with 1 when an ending is out of reach, when a part has no way out, or
    when the story gets stuck.
    """
    from saniwa.script.desk.exploring.routes import find_routes

    program, terrain = explored(file)
    found = find_routes(
        program,
        seed=seed,
        limit=limit,
        deepest=depth,
        most_steps=steps,
        terrain=terrain,
    )
    if as_json:
        answer(_document(file, found))
    else:
        show_routes(found, every=every)
    ctx.exit(FINE if found.sound else FINDINGS)


def _document(file: str, found: "Routes") -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(found)
    return {"ok": found.sound, "file": file, **plain}
