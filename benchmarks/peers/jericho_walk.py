"""Jericho's part of the comparison; run by the Python of TextWorld's environment.

No package registry has a story file, so TextWorld makes one: the same games that
its own part walks through, compiled by the Inform 7 it brings, without their quests. The
very same walks are typed, and one JSON object is printed.
"""

import json
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from random import Random  # noqa: TID251 - seeded: every walk is the same walk
from statistics import mean, median
from time import process_time_ns

import textworld
from jericho import FrotzEnv
from textworld.generator import compile_game, make_game
from textworld_walk import IDLE, ROOMS, SEEDS, THINGS, time_call

MISUNDERSTOOD = ("not a verb", "can't see any such", "didn't understand")


def compile_for_both(folder: str, seed: int) -> tuple[str, str]:
    """The same game for Jericho and for TextWorld itself."""
    options = textworld.GameOptions()
    options.nb_rooms, options.nb_objects, options.seeds = ROOMS, THINGS, seed
    options.path = str(Path(folder) / f"game-{seed}.z8")
    game = make_game(options)
    game.quests = []
    compile_game(game, options)
    plain = str(Path(folder) / f"plain-{seed}.json")
    game.save(plain)
    return options.path, plain


def walk_commands(path: str, seed: int, steps: int) -> list[str]:
    """The walk that TextWorld's half takes."""
    env = textworld.start(path, textworld.EnvInfos(admissible_commands=True))
    state, chance, said = env.reset(), Random(seed), []
    for _ in range(steps):
        offered = sorted(set(state["_valid_commands"]))
        said.append(chance.choice([c for c in offered if not c.startswith(IDLE)]))
        state, _, _ = env.step(said[-1])
    return said


def measure(folder: str, seed: int, steps: int) -> dict[str, float]:
    """One game, measured."""
    story, plain = compile_for_both(folder, seed)
    said = walk_commands(plain, seed, steps)
    env = FrotzEnv(story)
    env.reset()
    times = []
    for command in said:
        took, (told, _, _, _) = time_call(env.step, command)
        assert not any(no in told for no in MISUNDERSTOOD), told
        times.append(took)
    held = env.get_state()
    return {
        "step_ms": mean(times),
        "clone_ms": time_repeated(env.get_state),
        "restore_ms": time_repeated(lambda: env.set_state(held)),
    }


def time_repeated(work: Callable[[], object], rounds: int = 200) -> float:
    """The median CPU time of one call, in milliseconds."""
    spent = []
    for _ in range(rounds):
        start = process_time_ns()
        work()
        spent.append((process_time_ns() - start) / 1e6)
    return median(spent)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        games = [measure(folder, seed, int(sys.argv[1])) for seed in SEEDS]
    print(json.dumps({"version": version("jericho"), "games": games}))
