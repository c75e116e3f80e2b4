"""inkjs, installed by npm into a folder of its own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.peers import (
    ENVIRONMENTS,
    HERE,
    LONGEST_INSTALL,
    LONGEST_WALK,
    PeerError,
)

NAME, VERSION = "inkjs", "2.4.0"


def home() -> Path:
    """The folder inkjs is installed in; filled on first use.

    Raises:
        PeerError: There is no Node, or it cannot be installed.
    """
    folder = ENVIRONMENTS / NAME
    ready = folder / f"ready-{VERSION}"
    if not ready.exists():
        print(f"installing {NAME}, once ...", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        _run(
            ["npm", "install", "--silent", "--prefix", folder, f"{NAME}@{VERSION}"],
            LONGEST_INSTALL,
        )
        ready.touch()
    return folder


def command(story: Path, *more: str) -> list[str]:
    """The command that tells a story of ink."""
    node = shutil.which("node")
    if node is None:
        raise PeerError("there is no node on this machine")
    return [node, str(HERE / "inkjs_walk.mjs"), str(story), *more]


def ask(story: Path, *more: str) -> Any:
    """What telling the story found.

    Raises:
        PeerError: It cannot be had on this machine.
    """
    return json.loads(_run(command(story, *more), LONGEST_WALK))


def environment() -> dict[str, str]:
    """Where the script finds inkjs."""
    return {**os.environ, "INKJS_HOME": str(home())}


def _run(words: list[Any], seconds: int) -> str:
    try:
        done = subprocess.run(
            list(map(str, words)),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=True,
            env={**os.environ, "INKJS_HOME": str(ENVIRONMENTS / NAME)},
        )
    except subprocess.CalledProcessError as problem:
        last = (problem.stderr.strip() or "no word of why").rpartition("\n")[2]
        raise PeerError(f"{words[0]} failed: {last}") from problem
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise PeerError(str(problem)) from problem
    return done.stdout
