import asyncio
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from saniwa.app.run_service import RunService
from saniwa.app.story_opening import open_story
from saniwa.runs.story_playing import StoryPlaying
from saniwa.story.story import parse_story
from tests.fakes.old_story_saves import PLACE, make_old_folder, write_old
from tests.fakes.workspaces import WorkspaceClient, make_workspace

_PICTURE = bytes.fromhex("89504e470d0a1a0a")


@pytest.fixture
def host(tmp_path: Path) -> WorkspaceClient:
    """A client of a server with an own story, and a secret next to it."""
    folder = tmp_path / "stories" / "harbour"
    (folder / "assets" / "images").mkdir(parents=True)
    (folder / "story.md").write_text(
        "---\ntitle: Harbour\nassets: assets\n---\n# Harbour\n\nAnn: Hello.\n"
    )
    (folder / "assets" / "images" / "boat.png").write_bytes(_PICTURE)
    (folder / "assets" / "notes.txt").write_text("for nobody")
    (tmp_path / "secret.png").write_bytes(b"hidden words")
    (folder / "assets" / "link.png").symlink_to(tmp_path / "secret.png")
    return WorkspaceClient(make_workspace(tmp_path))


def test_own_stories_are_next_to_those_that_come_with_us(host: WorkspaceClient) -> None:
    """Own and shipped stories are listed with title and languages."""
    told = host.client.get("/api/v1/stories").json()["items"]

    assert ["harbour", "lantern-island"] == [each["id"] for each in told]
    assert [False, True] == [each["shipped"] for each in told]
    assert ["en", "ja"] == told[1]["languages"]


def test_a_picture_is_given_as_what_it_is(host: WorkspaceClient) -> None:
    """A picture has its media type, and is sandboxed."""
    told = host.client.get("/api/v1/stories/harbour/assets/images/boat.png")

    assert (200, _PICTURE) == (told.status_code, told.content)
    assert "image/png" == told.headers["content-type"]
    assert "sandbox" in told.headers["content-security-policy"]


@pytest.mark.parametrize(
    "path",
    [
        "../story.md",
        "..%2f..%2f..%2fsecret.png",
        "%2e%2e/%2e%2e/%2e%2e/secret.png",
        "images/../../../../secret.png",
        "link.png",
        "notes.txt",
        "images",
        "/etc/passwd.png",
        "images//boat.png",
        "images%5c..%5cboat.png",
        "no.png",
    ],
)
def test_nothing_else_is_given(host: WorkspaceClient, path: str) -> None:
    """Paths outside, links, folders and other kinds of files are not found."""
    told = host.client.get(f"/api/v1/stories/harbour/assets/{path}")

    assert 404 == told.status_code
    assert b"hidden words" not in told.content


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("# Broken\n\n[SET x = ]\n", "odd.md:3"),
        ("---\nscenario: no_such_world\n---\n# Lost\n\nHi.\n", "no_such_world"),
    ],
)
def test_a_story_that_cannot_begin_says_why(
    host: WorkspaceClient, tmp_path: Path, text: str, why: str
) -> None:
    """A broken story is listed with its problem by file and line, without its path."""
    (tmp_path / "stories" / "odd.md").write_text(text)
    listed = host.client.get("/api/v1/stories").json()["items"]
    faults = {each["id"]: each["fault"] for each in listed}

    assert why in faults["odd"]
    assert faults["odd"].startswith("odd.md:")
    assert str(tmp_path) not in faults["odd"]
    assert faults["odd"] == host.client.get("/api/v1/stories/odd").json()["fault"]
    assert ("", "") == (faults["harbour"], faults["lantern-island"])


_HARBOUR = "# Harbour\n\nAnn: Hello.\n\n- Wave\n  She waves.\n- Leave\n  You leave.\n"


