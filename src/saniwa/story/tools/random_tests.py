"""Test a story by random walks: what they reach, and where one fails.

The same seed gives the same walks. Each walk plays with a seed of its own, so that
random events in the story differ too. Failures are shrunk to short ones.
"""

from collections.abc import Callable, Hashable, Iterator
from functools import partial
from typing import Final

import msgspec

from saniwa.core.errors import ScriptError
from saniwa.core.findings import SourceLocation
from saniwa.core.random import derive_state, draw_between
from saniwa.story.elements import SayElement
from saniwa.story.player import Player
from saniwa.story.program import EndOp, Program
from saniwa.story.step_builder import WorldRequest
from saniwa.story.step_result import StepResult
from saniwa.story.text_template import get_source
from saniwa.story.tools.autoplay import (
    ExplorableWorld,
    MomentComparer,
    RandomFacts,
    StoryDecision,
    apply_decision,
    find_ending,
    has_questions,
    list_decisions,
    make_player,
    play_until_decision,
)
from saniwa.story.tools.exploration import explore_story

ANSWERS: Final = ("", "yes", "w" * 12_000, "\x00\x1b[31m\u202e\u2028\t{n}[SET n = 1]")
"""The answers a walk gives: empty, a word, too long, and control characters."""


class RandomWalk(msgspec.Struct, frozen=True, kw_only=True):
    """One walk: its decisions and its result."""

    seed: int
    """The seed of the story's random generator."""
    taken: tuple[StoryDecision, ...]
    """Every decision, in order."""
    steps: int
    """How many steps it took."""
    failure: ScriptError | None = None
    """What stopped it; None if it ended or reached the limit of steps."""
    ending: str | None = None
    """The ending it reached."""
    ended: bool = False
    """Whether it reached the end of the story."""
    lines: frozenset[str] = frozenset()
    """Ids of the lines shown."""
    sections: frozenset[str] = frozenset()
    """Keys of the sections passed."""
    options: frozenset[str] = frozenset()
    """Ids of the options taken."""


def run_random_walks(
    program: Program, *, count: int, seed: int, most: int, terrain: ExplorableWorld | None = None
) -> Iterator[RandomWalk]:
    """Run walks of at most `most` steps; the world is reset before each."""
    same, circles = MomentComparer(program), dict[Hashable, ScriptError]()
    reset = _mark_beginning(terrain)
    for number in range(count):
        reset()
        yield run_random_walk(
            program, same, seed=seed + number, most=most, terrain=terrain, circles=circles
        )
    reset()


def _mark_beginning(terrain: ExplorableWorld | None) -> Callable[[], None]:
    """Mark the present moment of the world; the function returned goes back to it."""
    if terrain is None:
        return lambda: None
    return partial(terrain.go_back, terrain.mark())


def run_random_walk(
    program: Program,
    same: MomentComparer,
    *,
    seed: int,
    most: int,
    terrain: ExplorableWorld | None = None,
    circles: dict[Hashable, ScriptError] | None = None,
) -> RandomWalk:
    """Run one walk with random decisions.

    `circles` has the moments after which the story loops forever, which are slow to
    detect; new ones are added.
    """
    guessed = program.ground is not None and terrain is None
    circles = {} if circles is None or guessed else circles
    facts = RandomFacts(seed)
    player = make_player(program, seed, facts, terrain)
    chance, taken, steps, ending = (derive_state(seed, "walk"), list[StoryDecision](), 0, None)
    failure: ScriptError | None = None
    here: Hashable = None
    try:
        while steps < most:
            here = player.make_key(same)
            failure = circles.get(here)
            if failure is not None:
                break
            shown, more = play_until_decision(player, same, most - steps)
            steps += more
            if shown is None or player.waiting == "end":
                ending = None if shown is None else find_ending(shown)
                break
            ways = list(list_decisions(player, shown))
            chance, nth = draw_between(chance, 0, len(ways) - 1)
            chance, word = draw_between(chance, 0, len(ANSWERS) - 1)
            chosen = ways[nth]
            if chosen.kind == "answer":
                chosen = chosen._replace(text=ANSWERS[word])
            taken.append(chosen)
            apply_decision(player, chosen)
            facts.start_decision()
    except ScriptError as problem:
        failure = problem
        if problem.code == "LOOP_WITHOUT_WAIT":
            circles[here] = failure
    return RandomWalk(
        seed=seed,
        taken=tuple(taken),
        steps=steps,
        failure=failure,
        ending=ending,
        ended=player.waiting == "end",
        lines=player.list_seen_ids(),
        sections=frozenset(k for k in program.labels if player.memory.count_visits(k)),
        options=frozenset(player.memory.take_snapshot().chosen),
    )


def replay_decisions(
    program: Program,
    same: MomentComparer,
    *,
    seed: int,
    taken: tuple[StoryDecision, ...],
    most: int,
    terrain: ExplorableWorld | None = None,
) -> ScriptError | None:
    """Return what stops a walk with these decisions; None if nothing does.

    Also None if the decisions are not possible.
    """
    facts = RandomFacts(seed)
    player = make_player(program, seed, facts, terrain)
    remaining = list(taken)
    try:
        while True:
            shown, more = play_until_decision(player, same, most)
            most -= more
            if shown is None or player.waiting == "end" or not remaining:
                return None
            chosen = remaining.pop(0)
            if not _is_possible(player, shown, chosen):
                return None
            apply_decision(player, chosen)
            facts.start_decision()
    except ScriptError as problem:
        return problem


