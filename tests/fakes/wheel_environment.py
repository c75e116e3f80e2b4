"""Saniwa as its users install it: a wheel in an empty environment."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from scripts.supply.licence_list import read_list
from scripts.supply.locks import list_python_pins

from tests.house.pages import ROOT

_PATIENCE = 600
_OURS = ("SANIWA", "STATE_GATE", "PYTHON", "VIRTUAL_ENV", "OTEL")


def pack_project(project: Path, folder: Path, target: str = "wheel") -> Path:
    """Build the wheel or the source distribution of a tree, as `make wheel` does."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target]
    subprocess.run([*command, "-d", str(folder)], cwd=project, check=True, capture_output=True)
    (made,) = folder.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return made


class InstalledWheel:
    """An environment with a wheel and the packages that a lock file pins."""

    def __init__(self, folder: Path, wheel: Path, locked: str) -> None:
        """Fill an empty environment.

        Packages are checked against the hashes of the lock files; they come from the installer's
        cache where possible, and otherwise from the package index of this machine.
        """
        self.folder = folder
        """The folder in which commands are run, otherwise empty."""
        self._place = folder / ".environment"
        venv = [sys.executable, "-m", "venv", "--without-pip", str(self._place)]
        subprocess.run(venv, check=True)
        lock = folder / ".lock"
        lock.write_text(locked, encoding="utf-8")
        self._install("--require-hashes", "-r", str(lock))
        self._install("--no-deps", str(wheel))
        lock.unlink()

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self._place / "bin" / "python"

    @property
    def packages(self) -> Path:
        """The folder of its packages."""
        (found,) = self._place.glob("lib/python*/site-packages")
        return found

    @property
    def surroundings(self) -> dict[str, str]:
        """Environment variables without those of the repository."""
        keep = {k: v for k, v in os.environ.items() if not k.startswith(_OURS)}
        path = f"{self._place / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin"
        quiet = {"LANG": "C.UTF-8", "NO_COLOR": "1", "COLUMNS": "100"}
        return keep | quiet | {"PATH": path, "HOME": str(self.folder)}

    def run_command(self, *words: str, says: str = "") -> "subprocess.CompletedProcess[str]":
        """Run a command of this environment, and return its result."""
        return subprocess.run(
            [self._place / "bin" / words[0], *words[1:]],
            cwd=self.folder,
            env=self.surroundings,
            input=says,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=_PATIENCE,
            check=False,
        )

    def _install(self, *what: str) -> None:
        beside = Path(sys.executable).parent / "uv"
        uv = shutil.which("uv") or (str(beside) if beside.exists() else None)
        there = ["--quiet", "--python", str(self.python), *what]
        if uv is None:
            pip = [sys.executable, "-m", "pip", "--python", str(self.python), "install"]
            subprocess.run([*pip, "--quiet", *what], check=True)
            return
        known = subprocess.run(
            [uv, "pip", "install", "--offline", *there], check=False, capture_output=True
        )
        if known.returncode:
            subprocess.run([uv, "pip", "install", *there], check=True)


def select_lock(*parts: str) -> str:
    """The lock of some parts only: `core`, and names of extras."""
    wanted = {(e.name, e.version) for e in read_list() if set(parts) & set(e.reach)}
    pins = list_python_pins(ROOT)
    return "".join(pin.text for pin in pins if (pin.name, pin.version) in wanted)
