"""Every place a reader can come to, by taking every option there is.

Breadth first, so that the way noted for a place is a shortest one; only when half of all
steps are taken, what is least known comes first, and ways may be longer. A place is where the
reader decides something, or where the story stops. Two ways to the same moment meet in
one place, so the work is the number of moments and not of ways.
"""

from collections import Counter, deque
from collections.abc import Hashable, Iterator
from heapq import heapify, heappop, heappush
from typing import Any, Final, Literal, NamedTuple

import msgspec

from saniwa.core.errors import ScriptError
from saniwa.core.findings import SourceLocation
from saniwa.story.memory import MemorySnapshot
from saniwa.story.program import OfferOp, Program
from saniwa.story.tools.autoplay import (
    ExplorableWorld,
    GuessedFacts,
    MomentComparer,
    StoryDecision,
    apply_decision,
    find_ending,
    has_questions,
    list_decisions,
    make_player,
    play_until_decision,
)


class ExplorationQueue:
    """First come, first served; once time grows short, what is least known comes first.

    In a story with many small things to do once, the moments near its beginning are more
    than anybody can look at. Its end is found by going where little was looked at yet.
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, Hashable]] = deque()
        self._rare: list[tuple[int, int]] = []
        self._sights: dict[int, Hashable] = {}
        self._left: Counter[Hashable] = Counter()
        self._hurried = False

    def add(self, place: int, sight: Hashable) -> None:
        """A place was found; places with the same sight are much alike."""
        if self._hurried:
            self._push(place, sight)
        else:
            self._waiting.append((place, sight))

    def prefer_rare(self) -> None:
        """From now on, the least known first."""
        if not self._hurried:
            self._hurried = True
            self._sights = dict(self._waiting)
            self._rare = [(self._left[s], place) for place, s in self._waiting]
            heapify(self._rare)

    def pop_next(self) -> int | None:
        """The place to leave now; None when all were."""
        if not self._hurried:
            return self._pop_first()
        while self._rare:
            count, place = heappop(self._rare)
            sight = self._sights.pop(place)
            if count == self._left[sight]:
                self._left[sight] += 1
                return place
            self._push(place, sight)
        return None

    def _pop_first(self) -> int | None:
        if not self._waiting:
            return None
        place, sight = self._waiting.popleft()
        self._left[sight] += 1
        return place

    def _push(self, place: int, sight: Hashable) -> None:
        self._sights[place] = sight
        heappush(self._rare, (self._left[sight], place))


PlaceKind = Literal["decision", "ending", "end_of_file", "stuck", "truncated"]
"""What happens at a place."""


class ExploredPlace(msgspec.Struct):
    """Where a reader decides something, or where the story stops."""

    kind: PlaceKind
    """What happens there."""
    where: SourceLocation
    """Its line."""
    depth: int
    """Decisions on a shortest way there."""
    before: tuple[int, int] | None = None
    """The place before it on that way, and which of its ways on leads here."""
    ending: str = ""
    """Which ending."""
    problem: str = ""
    """What stops the story, where it is stuck."""
    code: str = ""
    """The code of that."""
    ways: list[tuple[StoryDecision, int]] = []
    """The ways on: what is taken, and the place it leads to."""


class ExplorationResult(msgspec.Struct, frozen=True, kw_only=True):
    """What was found."""

    places: tuple[ExploredPlace, ...]
    """All places; the first is where the story first stops for its reader."""
    sections: frozenset[str]
    """The keys of the sections that were reached."""
    options: frozenset[str]
    """The ids of the options that could be taken."""
    bounded: str
    """Why not all was looked at: `steps`, `depth` or `facts`; empty if all was."""
    doubts: tuple[str, ...]
    """What was taken for granted, one sentence each."""

    def find_path(self, place: int) -> tuple[StoryDecision, ...]:
        """A shortest way to a place."""
        way: list[StoryDecision] = []
        while (before := self.places[place].before) is not None:
            place, nth = before
            way.append(self.places[place].ways[nth][0])
        return tuple(reversed(way))


MOST_STEPS: Final = 200_000
"""Steps taken in all before a survey says that it is cut short."""
DEEPEST: Final = 200
"""Decisions one after another before a survey goes no further."""

_MOST_GUESSES = 64
"""Ways a world may be that are tried between two decisions."""


class _Checkpoint(NamedTuple):
    """Where story and world stood before a decision."""

    address: int
    moment: MemorySnapshot
    guessed: dict[str, bool]
    """What a world that is only guessed at was taken to be."""
    mark: Any
    """The moment of a world that is there."""


def explore_story(
    program: Program,
    *,
    seed: int = 0,
    most_steps: int = MOST_STEPS,
    deepest: int = DEEPEST,
    terrain: ExplorableWorld | None = None,
) -> ExplorationResult:
    """Look at everything, as far as the bounds allow.

    Without a terrain, the world of a story that stands on one is guessed at.
    """
    looking = _Exploration(program, seed, most_steps, deepest, terrain)
    looking.explore()
    return ExplorationResult(
        places=tuple(looking.places),
        sections=frozenset(looking.sections),
        options=frozenset(looking.options),
        bounded=looking.bounded,
        doubts=list_doubts(program, seed, looking.same, guessed=terrain is None),
    )


def list_doubts(
    program: Program, seed: int, same: MomentComparer, *, guessed: bool
) -> tuple[str, ...]:
    """What nobody can know without a world, a person or dice."""
    told = []
    if program.ground is not None and guessed:
        told.append(
            "the story was looked at without its world: every deed both came true and "
            "was refused, and every fact both was so and was not"
        )
    if has_questions(program):
        told.append("every question was answered with empty words")
    if same.rolls:
        told.append(f"chance decides some ways; these are those of seed {seed}")
    return tuple(told)


class _Exploration:
    """One survey under way."""

    def __init__(
        self,
        program: Program,
        seed: int,
        most_steps: int,
        deepest: int,
        terrain: ExplorableWorld | None,
    ) -> None:
        self._facts = GuessedFacts()
        self._terrain = terrain
        self.player = make_player(program, seed, self._facts, terrain)
        self.same = MomentComparer(program)
        self.places: list[ExploredPlace] = []
        self.sections: set[str] = set()
        self.options: set[str] = set()
        self.bounded = ""
        self._program = program
        self._left = most_steps
        self._calm = most_steps // 2
        self._frontier = ExplorationQueue()
        self._deepest = deepest
        self._known: dict[Hashable, int] = {}
        self._stood: dict[int, _Checkpoint] = {}
        self._offered: list[tuple[StoryDecision, ...]] = []
        self._unseen = list(program.labels)
        self._untaken = [
            way.id
            for op in program.ops
            if isinstance(op, OfferOp)
            for way in op.ways
            if way.fallback
        ]

    def explore(self) -> None:
        """From the beginning, place by place in the order they were found."""
        if self._program.ground is None or self._terrain is not None:
            self._play_to_place(0, None)
        else:
            # What the world is like may matter before anybody decides anything.
            start = _Checkpoint(*self.player.locate_shown(), {}, None)
            begin = StoryDecision("begin", 0, "begin", numbered=False)
            place = ExploredPlace("decision", self._program.locate_op(0), 0)
            self._add_place("begin", place, start, (begin,))
        while (nth := self._frontier.pop_next()) is not None:
            stood = self._stood.pop(nth)
            self._expand_place(nth, stood)
            if self._left < self._calm:
                self._frontier.prefer_rare()

    def _expand_place(self, nth: int, stood: _Checkpoint) -> None:
        place = self.places[nth]
        if place.depth >= self._deepest:
            place.kind, self.bounded = "truncated", self.bounded or "depth"
            return
        for taken in self._offered[nth]:
            for guessed in self._list_guesses():
                self._restore_checkpoint(stood, taken)
                self._facts.assume(guessed)
                apply_decision(self.player, taken)
                to = self._play_to_place(place.depth + 1, (nth, len(place.ways)))
                guesses = (told for told, so in self._facts.asked.items() if so)
                given = (*self.player.deeds, *guesses)
                if (taken.number, taken.allowed, to) not in {
                    (t.number, t.allowed, other) for t, other in place.ways
                }:
                    place.ways.append((taken._replace(given=given), to))

    def _restore_checkpoint(self, stood: _Checkpoint, taken: StoryDecision) -> None:
        self._facts.assume(stood.guessed)
        if self._terrain is not None:
            self._terrain.go_back(stood.mark)
        self.player.move_to(stood.address, stood.moment, ())
        if taken.kind != "begin":
            _, steps = play_until_decision(self.player, self.same, MOST_STEPS)
            # The step was counted when the place was found; silence takes time again.
            self._left -= steps - 1

    def _list_guesses(self) -> Iterator[dict[str, bool]]:
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

    def _play_to_place(self, depth: int, before: tuple[int, int] | None) -> int:
        """Play on to the next place; its number."""
        player = self.player
        try:
            shown, steps = play_until_decision(player, self.same, self._left)
        except ScriptError as problem:
            return self._add_stuck_place(problem, depth, before)
        finally:
            self._mark_passed()
        self._left -= steps
        where = self._program.locate_op(player.address)
        if shown is None:
            self.bounded = "steps"
            place = ExploredPlace("truncated", where, depth, before)
            return self._add_place(("truncated",), place, None, ())
        if player.waiting == "end":
            ending = find_ending(shown)
            kind: PlaceKind = "end_of_file" if ending is None else "ending"
            place = ExploredPlace(kind, where, depth, before, ending or "")
            return self._add_place((kind, ending), place, None, ())
        ways = tuple(list_decisions(player, shown))
        key = (player.make_key(self.same), ways)
        place = ExploredPlace("decision", where, depth, before)
        self.options.update(way.id for way in ways if way.kind != "deed")
        mark = None if self._terrain is None else self._terrain.mark()
        stood = _Checkpoint(*player.locate_shown(), dict(self._facts.asked), mark)
        return self._add_place(key, place, stood, ways)

    def _add_stuck_place(
        self, problem: ScriptError, depth: int, before: tuple[int, int] | None
    ) -> int:
        where = problem.where or SourceLocation()
        place = ExploredPlace("stuck", where, depth, before)
        place.problem, place.code = problem.message, problem.code
        return self._add_place((problem.code, str(where)), place, None, ())

    def _add_place(
        self,
        key: Hashable,
        place: ExploredPlace,
        stood: _Checkpoint | None,
        offered: tuple[StoryDecision, ...],
    ) -> int:
        known = self._known.setdefault(key, len(self.places))
        if known == len(self.places):
            self.places.append(place)
            self._offered.append(offered)
            if stood is not None:
                self._stood[known] = stood
                self._frontier.add(known, self.player.make_rough_key(self.same))
        return known

    def _mark_passed(self) -> None:
        """Note which sections and fallbacks were passed on the way."""
        memory = self.player.memory
        passed = [key for key in self._unseen if memory.count_visits(key)]
        taken = [id for id in self._untaken if memory.count_choices(id)]
        if passed:
            self.sections.update(passed)
            self._unseen = [k for k in self._unseen if k not in self.sections]
        if taken:
            self.options.update(taken)
            self._untaken = [id for id in self._untaken if id not in self.options]
