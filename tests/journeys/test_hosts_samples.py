import ast
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.house.pages import ROOT
from tests.journeys.browser import PageVisit, open_chromium, open_server

HOSTS = ROOT / "examples/hosts"
TALE = """\
---
id: tale
vars: {who: ""}
---
# Tale

<b>Hello</b> \\{who} & co.

- Go left
  Left.
- Go right
  Right.

[ASK prompt="Your name?" name=who]

{who}, this is the end. <!-- ending: done -->
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a story."""
    made = tmp_path_factory.mktemp("project")
    (made / "stories").mkdir()
    (made / "stories/tale.md").write_text(TALE, encoding="utf-8")
    return made


def _make_environment() -> dict[str, str]:
    scripts = Path(sys.executable).parent
    return os.environ | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}


def _play_lines(folder: Path, lines: str, *options: str) -> str:
    done = subprocess.run(
        [sys.executable, str(HOSTS / "terminal.py"), *options, "--store", "memory:"],
        cwd=folder,
        env=_make_environment(),
        input=lines,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert "" == done.stderr
    return done.stdout


def test_the_terminal_host_plays_a_story_to_its_end(project: Path) -> None:
    """The terminal host plays a story with Enter, numbers and words, and can go back and save."""
    typed = "2\n/save here\n/back\n1\n/load here\nAna\n\n"
    said = _play_lines(project, typed, "--story", "tale")

    assert "  1. Go left\n  2. Go right\n" in said
    assert "Saved: here" in said
    assert 2 == said.count("Right.")
    assert 1 == said.count("Left.")
    assert said.endswith("Ana, this is the end.\n> ~ done ~\n")


def test_the_terminal_host_plays_a_scenario(project: Path) -> None:
    """The terminal host plays a scenario with the player's words until the input ends."""
    said = _play_lines(project, "open the gate\n", "--scenario", "door_and_key")

    assert "The iron gate is locked." in said


def test_the_terminal_host_says_what_is_wrong(project: Path) -> None:
    """The terminal host shows an error with its hint, and ends."""
    said = _play_lines(project, "", "--story", "tail")

    assert "[there is no story 'tail'. did you mean 'tale'?]\n" == said


def test_the_terminal_host_reports_that_saniwa_has_ended(tmp_path: Path) -> None:
    """If Saniwa ends, the terminal host says so without a traceback, after Saniwa's reason."""
    command = [sys.executable, str(HOSTS / "terminal.py"), "--no-such-option"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )

    assert 1 == done.returncode
    assert "No such option '--no-such-option'" in done.stderr
    assert done.stderr.endswith("Saniwa is not running; the reason is above.\n")
    assert "Traceback" not in done.stderr


def test_the_terminal_host_is_sixty_lines_of_the_standard_library() -> None:
    """The terminal host has at most sixty lines and imports only the standard library."""
    text = (HOSTS / "terminal.py").read_text(encoding="utf-8")
    imports = [
        name.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import)
        for name in node.names
    ]

    assert len(text.split("\n")) - 1 <= 60
    assert {"json", "subprocess", "sys"} == set(imports)
    assert "from " not in text


