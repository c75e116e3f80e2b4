from pathlib import Path
from typing import Any

import pytest

from tests.fakes.unfinished_story import leave_story
from tests.fakes.workspaces import WorkspaceClient, make_workspace, read_words


@pytest.fixture
def host(tmp_path: Path) -> WorkspaceClient:
    """A client of a server."""
    return WorkspaceClient(make_workspace(tmp_path))


def test_a_run_begins_with_its_opening(host: WorkspaceClient) -> None:
    """The answer to a new run is its first moment, with its address."""
    told = host.client.post("/api/v1/runs", json={"scenario": "door_and_key"})

    assert (201, '"0"') == (told.status_code, told.headers["etag"])
    assert f"/api/v1/runs/{told.json()['run']}" == told.headers["location"]
    assert "The letter said" in read_words(told.json())[0]
    assert "words" == told.json()["waiting"]


def test_a_person_answers_over_http(host: WorkspaceClient) -> None:
    """A character's written answer is a `Say` with its speaker."""
    host.begin(scenario="door_and_key")
    moment = host.change("/words", {"text": "say hello to the groundskeeper"})
    said = [each["args"] for each in moment["step"]["directives"]]

    assert ["visitor", "groundskeeper"] == [each["speaker"] for each in said]


@pytest.mark.parametrize(
    "named", [{}, {"scenario": "door_and_key", "story": "lantern-island"}, {"language": "en"}]
)
def test_a_run_plays_exactly_one_subject(host: WorkspaceClient, named: dict[str, str]) -> None:
    """A run needs exactly one of a scenario and a story."""
    told = host.client.post("/api/v1/runs", json=named)

    assert (422, "NOTHING_TO_PLAY") == (told.status_code, told.json()["code"])


@pytest.mark.parametrize(
    "named", ["no_such", "../../etc/passwd", "experiments/scenarios/door_and_key.yaml", "/x.json"]
)
def test_scenarios_are_named_by_id_and_never_by_a_path(host: WorkspaceClient, named: str) -> None:
    """A scenario is named by id, never by a path."""
    told = host.client.post("/api/v1/runs", json={"scenario": named})

    assert (404, "REGISTRY_MISSING") == (told.status_code, told.json()["code"])


def test_the_same_request_begins_one_run(host: WorkspaceClient) -> None:
    """A repeated request with its key begins one run; another request is refused."""

    def begin(body: dict[str, Any]) -> Any:
        headers = {"Idempotency-Key": "first"}
        return host.client.post("/api/v1/runs", json=body, headers=headers).json()

    first = begin({"scenario": "door_and_key"})
    again = begin({"scenario": "door_and_key"})
    other = begin({"scenario": "coffee_trap"})

    assert first == again
    assert "IDEMPOTENCY_CONFLICT" == other["code"]
    assert 1 == len(host.client.get("/api/v1/runs").json()["items"])


def test_runs_are_listed_newest_first_and_page_by_page(host: WorkspaceClient) -> None:
    """Runs are listed newest first, in pages, each once."""
    begun = [host.begin(scenario="door_and_key")["run"] for _ in range(3)]
    begun.append(host.begin(story="lantern-island")["run"])
    first = host.client.get("/api/v1/runs?limit=3").json()
    rest = host.client.get(f"/api/v1/runs?limit=3&after={first['next']}").json()

    listed = [each["id"] for each in first["items"] + rest["items"]]
    assert sorted(begun, reverse=True) == listed
    assert rest["next"] is None
    assert "story on a world" == first["items"][0]["kind"]


def test_a_run_that_was_started_elsewhere_can_be_looked_at(host: WorkspaceClient) -> None:
    """A run started in a terminal or program can be read."""
    run = host.garden.runs.begin("door_and_key")
    told = host.client.get(f"/api/v1/runs/{run.id}").json()
    (listed,) = host.client.get("/api/v1/runs").json()["items"]

    assert ("scenario", False) == (told["line"]["kind"], told["line"]["hosted"])
    assert "The Garden Gate" == told["line"]["title"] == listed["title"]
    assert ["groundskeeper", "player"] == told["cast"]


def test_a_run_that_is_not_there_is_not_found(host: WorkspaceClient) -> None:
    """An incomplete run id is not found."""
    run = host.begin(scenario="door_and_key")["run"]
    whole = host.client.get(f"/api/v1/runs/{run}/moment")
    half = host.client.get(f"/api/v1/runs/{run[:-3]}/moment")

    assert 200 == whole.status_code
    assert (404, "RUN_NOT_FOUND") == (half.status_code, half.json()["code"])


def test_a_story_left_at_a_terminal_is_no_bare_world(tmp_path: Path) -> None:
    """A story left in a terminal is listed as a story, and continues as one."""
    garden = make_workspace(tmp_path, str(tmp_path / "saniwa.sqlite"))
    host = WorkspaceClient(garden)
    _, beneath = leave_story(tmp_path, garden.runs)
    alone = garden.runs.begin("door_and_key").id
    listed = host.client.get("/api/v1/runs").json()["items"]
    viewed = host.client.get(f"/api/v1/runs/{beneath}").json()["line"]

    assert {beneath: "story on a world", alone: "scenario"} == {
        each["id"]: each["kind"] for each in listed
    }
    shown = host.client.get(f"/api/v1/runs/{beneath}/moment").json()["step"]["directives"]

    assert ("story on a world", True) == (viewed["kind"], viewed["hosted"])
    assert "gate.md" == viewed["file"]
    assert ["You wait."] == [each["args"]["text"] for each in shown]
