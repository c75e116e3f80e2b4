"""Saniwa installed from the wheel, in an empty environment outside the repository."""

import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
import yaml

from tests.fakes.wheel_environment import InstalledWheel, pack_project, select_lock
from tests.house.pages import ROOT

pytestmark = pytest.mark.slow

_STORY = """---
id: lamp
---
# The lamp keeper

Ben: You came back.

- Ask about the lamp
  Ben: It burns till dawn.
- [Walk on](#street)

## street

The street is empty. <!-- ending: street -->
"""
_KEY = "go east\nopen the chest\ntake the key\ngo west\nunlock the gate\nopen the gate\ngo north\n"
_SMALL = "experiment run --scenario coffee_trap --conditions A D --seeds 2 --max-turns 3"
_SEATED = "play lantern_island --agent pim --input - --model"

MISSING = {
    "cluster": f"saniwa {_SMALL} --no-report --workers 2",
    "frame": "saniwa experiment export last",
    "gym": "from saniwa.app.environments import make_environment as e; e('coffee_trap')",
    "inspect": "from saniwa.app.environments import build_scenario_task as t; t('coffee_trap')",
    "local": f"saniwa {_SEATED} local:weights.gguf",
    "lsp": "saniwa lsp",
    "mcp": "saniwa mcp",
    "memory": f"saniwa {_SEATED} canned:answers.yaml --memory vectors",
    "models": f"saniwa {_SEATED} ollama:any",
    "postgres": "saniwa log --store postgresql://127.0.0.1/stories",
    "report": f"saniwa {_SMALL}",
    "serve": "saniwa serve --no-open",
    "telemetry": "saniwa serve --no-open --telemetry",
}
"""By extra: a command or Python code that needs it."""
NEVER_LOADED = {"oracle"}
"""Extras that no command needs, which an import contract ensures."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree."""
    return pack_project(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def plain_install(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> InstalledWheel:
    """`pip install saniwa`, with some files in its folder."""
    installed = InstalledWheel(tmp_path_factory.mktemp("plain"), wheel, select_lock("core"))
    (installed.folder / "weights.gguf").write_bytes(b"GGUF")
    answers = installed.folder / "answers.yaml"
    answers.write_text("answers: ['Thought: Hm.\\nOutput: Hello.']\n", encoding="utf-8")
    return installed


@pytest.fixture(scope="module")
def serve_install(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> InstalledWheel:
    """`pip install 'saniwa[serve]'`."""
    return InstalledWheel(tmp_path_factory.mktemp("serving"), wheel, select_lock("core", "serve"))


@pytest.fixture(scope="module")
def experiment_output(plain_install: InstalledWheel) -> str:
    """The output of an experiment without a model and without a report."""
    done = plain_install.run_command("saniwa", *_SMALL.split(), "--no-report")
    assert 0 == done.returncode, done.stderr
    return done.stdout


def test_it_says_who_it_is(plain_install: InstalledWheel) -> None:
    """The version and the help are printed, by the installed package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

    version = plain_install.run_command("saniwa", "--version")
    helped = plain_install.run_command("saniwa", "--help")
    where = plain_install.run_command("python", "-c", "import saniwa; print(saniwa.__file__)")

    assert f"saniwa {project['project']['version']}\n" == version.stdout
    assert "Start with: saniwa play" in helped.stdout
    assert where.stdout.startswith(str(plain_install.packages))


def test_a_scenario_is_played_to_its_end(plain_install: InstalledWheel) -> None:
    """A scenario can be played to its end, and its run replays."""
    played = plain_install.run_command("saniwa", "play", "door_and_key", "--input", "-", says=_KEY)
    replayed = plain_install.run_command("saniwa", "replay", "last")

    assert (0, 0) == (played.returncode, replayed.returncode), played.stderr
    assert "The letter was right: it is yours." in played.stdout
    assert "every one the same." in replayed.stdout


def test_the_shipped_story_and_ones_own_are_checked_and_played(
    plain_install: InstalledWheel,
) -> None:
    """A user's story can be checked and played to its end, and Lantern Island can be started."""
    (plain_install.folder / "lamp.md").write_text(_STORY, encoding="utf-8")

    checked = plain_install.run_command("saniwa", "check", "lamp.md")
    played = plain_install.run_command("saniwa", "play", "lamp.md", says="2\n")
    island = plain_install.packages / "saniwa/stories/lantern-island/story.md"
    shipped = plain_install.run_command("saniwa", "play", str(island), says="Ann\n3\n")

    assert (0, True) == (checked.returncode, "no findings" in checked.stdout)
    assert played.stdout.endswith("— The end — (street)\n"), played.stderr
    assert "Pim: Ann. That'll do for an island." in shipped.stdout, shipped.stderr


def test_a_mistake_is_found_with_its_place(plain_install: InstalledWheel) -> None:
    """A check finds a mistake with the core only."""
    text = "name: a\nlocations:\n  one: {name: One, exits: [tow]}\n  two: {name: Two}\n"
    (plain_install.folder / "a.yaml").write_text(text, encoding="utf-8")

    done = plain_install.run_command("saniwa", "scenario", "check", "a.yaml")

    assert 1 == done.returncode
    assert "EXIT_TARGET_MISSING" in done.stdout + done.stderr


def test_the_gate_refuses_an_event_without_evidence(plain_install: InstalledWheel) -> None:
    """The gate refuses an event without evidence, and accepts it with evidence."""
    emit = ["saniwa", "gate", "emit", "submit_hypothesis", "--expected-revision", "1", "--key", "k"]
    begin = "saniwa gate create-run --process exploration --artifacts papers"
    began = plain_install.run_command(*begin.split(), "--write-config")
    refused = plain_install.run_command(*emit)
    (plain_install.folder / "papers").mkdir(exist_ok=True)
    (plain_install.folder / "papers" / "hypothesis.md").write_text("Warm water.", encoding="utf-8")
    accepted = plain_install.run_command(*emit, "--artifact", "hypothesis.md")
    verified = plain_install.run_command("saniwa", "gate", "verify")

    assert 0 == began.returncode, began.stderr
    assert "GUARD_FAILED" in refused.stdout + refused.stderr
    assert "revision 2" in accepted.stdout, accepted.stdout + accepted.stderr
    assert "claimed by the agent" in verified.stdout
    assert "\nOK: run-" in verified.stdout


def test_an_experiment_without_a_model_is_carried_out(
    plain_install: InstalledWheel, experiment_output: str
) -> None:
    """Stand-ins play an experiment, and every cell replays to the same."""
    replayed = plain_install.run_command("saniwa", "experiment", "replay", "last")

    assert re.search(r"^D +2 +[0-9.]+ ", experiment_output, re.MULTILINE)
    assert 0 == replayed.returncode, replayed.stderr


def test_every_extra_is_tried() -> None:
    """Every extra is in the table above."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = set(project["project"]["optional-dependencies"])

    assert extras == MISSING.keys() | NEVER_LOADED


@pytest.mark.usefixtures("experiment_output")
@pytest.mark.parametrize("extra", sorted(MISSING))
def test_what_lacks_an_extra_says_how_to_get_it(
    extra: str, plain_install: InstalledWheel, serve_install: InstalledWheel
) -> None:
    """A missing extra is an error with the command that installs it, without a traceback."""
    where = serve_install if extra == "telemetry" else plain_install
    asked = MISSING[extra]
    if asked.startswith("saniwa "):
        done = where.run_command(*asked.split(), says="say hello\n")
        assert 3 == done.returncode, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
    else:
        caught = "\nexcept Exception as e: print(f'[{e.code}]', e.hint)"
        done = where.run_command("python", "-c", f"try: {asked}{caught}")

    told = done.stdout + done.stderr
    assert "[EXTRA_MISSING]" in told, told
    assert f"pip install 'saniwa[{extra}]'" in told


@contextmanager
def _serve(serve_install: InstalledWheel, *words: str) -> Iterator[str]:
    """The address of an installed server, which is stopped after the block."""
    running = subprocess.Popen(
        [serve_install.python.with_name("saniwa"), *words],
        cwd=serve_install.folder,
        env=serve_install.surroundings | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert running.stdout is not None
        (found,) = re.findall(r"http://localhost:\d+", running.stdout.readline())
        yield found
    finally:
        running.terminate()
        running.communicate(timeout=120)


@pytest.fixture
def address(serve_install: InstalledWheel) -> Iterator[str]:
    """The address of the installed server."""
    with _serve(serve_install, "serve", "--no-open", "--port", "0") as found:
        yield found


def test_the_workspace_is_served_with_its_page(address: str) -> None:
    """The page, every file it names, the licence notices and the API are served."""
    page = _fetch_text(f"{address}/")
    files = re.findall(r'(?:src|href)="(/[^"]+)"', page)

    assert '<div id="page">' in page
    assert 3 < len(files)
    assert all(_fetch_text(address + file) for file in files)
    assert "== svelte" in _fetch_text(f"{address}/third-party.txt")
    assert '"door_and_key"' in _fetch_text(f"{address}/api/v1/scenarios")


def _fetch_text(address: str) -> str:
    with urlopen(address) as answer:
        text: str = answer.read().decode("utf-8")
    return text


def test_it_declares_what_it_is_made_of(plain_install: InstalledWheel) -> None:
    """The SBOM is in the folder where tools look for it in an installed package."""
    (declared,) = plain_install.packages.glob("saniwa-*.dist-info/sboms/*.cdx.json")

    assert "pkg:npm/svelte@" in declared.read_text(encoding="utf-8")


def _read_image() -> tuple[list[str], list[str]]:
    """The entry point and the default command of the container."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    entry, command = (
        json.loads(re.findall(rf"^{word} (.+)$", text, re.MULTILINE)[0])
        for word in ("ENTRYPOINT", "CMD")
    )
    return entry, command


def test_the_command_of_the_container_serves_the_page(serve_install: InstalledWheel) -> None:
    """The container's command, on a free port, serves the page."""
    entry, command = _read_image()
    command[command.index("--port") + 1] = "0"

    assert ["saniwa"] == entry
    with _serve(serve_install, *command) as address:
        assert '<div id="page">' in _fetch_text(f"{address}/")


def test_the_container_has_no_rights_and_one_volume() -> None:
    """The container does not run as root, and has one volume for its data."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    services = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]

    assert re.findall(r"^USER (.+)$", text, re.MULTILINE) == ["saniwa"]
    assert re.findall(r"^VOLUME (.+)$", text, re.MULTILINE) == ["/garden"]
    assert "RUN make wheel" in text
    assert services["saniwa"]["volumes"] == ["garden:/garden"]
    assert [each.startswith("127.0.0.1:") for each in services["saniwa"]["ports"]] == [True]
