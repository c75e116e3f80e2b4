"""A story that is started, left or saved in one interface is continued in every other.

The interfaces are a terminal, a server over HTTP, a browser, and JSON lines; the tests
kill only processes they started.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest

from tests.fakes.servers import ServeProcess
from tests.journeys.lamp_story import LAMP, PROMPTS, play
from tests.journeys.terminal import Terminal

_GATE = """\
---
id: gate
scenario: door_and_key
---
# The gate

## garden

An iron gate.

- Go to the shed {do go east}
  It smells of twine.
- Go back {do go west}
  The garden.

[again](#garden)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a story, a story on a world, and a story outside its folder of stories."""
    (tmp_path / "stories" / "art" / "images").mkdir(parents=True)
    (tmp_path / "stories" / "art" / "images" / "bridge.png").touch()
    (tmp_path / "stories" / "lamp.md").write_text(LAMP, encoding="utf-8")
    (tmp_path / "stories" / "gate.md").write_text(_GATE, encoding="utf-8")
    (tmp_path / "loose.md").write_text(LAMP, encoding="utf-8")
    return tmp_path


class Visitor(NamedTuple):
    """A user of a server."""

    address: str

    def get(self, path: str) -> Any:
        """Send a GET request; returns the answer."""
        return self._ask("GET", path, None, None)

    def change(self, method: str, path: str, body: object = None, seen: int | None = None) -> Any:
        """Send a change at a revision; returns the answer."""
        return self._ask(method, path, body, seen)

    def go_on(self, run: str, path: str, body: object = None) -> Any:
        """Make a change at the current revision; returns the state after it."""
        revision = self.get(f"/runs/{run}/moment")["revision"]
        return self.change("POST", f"/runs/{run}/{path}", body, revision)

    def find(self, **wanted: str) -> dict[str, Any]:
        """The only listed run with these fields."""
        runs = self.get("/runs")["items"]
        (found,) = [run for run in runs if wanted.items() <= run.items()]
        return dict(found)

    def _ask(self, method: str, path: str, body: object, seen: int | None) -> Any:
        content = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        headers |= {} if seen is None else {"If-Match": f'"{seen}"'}
        asked = Request(f"{self.address}/api/v1{quote(path)}", content, headers, method=method)
        with urlopen(asked, timeout=60) as told:
            return json.load(told)


@pytest.fixture
def visitor(project: Path) -> Iterator[Visitor]:
    """A user of a server in the project."""
    with ServeProcess(project) as server:
        yield Visitor(server.address)


def read(folder: Path, *command: str) -> Terminal:
    """A reader at a terminal."""
    return Terminal("play", *command, folder=folder, prompt=PROMPTS)


def list_lines(moment: dict[str, Any]) -> list[str]:
    """The lines that are said in a state."""
    directives = moment["step"]["directives"]
    return [each["args"]["text"] for each in directives if each["type"] == "Say"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "listed"),
    [("stories/lamp.md", {"story": "lamp"}), ("loose.md", {"story": "", "file": "loose.md"})],
    ids=["of the library", "of another folder"],
)
def test_a_story_left_at_a_terminal_continues_at_a_server_and_comes_back(
    project: Path, visitor: Visitor, file: str, listed: dict[str, str]
) -> None:
    """A story of a terminal is continued at a server with its save, and then at a terminal."""
    with read(project, file) as page:
        page.read_shown()
        page.type_line("")
        page.type_line("save the bridge")
        page.type_line("1")
        assert f"saniwa play {file} --resume" in page.type_line("quit")
        assert 0 == page.leave()

    line = visitor.find(kind="story", **listed)
    run = line["id"]
    assert ("The lamp keeper", True) == (line["title"], line["hosted"])
    assert ["It burns till dawn."] == list_lines(visitor.get(f"/runs/{run}/moment"))
    assert ["the bridge"] == [s["name"] for s in visitor.get(f"/runs/{run}/saves")["items"]]
    visitor.go_on(run, "steps")
    at_choice = visitor.go_on(run, "steps")
    assert ("choice", ["You came back."]) == (at_choice["waiting"], list_lines(at_choice))
    asked = visitor.go_on(run, "choices", {"index": 1})
    assert "words" == asked["waiting"]

    with read(project, file, "--resume") as again:
        shown = again.read_shown()
        assert "Continuing where you stopped." in shown
        assert "Your name?" in shown
        assert "Well met, Ann." in again.type_line("Ann")
        assert "Saves: the bridge" in again.type_line("/saves")
        again.type_line("quit")

    assert ["Well met, Ann."] == list_lines(visitor.get(f"/runs/{run}/moment"))
    loaded = visitor.go_on(run, "saves/the bridge/load")
    assert ("choice", ["You came back."]) == (loaded["waiting"], list_lines(loaded))
    assert 1 == len(visitor.get("/runs")["items"])


