"""List every route through a story, as the choices that lead along it.

A route ends at an ending, at the end of a file, where the story is stuck, or where it
returns to an earlier moment: from there on it would only repeat itself.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final, Literal

import msgspec

from saniwa.core.findings import SourceLocation
from saniwa.story.elements import ChoiceOption
from saniwa.story.link_parser import to_relative
from saniwa.story.program import EndOp, Program
from saniwa.story.text_template import get_source
from saniwa.story.tools.autoplay import ExplorableWorld, StoryDecision
from saniwa.story.tools.exploration import (
    DEEPEST,
    MOST_STEPS,
    ExplorationResult,
    ExploredPlace,
    PlaceKind,
    explore_story,
)


class MissedPart(msgspec.Struct, frozen=True):
    """A part of the story that no route reaches."""

    name: str
    """An ending's id, a section's name or an option's text."""
    line: str
    """The line it is written on."""


class Trap(msgspec.Struct, frozen=True):
    """A part of the story from which no end can be reached."""

    choices: tuple[int, ...]
    """The choices of a shortest path into it."""
    lines: tuple[str, ...]
    """The lines of its decisions."""


def list_choice_numbers(taken: tuple[StoryDecision, ...] | list[StoryDecision]) -> tuple[int, ...]:
    """Return the numbers for `saniwa trace --choices`."""
    return tuple(each.number for each in taken if each.numbered)


def format_line(program: Program, where: SourceLocation) -> str:
    """Format a line, with its file unless that is the story's first."""
    first = program.files[0][1]
    if where.file in ("", first):
        return str(where.line)
    return f"{to_relative(where.file, first)}:{where.line}"


def find_missed_endings(program: Program, found: ExplorationResult) -> tuple[MissedPart, ...]:
    """Find endings that are never reached."""
    reached = {place.ending for place in found.places if place.kind == "ending"}
    missed: dict[str, MissedPart] = {}
    for address, op in enumerate(program.ops):
        if isinstance(op, EndOp) and op.ending is not None and op.ending not in reached:
            line = format_line(program, program.locate_op(address))
            missed.setdefault(op.ending, MissedPart(op.ending, line))
    return tuple(missed.values())


def find_missed_sections(program: Program, found: ExplorationResult) -> tuple[MissedPart, ...]:
    """Find sections that are never reached."""
    return tuple(
        MissedPart(key, format_line(program, program.locate_op(address)))
        for key, address in program.labels.items()
        if key not in found.sections
    )


def find_missed_options(program: Program, found: ExplorationResult) -> tuple[MissedPart, ...]:
    """Find options that can never be taken, in sections that are reached."""
    reached = {"", *found.sections}
    return tuple(
        MissedPart(get_source(way.words), format_line(program, program.locate_op(address, way)))
        for address, way in program.list_texts()
        if isinstance(way, ChoiceOption) and way.id not in found.options
        if program.find_label(address) in reached
    )


def find_traps(program: Program, found: ExplorationResult) -> tuple[Trap, ...]:
    """Find all decisions from which no end can be reached."""
    leading = _find_places_with_exit(found)
    caught = [n for n in range(len(found.places)) if n not in leading]
    if not caught:
        return ()
    lines = dict.fromkeys(format_line(program, found.places[n].where) for n in caught)
    return (Trap(list_choice_numbers(found.find_path(caught[0])), tuple(lines)),)


def _find_places_with_exit(found: ExplorationResult) -> set[int]:
    """Find places from which an end, or something unexplored, can be reached."""
    before: list[list[int]] = [[] for _ in found.places]
    for nth, place in enumerate(found.places):
        for _, to in place.ways:
            before[to].append(nth)
    waiting = [n for n, place in enumerate(found.places) if not place.ways]
    leading = set(waiting)
    while waiting:
        new = [n for n in before[waiting.pop()] if n not in leading]
        leading.update(new)
        waiting += new
    return leading


MOST_ROUTES: Final = 1_000
"""The most routes listed."""

_PATIENCE = 1_000_000
"""The most steps while listing; `MOST_ROUTES` are normally found before."""

RouteEnd = Literal["ending", "end_of_file", "loop", "stuck", "truncated"]
"""How a route ends."""


