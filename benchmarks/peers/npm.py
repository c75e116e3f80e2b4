"""Peers from npm, each in a folder of its own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.peers import ENVIRONMENTS, HERE, LONGEST_INSTALL, LONGEST_WALK, PeerError


def install_package(name: str, version: str) -> Path:
    """The folder a package is installed in; filled on first use.

    Raises:
        PeerError: There is no npm, or it cannot be installed.
    """
    folder = ENVIRONMENTS / name
    ready = folder / f"ready-{version}"
    if not ready.exists():
        print(f"installing {name}, once ...", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        wanted = f"{name}@{version}"
        words = ["npm", "install", "--silent", "--prefix", folder, wanted]
        run_command(words, {}, LONGEST_INSTALL)
        ready.touch()
    return folder


def build_command(script: str, *words: str) -> list[str]:
    """The command that runs a script of this folder.

    Raises:
        PeerError: There is no Node.
    """
    node = shutil.which("node")
    if node is None:
        raise PeerError("there is no node on this machine")
    return [node, str(HERE / script), *words]


def run_command(words: list[Any], variables: dict[str, str], seconds: int = LONGEST_WALK) -> str:
    """What a command says.

    Raises:
        PeerError: It failed, or took too long.
    """
    try:
        done = subprocess.run(
            list(map(str, words)),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=True,
            env={**os.environ, **variables},
        )
    except subprocess.CalledProcessError as problem:
        last = (problem.stderr.strip() or "no word of why").rpartition("\n")[2]
        raise PeerError(f"{Path(words[0]).name} failed: {last}") from problem
    except subprocess.TimeoutExpired as problem:
        took = f"{Path(words[0]).name} was not done after {seconds} seconds"
        raise PeerError(took) from problem
    except OSError as problem:
        raise PeerError(str(problem)) from problem
    return done.stdout
