"""Evennia's part of the comparison; run by the Python of its own environment.

Makes a game with `evennia --init` and `evennia migrate`, once, puts 20 rooms and 40 things
into it, and lets a character walk: take a thing, drop it, move on. Every command is typed as
a player's would be and kept in Evennia's own database. Prints one JSON object.
"""

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from statistics import mean
from time import perf_counter_ns, process_time_ns
from typing import Any

ROOMS = 20
WARM_UP = 30
LONGEST = 300
"""Seconds."""


def make_game_folder() -> Path:
    """The folder of a game with an empty database."""
    home = Path(sys.prefix) / "game"
    ready = home / "made"
    if not ready.exists():
        command = Path(sys.prefix) / "bin" / "evennia"
        if not home.exists():
            run_command([command, "--init", "game"], Path(sys.prefix))
        run_command([command, "migrate"], home)
        ready.touch()
    return home


def run_command(command: list[str | Path], folder: Path) -> None:
    """Run one of its commands."""
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, timeout=LONGEST)


def load_game(folder: Path) -> None:
    """Load the game, on a database of its own that begins empty."""
    os.chdir(make_game_folder())
    sys.path.insert(0, ".")
    os.environ["DJANGO_SETTINGS_MODULE"] = "server.conf.settings"
    from django.conf import settings

    fresh = folder / "evennia.db3"
    fresh.write_bytes(Path("server/evennia.db3").read_bytes())
    settings.DATABASES["default"]["NAME"] = str(fresh)
    import django

    django.setup()
    import evennia

    evennia._init()


def build_world() -> tuple[Any, list[Any]]:
    """A world of 20 rooms and 40 things, and the character who walks in it."""
    from evennia import create_object
    from evennia.commands.default.cmdset_character import CharacterCmdSet

    rooms = [
        create_object("typeclasses.rooms.Room", key=f"room {n}", nohome=True) for n in range(ROOMS)
    ]
    for n, room in enumerate(rooms):
        for way, there in (("on", (n + 3) % ROOMS), ("back", (n - 1) % ROOMS)):
            create_object(
                "typeclasses.exits.Exit",
                key=way,
                location=room,
                destination=rooms[there],
                home=rooms[0],
            )
        for thing in ("cup", "key"):
            create_object(
                "typeclasses.objects.Object", key=f"{thing} {n}", location=room, home=rooms[0]
            )
    you = create_object(
        "typeclasses.characters.Character", key="you", location=rooms[0], home=rooms[0]
    )
    you.cmdset.add_default(CharacterCmdSet, persistent=True)
    return you, rooms


def walk(you: Any, rooms: list[Any], steps: int) -> tuple[list[float], list[float]]:
    """CPU and wall milliseconds of each command."""
    used, passed, here = list[float](), list[float](), 0
    while len(used) < steps:
        for said in (f"get cup {here}", f"drop cup {here}", "on"):
            wall, cpu = perf_counter_ns(), process_time_ns()
            you.execute_cmd(said)
            used.append((process_time_ns() - cpu) / 1e6)
            passed.append((perf_counter_ns() - wall) / 1e6)
        here = (here + 3) % ROOMS
        assert you.location == rooms[here], f"it stands in {you.location}"
    return used[WARM_UP:], passed[WARM_UP:]


def main(steps: int, folder: str) -> None:
    """Measure, and print what was measured."""
    load_game(Path(folder))
    you, rooms = build_world()
    used, passed = walk(you, rooms, WARM_UP + steps)
    report = {"step_cpu_ms": mean(used), "step_ms": mean(passed)}
    print(json.dumps({"version": version("evennia"), **report}))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
