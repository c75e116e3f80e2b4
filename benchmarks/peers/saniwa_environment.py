"""Saniwa as its users have it: what it needs and nothing of what developers need."""

import re
import sys
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.peers import ENVIRONMENTS, ROOT, PeerError, install_environment

NAME = "saniwa"


def find_python() -> Path:
    """Saniwa as its users have it; else as it runs here, with all a developer needs."""
    try:
        return prepare_environment()
    except PeerError as problem:
        print(f"Saniwa is measured as it runs here: {problem}", file=sys.stderr)
        return Path(sys.executable)


def prepare_environment() -> Path:
    """The Python of an environment with Saniwa's own packages only, made on first use.

    Raises:
        PeerError: It cannot be made on this machine.
    """
    home, wanted = ENVIRONMENTS / NAME, list_core_requirements()
    named = " ".join([*wanted, _read_project()["version"]])
    ready = home / f"ready-{sha256(named.encode()).hexdigest()[:16]}"
    if not ready.exists():
        print("installing Saniwa as its users have it, once ...", file=sys.stderr)
        install_environment(wanted, home)
        packages = next((home / "lib").glob("python*")) / "site-packages"
        _link_package(packages)
        ready.touch()
    return home / "bin" / "python"


def _read_project() -> dict[str, Any]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found: dict[str, Any] = project["project"]
    return found


def _link_package(packages: Path) -> None:
    """Saniwa itself, from this folder, under the name it is known by."""
    told = f"Metadata-Version: 2.1\nName: saniwa\nVersion: {_read_project()['version']}\n"
    known = packages / f"saniwa-{_read_project()['version']}.dist-info"
    known.mkdir()
    (known / "METADATA").write_text(told, encoding="utf-8")
    (packages / "saniwa.pth").write_text(f"{ROOT / 'src'}\n", encoding="utf-8")


def list_core_requirements() -> list[str]:
    """What Saniwa needs without any extra, in the versions that are locked."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    names = [re.split(r"[<>=~!\[; ]", each)[0] for each in _read_project()["dependencies"]]
    return [_pin_requirement(name, lock) for name in names]


def _pin_requirement(name: str, lock: str) -> str:
    found = re.search(rf"^{re.escape(name)}==\S+", lock, re.MULTILINE)
    assert found is not None, f"{name} is not locked"
    return found[0]
