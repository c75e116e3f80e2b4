"""Every way through a story, as the choices that lead along it.

A route ends at an ending, where the file ends, where the story is stuck, or where it
comes back to a moment it has been in: from there on it would only repeat itself.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final, Literal

import msgspec

from saniwa.core.where import Where
from saniwa.script.beside import relative
from saniwa.script.desk.onward import Taken
from saniwa.script.desk.survey import DEEPEST, MOST_STEPS, Place, Survey, survey
from saniwa.script.program import End, Offer, Program
from saniwa.script.variation import Text

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


class Missed(msgspec.Struct, frozen=True):
    """Something that no route comes to."""

    name: str
    """An ending's id, a section's name, an option's words."""
    line: str
    """Where it is written."""


class Trap(msgspec.Struct, frozen=True):
    """A part of the story from which nothing leads to an end any more."""

    choices: tuple[int, ...]
    """A shortest way into it."""
    lines: tuple[str, ...]
    """The decisions it consists of."""


class Routes(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to say about the ways through a story."""

    routes: tuple[Route, ...]
    """The ways in the order of the options; if there are too many, the shortest."""
    endings: dict[str, tuple[int, ...]]
    """Every ending that is reached, with a shortest way to it."""
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
) -> Routes:
    """Look for every route."""
    found = survey(program, seed=seed, most_steps=most_steps, deepest=deepest)
    telling = _Telling(program, found)
    routes = list(islice(telling.routes(), limit + 1))
    bounded = [found.bounded] if found.bounded else []
    if len(routes) > limit:
        routes = list(islice(telling.shortest(), limit))
        bounded.append("routes")
    return Routes(
        routes=tuple(routes),
        endings=telling.endings(),
        endings_missed=telling.endings_missed(),
        sections_missed=telling.sections_missed(),
        options_missed=telling.options_missed(),
        traps=telling.traps(),
        stuck=telling.stuck(),
        moments=len(found.places),
        bounded=tuple(bounded),
        notes=found.doubts,
    )


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
            for route in self.routes(decisions):
                if len(route.texts) == decisions:
                    yield route
            if self._patience <= 0:
                return

    def routes(self, most: int = DEEPEST * 100) -> Iterator[Route]:
        """Every route, option by option; a route never passes one place twice."""
        path, taken, nexts = [0], list[Taken](), [0]
        if not self._places[0].ways:
            yield self._route(taken, self._places[0], ())
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
                yield self._route([*taken, step], place, path[path.index(to) :])
            elif not place.ways:
                yield self._route([*taken, step], place, ())
            elif len(path) < most:
                path.append(to)
                on_path.add(to)
                taken.append(step)
                nexts.append(0)

    def _route(
        self, taken: list[Taken], place: Place, circle: list[int] | tuple[()]
    ) -> Route:
        lines = [self._line(self._places[nth].where) for nth in circle]
        if place.kind == "stuck":
            lines = [self._line(place.where)]
        return Route(
            choices=_numbers(taken),
            texts=tuple(str(each) for each in taken),
            answers=tuple(each.text for each in taken if each.kind == "answer"),
            end="loop" if place.kind == "decision" else place.kind,
            ending=place.ending,
            lines=tuple(dict.fromkeys(lines)),
            problem=f"[{place.code}] {place.problem}" if place.problem else "",
        )

    def endings(self) -> dict[str, tuple[int, ...]]:
        """The endings that are reached."""
        return {
            place.ending: _numbers(self._found.way_to(nth))
            for nth, place in enumerate(self._places)
            if place.kind == "ending"
        }

    def stuck(self) -> tuple[Route, ...]:
        """One route to each thing that stops the story."""
        return tuple(
            self._route(list(self._found.way_to(nth)), place, ())
            for nth, place in enumerate(self._places)
            if place.kind == "stuck"
        )

    def endings_missed(self) -> tuple[Missed, ...]:
        """Endings that are written and never reached."""
        reached = self.endings()
        missed: dict[str, Missed] = {}
        for address, op in enumerate(self._program.ops):
            if isinstance(op, End) and op.ending not in (None, *reached):
                assert op.ending is not None
                missed.setdefault(op.ending, Missed(op.ending, self._at(address)))
        return tuple(missed.values())

    def sections_missed(self) -> tuple[Missed, ...]:
        """Sections that are never reached."""
        return tuple(
            Missed(key, self._at(address))
            for key, address in self._program.labels.items()
            if key not in self._found.sections
        )

    def options_missed(self) -> tuple[Missed, ...]:
        """Options that can never be taken where the story comes by."""
        missed = []
        for address, op in enumerate(self._program.ops):
            label = self._program.label_of(address)
            if not isinstance(op, Offer) or label not in {"", *self._found.sections}:
                continue
            for way in op.ways:
                if way.id not in self._found.options:
                    where = Where(file=self._program.file_of(address), line=way.line)
                    words = way.words
                    text = words.source if isinstance(words, Text) else words
                    missed.append(Missed(text, self._line(where)))
        return tuple(missed)

    def traps(self) -> tuple[Trap, ...]:
        """All decisions from which no end can be reached, if there are any."""
        leading = self._leading_out()
        caught = [n for n in range(len(self._places)) if n not in leading]
        if not caught:
            return ()
        lines = dict.fromkeys(self._line(self._places[n].where) for n in caught)
        return (Trap(_numbers(self._found.way_to(caught[0])), tuple(lines)),)

    def _leading_out(self) -> set[int]:
        """Places from which an end, or something nobody looked at, can be reached."""
        before: list[list[int]] = [[] for _ in self._places]
        for nth, place in enumerate(self._places):
            for _, to in place.ways:
                before[to].append(nth)
        waiting = [n for n, place in enumerate(self._places) if not place.ways]
        found = set(waiting)
        while waiting:
            new = [n for n in before[waiting.pop()] if n not in found]
            found.update(new)
            waiting += new
        return found

    def _at(self, address: int) -> str:
        return self._line(self._program.where(address))

    def _line(self, where: Where) -> str:
        first = self._program.files[0][1]
        if where.file in ("", first):
            return str(where.line)
        return f"{relative(where.file, first)}:{where.line}"


def _numbers(taken: tuple[Taken, ...] | list[Taken]) -> tuple[int, ...]:
    return tuple(each.number for each in taken if each.numbered)
