"""Saniwa works with the lowest versions that pyproject.toml allows."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from scripts.supply.locks import LOWEST_LOCK, read_pins

from tests.fakes.wheel_environment import InstalledWheel, pack_project
from tests.house.pages import ROOT

pytestmark = pytest.mark.slow

_LOAD_ALL = """
import importlib, pkgutil, saniwa
for each in pkgutil.walk_packages(saniwa.__path__, "saniwa."):
    if each.name.endswith("__main__"):
        continue
    try:
        importlib.import_module(each.name)
    except ModuleNotFoundError as problem:
        print("without", problem.name)
print("loaded")
"""
_ASKED = """
from starlette.applications import Starlette
from saniwa.http.application import render_openapi
print(len(render_openapi()) > 100_000)
"""


def _read_lock() -> str:
    return (ROOT / LOWEST_LOCK).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def lowest_install(tmp_path_factory: pytest.TempPathFactory) -> InstalledWheel:
    """The wheel with the oldest libraries that it allows."""
    wheel = pack_project(ROOT, tmp_path_factory.mktemp("wheel"))
    return InstalledWheel(tmp_path_factory.mktemp("lowest"), wheel, _read_lock())


def test_the_lowest_lock_is_what_is_promised() -> None:
    """Each dependency is locked at its lower bound, or at the first version above it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    said = project["project"]["dependencies"]
    said += project["project"]["optional-dependencies"]["serve"]
    locked = {pin.name: pin.version for pin in read_pins(_read_lock())}

    for need in map(Requirement, said):
        (bound,) = re.findall(r">=([\d.]+)", str(need.specifier))
        version = locked[canonicalize_name(need.name)]
        assert version.startswith(bound), f"{need}: make lock"


def test_every_module_loads(lowest_install: InstalledWheel) -> None:
    """Every module loads, except those of missing extras."""
    done = lowest_install.run_command("python", "-c", _LOAD_ALL)
    without = set(re.findall(r"^without (\w+)", done.stdout, re.MULTILINE))

    assert done.stdout.endswith("loaded\n"), done.stderr
    assert "saniwa" not in without
    assert without.isdisjoint(pin.name.replace("-", "_") for pin in read_pins(_read_lock()))


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("play door_and_key", "The letter was right: it is yours."),
        ("check lamp.md", "no findings"),
        ("gate create-run --process exploration --artifacts a --write-config", "frame"),
        ("gate verify", "OK: run-"),
        ("experiment run --scenario coffee_trap --max-turns 2 --no-report", "results:"),
        ("schema stepresult", '"$schema"'),
    ],
)
def test_the_first_commands_work(lowest_install: InstalledWheel, command: str, said: str) -> None:
    """The first commands of a new user work."""
    story = "# A\n\nBen: Hello. <!-- ending: a -->\n"
    (lowest_install.folder / "lamp.md").write_text(story, encoding="utf-8")

    done = lowest_install.run_command("saniwa", *command.split())

    assert 0 == done.returncode, done.stderr
    assert said in done.stdout


def test_the_door_opens(lowest_install: InstalledWheel) -> None:
    """The table of HTTP operations is built with the oldest server library."""
    done = lowest_install.run_command("python", "-c", _ASKED)

    assert "True\n" == done.stdout, done.stderr
