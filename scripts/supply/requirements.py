"""Who gets which package: the core, an extra, a group of developers' tools.

What a package needs is read from its own metadata, so the developers' environment must be
there. A need counts wherever anybody could have it, whatever their machine and Python.
"""

import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, requires
from itertools import product
from pathlib import Path

from packaging.markers import Marker, default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from scripts.supply.locks import PYTHON_LOCKS, ROOT, read_pins

CORE = "core"
"""What everybody installs."""
_PYTHONS = ("3.11.0", "3.11.9", "3.12.0", "3.13.0", "3.14.0")
_MACHINES = ("linux", "darwin", "win32", "emscripten")

_Asked = tuple[str, frozenset[str]]


def read_requirements(root: Path = ROOT) -> dict[str, list[str]]:
    """What pyproject.toml asks for: core, extras by name, groups of developers."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return {
        CORE: project["project"]["dependencies"],
        **project["project"]["optional-dependencies"],
        **{f"({name})": asked for name, asked in project["dependency-groups"].items()},
    }


def find_reached(asked: Iterable[str]) -> set[str]:
    """The names of everything these requirements bring, themselves among it."""
    left = [_to_key(Requirement(each)) for each in asked]
    done: set[_Asked] = set()
    while left:
        each = left.pop()
        if each not in done:
            done.add(each)
            left.extend(_list_needs(*each))
    return {name for name, _ in done}


def list_model_weights(root: Path = ROOT) -> set[str]:
    """What comes for tests alone and without its own needs: a small model."""
    text = (root / PYTHON_LOCKS[-1]).read_text(encoding="utf-8")
    return {pin.name for pin in read_pins(text)}


def _to_key(requirement: Requirement) -> _Asked:
    return canonicalize_name(requirement.name), frozenset(requirement.extras)


def _list_needs(name: str, extras: frozenset[str]) -> Iterator[_Asked]:
    try:
        said = requires(name) or []
    except PackageNotFoundError:  # for another kind of machine
        return
    for need in map(Requirement, said):
        if need.marker is None or _holds_somewhere(need.marker, extras):
            yield _to_key(need)


def _holds_somewhere(marker: Marker, extras: frozenset[str]) -> bool:
    chosen = [{"extra": extra} for extra in (*extras, "")]
    return any(
        marker.evaluate({**_make_marker_environment(python, machine), **extra})
        for python, machine, extra in product(_PYTHONS, _MACHINES, chosen)
    )


def _make_marker_environment(python: str, machine: str) -> dict[str, str]:
    systems = {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}
    return {
        **{key: str(value) for key, value in default_environment().items()},
        "python_full_version": python,
        "python_version": python.rpartition(".")[0],
        "sys_platform": machine,
        "platform_system": systems.get(machine, "Emscripten"),
        "os_name": "nt" if machine == "win32" else "posix",
    }
