from pathlib import Path
from typing import Any

import pytest

from tests.fakes.workspaces import WorkspaceClient, make_caller, make_workspace


@pytest.fixture
def two_hosts(tmp_path: Path) -> tuple[WorkspaceClient, WorkspaceClient]:
    """Two clients of one server: Mika, who has started a run, and Ren."""
    garden = make_workspace(tmp_path)
    mika = WorkspaceClient(garden, make_caller("mika"))
    mika.begin(scenario="door_and_key")
    ren = WorkspaceClient(garden, make_caller("ren"))
    ren.run, ren.revision = mika.run, mika.revision
    return mika, ren


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/words", {"text": "go east"}),
        ("/steps", None),
        ("/choices", {"index": 0}),
        ("/back", {"steps": 1}),
        ("/skip", None),
        ("/saves/here/load", None),
    ],
)
def test_only_the_person_who_began_a_run_plays_it(
    two_hosts: tuple[WorkspaceClient, WorkspaceClient], path: str, body: dict[str, object] | None
) -> None:
    """Only the person who began a run may play it; others may watch."""
    _, ren = two_hosts
    told = ren.change(path, body)

    assert ("NOT_YOURS", 403) == (told["code"], told["status"])
    assert "mika" == told["details"]["owner"]
    assert 0 == ren.read("/moment")["revision"]


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_places_of_a_run_are_its_owners_too(
    two_hosts: tuple[WorkspaceClient, WorkspaceClient], method: str
) -> None:
    """Only the owner may make or remove saves of a run."""
    _, ren = two_hosts
    told = ren.client.request(method, ren.locate("/saves/here"))

    assert (403, "NOT_YOURS") == (told.status_code, told.json()["code"])


def test_the_owner_keeps_playing_and_the_list_says_whose_it_is(
    two_hosts: tuple[WorkspaceClient, WorkspaceClient],
) -> None:
    """A run keeps its owner, who can continue it, and the list names them."""
    mika, ren = two_hosts

    assert 1 == mika.change("/words", {"text": "go east"})["revision"]
    assert "mika" == ren.read("")["line"]["owner"]


def test_a_visitor_of_this_machine_may_play_everything(
    two_hosts: tuple[WorkspaceClient, WorkspaceClient],
) -> None:
    """A local caller may play every run."""
    mika, _ = two_hosts
    near = WorkspaceClient(mika.garden)
    near.run = mika.run

    assert 1 == near.change("/words", {"text": "go east"})["revision"]


def test_an_agent_may_play_and_change_nothing_else(tmp_path: Path) -> None:
    """An agent may play a run, but not change rules, files or tables."""
    agent = WorkspaceClient(make_workspace(tmp_path), make_caller("bot", "agent"))
    agent.begin(scenario="door_and_key")
    played = agent.change("/words", {"text": "go east"})
    edited = agent.change("/rulebook", {"layer": {"rules": []}})

    assert 1 == played["revision"]
    assert (403, "FORBIDDEN") == (edited["status"], edited["code"])


def test_the_same_key_of_two_people_names_two_requests(tmp_path: Path) -> None:
    """The same key of two people names two requests."""
    garden = make_workspace(tmp_path)
    begun = {
        WorkspaceClient(garden, make_caller(name))
        .client.post(
            "/api/v1/runs", json={"scenario": "door_and_key"}, headers={"Idempotency-Key": "k"}
        )
        .json()["run"]
        for name in ("mika", "ren")
    }

    assert 2 == len(begun)


def test_a_watcher_of_a_run_is_notified_when_it_changes(tmp_path: Path) -> None:
    """A watcher of a run is notified of a change at once."""
    host = WorkspaceClient(make_workspace(tmp_path))
    host.begin(scenario="door_and_key")
    rung: list[str] = []
    host.garden.notifier.notify = rung.append  # type: ignore[method-assign,assignment]
    host.change("/words", {"text": "go east"})

    assert [host.run] == rung


def test_the_same_key_of_two_people_in_one_run_is_no_conflict(tmp_path: Path) -> None:
    """The same key of two people in one run is not a conflict."""
    garden = make_workspace(tmp_path)
    run = garden.runs.begin("door_and_key").id
    told: list[dict[str, Any]] = []
    for name, words in (("mika", "go east"), ("ren", "go west")):
        host = WorkspaceClient(garden, make_caller(name))
        host.run, host.revision = run, len(told)
        told.append(host.change("/words", {"text": words}, key="k"))

    assert [1, 2] == [each["revision"] for each in told]


def test_an_anonymous_run_is_played_by_people(tmp_path: Path) -> None:
    """A run without an owner may be played by any person or local caller, not by a remote agent."""
    garden = make_workspace(tmp_path)
    here = WorkspaceClient(garden)
    here.begin(scenario="door_and_key")
    told = []
    for caller in (make_caller("bot", "agent"), make_caller("mika"), None):
        host = WorkspaceClient(garden, caller)
        host.run, host.revision = here.run, here.read("/moment")["revision"]
        told.append(host.change("/words", {"text": "wait"}))

    assert ("NOT_YOURS", "") == (told[0]["code"], told[0]["details"]["owner"])
    assert [1, 2] == [each["revision"] for each in told[1:]]
