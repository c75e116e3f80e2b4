"""Every place a reader can come to, by taking every option there is.

Breadth first, so that the way noted for a place is a shortest one; only when half of all
steps are taken, what is least known comes first, and ways may be longer. A place is where the
reader decides something, or where the story stops. Two ways to the same moment meet in
one place, so the work is the number of moments and not of ways.
"""

from collections.abc import Hashable, Iterator
from typing import Any, Final, NamedTuple

from saniwa.core.errors import ScriptError
from saniwa.core.where import Where
from saniwa.script.desk.exploring.frontier import Frontier
from saniwa.script.desk.exploring.guess import Guesses
from saniwa.script.desk.exploring.onward import (
    Taken,
    asks,
    ending_in,
    player_of,
    take,
    until_decided,
    ways_on,
)
from saniwa.script.desk.exploring.places import Kind, Place, Survey
from saniwa.script.desk.exploring.sameness import Sameness
from saniwa.script.desk.exploring.terrain import Terrain
from saniwa.script.playing.memory import Moment
from saniwa.script.program import Offer, Program

MOST_STEPS: Final = 200_000
"""Steps taken in all before a survey says that it is cut short."""
DEEPEST: Final = 200
"""Decisions one after another before a survey goes no further."""

_MOST_GUESSES = 64
"""Ways a world may be that are tried between two decisions."""


class _Stood(NamedTuple):
    """Where story and world stood before a decision."""

    address: int
    moment: Moment
    guessed: dict[str, bool]
    """What a world that is only guessed at was taken to be."""
    mark: Any
    """The moment of a world that is there."""


def survey(
    program: Program,
    *,
    seed: int = 0,
    most_steps: int = MOST_STEPS,
    deepest: int = DEEPEST,
    terrain: Terrain | None = None,
) -> Survey:
    """Look at everything, as far as the bounds allow.

    Without a terrain, the world of a story that stands on one is guessed at.
    """
    looking = _Looking(program, seed, most_steps, deepest, terrain)
    looking.look()
    return Survey(
        places=tuple(looking.places),
        sections=frozenset(looking.sections),
        options=frozenset(looking.options),
        bounded=looking.bounded,
        doubts=doubts(program, seed, looking.same, guessed=terrain is None),
    )


def doubts(
    program: Program, seed: int, same: Sameness, *, guessed: bool
) -> tuple[str, ...]:
    """What nobody can know without a world, a person or dice."""
    told = []
    if program.ground is not None and guessed:
        told.append(
            "the story was looked at without its world: every deed both came true and "
            "was refused, and every fact both was so and was not"
        )
    if asks(program):
        told.append("every question was answered with empty words")
    if same.rolls:
        told.append(f"chance decides some ways; these are those of seed {seed}")
    return tuple(told)


