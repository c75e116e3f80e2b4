"""Peers, each in an environment of its own under `benchmarks/.envs`.

The scripts beside this file are run by those environments' Python; nothing of a peer is
ever imported here.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parent / ".envs"
LONGEST_INSTALL, LONGEST_WALK = 900, 300
"""Seconds."""


class Peer(NamedTuple):
    """Somebody to compare with."""

    name: str
    """Its package."""
    version: str
    """The version we measure."""
    script: str
    """What measures it, in this folder."""


TEXTWORLD = Peer("textworld", "1.7.0", "textworld_walk.py")
EXPRESS = Peer("textworld-express", "1.1.0", "express_walk.py")


class PeerError(Exception):
    """A peer that could not be installed or would not run; the text says why."""


def ask(peer: Peer, steps: int) -> dict[str, Any]:
    """What the peer's script measured in so many steps.

    Raises:
        PeerError: It cannot be had on this machine.
    """
    said = _run([_environment(peer), HERE / peer.script, str(steps)], LONGEST_WALK)
    report: dict[str, Any] = json.loads(said)
    return report


def _environment(peer: Peer) -> Path:
    """The Python of the peer's own environment, which is made on first use."""
    home = ENVIRONMENTS / peer.name
    python, ready = home / "bin" / "python", home / f"ready-{peer.version}"
    if not ready.exists():
        print(f"installing {peer.name}, once ...", file=sys.stderr)
        installed([f"{peer.name}=={peer.version}"], home)
        ready.touch()
    return python


def installed(wanted: list[str], home: Path) -> None:
    """Make an environment anew and install what is wanted into it.

    Raises:
        PeerError: It cannot be had on this machine.
    """
    python = home / "bin" / "python"
    beside = Path(sys.executable).with_name("uv")
    uv = shutil.which("uv") or (str(beside) if beside.exists() else None)
    if uv is not None:
        make = [uv, "venv", "--quiet", "--clear", "--python", sys.executable, home]
        fill = [uv, "pip", "install", "--quiet", "--python", python, *wanted]
    else:
        make = [sys.executable, "-m", "venv", "--clear", home]
        fill = [python, "-m", "pip", "install", "--quiet", *wanted]
    _run(make, LONGEST_INSTALL)
    _run(fill, LONGEST_INSTALL)


def _run(command: list[Any], seconds: int) -> str:
    try:
        done = subprocess.run(
            list(map(str, command)),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=True,
        )
    except subprocess.CalledProcessError as problem:
        last = (problem.stderr.strip() or "no word of why").rpartition("\n")[2]
        raise PeerError(f"{Path(command[0]).name} failed: {last}") from problem
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise PeerError(str(problem)) from problem
    return done.stdout