@pytest.mark.slow
def test_a_story_started_at_a_server_continues_at_a_terminal(
    project: Path, visitor: Visitor
) -> None:
    """A story of a server is resumed at a terminal by story, save or run."""
    run = visitor.change("POST", "/runs", {"story": "lamp"})["run"]
    visitor.go_on(run, "steps")
    visitor.change("PUT", f"/runs/{run}/saves/橋の上")
    visitor.go_on(run, "choices", {"index": 0})

    with read(project, "stories/lamp.md") as page:
        assert "You have a saved position." in page.read_shown()
        assert "It burns till dawn." in page.type_line("")
        assert "Back at '橋の上'." in page.type_line("load 橋の上")
        assert 0 == (page.type_line("quit") and page.leave())
    moment = visitor.get(f"/runs/{run}/moment")
    assert ("choice", ["You came back."]) == (moment["waiting"], list_lines(moment))

    with read(project, "lamp", "--load", "橋の上") as loaded:
        assert "Ben: You came back." in loaded.read_shown()
    for named in (run, run[-6:], "last"):
        resumed = play(project, "--resume", named, "--input", "-", lines="quit\n")
        assert "The lamp keeper\nContinuing where you stopped." in resumed.stdout, resumed.stderr
    with read(project, "stories/lamp.md", "--seed", "3") as anew:
        anew.read_shown()
        assert "It burns till dawn." not in anew.type_line("skip")
        assert "It burns till dawn." in anew.type_line("1")


@pytest.mark.slow
def test_a_story_on_a_world_goes_both_ways(project: Path, visitor: Visitor) -> None:
    """Story and world are at the same point in both interfaces, and go back together."""
    with read(project, "stories/gate.md") as page:
        page.read_shown()
        page.type_line("save home")
        assert "It smells of twine." in page.type_line("shed")
        page.type_line("quit")
        page.leave()

    line = visitor.find(kind="story on a world", story="gate")
    run = line["id"]
    assert (1, True) == (line["turns"], line["hosted"])
    assert ["It smells of twine."] == list_lines(visitor.get(f"/runs/{run}/moment"))
    assert ["An iron gate."] == list_lines(visitor.go_on(run, "steps"))
    assert ["The garden."] == list_lines(visitor.go_on(run, "choices", {"index": 1}))

    with read(project, "gate", "--resume") as again:
        assert "The garden." in again.read_shown()
        assert "An iron gate." in again.type_line("")
        assert "It smells of twine." in again.type_line("shed")
        again.type_line("quit")
        again.leave()
    loaded = visitor.go_on(run, "saves/home/load")
    assert ["An iron gate."] == list_lines(loaded)
    assert ["It smells of twine."] == list_lines(visitor.go_on(run, "choices", {"index": 0}))
    replayed = visitor.change("POST", f"/runs/{run}/replay")
    assert (5, None) == (replayed["turnsChecked"], replayed["firstDifference"])

    begun = visitor.change("POST", "/runs", {"story": "gate"})["run"]
    visitor.go_on(begun, "choices", {"index": 0})
    with read(project, "--resume", begun) as there:
        assert "It smells of twine." in there.read_shown()
        assert "An iron gate." in there.type_line("")
        assert "The garden." in there.type_line("2")
        there.type_line("quit")
        there.leave()
    assert ["The garden."] == list_lines(visitor.get(f"/runs/{begun}/moment"))