class _Looking:
    """One survey under way."""

    def __init__(
        self,
        program: Program,
        seed: int,
        most_steps: int,
        deepest: int,
        terrain: Terrain | None,
    ) -> None:
        self._facts = Guesses()
        self._terrain = terrain
        self.player = player_of(program, seed, self._facts, terrain)
        self.same = Sameness(program)
        self.places: list[Place] = []
        self.sections: set[str] = set()
        self.options: set[str] = set()
        self.bounded = ""
        self._program = program
        self._left = most_steps
        self._calm = most_steps // 2
        self._frontier = Frontier()
        self._deepest = deepest
        self._known: dict[Hashable, int] = {}
        self._stood: dict[int, _Stood] = {}
        self._offered: list[tuple[Taken, ...]] = []
        self._unseen = list(program.labels)
        self._untaken = [
            way.id
            for op in program.ops
            if isinstance(op, Offer)
            for way in op.ways
            if way.fallback
        ]

    def look(self) -> None:
        """From the beginning, place by place in the order they were found."""
        if self._program.ground is None or self._terrain is not None:
            self._arrive(0, None)
        else:
            # What the world is like may matter before anybody decides anything.
            start = _Stood(*self.player.standing(), {}, None)
            begin = Taken("begin", 0, "begin", numbered=False)
            place = Place("decision", self._program.where(0), 0)
            self._placed("begin", place, start, (begin,))
        while (nth := self._frontier.next()) is not None:
            stood = self._stood.pop(nth)
            self._leave(nth, stood)
            if self._left < self._calm:
                self._frontier.hurry()

    def _leave(self, nth: int, stood: _Stood) -> None:
        place = self.places[nth]
        if place.depth >= self._deepest:
            place.kind, self.bounded = "truncated", self.bounded or "depth"
            return
        for taken in self._offered[nth]:
            for guessed in self._guessed():
                self._stand(stood, taken)
                self._facts.take(guessed)
                take(self.player, taken)
                to = self._arrive(place.depth + 1, (nth, len(place.ways)))
                guesses = (told for told, so in self._facts.asked.items() if so)
                given = (*self.player.deeds, *guesses)
                if (taken.number, taken.allowed, to) not in {
                    (t.number, t.allowed, other) for t, other in place.ways
                }:
                    place.ways.append((taken._replace(given=given), to))

    def _stand(self, stood: _Stood, taken: Taken) -> None:
        self._facts.take(stood.guessed)
        if self._terrain is not None:
            self._terrain.go_back(stood.mark)
        self.player.stand(stood.address, stood.moment, ())
        if taken.kind != "begin":
            _, steps = until_decided(self.player, self.same, MOST_STEPS)
            # The step was counted when the place was found; silence takes time again.
            self._left -= steps - 1

    def _guessed(self) -> Iterator[dict[str, bool]]:
        """Every way the facts may be that are asked for on the way to the next place."""
        waiting: list[dict[str, bool]] = [{}]
        for _ in range(_MOST_GUESSES):
            if not waiting:
                return
            guessed = waiting.pop(0)
            yield guessed
            asked = list(self._facts.asked)
            for nth, told in enumerate(asked):
                if told not in guessed:
                    before = {other: guessed.get(other, False) for other in asked[:nth]}
                    waiting.append({**before, told: True})
        self.bounded = self.bounded or "facts"

    def _arrive(self, depth: int, before: tuple[int, int] | None) -> int:
        """Play on to the next place; its number."""
        player = self.player
        try:
            shown, steps = until_decided(player, self.same, self._left)
        except ScriptError as problem:
            return self._stuck(problem, depth, before)
        finally:
            self._tick_off()
        self._left -= steps
        where = self._program.where(player.address)
        if shown is None:
            self.bounded = "steps"
            place = Place("truncated", where, depth, before)
            return self._placed(("truncated",), place, None, ())
        if player.waiting == "end":
            ending = ending_in(shown)
            kind: Kind = "end_of_file" if ending is None else "ending"
            place = Place(kind, where, depth, before, ending or "")
            return self._placed((kind, ending), place, None, ())
        ways = tuple(ways_on(player, shown))
        key = (player.key(self.same), ways)
        place = Place("decision", where, depth, before)
        self.options.update(way.id for way in ways if way.kind != "deed")
        mark = None if self._terrain is None else self._terrain.mark()
        stood = _Stood(*player.standing(), dict(self._facts.asked), mark)
        return self._placed(key, place, stood, ways)

    def _stuck(
        self, problem: ScriptError, depth: int, before: tuple[int, int] | None
    ) -> int:
        where = problem.where or Where()
        place = Place("stuck", where, depth, before)
        place.problem, place.code = problem.message, problem.code
        return self._placed((problem.code, str(where)), place, None, ())

    def _placed(
        self,
        key: Hashable,
        place: Place,
        stood: _Stood | None,
        offered: tuple[Taken, ...],
    ) -> int:
        known = self._known.setdefault(key, len(self.places))
        if known == len(self.places):
            self.places.append(place)
            self._offered.append(offered)
            if stood is not None:
                self._stood[known] = stood
                self._frontier.add(known, self.player.sight(self.same))
        return known

    def _tick_off(self) -> None:
        """Note which sections and fallbacks were passed on the way."""
        memory = self.player.memory
        passed = [key for key in self._unseen if memory.visits(key)]
        taken = [id for id in self._untaken if memory.chosen(id)]
        if passed:
            self.sections.update(passed)
            self._unseen = [k for k in self._unseen if k not in self.sections]
        if taken:
            self.options.update(taken)
            self._untaken = [id for id in self._untaken if id not in self.options]
