"""Find every place of a story that can be reached, by taking every option.

Breadth first, so that the path recorded for a place is a shortest one; only after half
of the allowed steps, rarely seen places come first and paths may be longer. A place is
where the player decides something, or where the story stops. Two paths to the same
moment share one place, so the work is proportional to moments, not paths.
"""

from collections import Counter
from collections.abc import Hashable, Iterator
from heapq import heappop, heappush
from typing import Any, Final, Literal, NamedTuple

import msgspec

from saniwa.core.errors import ScriptError
from saniwa.core.findings import SourceLocation
from saniwa.story.memory import MemorySnapshot
from saniwa.story.program import Program
from saniwa.story.tools import autoplay


class ExplorationQueue:
    """First in, first out; later, places with the rarest sight first.

    A story with many small one-time options has far too many moments near its beginning
    to visit them all. Its end is found by going where little was visited.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[int, int]] = []
        self._sights: dict[int, Hashable] = {}
        self._visits: Counter[Hashable] = Counter()
        self._prefers_rare = False

    def add(self, place: int, sight: Hashable) -> None:
        """Add a place, numbered in order; places with the same sight are similar."""
        self._sights[place] = sight
        heappush(self._waiting, (self._rank(place), place))

    def prefer_rare(self) -> None:
        """From now on, visit the rarest sights first."""
        self._prefers_rare = True

    def pop_next(self) -> int | None:
        """Return the next place to expand; None when there are no more."""
        while self._waiting:
            rank, place = heappop(self._waiting)
            # Its sight may have been visited since it was added.
            if rank == self._rank(place):
                self._visits[self._sights.pop(place)] += 1
                return place
            heappush(self._waiting, (self._rank(place), place))
        return None

    def _rank(self, place: int) -> int:
        return self._visits[self._sights[place]] if self._prefers_rare else 0


PlaceKind = Literal["decision", "ending", "end_of_file", "stuck", "truncated"]
"""What happens at a place."""


class ExploredPlace(msgspec.Struct):
    """A place where the player decides something, or where the story stops."""

    kind: PlaceKind
    """What happens there."""
    where: SourceLocation
    """Its line."""
    depth: int
    """The number of decisions on the path to it."""
    before: tuple[int, int] | None = None
    """The previous place on that path, and the index of the decision taken there."""
    ending: str = ""
    """The id of the ending."""
    problem: str = ""
    """The error message, if the story is stuck."""
    code: str = ""
    """The error code."""
    ways: list[tuple[autoplay.StoryDecision, int]] = []
    """The decisions, and the place each leads to."""


class ExplorationResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an exploration."""

    places: tuple[ExploredPlace, ...]
    """All places; at the first, the story first stops for the player."""
    sections: frozenset[str]
    """The keys of the sections that were reached."""
    options: frozenset[str]
    """The ids of the options that could be taken."""
    bounded: str
    """Why it is incomplete: `steps`, `depth` or `facts`; empty if it is complete."""
    doubts: tuple[str, ...]
    """What was assumed, one sentence each."""

    def find_path(self, place: int) -> tuple[autoplay.StoryDecision, ...]:
        """Return the decisions on the path to a place."""
        way: list[autoplay.StoryDecision] = []
        while (before := self.places[place].before) is not None:
            place, nth = before
            way.append(self.places[place].ways[nth][0])
        return tuple(reversed(way))


MOST_STEPS: Final = 200_000
"""The most steps of one exploration."""
DEEPEST: Final = 200
"""The most decisions on one path."""

_MOST_GUESSES = 64
"""The most combinations of facts tried between two decisions."""


class _Checkpoint(NamedTuple):
    """Story and world before a decision."""

    address: int
    moment: MemorySnapshot
    guessed: dict[str, bool]
    """The facts assumed, without a world."""
    mark: Any
    """The mark of the world, if there is one."""


def explore_story(
    program: Program,
    *,
    seed: int = 0,
    most_steps: int = MOST_STEPS,
    deepest: int = DEEPEST,
    terrain: autoplay.ExplorableWorld | None = None,
) -> ExplorationResult:
    """Explore everything, as far as the limits allow.

    Without a `terrain`, the facts of a story's world are guessed.
    """
    exploration = _Exploration(program, seed, most_steps, deepest, terrain)
    exploration.explore()
    return ExplorationResult(
        places=tuple(exploration.places),
        sections=frozenset(exploration.sections),
        options=frozenset(exploration.options),
        bounded=exploration.bounded,
        doubts=list_doubts(program, seed, exploration.same, guessed=terrain is None),
    )


def list_doubts(
    program: Program, seed: int, same: autoplay.MomentComparer, *, guessed: bool
) -> tuple[str, ...]:
    """List what is uncertain without a world, a person or dice."""
    doubts = []
    if program.ground is not None and guessed:
        doubts.append(
            "explored without the story's world: every action was taken to succeed and "
            "to be refused, every fact to be true and false"
        )
    if autoplay.has_questions(program):
        doubts.append("every question was answered with an empty text")
    if same.rolls:
        doubts.append(f"some routes depend on random choices; these are for seed {seed}")
    return tuple(doubts)


