"""inkjs, from npm."""

import json
from pathlib import Path
from typing import Any

from benchmarks.peers import ENVIRONMENTS, npm

NAME, VERSION = "inkjs", "2.4.0"


def install_inkjs() -> Path:
    """The folder inkjs is installed in; filled on first use.

    Raises:
        PeerError: There is no Node, or it cannot be installed.
    """
    return npm.install_package(NAME, VERSION)


def build_command(story: Path, *more: str) -> list[str]:
    """The command that plays a story of ink."""
    return npm.build_command("inkjs_walk.mjs", str(story), *more)


def ask(story: Path, *more: str) -> Any:
    """What telling the story found.

    Raises:
        PeerError: It cannot be had on this machine.
    """
    return json.loads(npm.run_command(build_command(story, *more), build_environment()))


def compile_story(story: Path) -> str:
    """The story as every other player of ink reads it.

    Raises:
        PeerError: It cannot be had on this machine.
    """
    return npm.run_command(build_command(story, "0", "--compiled"), build_environment())


def build_environment() -> dict[str, str]:
    """Where the script finds inkjs."""
    return {"INKJS_HOME": str(ENVIRONMENTS / NAME)}
