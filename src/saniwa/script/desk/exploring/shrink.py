"""A failing walk made as short as it goes, and still failing in the same way."""

from collections.abc import Callable, Iterator

import msgspec

from saniwa.script.desk.exploring.onward import Taken
from saniwa.script.desk.exploring.sameness import Sameness
from saniwa.script.desk.exploring.survey import survey
from saniwa.script.desk.exploring.terrain import Terrain
from saniwa.script.desk.exploring.walk import ANSWERS, Failure, Walk, follow
from saniwa.script.program import Program

_MOST_TRIES = 2_000
_SURVEYED = 20_000
"""Steps of the look around for an altogether other, shorter way."""

_Fails = Callable[[tuple[Taken, ...]], bool]


def shrink(
    program: Program,
    failed: Walk,
    most: int,
    seed: int,
    terrain: Terrain | None = None,
) -> tuple[int, tuple[Taken, ...]]:
    """The shortest decisions found that fail with the same code in the same place.

    With the seed they fail under: the one asked for, unless chance has a part in it.

    First leaves out ever smaller pieces, then prefers smaller numbers and shorter
    answers, then looks whether another way to the same failure is shorter still.
    """
    assert failed.failure is not None
    same, tries = Sameness(program), 0
    begun = None if terrain is None else terrain.mark()

    def followed(taken: tuple[Taken, ...], seed: int) -> Failure | None:
        if terrain is not None:
            terrain.go_back(begun)
        return follow(program, same, seed=seed, taken=taken, most=most, terrain=terrain)

    def fails(taken: tuple[Taken, ...]) -> bool:
        nonlocal tries
        tries += 1
        if tries > _MOST_TRIES:
            return False
        return _alike(followed(taken, failed.seed), failed.failure)

    if _alike(followed(failed.taken, seed), failed.failure):
        failed = msgspec.structs.replace(failed, seed=seed)

    least = _simplest(_shortest(failed.taken, fails), fails)
    if terrain is not None:
        terrain.go_back(begun)
    for other in _elsewhere(program, failed, terrain):
        if len(other) < len(least) and fails(other):
            least = other
    if terrain is not None:
        terrain.go_back(begun)
    return failed.seed, least


def _alike(one: Failure | None, other: Failure | None) -> bool:
    if one is None or other is None:
        return False
    return (one.code, one.where) == (other.code, other.where)


def _shortest(taken: tuple[Taken, ...], fails: _Fails) -> tuple[Taken, ...]:
    """Delta debugging: leave out halves, then quarters, and so on."""
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


def _simplest(taken: tuple[Taken, ...], fails: _Fails) -> tuple[Taken, ...]:
    for nth in range(len(taken)):
        for simpler in _simpler(taken[nth]):
            other = (*taken[:nth], simpler, *taken[nth + 1 :])
            if fails(other):
                taken = other
                break
    return taken


def _simpler(taken: Taken) -> Iterator[Taken]:
    if taken.kind == "answer":
        for text in ANSWERS[: ANSWERS.index(taken.text)]:
            yield taken._replace(text=text)
    for number in range(1, taken.number):
        yield taken._replace(number=number)


def _elsewhere(
    program: Program, failed: Walk, terrain: Terrain | None
) -> Iterator[tuple[Taken, ...]]:
    assert failed.failure is not None
    found = survey(program, seed=failed.seed, most_steps=_SURVEYED, terrain=terrain)
    for nth, place in enumerate(found.places):
        if (place.code, place.where) == (failed.failure.code, failed.failure.where):
            yield found.way_to(nth)
