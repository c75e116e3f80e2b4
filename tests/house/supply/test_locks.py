"""The lock files: hashes everywhere, no addresses, and what pyproject.toml asks for."""

import json
import re
import subprocess
from importlib.metadata import distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from scripts.supply.locks import (
    INK_LOCK,
    LOWEST_LOCK,
    NPM_LOCK,
    PYTHON_LOCKS,
    list_npm_parts,
    list_python_pins,
    read_pins,
)
from scripts.supply.requirements import find_reached, list_model_weights, read_requirements

from tests.house.pages import ROOT

_ADDRESS = re.compile(r"[a-z+]+://|index-url|find-links|\bgit@", re.IGNORECASE)
_NPM = (NPM_LOCK, INK_LOCK)
_RUN = ("core", "serve", "report", "(build)")
"""The parts that `make run` installs, as named in pyproject.toml."""


def _read_text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_lock_file_is_looked_at() -> None:
    """These tests check every lock file in the repository."""
    there = {path.name for path in ROOT.glob("requirements*")}
    listed = subprocess.run(
        ["git", "ls-files", "*package-lock.json"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )

    assert {*PYTHON_LOCKS, LOWEST_LOCK} == there
    assert set(_NPM) == set(listed.stdout.split())


@pytest.mark.parametrize("name", [*PYTHON_LOCKS, LOWEST_LOCK])
def test_every_python_package_has_hashes(name: str) -> None:
    """A lock file has only pins with hashes."""
    pins = read_pins(_read_text(name))

    assert [] == [pin.name for pin in pins if not pin.hashes]
    assert _read_text(name).count("==") == len(pins) + sum(pin.marker.count("==") for pin in pins)


@pytest.mark.parametrize(
    "text",
    [
        "click==8.5.1\n",
        "click>=8 \\\n    --hash=sha256:" + "0" * 64 + "\n",
        "--index-url somewhere\n",
        "click==8.5.1 \\\n    --hash=md5:" + "0" * 32 + "\n",
        "click==8.5.1 \\\n    --hash=sha256:" + "0" * 64 + " \\\n",
    ],
    ids=["no hash", "no version", "an option", "a weak hash", "torn"],
)
def test_a_lock_file_that_locks_less_is_refused(text: str) -> None:
    """A line without a version or a strong hash is refused."""
    with pytest.raises(ValueError, match=r"pin|hash"):
        read_pins(text)


@pytest.mark.parametrize("name", [*PYTHON_LOCKS, LOWEST_LOCK, *_NPM])
def test_no_lock_file_names_an_address(name: str) -> None:
    """No lock file names an address, because the machine chooses the package index."""
    text = _read_text(name)
    if name in _NPM:  # addresses of funding are not used for downloads
        lock = json.loads(text)
        for each in lock["packages"].values():
            each.pop("funding", None)
        text = json.dumps(lock)

    assert [] == _ADDRESS.findall(text)


@pytest.mark.parametrize("name", _NPM)
def test_every_package_from_npm_has_a_hash(name: str) -> None:
    """Every package from npm has a SHA-512 hash, as npm checks it."""
    parts = list_npm_parts(name=name)

    assert parts
    assert [] == [each.name for each in parts if "sha512-" != each.integrity[:7]]


@pytest.mark.parametrize("name", _NPM)
def test_npm_locks_what_is_asked_for(name: str) -> None:
    """Versions in package.json are exact, and the lock file has the same."""
    asked = json.loads(_read_text(name.replace("-lock", "")))
    locked = json.loads(_read_text(name))["packages"]
    for part in ("dependencies", "devDependencies"):
        direct = asked.get(part, {})
        assert direct == locked[""].get(part, {})
        assert direct == {each: locked[f"node_modules/{each}"]["version"] for each in direct}


def _read_locked(name: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for pin in read_pins(_read_text(name)):
        found.setdefault(pin.name, set()).add(pin.version)
    return found


@pytest.mark.parametrize("who", read_requirements())
def test_the_locks_hold_what_is_asked_for(who: str) -> None:
    """Core, every extra and every group are locked, at versions that they allow."""
    lock = "requirements-node.lock" if who == "(node)" else "requirements-dev.lock"
    locked = _read_locked(lock)

    for need in map(Requirement, read_requirements()[who]):
        versions = locked.get(canonicalize_name(need.name), set())
        assert versions, f"{need} is in no lock file: make lock"
        assert all(need.specifier.contains(each) for each in versions), need


def test_no_package_is_installed_that_no_extra_asks_for() -> None:
    """Every package needed by pyproject.toml is locked, and no others are."""
    everything = (
        set().union(*map(find_reached, read_requirements().values())) | list_model_weights()
    )

    assert everything == {pin.name for pin in list_python_pins()}


def test_make_run_installs_what_it_needs_and_no_more() -> None:
    """The lock file of `make run` has the core, two extras and the build packages."""
    needed = set().union(*(find_reached(read_requirements()[who]) for who in _RUN))

    assert needed == set(_read_locked("requirements.lock"))


def test_both_lock_files_say_the_same() -> None:
    """Packages in both lock files have the same versions."""
    tested = _read_locked("requirements-dev.lock")

    assert {} == {
        name: versions
        for name, versions in _read_locked("requirements.lock").items()
        if tested.get(name) != versions
    }


def test_the_environment_is_what_is_locked() -> None:
    """The tests run with the locked versions."""
    locked = _read_locked("requirements-dev.lock") | _read_locked("requirements-model.lock")
    there: dict[str, str] = {
        canonicalize_name(each.metadata["Name"]): each.version for each in distributions()
    }

    assert {} == {
        name: there[name]
        for name in locked.keys() & there.keys()
        if there[name] not in locked[name]
    }
