"""Peers, each in an environment of its own under `benchmarks/.envs`.

The scripts beside this file are run by those environments' Python; nothing of a peer is
ever imported here.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parent / ".envs"
TEXTWORLD = "textworld==1.7.0"
EXPRESS = "textworld-express==1.1.0"
LONGEST_INSTALL, LONGEST_WALK = 900, 300
"""Seconds."""


class PeerError(Exception):
    """A peer that could not be installed or would not run; the text says why."""


def ask(package: str, script: str, steps: int) -> dict[str, Any]:
    """What the peer's script measured.

    Raises:
        PeerError: It cannot be had on this machine.
    """
    python = _environment(package)
    said = _run([python, HERE / script, str(steps)], LONGEST_WALK)
    report: dict[str, Any] = json.loads(said)
    return report


def _environment(package: str) -> Path:
    """The Python of the package's own environment, made on first use."""
    home = ENVIRONMENTS / package.partition("==")[0]
    python, ready = home / "bin" / "python", home / f"{package}.ready"
    if not ready.exists():
        print(f"installing {package} into its own environment ...", file=sys.stderr)
        _install(package, home, python)
        ready.touch()
    return python


def _install(package: str, home: Path, python: Path) -> None:
    beside = Path(sys.executable).with_name("uv")
    uv = shutil.which("uv") or (str(beside) if beside.exists() else None)
    if uv is not None:
        make = [uv, "venv", "--quiet", "--clear", "--python", sys.executable, home]
        fill = [uv, "pip", "install", "--quiet", "--python", python, package]
    else:
        make = [sys.executable, "-m", "venv", "--clear", home]
        fill = [python, "-m", "pip", "install", "--quiet", package]
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
