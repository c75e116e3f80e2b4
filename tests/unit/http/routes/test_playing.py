from pathlib import Path

import pytest

from tests.fakes.workspaces import WorkspaceClient, make_workspace, read_words


@pytest.fixture
def host(tmp_path: Path) -> WorkspaceClient:
    """A client of a server."""
    return WorkspaceClient(make_workspace(tmp_path))


def test_words_become_a_turn_and_the_revision_rises(host: WorkspaceClient) -> None:
    """Words become a turn, and the answer has the result and the new revision."""
    host.begin(scenario="door_and_key")
    refused = host.change("/words", {"text": "open the gate"})
    gone = host.change("/words", {"text": "go east"})

    assert "The iron gate is locked." in read_words(refused)[0]
    assert "Toolshed" == read_words(gone)[0]
    assert 2 == gone["revision"]


def test_a_stale_host_changes_nothing_and_learns_where_the_run_is(host: WorkspaceClient) -> None:
    """A stale revision is refused with the current one."""
    host.begin(scenario="door_and_key")
    host.change("/words", {"text": "go east"})
    late = host.change("/words", {"text": "go west"}, revision=0)

    assert ("REVISION_CONFLICT", 1) == (late["code"], late["details"]["current"])
    assert 1 == host.read("")["revision"]


def test_the_same_request_is_done_once(host: WorkspaceClient) -> None:
    """A repeated request gets the first answer with its revision."""
    host.begin(scenario="door_and_key")
    first = host.change("/words", {"text": "go east"}, key="a")
    host.change("/words", {"text": "go west"}, key="b")
    again = host.change("/words", {"text": "go east"}, key="a", revision=0)

    assert first["step"] == again["step"]
    assert 1 == again["revision"]
    assert 2 == host.read("")["revision"]


def test_a_question_back_is_answered_by_its_number(host: WorkspaceClient) -> None:
    """A question is answered by the number of an option."""
    host.begin(scenario="lantern_island")
    for words in ("go to the path", "look"):
        host.change("/words", {"text": words})
    told = host.change("/choices", {"index": 0})

    assert "CHOICE_NOT_AWAITED" == told["code"]


def test_a_preview_shows_how_words_would_be_taken_and_does_nothing(host: WorkspaceClient) -> None:
    """A preview shows how words would be judged, and changes nothing."""
    host.begin(scenario="door_and_key")
    told = host.client.post(host.locate("/preview"), json={"text": "open the gate"}).json()

    assert (True, False) == (told["weighed"], told["allowed"])
    assert "LOCKED" == told["turn"]["validationResults"][0]["reasonCode"]
    assert 0 == host.read("")["revision"]


def test_going_back_takes_the_world_along(host: WorkspaceClient) -> None:
    """Going back one or several steps is one turn, and restores the world."""
    host.begin(scenario="door_and_key")
    for words in ("go east", "open the chest", "take the key"):
        host.change("/words", {"text": words})
    back = host.change("/back", {"steps": 2})

    assert ("Toolshed", 4) == (read_words(back)[1], back["revision"])
    run = host.garden.runs.resume(host.run)
    assert [] == list(run.world.inventory.get(run.actor, ()))


def test_a_story_continues_by_steps_choices_and_words(host: WorkspaceClient) -> None:
    """A story is played by steps, choices and words, depending on what it waits for."""
    moment = host.begin(story="lantern-island")
    seen = [moment["waiting"]]
    for _ in range(12):
        match moment["waiting"]:
            case "step":
                moment = host.change("/steps")
            case "words":
                moment = host.change("/words", {"text": "Robin"})
            case _:
                moment = host.change("/choices", {"index": 0})
        seen.append(moment["waiting"])

    assert {"step", "words", "choice"} <= {each.split(" ")[0] for each in seen}


def test_a_step_where_something_else_is_awaited_changes_nothing(host: WorkspaceClient) -> None:
    """A step while something else is awaited returns the same moment again, with its scenery."""
    moment = host.begin(story="lantern-island")
    while moment["waiting"] == "step":
        moment = host.change("/steps")
    again = host.change("/steps")

    assert moment["step"] == again["step"]
    assert moment["revision"] == again["revision"]
    assert again["scenery"] is not None


def test_a_backlog_says_what_was_shown(host: WorkspaceClient) -> None:
    """The backlog has the steps shown, oldest first, including the opening."""
    first = host.begin(story="lantern-island")
    second = host.change("/steps")
    told = host.read("/backlog")

    assert [first["step"], second["step"]] == told["items"]


def test_one_key_at_two_places_names_two_requests(host: WorkspaceClient) -> None:
    """A key belongs to one path."""
    host.begin(story="lantern-island")
    host.change("/steps", key="k")
    told = host.change("/skip", key="k")

    assert "IDEMPOTENCY_CONFLICT" == told["code"]


def test_a_preview_of_unknown_words_allows_nothing(host: WorkspaceClient) -> None:
    """A preview of words that are not understood is not allowed."""
    host.begin(scenario="door_and_key")
    told = host.client.post(host.locate("/preview"), json={"text": "flurble"}).json()

    assert not told["allowed"]


def test_a_story_is_reported_in_the_language_it_was_started_in(host: WorkspaceClient) -> None:
    """A story keeps the language it was started in, also after it was closed."""
    first = host.begin(story="lantern-island", language="ja")
    host.garden.playings.open.clear()
    again = host.read("/moment")

    assert "霧" in read_words(first)[0]
    assert first["step"] == again["step"]