class _Exploration:
    """One exploration in progress."""

    def __init__(
        self,
        program: Program,
        seed: int,
        most_steps: int,
        deepest: int,
        terrain: autoplay.ExplorableWorld | None,
    ) -> None:
        self._facts = autoplay.GuessedFacts()
        self._terrain = terrain
        self.player = autoplay.make_player(program, seed, self._facts, terrain)
        self.same = autoplay.MomentComparer(program)
        self.places: list[ExploredPlace] = []
        self.sections: set[str] = set()
        self.options: set[str] = set()
        self.bounded = ""
        self._program = program
        self._left = most_steps
        self._rare_first_below = most_steps // 2
        self._frontier = ExplorationQueue()
        self._deepest = deepest
        self._known: dict[Hashable, int] = {}
        self._checkpoints: dict[int, _Checkpoint] = {}
        self._offered: list[tuple[autoplay.StoryDecision, ...]] = []
        self._unseen = list(program.labels)
        self._untaken = [
            way.id for _, way in program.list_texts() if getattr(way, "fallback", False)
        ]

    def explore(self) -> None:
        """Expand places from the beginning on, in the order they were found."""
        if self._program.ground is None or self._terrain is not None:
            self._play_to_place(0, None)
        else:
            # Facts may matter before the first decision.
            start = _Checkpoint(*self.player.locate_shown(), {}, None)
            begin = autoplay.StoryDecision("begin", 0, "begin", numbered=False)
            place = ExploredPlace("decision", self._program.locate_op(0), 0)
            self._add_place("begin", place, start, (begin,))
        while (nth := self._frontier.pop_next()) is not None:
            checkpoint = self._checkpoints.pop(nth)
            self._expand_place(nth, checkpoint)
            if self._left < self._rare_first_below:
                self._frontier.prefer_rare()

    def _expand_place(self, nth: int, checkpoint: _Checkpoint) -> None:
        place = self.places[nth]
        if place.depth >= self._deepest:
            place.kind, self.bounded = "truncated", self.bounded or "depth"
            return
        for taken in self._offered[nth]:
            for guessed in self._list_guesses():
                self._restore_checkpoint(checkpoint, taken)
                self._facts.assume(guessed)
                autoplay.apply_decision(self.player, taken)
                to = self._play_to_place(place.depth + 1, (nth, len(place.ways)))
                guesses = (fact for fact, so in self._facts.asked.items() if so)
                given = (*self.player.deeds, *guesses)
                if (taken.number, taken.allowed, to) not in {
                    (t.number, t.allowed, other) for t, other in place.ways
                }:
                    place.ways.append((taken._replace(given=given), to))

    def _restore_checkpoint(self, checkpoint: _Checkpoint, taken: autoplay.StoryDecision) -> None:
        self._facts.assume(checkpoint.guessed)
        if self._terrain is not None:
            self._terrain.go_back(checkpoint.mark)
        self.player.move_to(checkpoint.address, checkpoint.moment, ())
        if taken.kind != "begin":
            _, steps = autoplay.play_until_decision(self.player, self.same, MOST_STEPS)
            # The step was counted when the place was found; silent steps count again.
            self._left -= steps - 1

    def _list_guesses(self) -> Iterator[dict[str, bool]]:
        """Yield every combination of the facts asked for up to the next place."""
        waiting: list[dict[str, bool]] = [{}]
        for _ in range(_MOST_GUESSES):
            if not waiting:
                return
            guessed = waiting.pop(0)
            yield guessed
            asked = list(self._facts.asked)
            for nth, fact in enumerate(asked):
                if fact not in guessed:
                    before = {other: guessed.get(other, False) for other in asked[:nth]}
                    waiting.append({**before, fact: True})
        self.bounded = self.bounded or "facts"

    def _play_to_place(self, depth: int, before: tuple[int, int] | None) -> int:
        """Play on to the next place, and return its index."""
        player = self.player
        try:
            shown, steps = autoplay.play_until_decision(player, self.same, self._left)
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
            ending = autoplay.find_ending(shown)
            kind: PlaceKind = "end_of_file" if ending is None else "ending"
            place = ExploredPlace(kind, where, depth, before, ending or "")
            return self._add_place((kind, ending), place, None, ())
        ways = tuple(autoplay.list_decisions(player, shown))
        key = (player.make_key(self.same), ways)
        place = ExploredPlace("decision", where, depth, before)
        self.options.update(way.id for way in ways if way.kind != "deed")
        mark = None if self._terrain is None else self._terrain.mark()
        checkpoint = _Checkpoint(*player.locate_shown(), dict(self._facts.asked), mark)
        return self._add_place(key, place, checkpoint, ways)

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
        checkpoint: _Checkpoint | None,
        offered: tuple[autoplay.StoryDecision, ...],
    ) -> int:
        known = self._known.setdefault(key, len(self.places))
        if known == len(self.places):
            self.places.append(place)
            self._offered.append(offered)
            if checkpoint is not None:
                self._checkpoints[known] = checkpoint
                self._frontier.add(known, self.player.make_rough_key(self.same))
        return known

    def _mark_passed(self) -> None:
        """Record the sections and fallbacks passed on the way."""
        memory = self.player.memory
        passed = [key for key in self._unseen if memory.count_visits(key)]
        taken = [id for id in self._untaken if memory.count_choices(id)]
        if passed:
            self.sections.update(passed)
            self._unseen = [k for k in self._unseen if k not in self.sections]
        if taken:
            self.options.update(taken)
            self._untaken = [id for id in self._untaken if id not in self.options]
