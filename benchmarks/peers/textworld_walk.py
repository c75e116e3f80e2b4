"""TextWorld's part of the comparison; run by the Python of its own environment.

Makes games of 20 rooms and 40 things, walks through them, and prints one JSON object:
the times, and for each game the facts it began with and the actions of the walk, so
that the very same walks can be played on the other side.
"""

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random  # noqa: TID251 - seeded: every walk is the same walk
from statistics import mean, median
from time import process_time_ns
from typing import Any, ParamSpec, TypeVar

import textworld
from textworld.generator import make_game

ROOMS, THINGS = 20, 40
SEEDS = (1, 2, 3)
IDLE = ("examine", "look", "inventory")
"""What changes nothing; the walks leave it out, so that every step does work."""

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")


def make_game_file(folder: str, seed: int) -> str:
    """A fresh game as `.json`, which needs no Inform 7."""
    options = textworld.GameOptions()
    options.nb_rooms, options.nb_objects, options.seeds = ROOMS, THINGS, seed
    game = make_game(options)
    # Following a quest costs TextWorld time that grows with the walk, to gigabytes in
    # some; the comparison is about the world alone.
    game.quests = []
    path = str(Path(folder) / f"game-{seed}.json")
    game.save(path)
    return path


def time_call(
    call: Callable[Arguments, Result], *args: Arguments.args, **options: Arguments.kwargs
) -> tuple[float, Result]:
    """The call's CPU time in milliseconds, and what it returned."""
    start = process_time_ns()
    result = call(*args, **options)
    return (process_time_ns() - start) / 1e6, result


def to_words(proposition: Any) -> list[str]:
    """A fact or an action as a list of words, its name first."""
    arguments = getattr(proposition, "arguments", None) or proposition.variables
    return [proposition.name, *(variable.name for variable in arguments)]


def walk(path: str, seed: int, steps: int, *, ask: bool) -> dict[str, Any]:
    """Play `steps` admissible commands that do something, and time each one."""
    env = textworld.start(path, textworld.EnvInfos(admissible_commands=ask))
    state = env.reset()
    facts = [to_words(fact) for fact in state["_facts"]]
    chance, times, played = Random(seed), [], []
    for _ in range(steps):
        commands = sorted(set(state["_valid_commands"]))
        command = chance.choice([c for c in commands if not c.startswith(IDLE)])
        took, (state, _, _) = time_call(env.step, command)
        times.append(took)
        played.append(to_words(state["_last_action"]))
    return {"env": env, "facts": facts, "times": times, "walk": played}


def list_admissible(env: Any) -> list[str]:
    """All commands of the present state, computed again."""
    knowledge = env._game.kb
    actions = env._game_progression.state.all_applicable_actions(
        knowledge.rules.values(), knowledge.types.constants_mapping
    )
    return sorted(set(env._inform7.gen_commands_from_actions(list(actions))))


def measure(folder: str, seed: int, steps: int) -> dict[str, Any]:
    """One game, measured."""
    path = make_game_file(folder, seed)
    bare = walk(path, seed, steps, ask=False)
    asked = walk(path, seed, steps, ask=True)
    listings = [time_call(list_admissible, asked["env"]) for _ in range(20)]
    return {
        "step_ms": mean(bare["times"]),
        "step_asked_ms": mean(asked["times"]),
        "admissible_ms": median(took for took, _ in listings),
        "admissible": len(listings[0][1]),
        "copy_ms": median(time_call(asked["env"].copy)[0] for _ in range(5)),
        "facts": asked["facts"],
        "walk": asked["walk"],
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        games = [measure(folder, seed, int(sys.argv[1])) for seed in SEEDS]
    print(json.dumps({"version": textworld.__version__, "games": games}))