@pytest.fixture
def terminal_story(tmp_path: Path) -> tuple[WorkspaceClient, Path]:
    """A client whose store has a story from an earlier version's terminal, and its folder."""
    store = tmp_path / "kept" / "saniwa.sqlite"
    file = tmp_path / "stories" / "harbour.md"
    file.parent.mkdir()
    file.write_text(_HARBOUR)
    return WorkspaceClient(make_workspace(tmp_path, str(store))), make_old_folder(file, store)


def _make_state() -> bytes:
    """The state of the story before its choice."""
    performance = StoryPlaying(parse_story(_HARBOUR))
    asyncio.run(performance.step())
    return performance.encode_state()


def test_a_story_that_an_earlier_version_left_at_a_terminal_is_a_run(
    terminal_story: tuple[WorkspaceClient, Path],
) -> None:
    """Such a story is listed, continues, and its saves can be loaded."""
    host, folder = terminal_story
    write_old(folder, PLACE, _make_state())
    write_old(folder / "saves", "the pier", _make_state())

    (run,) = host.client.get("/api/v1/runs").json()["items"]
    path = f"/api/v1/runs/{run['id']}"
    moment = host.client.get(f"{path}/moment").json()
    seen = {"If-Match": f'"{moment["revision"]}"'}
    chosen = host.client.post(f"{path}/choices", json={"index": 0}, headers=seen).json()
    seen = {"If-Match": f'"{chosen["revision"]}"'}
    loaded = host.client.post(f"{path}/saves/the pier/load", headers=seen).json()

    assert ("story", "harbour", True) == (run["kind"], run["story"], run["hosted"])
    assert ["Hello."] == _list_lines(moment)
    assert ["She waves."] == _list_lines(chosen)
    assert (moment["step"], "choice") == (loaded["step"], loaded["waiting"])
    assert [] == host.client.get("/api/v1/stories/harbour").json()["terminal"]


def _list_lines(moment: dict[str, Any]) -> list[str]:
    directives = moment["step"]["directives"]
    return [each["args"]["text"] for each in directives if each["type"] == "Say"]


def test_a_damaged_save_of_a_terminal_is_reported_in_the_list(
    terminal_story: tuple[WorkspaceClient, Path], tmp_path: Path
) -> None:
    """A damaged save of a terminal is listed with its problem."""
    host, folder = terminal_story
    write_old(folder / "saves", "pier", _make_state()).write_bytes(b"damaged")

    (line, _) = host.client.get("/api/v1/stories").json()["items"]

    assert "" == line["fault"]
    assert ["saniwa play harbour --resume"] == [x["command"] for x in line["terminal"]]
    assert "cannot be read" in line["terminal"][0]["fault"]
    assert str(tmp_path) not in line["terminal"][0]["fault"]


def test_pictures_of_a_story_outside_the_library_are_given_by_its_run(tmp_path: Path) -> None:
    """Pictures of a story outside the library are served by its run only."""
    folder = tmp_path / "elsewhere"
    (folder / "art").mkdir(parents=True)
    (folder / "art" / "boat.png").write_bytes(_PICTURE)
    (folder / "secret.png").write_bytes(b"hidden words")
    (folder / "boat.md").write_text("---\nassets: art\n---\n# Boat\n\nA boat.\n\n- Row\n  On.\n")
    store = tmp_path / "kept" / "saniwa.sqlite"
    host = WorkspaceClient(make_workspace(tmp_path, str(store)))
    with closing(RunService.open(store)) as parts:
        asyncio.run(_choose_first(open_story(folder / "boat.md", parts)))

    (run,) = host.client.get("/api/v1/runs").json()["items"]
    place = f"/api/v1/stories/{run['id']}/assets"

    assert ("story", "") == (run["kind"], run["story"])
    assert _PICTURE == host.client.get(f"{place}/boat.png").content
    for path in ("../secret.png", "..%2fsecret.png", "no.png"):
        assert 404 == host.client.get(f"{place}/{path}").status_code
    assert 404 == host.client.get("/api/v1/stories/run-none/assets/boat.png").status_code


async def _choose_first(performance: StoryPlaying) -> None:
    await performance.step()
    await performance.choose(0)
