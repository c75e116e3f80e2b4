from pathlib import Path

import pytest

from tests.fakes.workspaces import WorkspaceClient, make_workspace


@pytest.fixture(params=["lantern-island", "door_and_key"])
def host(request: pytest.FixtureRequest, tmp_path: Path) -> WorkspaceClient:
    """A client after two steps, in a story and in a scenario."""
    host = WorkspaceClient(make_workspace(tmp_path))
    if request.param == "door_and_key":
        host.begin(scenario=request.param)
        host.change("/words", {"text": "go east"})
    else:
        host.begin(story=request.param)
        host.change("/steps")
    return host


def test_a_saved_place_is_come_back_to(host: WorkspaceClient) -> None:
    """Loading a save restores its moment."""
    before = host.read("/moment")
    saved = host.client.put(host.locate("/saves/here"))
    for _ in range(2):
        if before["waiting"] == "words":
            host.change("/words", {"text": "go west"})
        else:
            host.change("/steps")
    loaded = host.change("/saves/here/load")

    assert 200 == saved.status_code
    assert before["step"]["directives"][-1] == loaded["step"]["directives"][-1]
    assert loaded["revision"] > before["revision"]


def test_saves_are_listed_with_their_last_words(host: WorkspaceClient) -> None:
    """Saves are listed with their last line."""
    host.client.put(host.locate("/saves/b"))
    host.client.put(host.locate("/saves/a"))
    listed = host.read("/saves")["items"]

    assert ["a", "b"] == [each["name"] for each in listed]
    assert all(each["line"] for each in listed)


def test_a_save_that_is_not_there_is_not_found(host: WorkspaceClient) -> None:
    """An unknown save is not found, with the nearest name."""
    host.client.put(host.locate("/saves/harbour"))
    told = host.change("/saves/harbor/load")

    assert "SAVE_NOT_FOUND" == told["code"]
    assert "harbour" in told["hint"]


def test_a_save_is_removed_where_a_trace_does_not_keep_it(host: WorkspaceClient) -> None:
    """A save can be removed, except in a scenario, whose trace keeps it."""
    host.client.put(host.locate("/saves/here"))
    told = host.client.delete(host.locate("/saves/here"))
    left = host.read("/saves")["items"]

    assert (204, 0) == (told.status_code, len(left)) or (
        (409, "SAVE_KEPT", 1) == (told.status_code, told.json()["code"], len(left))
    )