def _is_possible(player: Player, shown: StepResult | WorldRequest, chosen: StoryDecision) -> bool:
    return any(
        (way.kind, way.number, way.allowed) == (chosen.kind, chosen.number, chosen.allowed)
        for way in list_decisions(player, shown)
    )


class UnreachedPart(msgspec.Struct, frozen=True):
    """A part of the story that no walk reached."""

    name: str
    """Its text or name."""
    where: str
    """Its file, line and column."""


class CoverageCount(msgspec.Struct, frozen=True):
    """Coverage of one kind of part."""

    reached: int
    """How many were reached."""
    total: int
    """How many there are."""
    missed: tuple[UnreachedPart, ...]
    """Those not reached, in the order of the story."""


class WalkCoverage(msgspec.Struct, frozen=True):
    """What the walks reached."""

    lines: CoverageCount
    """Lines that were shown."""
    options: CoverageCount
    """Options that were taken."""
    sections: CoverageCount
    """Sections that were passed."""
    endings: CoverageCount
    """Endings that were reached."""


_PARTS: Final = ("lines", "options", "sections", "endings")


class CoverageTally:
    """Counts what the walks reach."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._reached: dict[str, set[str]] = {part: set() for part in _PARTS}

    def add(self, walk: RandomWalk) -> None:
        """Count what a walk reached."""
        self._reached["lines"] |= walk.lines
        self._reached["options"] |= walk.options
        self._reached["sections"] |= walk.sections
        if walk.ending is not None:
            self._reached["endings"].add(walk.ending)

    def summarize(self) -> WalkCoverage:
        """Summarize what was reached so far."""
        written: dict[str, dict[str, UnreachedPart]] = {part: {} for part in _PARTS}
        for part, key, name, where in _list_parts(self._program):
            written[part].setdefault(key, UnreachedPart(name, str(where)))
        return WalkCoverage(
            *(_count_reached(written[part], self._reached[part]) for part in _PARTS)
        )


def _list_parts(program: Program) -> Iterator[tuple[str, str, str, SourceLocation]]:
    """Yield every part of a story: its kind, its key, its name or text, and its place."""
    for key, address in program.labels.items():
        yield "sections", key, key, program.locate_op(address)
    for address, text in program.list_texts():
        kind = "lines" if isinstance(text, SayElement) else "options"
        yield kind, text.id, get_source(text.words), program.locate_op(address, text)
    for address, op in enumerate(program.ops):
        if isinstance(op, EndOp) and op.ending is not None:
            yield "endings", op.ending, op.ending, program.locate_op(address)


def _count_reached(known: dict[str, UnreachedPart], reached: set[str]) -> CoverageCount:
    missed = tuple(what for key, what in known.items() if key not in reached)
    return CoverageCount(len(known) - len(missed), len(known), missed)


_MOST_TRIES = 2_000
_SURVEYED = 20_000
"""Steps of the exploration that looks for a different, shorter path."""

_Fails = Callable[[tuple[StoryDecision, ...]], bool]


def shrink_failure(
    program: Program,
    failed: RandomWalk,
    most: int,
    seed: int,
    terrain: ExplorableWorld | None = None,
) -> tuple[int, tuple[StoryDecision, ...]]:
    """Find the shortest decisions that fail with the same code in the same place.

    Also returns the seed they fail with: `seed`, unless randomness matters.

    First omits ever smaller pieces, then prefers smaller numbers and shorter answers,
    then checks whether another path to the same failure is shorter still.
    """
    assert failed.failure is not None
    same, tries = MomentComparer(program), 0
    reset = _mark_beginning(terrain)

    def replay(taken: tuple[StoryDecision, ...], seed: int) -> ScriptError | None:
        reset()
        return replay_decisions(program, same, seed=seed, taken=taken, most=most, terrain=terrain)

    def fails(taken: tuple[StoryDecision, ...]) -> bool:
        nonlocal tries
        tries += 1
        if tries > _MOST_TRIES:
            return False
        return _is_same_failure(replay(taken, failed.seed), failed.failure)

    if _is_same_failure(replay(failed.taken, seed), failed.failure):
        failed = msgspec.structs.replace(failed, seed=seed)

    least = _find_simplest(_find_shortest(failed.taken, fails), fails)
    reset()
    for other in _list_alternatives(program, failed, terrain):
        if len(other) < len(least) and fails(other):
            least = other
    reset()
    return failed.seed, least


def _is_same_failure(one: ScriptError | None, other: ScriptError | None) -> bool:
    if one is None or other is None:
        return False
    return (one.code, one.where) == (other.code, other.where)


def _find_shortest(taken: tuple[StoryDecision, ...], fails: _Fails) -> tuple[StoryDecision, ...]:
    """Delta debugging: omit halves, then quarters, and so on."""
    size = len(taken)
    while size:
        size = (size + 1) // 2 if size > 1 else 1
        start, shorter = 0, False
        while start < len(taken):
            rest = taken[:start] + taken[start + size :]
            if fails(rest):
                taken, shorter = rest, True
            else:
                start += size
        if size == 1 and not shorter:
            break
    return taken


def _find_simplest(taken: tuple[StoryDecision, ...], fails: _Fails) -> tuple[StoryDecision, ...]:
    for nth in range(len(taken)):
        for simpler in _list_simpler(taken[nth]):
            other = (*taken[:nth], simpler, *taken[nth + 1 :])
            if fails(other):
                taken = other
                break
    return taken


def _list_simpler(taken: StoryDecision) -> Iterator[StoryDecision]:
    if taken.kind == "answer":
        for text in ANSWERS[: ANSWERS.index(taken.text)]:
            yield taken._replace(text=text)
    for number in range(1, taken.number):
        yield taken._replace(number=number)


def _list_alternatives(
    program: Program, failed: RandomWalk, terrain: ExplorableWorld | None
) -> Iterator[tuple[StoryDecision, ...]]:
    assert failed.failure is not None
    found = explore_story(program, seed=failed.seed, most_steps=_SURVEYED, terrain=terrain)
    for nth, place in enumerate(found.places):
        if (place.code, place.where) == (failed.failure.code, failed.failure.where):
            yield found.find_path(nth)


_MOST_FAILURES = 5
"""The most failures that are shrunk; a story with more has enough to correct."""


class ShrunkFailure(msgspec.Struct, frozen=True, kw_only=True):
    """A failure, with the fewest decisions found that lead to it."""

    walk: int
    """The number of the first walk that met it, from 1."""
    code: str
    """The error's code."""
    message: str
    """What is wrong."""
    where: str
    """The place."""
    choices: tuple[int, ...]
    """The options to take, from 1; 0 for an answer."""
    answers: tuple[str, ...]
    """The answers to give."""
    deeds: tuple[bool, ...]
    """The assumed outcomes of deeds, in order, if there was no world."""
    seed: int
    """The seed to play with."""


class RandomTestReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a random test."""

    seed: int
    """The seed."""
    walks: int
    """How many walks there were."""
    steps: int
    """How many steps they took together."""
    ended: int
    """How many reached an end of the story."""
    failures: tuple[ShrunkFailure, ...]
    """Every different failure."""
    reach: WalkCoverage
    """What was reached."""
    notes: tuple[str, ...]
    """What was assumed."""

    @property
    def is_unfinished(self) -> bool:
        """Whether no walk reached an end of the story."""
        return self.ended == 0

    @property
    def is_sound(self) -> bool:
        """Whether no walk failed, and an ending was reached if the story has one."""
        missed = self.reach.endings.total and not self.reach.endings.reached
        return not (self.failures or self.is_unfinished or missed)


def run_random_tests(
    program: Program,
    *,
    walks: int,
    seed: int,
    most: int,
    terrain: ExplorableWorld | None = None,
    tell: Callable[[int, int], None] = lambda done, walks: None,  # noqa: ARG005 - ignores both
) -> RandomTestReport:
    """Run the walks; `tell` is called with the number of finished walks and of all."""
    tally, steps, ended = CoverageTally(program), 0, 0
    failed: dict[tuple[str, str], tuple[int, RandomWalk]] = {}
    for number, walk in enumerate(
        run_random_walks(program, count=walks, seed=seed, most=most, terrain=terrain), start=1
    ):
        tally.add(walk)
        steps += walk.steps
        ended += walk.ended
        if walk.failure is not None and len(failed) < _MOST_FAILURES:
            key = (walk.failure.code, str(walk.failure.where))
            failed.setdefault(key, (number, walk))
        tell(number, walks)
    return RandomTestReport(
        seed=seed,
        walks=walks,
        steps=steps,
        ended=ended,
        failures=tuple(
            _make_shrunk_failure(program, n, walk, most, terrain) for n, walk in failed.values()
        ),
        reach=tally.summarize(),
        notes=_list_notes(program, guessed=terrain is None),
    )


def _make_shrunk_failure(
    program: Program, number: int, walk: RandomWalk, most: int, terrain: ExplorableWorld | None
) -> ShrunkFailure:
    assert walk.failure is not None
    # `saniwa trace` plays with seed 0 by default.
    seed, taken = shrink_failure(program, walk, most, 0, terrain)
    return ShrunkFailure(
        walk=number,
        code=walk.failure.code,
        message=walk.failure.message,
        where=str(walk.failure.where),
        choices=tuple(t.number for t in taken if t.numbered),
        answers=tuple(t.text for t in taken if t.kind == "answer"),
        deeds=tuple(t.allowed for t in taken if t.kind == "deed"),
        seed=seed,
    )


def _list_notes(program: Program, *, guessed: bool) -> tuple[str, ...]:
    notes = []
    if program.ground is not None and guessed:
        notes.append(
            "played without the story's world: actions succeeded and facts were true at random"
        )
    if has_questions(program):
        notes.append("questions were answered with a few fixed texts")
    return tuple(notes)
