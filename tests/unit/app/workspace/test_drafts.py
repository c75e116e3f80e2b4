from pathlib import Path
from typing import Any

import pytest

from tests.fakes.workspaces import WorkspaceClient, make_workspace, read_words

TALE = """\
---
title: Tale
assets: assets
background: dusk
---
# Tale

It rains.

- [Go in](#hall)

## hall
Dry at last. <!-- ending: dry -->
"""


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WorkspaceClient:
    """A client of a server with one story."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "stories" / "tale"
    (folder / "assets" / "images").mkdir(parents=True)
    (folder / "assets" / "images" / "dusk.png").write_bytes(b"")
    (folder / "story.md").write_text(TALE)
    (folder / "more.md").write_text("# More\n\nMore.\n")
    return WorkspaceClient(make_workspace(tmp_path, str(tmp_path / "store.sqlite")))


def _post_run(host: WorkspaceClient, **body: str) -> Any:
    return host.client.post("/api/v1/runs", json=body).json()


def test_a_story_begins_at_a_section(host: WorkspaceClient) -> None:
    """A draft can start at a section, with the scenery of the path to it."""
    moment = host.begin(story="tale", at="hall")

    assert ["Dry at last."] == read_words(moment)
    shown = moment["scenery"]["directives"]
    assert ["images/dusk.png"] == [each["args"]["path"] for each in shown]


def test_a_draft_of_a_story_has_its_pictures_and_files(host: WorkspaceClient) -> None:
    """A draft uses the open text for its file, and the saved files and pictures of the story."""
    linked = TALE.replace("(#hall)", "(more.md)").replace("It rains.", "It pours.")
    moment = host.begin(story="tale", draft=linked)
    assert ["It pours."] == read_words(moment)
    assert moment["scenery"]["directives"]
    assert ["More."] == read_words(host.change("/choices", {"index": 0}))


def test_a_draft_may_be_of_another_file(host: WorkspaceClient, tmp_path: Path) -> None:
    """A draft may be of a linked file, and start at a line of it."""
    first = tmp_path / "stories" / "tale" / "story.md"
    first.write_text(TALE.replace("(#hall)", "(more.md)"))
    draft = "# More\n\nOne.\n\nTwo.\n"
    moment = host.begin(story="tale", draft=draft, file="more.md", at="more.md:5")

    assert ["Two."] == read_words(moment)


def test_a_draft_continues_after_a_restart(host: WorkspaceClient, tmp_path: Path) -> None:
    """A draft continues after a restart with its own text."""
    host.begin(story="tale", draft=TALE.replace("Dry", "Wet"), at=":8")
    run = host.run
    host.garden.close()
    again = WorkspaceClient(make_workspace(tmp_path, str(tmp_path / "store.sqlite")))
    again.run, again.revision = (
        run,
        again.client.get(f"/api/v1/runs/{run}/moment").json()["revision"],
    )

    assert ["Wet at last."] == read_words(again.change("/choices", {"index": 0}))


def test_a_draft_is_marked_in_lists(host: WorkspaceClient) -> None:
    """Lists mark drafts."""
    host.begin(story="tale", draft=TALE)
    host.begin(story="tale")
    runs = host.client.get("/api/v1/runs").json()["items"]

    assert [False, True] == [each["draft"] for each in runs]


def test_a_broken_draft_is_refused_with_its_place(host: WorkspaceClient, tmp_path: Path) -> None:
    """An invalid draft is refused with its place, and nothing is stored."""
    told = _post_run(host, story="tale", draft=f"{TALE}\n[SET 3]\n")

    assert ("PARAMETER_MALFORMED", "story.md:15:1") == (told["code"], told["where"])
    assert str(tmp_path) not in str(told)
    assert [] == host.client.get("/api/v1/runs").json()["items"]


@pytest.mark.parametrize("key", ["scenario", "book"])
def test_a_loose_draft_names_no_file(host: WorkspaceClient, key: str) -> None:
    """A draft without a story reads no file of the server."""
    more = "scenario: door_and_key\n" if key == "book" else ""
    draft = f"---\n{more}{key}: house.yaml\n---\n# X\n\nX.\n"

    assert "FILE_OUTSIDE" == _post_run(host, draft=draft)["code"]


def test_a_loose_draft_is_based_on_a_world_of_the_registry(host: WorkspaceClient) -> None:
    """A draft without a story may use a scenario of the registry."""
    draft = '---\nscenario: door_and_key\n---\n# X\n\nYou are in {place("visitor")}.\n'

    assert read_words(host.begin(draft=draft))[0].startswith("You are in")


def test_a_place_that_is_not_there_keeps_nothing(host: WorkspaceClient) -> None:
    """An unknown place to start is refused, and no run is created."""
    told = _post_run(host, story="lantern-island", at="nowhere-at-all")

    assert "LABEL_UNRESOLVED" == told["code"]
    assert [] == host.client.get("/api/v1/runs").json()["items"]