class StoryRoute(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One route through a story."""

    choices: tuple[int, ...]
    """The options taken, from 1; 0 for an answer. For `saniwa trace --choices`."""
    texts: tuple[str, ...]
    """The texts of what was taken, including deeds, which are not choices."""
    answers: tuple[str, ...] = ()
    """The answers, in order. For `saniwa trace --answers`."""
    end: RouteEnd
    """How it ends."""
    ending: str = ""
    """The id of the ending."""
    lines: tuple[str, ...] = ()
    """The lines of a loop, or the line where it is stuck."""
    problem: str = ""
    """Why it is stuck."""


class RouteReport(msgspec.Struct, frozen=True, kw_only=True):
    """Everything found about the routes through a story."""

    routes: tuple[StoryRoute, ...]
    """The routes in the order of the options. If there are too many, the shortest.

    The last of those are the shortest to endings that none of the others reaches.
    """
    endings: dict[str, tuple[int, ...]]
    """Every ending that is reached, with the choices of a path to it.

    A shortest one, unless the limit of steps cut the search short.
    """
    ended: tuple[StoryRoute, ...]
    """The complete routes to those endings."""
    endings_missed: tuple[MissedPart, ...]
    """Endings that are never reached."""
    sections_missed: tuple[MissedPart, ...]
    """Sections that are never reached."""
    options_missed: tuple[MissedPart, ...]
    """Options, in sections that are reached, that can never be taken."""
    traps: tuple[Trap, ...]
    """Parts from which no end can be reached."""
    stuck: tuple[StoryRoute, ...]
    """A shortest route to each error that stops the story."""
    moments: int
    """How many different moments were explored."""
    bounded: tuple[str, ...]
    """Which limits cut it short: `routes`, `depth`, `steps`, `facts`."""
    notes: tuple[str, ...]
    """What was assumed."""

    @property
    def is_certain(self) -> bool:
        """Whether what was not found certainly cannot be reached."""
        return not self.notes and not set(self.bounded) - {"routes"}

    @property
    def is_sound(self) -> bool:
        """Whether no route is stuck, and no ending is certainly out of reach."""
        lost = self.endings_missed or self.traps
        return not self.stuck and not (lost and self.is_certain)


def find_routes(
    program: Program,
    *,
    seed: int = 0,
    limit: int = MOST_ROUTES,
    deepest: int = DEEPEST,
    most_steps: int = MOST_STEPS,
    terrain: ExplorableWorld | None = None,
) -> RouteReport:
    """Find every route, in the story's world, or with guessed facts without it."""
    found = explore_story(
        program, seed=seed, most_steps=most_steps, deepest=deepest, terrain=terrain
    )
    finder = _RouteFinder(program, found)
    routes = list(islice(finder.list_routes(), limit + 1))
    bounded = [found.bounded] if found.bounded else []
    if len(routes) > limit:
        routes = _include_every_ending(list(islice(finder.list_shortest(), limit)), finder)
        bounded.append("routes")
    return RouteReport(
        routes=tuple(routes),
        endings=finder.list_endings(),
        ended=finder.list_routes_to("ending"),
        endings_missed=find_missed_endings(program, found),
        sections_missed=find_missed_sections(program, found),
        options_missed=find_missed_options(program, found),
        traps=find_traps(program, found),
        stuck=finder.list_routes_to("stuck"),
        moments=len(found.places),
        bounded=tuple(bounded),
        notes=found.doubts,
    )


def _include_every_ending(routes: list[StoryRoute], finder: "_RouteFinder") -> list[StoryRoute]:
    shown = {route.ending for route in routes}
    late = [route for route in finder.list_routes_to("ending") if route.ending not in shown]
    return [*routes[: max(0, len(routes) - len(late))], *late][: len(routes)]


_Way = tuple[list[StoryDecision], ExploredPlace, list[int]]
"""The decisions, the place they lead to, and the places of a loop they close."""


class _RouteFinder:
    """Turns an exploration into routes of choices and lines."""

    def __init__(self, program: Program, found: ExplorationResult) -> None:
        self._program = program
        self._found = found
        self._places = found.places
        self._patience = _PATIENCE

    def list_shortest(self) -> Iterator[StoryRoute]:
        """Yield every route, those with the fewest decisions first, up to the limit."""
        self._patience = _PATIENCE
        for decisions in range(1, len(self._places) + 1):
            for way in self._walk_paths(decisions):
                if len(way[0]) == decisions:
                    yield self._make_route(*way)
            if self._patience <= 0:
                return

    def list_routes(self) -> Iterator[StoryRoute]:
        """Yield every route, option by option."""
        for way in self._walk_paths(len(self._places)):
            yield self._make_route(*way)

    def _walk_paths(self, most: int) -> Iterator[_Way]:
        """Yield every path of at most `most` decisions that visits no place twice."""
        path, taken, nexts = [0], list[StoryDecision](), [0]
        if not self._places[0].ways:
            yield taken, self._places[0], []
            return
        on_path = {0}
        while path and self._patience > 0:
            self._patience -= 1
            ways = self._places[path[-1]].ways
            if nexts[-1] == len(ways):
                on_path.discard(path.pop())
                nexts.pop()
                del taken[-1:]
                continue
            step, to = ways[nexts[-1]]
            nexts[-1] += 1
            place = self._places[to]
            if to in on_path:
                yield [*taken, step], place, path[path.index(to) :]
            elif not place.ways:
                yield [*taken, step], place, []
            elif len(path) < most:
                path.append(to)
                on_path.add(to)
                taken.append(step)
                nexts.append(0)

    def _make_route(
        self, taken: list[StoryDecision], place: ExploredPlace, circle: list[int]
    ) -> StoryRoute:
        lines = [format_line(self._program, self._places[nth].where) for nth in circle]
        if place.kind == "stuck":
            lines = [format_line(self._program, place.where)]
        return StoryRoute(
            choices=list_choice_numbers(taken),
            texts=tuple(str(each) for each in taken if each.kind != "begin" or each.given),
            answers=tuple(each.text for each in taken if each.kind == "answer"),
            end="loop" if place.kind == "decision" else place.kind,
            ending=place.ending,
            lines=tuple(dict.fromkeys(lines)),
            problem=f"[{place.code}] {place.problem}" if place.problem else "",
        )

    def list_endings(self) -> dict[str, tuple[int, ...]]:
        """Return the endings that are reached, with choices that lead there."""
        return {
            place.ending: list_choice_numbers(self._found.find_path(nth))
            for nth, place in enumerate(self._places)
            if place.kind == "ending"
        }

    def list_routes_to(self, kind: PlaceKind) -> tuple[StoryRoute, ...]:
        """Return one route to each place of a kind, such as every ending."""
        return tuple(
            self._make_route(list(self._found.find_path(nth)), place, [])
            for nth, place in enumerate(self._places)
            if place.kind == kind
        )
