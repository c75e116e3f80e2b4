"""Random walks through a story: what they reach, and where one fails.

The same seed walks the same ways. Each walk plays with a seed of its own, so that chance
in the story falls differently too.
"""

from collections.abc import Hashable, Iterator
from typing import Final

import msgspec

from saniwa.core.chance import between, seeded
from saniwa.core.errors import ScriptError
from saniwa.core.where import Where
from saniwa.script.desk.exploring.guess import Chances
from saniwa.script.desk.exploring.onward import (
    Taken,
    ending_in,
    player_of,
    take,
    until_decided,
    ways_on,
)
from saniwa.script.desk.exploring.sameness import Sameness
from saniwa.script.desk.exploring.terrain import Terrain
from saniwa.script.directive import StepResult
from saniwa.script.playing.player import Player, Request
from saniwa.script.program import Program

ANSWERS: Final = ("", "yes", "w" * 12_000, "\x00\x1b[31m\u202e\u2028\t{n}[SET n = 1]")
"""What a walk says where it is asked: nothing, a word, too much, and what moves cursors."""


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """What stopped a walk."""

    code: str
    """The error's code."""
    message: str
    """What is wrong."""
    where: Where
    """Where it is."""
    hint: str
    """What to do."""

    @classmethod
    def of(cls, problem: ScriptError) -> "Failure":
        """The failure an error makes."""
        where = problem.where or Where()
        return cls(
            code=problem.code, message=problem.message, where=where, hint=problem.hint
        )


class Walk(msgspec.Struct, frozen=True, kw_only=True):
    """One walk: everything decided, and what it came to."""

    seed: int
    """The seed of the story's own chance."""
    taken: tuple[Taken, ...]
    """Every decision, in order."""
    steps: int
    """How many steps it took."""
    failure: Failure | None = None
    """What stopped it; None if it ended well or was long enough."""
    ending: str | None = None
    """The ending it came to."""
    ended: bool = False
    """Whether it came to the story's end at all."""
    lines: frozenset[str] = frozenset()
    """Ids of the lines it was shown."""
    sections: frozenset[str] = frozenset()
    """Keys of the sections it passed."""
    options: frozenset[str] = frozenset()
    """Ids of the options it took."""


def walks(
    program: Program,
    *,
    count: int,
    seed: int,
    most: int,
    terrain: Terrain | None = None,
) -> Iterator[Walk]:
    """So many walks of at most so many steps each; the world begins anew for each."""
    same, circles = Sameness(program), dict[Hashable, Failure]()
    begun = None if terrain is None else terrain.mark()
    for number in range(count):
        if terrain is not None:
            terrain.go_back(begun)
        yield walk(
            program,
            same,
            seed=seed + number,
            most=most,
            terrain=terrain,
            circles=circles,
        )
    if terrain is not None:
        terrain.go_back(begun)


def walk(
    program: Program,
    same: Sameness,
    *,
    seed: int,
    most: int,
    terrain: Terrain | None = None,
    circles: dict[Hashable, Failure] | None = None,
) -> Walk:
    """One walk, deciding by chance.

    `circles` are the moments after which a story runs in a circle for ever, which takes
    long to find out; more are added.
    """
    guessed = program.ground is not None and terrain is None
    circles = {} if circles is None or guessed else circles
    facts = Chances(seed)
    player = player_of(program, seed, facts, terrain)
    chance, taken, steps, ending = seeded(seed, "walk"), list[Taken](), 0, None
    failure: Failure | None = None
    here: Hashable = None
    try:
        while steps < most:
            here = player.key(same)
            failure = circles.get(here)
            if failure is not None:
                break
            shown, more = until_decided(player, same, most - steps)
            steps += more
            if shown is None or player.waiting == "end":
                ending = None if shown is None else ending_in(shown)
                break
            ways = list(ways_on(player, shown))
            chance, nth = between(chance, 0, len(ways) - 1)
            chance, word = between(chance, 0, len(ANSWERS) - 1)
            chosen = ways[nth]
            if chosen.kind == "answer":
                chosen = chosen._replace(text=ANSWERS[word])
            taken.append(chosen)
            take(player, chosen)
            facts.go_on()
    except ScriptError as problem:
        failure = Failure.of(problem)
        if problem.code == "LOOP_WITHOUT_WAIT":
            circles[here] = failure
    return Walk(
        seed=seed,
        taken=tuple(taken),
        steps=steps,
        failure=failure,
        ending=ending,
        ended=player.waiting == "end",
        lines=player.seen_ids(),
        sections=frozenset(k for k in program.labels if player.memory.visits(k)),
        options=frozenset(player.memory.moment().chosen),
    )


def follow(
    program: Program,
    same: Sameness,
    *,
    seed: int,
    taken: tuple[Taken, ...],
    most: int,
    terrain: Terrain | None = None,
) -> Failure | None:
    """What stops a walk that decides just so; None for nothing, or for no such way."""
    facts = Chances(seed)
    player = player_of(program, seed, facts, terrain)
    left = list(taken)
    try:
        while True:
            shown, more = until_decided(player, same, most)
            most -= more
            if shown is None or player.waiting == "end" or not left:
                return None
            chosen = left.pop(0)
            if not _possible(player, shown, chosen):
                return None
            take(player, chosen)
            facts.go_on()
    except ScriptError as problem:
        return Failure.of(problem)


def _possible(player: Player, shown: StepResult | Request, chosen: Taken) -> bool:
    return any(
        (way.kind, way.number, way.allowed)
        == (chosen.kind, chosen.number, chosen.allowed)
        for way in ways_on(player, shown)
    )