@pytest.mark.slow
def test_two_doors_at_once_are_reported_and_overwrite_nothing(
    project: Path, visitor: Visitor
) -> None:
    """The second of two users at once is shown the current place, and overwrites nothing."""
    with read(project, "stories/lamp.md") as page:
        page.read_shown()
        page.type_line("")
        run = visitor.find(story="lamp")["id"]
        visitor.go_on(run, "choices", {"index": 2})
        late = page.type_line("1")
        assert "This story was continued elsewhere." in late
        assert "It burns till dawn." not in late
        assert "Your name?" in late
        stale = visitor.get(f"/runs/{run}/moment")["revision"]
        assert "Well met, Ann." in page.type_line("Ann")
        with pytest.raises(HTTPError) as refused:
            visitor.change("POST", f"/runs/{run}/words", {"text": "Bob"}, stale)
        with refused.value as answer:
            assert 412 == answer.code
        visitor.go_on(run, "steps")
        assert "the position saved there was kept" in page.type_line("/quit")
        assert 0 == page.leave()
    with read(project, "lamp", "--resume") as again:
        assert "Rain on the bridge." in again.read_shown()


@pytest.mark.slow
def test_a_terminal_that_is_interrupted_leaves_the_story_for_a_server(
    project: Path, visitor: Visitor
) -> None:
    """A story that was interrupted at a terminal continues at the line shown last."""
    with read(project, "stories/lamp.md") as page:
        page.read_shown()
        page.type_line("")
        page.type_line("1")
        assert 130 == page.interrupt()

    run = visitor.find(story="lamp")["id"]
    assert ["It burns till dawn."] == list_lines(visitor.get(f"/runs/{run}/moment"))


@pytest.mark.slow
def test_a_host_of_json_lines_continues_with_a_terminals_story(project: Path) -> None:
    """`resume` finds the newest run, whichever interface started it."""
    with read(project, "stories/lamp.md") as page:
        page.read_shown()
        page.type_line("")
        page.type_line("quit")
        page.leave()
    asked = [{"op": "resume", "run": "last"}, {"op": "choose", "index": 0}]
    done = subprocess.run(
        [sys.executable, "-m", "saniwa", "host", "--stdio", "--story", "lamp"],
        cwd=project,
        input="".join(f"{json.dumps(each)}\n" for each in asked),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    resumed, chosen = map(json.loads, done.stdout.splitlines())

    assert ["You came back."] == list_lines(resumed["moment"])
    assert ["It burns till dawn."] == list_lines(chosen["moment"])
    with read(project, "lamp", "--resume") as again:
        assert "It burns till dawn." in again.read_shown()


@pytest.mark.slow
def test_a_browser_continues_with_a_story_that_was_left_at_a_terminal(
    project: Path, browser: Any
) -> None:
    """A browser continues an unfinished story of a terminal, and loads its save."""
    from playwright.sync_api import expect

    from tests.journeys.browser import PageVisit, open_server

    with read(project, "stories/lamp.md") as page:
        page.read_shown()
        page.type_line("")
        page.type_line("save the bridge")
        page.type_line("1")
        page.type_line("quit")
        page.leave()
    with open_server(project) as address, PageVisit(browser, address) as visit:
        shown = visit.go("/play")
        expect(shown.locator(".terminal")).to_have_count(0)
        left = shown.get_by_role("region", name="Continue")
        left.get_by_role("link", name=re.compile("The lamp keeper")).click()
        expect(shown.locator(".box .text")).to_contain_text("It burns till dawn.")
        shown.get_by_role("button", name="Save and load").click()
        slots = shown.get_by_role("dialog", name="Save and load")
        expect(slots.get_by_text("the bridge")).to_be_visible()
        slots.get_by_role("button", name="Load").click()
        first = shown.get_by_role("button", name="Ask about the lamp")
        first.click()
        expect(shown.locator(".box .text")).to_contain_text("It burns till dawn.")
        assert [] == visit.find_faults()
