"""Every way through a story, as the choices that lead along it.

A route ends at an ending, where the file ends, where the story is stuck, or where it
comes back to a moment it has been in: from there on it would only repeat itself.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final, Literal

import msgspec

from saniwa.script.desk.exploring.missed import (
    Missed,
    Trap,
    endings_missed,
    line_of,
    numbers_of,
    options_missed,
    sections_missed,
    traps,
)
from saniwa.script.desk.exploring.onward import Taken
from saniwa.script.desk.exploring.places import Kind, Place, Survey
from saniwa.script.desk.exploring.survey import DEEPEST, MOST_STEPS, survey
from saniwa.script.desk.exploring.terrain import Terrain
from saniwa.script.program import Program

MOST_ROUTES: Final = 1_000
"""Routes that are listed before the list is cut short."""

_PATIENCE = 1_000_000
"""Ways looked along while listing; more routes than anybody reads come before that."""

RouteEnd = Literal["ending", "end_of_file", "loop", "stuck", "truncated"]
"""How a route ends."""


class Route(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One way through a story."""

    choices: tuple[int, ...]
    """The options taken, from 1; 0 for an answer. `saniwa trace --choices` takes them."""
    texts: tuple[str, ...]
    """What was taken, as people read it; deeds too, which are no choices."""
    answers: tuple[str, ...] = ()
    """What was answered, in order. `saniwa trace --answers` takes them."""
    end: RouteEnd
    """How it ends."""
    ending: str = ""
    """Which ending."""
    lines: tuple[str, ...] = ()
    """The lines a loop runs through, or the line where it is stuck."""
    problem: str = ""
    """Why it is stuck."""


class Routes(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to say about the ways through a story."""

    routes: tuple[Route, ...]
    """The ways in the order of the options; if there are too many, the shortest, and
    the last of these are the shortest to endings that none of the others comes to."""
    endings: dict[str, tuple[int, ...]]
    """Every ending that is reached, with the choices of a way to it: a shortest
    one, unless the bound on steps cut the search short."""
    ended: tuple[Route, ...]
    """Those ways, whole."""
    endings_missed: tuple[Missed, ...]
    """Endings that are written and never reached."""
    sections_missed: tuple[Missed, ...]
    """Sections that are never reached."""
    options_missed: tuple[Missed, ...]
    """Options, in sections that are reached, that can never be taken."""
    traps: tuple[Trap, ...]
    """Where nothing leads out."""
    stuck: tuple[Route, ...]
    """A shortest way to everything that stops the story."""
    moments: int
    """How many different moments were looked at."""
    bounded: tuple[str, ...]
    """Which bounds cut it short: `routes`, `depth`, `steps`."""
    notes: tuple[str, ...]
    """What was taken for granted."""

    @property
    def certain(self) -> bool:
        """Whether what was not found is not there."""
        return not self.notes and not set(self.bounded) - {"routes"}

    @property
    def sound(self) -> bool:
        """Whether no route is stuck, and no ending is surely out of reach."""
        lost = self.endings_missed or self.traps
        return not self.stuck and not (lost and self.certain)


def find_routes(
    program: Program,
    *,
    seed: int = 0,
    limit: int = MOST_ROUTES,
    deepest: int = DEEPEST,
    most_steps: int = MOST_STEPS,
    terrain: Terrain | None = None,
) -> Routes:
    """Look for every route; on the story's world, or without it by guesses."""
    found = survey(
        program, seed=seed, most_steps=most_steps, deepest=deepest, terrain=terrain
    )
    telling = _Telling(program, found)
    routes = list(islice(telling.routes(), limit + 1))
    bounded = [found.bounded] if found.bounded else []
    if len(routes) > limit:
        routes = _with_every_ending(list(islice(telling.shortest(), limit)), telling)
        bounded.append("routes")
    return Routes(
        routes=tuple(routes),
        endings=telling.endings(),
        ended=telling.ended(),
        endings_missed=endings_missed(program, found),
        sections_missed=sections_missed(program, found),
        options_missed=options_missed(program, found),
        traps=traps(program, found),
        stuck=telling.stuck(),
        moments=len(found.places),
        bounded=tuple(bounded),
        notes=found.doubts,
    )


def _with_every_ending(routes: list[Route], telling: "_Telling") -> list[Route]:
    shown = {route.ending for route in routes}
    late = [route for route in telling.ended() if route.ending not in shown]
    return [*routes[: max(0, len(routes) - len(late))], *late][: len(routes)]


_Way = tuple[list[Taken], Place, list[int]]
"""What was taken, the place that leads to, and the places of a circle it closes."""


class _Telling:
    """What a survey says, in terms of choices and lines."""

    def __init__(self, program: Program, found: Survey) -> None:
        self._program = program
        self._found = found
        self._places = found.places
        self._patience = _PATIENCE

    def shortest(self) -> Iterator[Route]:
        """Every route, those with the fewest decisions first, as far as patience goes."""
        self._patience = _PATIENCE
        for decisions in range(1, len(self._places) + 1):
            for way in self._ways(decisions):
                if len(way[0]) == decisions:
                    yield self._route(*way)
            if self._patience <= 0:
                return

    def routes(self) -> Iterator[Route]:
        """Every route, option by option."""
        for way in self._ways(len(self._places)):
            yield self._route(*way)

    def _ways(self, most: int) -> Iterator[_Way]:
        """Every way of so many decisions at most; none passes one place twice."""
        path, taken, nexts = [0], list[Taken](), [0]
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

    def _route(self, taken: list[Taken], place: Place, circle: list[int]) -> Route:
        lines = [line_of(self._program, self._places[nth].where) for nth in circle]
        if place.kind == "stuck":
            lines = [line_of(self._program, place.where)]
        return Route(
            choices=numbers_of(taken),
            texts=tuple(str(each) for each in taken if _is_told(each)),
            answers=tuple(each.text for each in taken if each.kind == "answer"),
            end="loop" if place.kind == "decision" else place.kind,
            ending=place.ending,
            lines=tuple(dict.fromkeys(lines)),
            problem=f"[{place.code}] {place.problem}" if place.problem else "",
        )

    def endings(self) -> dict[str, tuple[int, ...]]:
        """The endings that are reached."""
        return {
            place.ending: numbers_of(self._found.way_to(nth))
            for nth, place in enumerate(self._places)
            if place.kind == "ending"
        }

    def ended(self) -> tuple[Route, ...]:
        """One route to each ending."""
        return self._ways_to("ending")

    def stuck(self) -> tuple[Route, ...]:
        """One route to each thing that stops the story."""
        return self._ways_to("stuck")

    def _ways_to(self, kind: Kind) -> tuple[Route, ...]:
        return tuple(
            self._route(list(self._found.way_to(nth)), place, [])
            for nth, place in enumerate(self._places)
            if place.kind == kind
        )


def _is_told(taken: Taken) -> bool:
    return taken.kind != "begin" or bool(taken.given)
