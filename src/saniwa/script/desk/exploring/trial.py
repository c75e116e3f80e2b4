"""A story put to the test: many random walks, and every failure made short."""

from collections.abc import Callable

import msgspec

from saniwa.script.desk.exploring.onward import asks
from saniwa.script.desk.exploring.reach import Reach, Tally
from saniwa.script.desk.exploring.shrink import shrink
from saniwa.script.desk.exploring.terrain import Terrain
from saniwa.script.desk.exploring.walk import Walk
from saniwa.script.desk.exploring.walk import walks as walks_of
from saniwa.script.program import Program

_MOST_FAILURES = 5
"""Different failures that are made short; a story with more has enough to mend."""


class Broken(msgspec.Struct, frozen=True, kw_only=True):
    """A failure, with the fewest decisions that lead to it."""

    walk: int
    """Which walk met it first, from 1."""
    code: str
    """The error's code."""
    message: str
    """What is wrong."""
    where: str
    """Where it is."""
    choices: tuple[int, ...]
    """The options to take, from 1; 0 for an answer."""
    answers: tuple[str, ...]
    """What to answer."""
    deeds: tuple[bool, ...]
    """What was taken to come of deeds, in order, where the world was only guessed at."""
    seed: int
    """The seed to play with."""


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it."""

    seed: int
    """Where chance started."""
    walks: int
    """How many walks there were."""
    steps: int
    """How many steps all of them took."""
    ended: int
    """How many came to an end of the story."""
    failures: tuple[Broken, ...]
    """Every different failure."""
    reach: Reach
    """What was reached."""
    notes: tuple[str, ...]
    """What was taken for granted."""


def try_story(
    program: Program,
    *,
    walks: int,
    seed: int,
    most: int,
    terrain: Terrain | None = None,
    tell: Callable[[int, int], None] = lambda done, walks: None,  # noqa: ARG005
) -> Trial:
    """Walk so many times; `tell` is told how many are done."""
    tally, steps, ended = Tally(program), 0, 0
    failed: dict[tuple[str, str], tuple[int, Walk]] = {}
    for number, walk in enumerate(
        walks_of(program, count=walks, seed=seed, most=most, terrain=terrain), start=1
    ):
        tally.add(walk)
        steps += walk.steps
        ended += walk.ended
        if walk.failure is not None and len(failed) < _MOST_FAILURES:
            key = (walk.failure.code, str(walk.failure.where))
            failed.setdefault(key, (number, walk))
        tell(number, walks)
    return Trial(
        seed=seed,
        walks=walks,
        steps=steps,
        ended=ended,
        failures=tuple(
            _broken(program, n, walk, most, terrain) for n, walk in failed.values()
        ),
        reach=tally.reach(),
        notes=_notes(program, guessed=terrain is None),
    )


def _broken(
    program: Program, number: int, walk: Walk, most: int, terrain: Terrain | None
) -> Broken:
    assert walk.failure is not None
    # `saniwa trace` plays with seed 0 unless it is told otherwise.
    seed, taken = shrink(program, walk, most, 0, terrain)
    return Broken(
        walk=number,
        code=walk.failure.code,
        message=walk.failure.message,
        where=str(walk.failure.where),
        choices=tuple(t.number for t in taken if t.numbered),
        answers=tuple(t.text for t in taken if t.kind == "answer"),
        deeds=tuple(t.allowed for t in taken if t.kind == "deed"),
        seed=seed,
    )


def _notes(program: Program, *, guessed: bool) -> tuple[str, ...]:
    notes = []
    if program.ground is not None and guessed:
        notes.append(
            "the story was played without its world: deeds came true and facts were so "
            "or not by chance"
        )
    if asks(program):
        notes.append("questions were answered with a few fixed texts")
    return tuple(notes)
