from pathlib import Path

import pytest

from saniwa.app.story_saves import StorySaves, open_story_saves
from tests.fakes.gardens import Asking, garden_in

_PICTURE = bytes.fromhex("89504e470d0a1a0a")


@pytest.fixture
def host(tmp_path: Path) -> Asking:
    """A host before a garden with a story of its own, and a secret beside it."""
    folder = tmp_path / "stories" / "harbour"
    (folder / "assets" / "images").mkdir(parents=True)
    (folder / "story.md").write_text(
        "---\ntitle: Harbour\nassets: assets\n---\n# Harbour\n\nAnn: Hello.\n"
    )
    (folder / "assets" / "images" / "boat.png").write_bytes(_PICTURE)
    (folder / "assets" / "notes.txt").write_text("for nobody")
    (tmp_path / "secret.png").write_bytes(b"hidden words")
    (folder / "assets" / "link.png").symlink_to(tmp_path / "secret.png")
    return Asking(garden_in(tmp_path))


def test_own_stories_stand_beside_those_that_come_with_us(host: Asking) -> None:
    """Each with its title and languages."""
    told = host.client.get("/api/v1/stories").json()["items"]

    assert ["harbour", "lantern-island"] == [each["id"] for each in told]
    assert [False, True] == [each["shipped"] for each in told]
    assert ["en", "ja"] == told[1]["languages"]


def test_a_picture_is_given_as_what_it_is(host: Asking) -> None:
    """And opened by itself it can run nothing."""
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
def test_nothing_else_is_given(host: Asking, path: str) -> None:
    """Ways out, links, folders and other kinds of files are not there."""
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
    host: Asking, tmp_path: Path, text: str, why: str
) -> None:
    """In the list and looked at, by file and line, and no folder is told."""
    (tmp_path / "stories" / "odd.md").write_text(text)
    listed = host.client.get("/api/v1/stories").json()["items"]
    faults = {each["id"]: each["fault"] for each in listed}

    assert why in faults["odd"]
    assert faults["odd"].startswith("odd.md:")
    assert str(tmp_path) not in faults["odd"]
    assert faults["odd"] == host.client.get("/api/v1/stories/odd").json()["fault"]
    assert ("", "") == (faults["harbour"], faults["lantern-island"])


@pytest.fixture
def terminal(tmp_path: Path) -> tuple[Asking, StorySaves]:
    """A host whose store a terminal has played a story on, and what that keeps."""
    store = str(tmp_path / "kept" / "saniwa.sqlite")
    file = tmp_path / "stories" / "harbour.md"
    file.parent.mkdir()
    file.write_text("# Harbour\n\nAnn: Hello.\n")
    host = Asking(garden_in(tmp_path, store))
    return host, open_story_saves(file, store)


def test_a_story_left_at_a_terminal_is_listed_with_its_command(
    terminal: tuple[Asking, StorySaves],
) -> None:
    """The list names the place and every save, and what continues each."""
    host, kept = terminal
    kept.save_place(b"{}")
    kept.saves.put("the pier", b"{}")

    shown = host.client.get("/api/v1/stories/harbour").json()["terminal"]

    assert [
        ("", "saniwa play harbour --resume", ""),
        ("the pier", "saniwa play harbour --load 'the pier'", ""),
    ] == [(each["save"], each["command"], each["fault"]) for each in shown]


def test_a_damaged_save_of_a_terminal_is_reported_in_the_list(
    terminal: tuple[Asking, StorySaves], tmp_path: Path
) -> None:
    """The story stays listed, and the fault is named."""
    host, kept = terminal
    kept.saves.put("pier", b"{}")
    (file,) = tmp_path.glob("kept/stories/*/saves/*.json")
    file.write_bytes(b"damaged")

    (line, _) = host.client.get("/api/v1/stories").json()["items"]

    assert "" == line["fault"]
    assert ["saniwa play harbour --resume"] == [x["command"] for x in line["terminal"]]
    assert "cannot be read" in line["terminal"][0]["fault"]
    assert str(tmp_path) not in line["terminal"][0]["fault"]
