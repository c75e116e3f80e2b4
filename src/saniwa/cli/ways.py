"""How the routes of a story look in a terminal: what they come to first, then some."""

import shlex
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import click

from saniwa.cli.render import width
from saniwa.cli.wrap import wrapped
from saniwa.core.quoted import printable

if TYPE_CHECKING:
    from saniwa.script.desk.exploring.missed import Missed
    from saniwa.script.desk.exploring.routes import Route, RouteEnd, Routes

MOST: Final = 20
"""Routes that are shown unless all are asked for."""
_MOST_MISSED = 50
_WIDEST = 100


def show_routes(found: "Routes", *, every: bool) -> None:
    """Tell what the routes come to, then show the shortest of them, or every one."""
    for line in _summary(found):
        click.echo(printable(line))
    shown = found.routes if every else chosen(found.routes)
    click.echo("\nAll routes:" if every else "\nRoutes, the shortest first:")
    for route in shown:
        _show(route)
    if len(shown) < len(found.routes):
        more = len(found.routes) - len(shown)
        click.echo(f"  and {more:,} more; --all shows them")


def chosen(routes: "Sequence[Route]") -> "list[Route]":
    """The shortest routes, with one to every ending among them."""
    by_length = sorted(routes, key=lambda route: len(route.choices))
    first: dict[tuple[str, str], Route] = {}
    for route in by_length:
        first.setdefault((route.end, route.ending), route)
    wanted = [*first.values(), *(r for r in by_length if r not in first.values())]
    return sorted(wanted[:MOST], key=lambda route: len(route.choices))


def _summary(found: "Routes") -> Iterator[str]:
    yield from _numbers(found)
    yield from _endings(found)
    yield from _missed("Endings", found.endings_missed)
    yield from _missed("Sections", found.sections_missed)
    yield from _missed("Options", found.options_missed)
    yield from _loops(found)
    for trap in found.traps:
        lines = ", ".join(trap.lines[:12])
        yield f"Dead end: no way leads out of line {lines}; entered {_by(trap.choices)}."
    for stuck in found.stuck:
        told = f"by {_option(stuck)}" if stuck.choices else "from the beginning"
        yield f"Dead end: stuck {told}: {stuck.problem}"
    for bound in found.bounded:
        looked = "" if bound == "routes" else f" after {found.moments:,} moments"
        yield f"Cut short by the bound on {bound}{looked}; there may be more."
    for note in found.notes:
        yield f"Note: {note}."


def _numbers(found: "Routes") -> Iterator[str]:
    ends = Counter(route.end for route in found.routes)
    told: dict[RouteEnd, str] = {
        "ending": "to an ending",
        "end_of_file": "to the end of the file",
        "loop": "back to where they were",
        "stuck": "stuck",
        "truncated": "cut short",
    }
    number = f"{len(found.routes):,} route" + ("" if len(found.routes) == 1 else "s")
    more = " or more" if found.bounded else ""
    parts = ", ".join(f"{ends[end]:,} {told[end]}" for end in told if ends[end])
    yield f"{number}{more}: {parts}."


def _endings(found: "Routes") -> Iterator[str]:
    if not found.endings:
        return
    count = Counter(route.ending for route in found.routes if route.end == "ending")
    names = max(map(width, found.endings))
    more = " or more" if found.bounded else ""
    numbers = {e: _counted(count[e]) + more for e in found.endings}
    widest = max(map(len, numbers.values()))
    way = "way" if "steps" in found.bounded else "shortest way"
    yield f"Endings, with a {way} to each:"
    for route in found.ended:
        ending = route.ending
        name = ending + " " * (names - width(ending))
        yield f"  {name}  {numbers[ending]:>{widest}}  {_option(route)}"


def _counted(number: int) -> str:
    return f"{number:,} route" + ("" if number == 1 else "s")


def _loops(found: "Routes") -> Iterator[str]:
    lines = dict.fromkeys(
        line for route in found.routes if route.end == "loop" for line in route.lines
    )
    if lines:
        some = ", ".join(list(lines)[:12]) + (", …" if len(lines) > 12 else "")
        yield f"Loops run through line {some}."


def _option(route: "Route") -> str:
    """What `saniwa trace` is told to go along a route."""
    told = [f"--choices {_typed(route.choices)}"] if route.choices else []
    told += [f"--answers {shlex.quote(text)}" for text in route.answers]
    return " ".join(told) or "(no choice)"


def _typed(choices: Sequence[int]) -> str:
    return ",".join(str(number) for number in choices)


def _by(choices: Sequence[int]) -> str:
    return f"by --choices {_typed(choices)}" if choices else "from the beginning"


def _missed(what: str, missed: "tuple[Missed, ...]") -> Iterator[str]:
    if not missed:
        return
    yield f"{what} never reached:"
    for each in missed[:_MOST_MISSED]:
        yield f"  {' '.join(each.name.split())} (line {each.line})"
    if len(missed) > _MOST_MISSED:
        yield f"  and {len(missed) - _MOST_MISSED} more"


def _show(route: "Route") -> None:
    """The numbers and how it ends; below, what the reader takes."""
    columns = min(_WIDEST, shutil.get_terminal_size().columns)
    numbers = _typed(route.choices) or "(no choice)"
    # The numbers are typed again as they stand, so they are never broken.
    click.echo(printable(f"  {numbers}  {_end(route)}"))
    texts = " → ".join(" ".join(text.split()) for text in route.texts)
    for line in wrapped(printable(texts), columns - 6) if texts else ():
        click.secho(f"      {line}", dim=True)


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
