"""Reads lock files: packages, versions, markers and hashes."""

import json
import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
"""The repository's folder."""
PYTHON_LOCKS = (
    "requirements.lock",
    "requirements-dev.lock",
    "requirements-node.lock",
    "requirements-model.lock",
)
"""Every lock file of Python packages that users or developers install."""
LOWEST_LOCK = "requirements-lowest.lock"
"""The lowest versions that are allowed, for tests only."""
NPM_LOCK = "web/package-lock.json"
"""The lock file of the web app."""
INK_LOCK = "tests/strangers/ink/package-lock.json"
"""The lock file of inkjs, which tests compare stories with."""

_PIN = re.compile(r"([a-z0-9]+(?:-[a-z0-9]+)*)==([^ ;]+)(?: ; (.+?))? \\\n")
_HASH = re.compile(r"    --hash=sha256:([0-9a-f]{64})( \\)?\n")


class PythonPin(NamedTuple):
    """A Python package at one version."""

    name: str
    """Its name, in the form that indexes use."""
    version: str
    """Its version."""
    marker: str
    """Its environment marker; empty if it is installed everywhere."""
    hashes: tuple[str, ...]
    """SHA-256 of every file it may be installed from."""
    text: str
    """Its text in the lock file."""


class NpmPackage(NamedTuple):
    """An npm package at one version."""

    name: str
    """Its name."""
    version: str
    """Its version."""
    licence: str
    """Its licence, as its author declares it."""
    integrity: str
    """SHA-512 of its archive, as npm writes it."""


def read_pins(text: str) -> list[PythonPin]:
    """The pins of a lock file.

    Raises:
        ValueError: A line is neither a pin nor a hash, or a pin has no hash.
    """
    pins: list[PythonPin] = []
    at = 0
    while at < len(text):
        pin, at = _parse_pin(text, at)
        pins.append(pin)
    return pins


def _parse_pin(text: str, at: int) -> tuple[PythonPin, int]:
    begun = _PIN.match(text, at)
    if not begun:
        raise ValueError(f"no pin: {text[at : at + 80].split(chr(10))[0]!r}")
    hashes, end, more = [], begun.end(), True
    while more:
        line = _HASH.match(text, end)
        if not line:
            raise ValueError(f"{begun[1]!r} has a line that is no hash")
        hashes.append(line[1])
        end, more = line.end(), bool(line[2])
    name, version, marker = begun.groups()
    whole = text[at:end]
    return PythonPin(name, version, marker or "", tuple(hashes), whole), end


def list_python_pins(root: Path = ROOT) -> list[PythonPin]:
    """Every pin of all Python lock files, each once, by name."""
    found = {}
    for name in PYTHON_LOCKS:
        for pin in read_pins((root / name).read_text(encoding="utf-8")):
            found[pin.name, pin.version] = pin
    return [found[key] for key in sorted(found)]


def list_npm_parts(root: Path = ROOT, name: str = NPM_LOCK) -> list[NpmPackage]:
    """Every package of an npm lock file, each version once, by name."""
    lock = json.loads((root / name).read_text(encoding="utf-8"))
    found = {
        (part := path.rpartition("node_modules/")[2], of["version"]): NpmPackage(
            part, of["version"], of["license"].strip("()"), of["integrity"]
        )
        for path, of in lock["packages"].items()
        if path
    }
    return [found[key] for key in sorted(found)]
