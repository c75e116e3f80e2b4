"""`saniwa routes`: every way through a story, as the choices that lead along it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click
import msgspec

from saniwa.cli.options import json_option
from saniwa.cli.render import FINDINGS, FINE, answer, printable
from saniwa.core.quoted import cut

if TYPE_CHECKING:
    from saniwa.script.desk.exploring.missed import Missed
    from saniwa.script.desk.exploring.routes import Route, Routes

_LONGEST = 60
_MOST_MISSED = 50


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
@json_option
@click.pass_context
def routes(
    ctx: click.Context,
    file: str,
    limit: int,
    depth: int,
    steps: int,
    seed: int,
    as_json: bool,
) -> None:
    """List every route through FILE with the choices that lead along it.

    A route ends at an ending, at the end of the file, where it comes back to a moment it
    was in before, or where the story is stuck. `saniwa trace FILE --choices` takes the
    numbers. Ends with 1 when an ending is out of reach, when a part has no way out, or
    when the story gets stuck.
    """
    from saniwa.script.desk.exploring.routes import find_routes
    from saniwa.wiring.story import load_story

    program = load_story(file).program
    found = find_routes(
        program, seed=seed, limit=limit, deepest=depth, most_steps=steps
    )
    if as_json:
        answer(_document(file, found))
    else:
        for line in _told(found):
            click.echo(printable(line))
    ctx.exit(FINE if found.sound else FINDINGS)


def _document(file: str, found: "Routes") -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(found)
    return {"ok": found.sound, "file": file, **plain}


def _told(found: "Routes") -> Iterator[str]:
    shown = [_numbers(route.choices) for route in found.routes]
    width = min(_LONGEST, max(map(len, shown), default=0))
    for numbers, route in zip(shown, found.routes, strict=True):
        yield f"{numbers:<{width}}  {_end(route)}{_texts(route)}"
    yield ""
    yield from _summary(found)


def _numbers(choices: tuple[int, ...]) -> str:
    return " → ".join(str(number) for number in choices) or "(no choice)"


def _end(route: "Route") -> str:
    match route.end:
        case "ending":
            return f"ending: {route.ending}"
        case "end_of_file":
            return "end of file"
        case "loop":
            return f"loop: line {', '.join(route.lines)} again"
        case "stuck":
            return f"stuck at line {', '.join(route.lines)}: {route.problem}"
        case "truncated":
            return "cut short"


def _texts(route: "Route") -> str:
    told = cut(" → ".join(route.texts), _LONGEST)
    return f"  ({told})" if told else ""


def _summary(found: "Routes") -> Iterator[str]:
    routes, endings = len(found.routes), len(found.endings)
    more = " or more" if found.bounded else ""
    yield f"{_counted(routes, 'route')}{more}, {_counted(endings, 'ending')} reached."
    for ending, choices in found.endings.items():
        yield f"  {ending}: shortest by {_numbers(choices)}"
    for trap in found.traps:
        lines = ", ".join(trap.lines[:12])
        yield f"No way leads out of line {lines}; entered by {_numbers(trap.choices)}."
    for stuck in found.stuck:
        yield f"{_numbers(stuck.choices)} gets stuck: {stuck.problem}"
    yield from _missed("Endings", found.endings_missed)
    yield from _missed("Sections", found.sections_missed)
    yield from _missed("Options", found.options_missed)
    for bound in found.bounded:
        yield f"Cut short by the bound on {bound}; there may be more."
    for note in found.notes:
        yield f"Note: {note}."


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _missed(what: str, missed: "tuple[Missed, ...]") -> Iterator[str]:
    if not missed:
        return
    yield f"{what} never reached:"
    for each in missed[:_MOST_MISSED]:
        yield f"  {cut(each.name, _LONGEST)} (line {each.line})"
    if len(missed) > _MOST_MISSED:
        yield f"  and {len(missed) - _MOST_MISSED} more"