@pytest.fixture(scope="module")
def address(project: Path) -> Iterator[str]:
    """A server that shows the sample page."""
    with open_server(project, "--page", str(HOSTS / "page.html")) as where:
        yield where


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser."""
    with open_chromium() as opened:
        yield opened


def _find_button(page: Page, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


@pytest.mark.slow
def test_the_page_of_one_file_plays_a_story(address: str, browser: Browser) -> None:
    """The sample page plays a story, shows its text as text, and continues after a reload."""
    with PageVisit(browser, address) as visit:
        page = visit.page
        page.goto(f"{address}/game")
        _find_button(page, "Tale").click()
        expect(page.locator("#story")).to_have_text("<b>Hello</b> {who} & co.")
        _find_button(page, "Go right").click()
        expect(page.locator("#story")).to_have_text("Right.")
        page.reload()
        expect(page.locator("#story")).to_have_text("Right.")
        _find_button(page, "Go back").click()
        _find_button(page, "Go left").click()
        page.get_by_role("textbox", name="Your name?").fill("<i>Ana</i>")
        page.keyboard.press("Enter")
        expect(page.locator("#story")).to_have_text("<i>Ana</i>, this is the end.")
        _find_button(page, "Go on").click()
        expect(page.locator("#story")).to_have_text("— done —")


@pytest.mark.slow
def test_the_page_of_one_file_shows_pictures_in_layers(address: str, browser: Browser) -> None:
    """The sample page shows the background first, then the character in front of it."""
    with PageVisit(browser, address) as visit:
        page = visit.page
        page.goto(f"{address}/game")
        _find_button(page, "A Night on Lantern Island").click()
        for _ in range(2):
            expect(_find_button(page, "Go on")).to_be_visible()
            before = page.locator("#story").text_content()
            _find_button(page, "Go on").click()
            expect(page.locator("#story")).not_to_have_text(before or "")
        shown = page.locator("#stage img")
        expect(shown).to_have_count(2)

        assert ["layer-background", "layer-character"] == [
            each.get_attribute("id") for each in shown.all()
        ]
        widths = page.evaluate(
            "Promise.all([...document.images].map("
            "(each) => each.decode().then(() => each.naturalWidth > 0)))"
        )
        assert [True, True] == widths


def _find_renpy() -> str:
    path = f"{os.environ['PATH']}{os.pathsep}/usr/games"
    program = shutil.which("renpy", path=path)
    assert program, "there is no Ren'Py here: apt-get install renpy"
    return program


@pytest.mark.slow
def test_renpy_finds_nothing_wrong_with_the_renpy_host(tmp_path: Path) -> None:
    """Ren'Py's lint finds nothing wrong with the Ren'Py host."""
    game = tmp_path / "renpy"
    shutil.copytree(HOSTS / "renpy", game)
    done = subprocess.run(
        [_find_renpy(), str(game), "lint", str(tmp_path / "report.txt")],
        cwd=tmp_path,
        env=os.environ
        | {
            "HOME": str(tmp_path),
            "PYTHONPATH": str(game / "debian"),
            "SDL_VIDEODRIVER": "dummy",
            "SDL_AUDIODRIVER": "dummy",
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    report = (tmp_path / "report.txt").read_text(encoding="utf-8-sig")

    assert 0 == done.returncode, done.stdout + done.stderr
    assert "lint report" in report
    assert "game/" not in report
    assert "rror" not in report


def _load_renpy_module() -> Any:
    place = HOSTS / "renpy/game/saniwa_host.py"
    spec = importlib.util.spec_from_file_location("saniwa_host", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_renpy_host_finds_the_story_next_to_the_game(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Ren'Py host finds its story and store next to the game, from any current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", _make_environment()["PATH"])
    command = ["saniwa", "host", "--stdio", "--story", "tale"]
    store = ["--store", ".saniwa/renpy.sqlite"]
    saniwa = _load_renpy_module().open_saniwa([*command, *store], str(project))
    begun = [saniwa.ask("begin"), saniwa.ask("begin", scenario="door_and_key")]
    saniwa._child.communicate()

    assert [True, True] == [each["ok"] for each in begun]
    assert (project / ".saniwa/renpy.sqlite").exists()
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("command", "told"),
    [(["no-such-saniwa"], "saniwa does not start"), (["true"], "saniwa has ended")],
)
def test_the_renpy_host_reports_that_no_server_answers(command: list[str], told: str) -> None:
    """If no server answers, the Ren'Py host gets an error that the game shows."""
    saniwa = _load_renpy_module().open_saniwa(command)
    answer = saniwa.ask("begin")
    if saniwa._child:
        saniwa._child.communicate()

    assert not answer["ok"]
    assert answer["error"]["message"].startswith(told)
    assert answer["error"]["hint"]


def test_the_renpy_hosts_own_module_speaks_with_saniwa(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The module of the Ren'Py host gets states, pictures, and the end of a story."""
    monkeypatch.chdir(project)
    monkeypatch.setenv("PATH", _make_environment()["PATH"])
    module = _load_renpy_module()
    command = ["saniwa", "host", "--stdio", "--story", "lantern-island"]
    saniwa = module.open_saniwa([*command, "--store", "memory:"])
    moment = saniwa.ask("begin")["moment"]
    picture = moment["step"]["directives"][0]["args"]["path"]

    assert saniwa.load_file(picture).startswith(b"<svg")
    assert None is saniwa.load_file("images/nowhere.png")
    assert None is saniwa.load_file(None)
    assert saniwa is module.open_saniwa([])
    saniwa._child.stdin.close()
    saniwa._child.wait(timeout=120)
    saniwa._child.stdout.close()
