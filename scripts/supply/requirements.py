"""Which packages the core, each extra and each dependency group bring.

A package's requirements are read from its own metadata, so the developers' environment is
needed. A requirement counts if any supported machine and Python would install it.
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
"""What every installation has."""
_PYTHONS = ("3.11.0", "3.11.9", "3.12.0", "3.13.0", "3.14.0")
_MACHINES = ("linux", "darwin", "win32", "emscripten")

_Asked = tuple[str, frozenset[str]]


def read_requirements(root: Path = ROOT) -> dict[str, list[str]]:
    """The requirements in pyproject.toml: core, extras by name, dependency groups."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return {
        CORE: project["project"]["dependencies"],
        **project["project"]["optional-dependencies"],
        **{f"({name})": asked for name, asked in project["dependency-groups"].items()},
    }


def find_reached(asked: Iterable[str]) -> set[str]:
    """The names of all packages that these requirements bring, including themselves."""
    left = [_to_key(Requirement(each)) for each in asked]
    done: set[_Asked] = set()
    while left:
        each = left.pop()
        if each not in done:
            done.add(each)
            left.extend(_list_needs(*each))
    return {name for name, _ in done}


def list_model_weights(root: Path = ROOT) -> set[str]:
    """A small model that only tests use, installed without its dependencies."""
    text = (root / PYTHON_LOCKS[-1]).read_text(encoding="utf-8")
    return {pin.name for pin in read_pins(text)}


def _to_key(requirement: Requirement) -> _Asked:
    return canonicalize_name(requirement.name), frozenset(requirement.extras)


def _list_needs(name: str, extras: frozenset[str]) -> Iterator[_Asked]:
    try:
        said = requires(name) or []
    except PackageNotFoundError:  # only installed on other machines
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
