"""Peers, each in an environment of its own under `benchmarks/.envs`.

The scripts in this folder are run by those environments' Python; no peer is ever
imported here.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ENVIRONMENTS = HERE.parent / ".envs"
LONGEST_INSTALL, LONGEST_WALK = 900, 300
"""Seconds."""
_ADDRESS = re.compile(r"\b[a-z]+://[^\s`'\"]+")


class Peer(NamedTuple):
    """A tool to compare with."""

    name: str
    """Its package."""
    version: str
    """The version we measure."""
    script: str
    """What measures it, in this folder."""
    also: tuple[str, ...] = ()
    """What it needs in addition, as `package==version`."""
    python: tuple[int, int] | None = None
    """The Python it runs on, if it does not run on every Python that Saniwa supports."""
    called: str = ""
    """Its name among the versions, where it lives in another's environment."""


TEXTWORLD = Peer("textworld", "1.7.0", "textworld_walk.py")
EXPRESS = Peer("textworld-express", "1.1.0", "express_walk.py")
JERICHO = TEXTWORLD._replace(script="jericho_walk.py", called="jericho")
"""TextWorld needs it and brings it along."""
EVENNIA = Peer("evennia", "5.0.1", "evennia_walk.py")
CONCORDIA = Peer("gdm-concordia", "2.1.0", "concordia_turns.py")
BINK = Peer("bink", "0.7.1", "bink_walk.py")


class PeerError(Exception):
    """A peer that could not be installed or would not run; the text says why.

    No place and no address of this machine is in it: the reason is in the results.
    """

    def __init__(self, reason: str) -> None:
        here = reason.replace(str(ENVIRONMENTS), "…").replace(str(ROOT), "…")
        super().__init__(_ADDRESS.sub("…", here))


def ask(peer: Peer, *words: object, variables: Mapping[str, str] | None = None) -> Any:
    """What the peer's script measured; the words are for the script, steps first.

    Raises:
        PeerError: It cannot be installed on this machine.
    """
    command = [prepare_environment(peer), HERE / peer.script, *words]
    return parse_report(_run_command(command, LONGEST_WALK, variables))


def parse_report(said: str) -> Any:
    """What a script has printed last.

    Raises:
        PeerError: It is no JSON.
    """
    last = said.rstrip("\n").rpartition("\n")[2]
    try:
        return json.loads(last)
    except ValueError as problem:
        raise PeerError(f"it printed no report but {last[:80]!r}") from problem


def ask_peer(
    peer: Peer,
    facts: dict[str, str],
    absent: dict[str, str],
    *words: object,
    variables: Mapping[str, str] | None = None,
) -> dict[str, Any] | None:
    """What the peer says; None, with the reason put down, where it cannot be had."""
    name = peer.called or peer.name
    print(f"measuring {name} ...", file=sys.stderr, flush=True)
    try:
        report: dict[str, Any] = ask(peer, *words, variables=variables)
    except PeerError as problem:
        absent[name] = str(problem)
        return None
    facts[name] = report.get("version", peer.version)
    return report


def prepare_environment(peer: Peer) -> Path:
    """The Python of the peer's own environment, which is made on first use.

    Raises:
        PeerError: It cannot be installed on this machine.
    """
    home = ENVIRONMENTS / peer.name
    python, ready = home / "bin" / "python", home / f"ready-{peer.version}"
    if not ready.exists():
        print(f"installing {peer.name}, once ...", file=sys.stderr, flush=True)
        wanted = [f"{peer.name}=={peer.version}", *peer.also]
        install_environment(wanted, home, _find_interpreter(peer))
        ready.touch()
    return python


def _find_interpreter(peer: Peer) -> str:
    """The Python a peer's environment is made from: the present one, unless it needs another."""
    if peer.python in (None, sys.version_info[:2]):
        return sys.executable
    name = "python{}.{}".format(*peer.python)
    found = shutil.which(name)
    if found is None:
        raise PeerError(f"it needs {name}, which this machine does not have")
    return found


def install_environment(wanted: list[str], home: Path, base: str = sys.executable) -> None:
    """Create an environment again and install the packages into it.

    Raises:
        PeerError: It cannot be installed on this machine.
    """
    python = home / "bin" / "python"
    beside = Path(sys.executable).with_name("uv")
    uv = shutil.which("uv") or (str(beside) if beside.exists() else None)
    if uv is not None:
        make = [uv, "venv", "--quiet", "--clear", "--python", base, home]
        fill = [uv, "pip", "install", "--quiet", "--python", python, *wanted]
    else:
        make = [base, "-m", "venv", "--clear", home]
        fill = [python, "-m", "pip", "install", "--quiet", *wanted]
    _run_command(make, LONGEST_INSTALL)
    _run_command(fill, LONGEST_INSTALL)


def _run_command(
    command: list[Any], seconds: int, variables: Mapping[str, str] | None = None
) -> str:
    try:
        done = subprocess.run(
            list(map(str, command)),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=True,
            env={**os.environ, **(variables or {})},
        )
    except subprocess.CalledProcessError as problem:
        last = (problem.stderr.strip() or "no word of why").rpartition("\n")[2]
        raise PeerError(f"{Path(command[0]).name} failed: {last}") from problem
    except subprocess.TimeoutExpired as problem:
        took = f"{Path(command[0]).name} was not done after {seconds} seconds"
        raise PeerError(took) from problem
    except OSError as problem:
        raise PeerError(str(problem)) from problem
    return done.stdout
