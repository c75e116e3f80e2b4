from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from saniwa.app.scenario_lookup import PROJECT_REGISTRY, locate_shipped_registry
from tests.fakes.workspaces import WorkspaceClient, make_workspace


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WorkspaceClient:
    """A client of a server with its own project folder."""
    monkeypatch.chdir(tmp_path)
    return WorkspaceClient(make_workspace(tmp_path))


def _make(host: WorkspaceClient, key: str = "", **body: str) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    return host.client.post("/api/v1/scenarios", json=body, headers=headers)


def _read_source(host: WorkspaceClient, scenario: str) -> Any:
    return host.client.get(f"/api/v1/scenarios/{scenario}/source").json()


def _put_text(host: WorkspaceClient, scenario: str, text: str, seen: str) -> Any:
    body = {"text": text, "seen": seen}
    return host.client.put(f"/api/v1/scenarios/{scenario}/source", json=body)


def _list_ids(host: WorkspaceClient) -> list[str]:
    items = host.client.get("/api/v1/scenarios").json()["items"]
    return [each["id"] for each in items]


def test_a_new_scenario_hides_no_other(host: WorkspaceClient) -> None:
    """After the first own scenario, the shipped ones can still be played."""
    before = _list_ids(host)
    made = _make(host, id="mine", language="ja")

    assert (201, "ja") == (made.status_code, made.json()["language"])
    assert {*before, "mine"} == set(_list_ids(host))
    assert host.begin(scenario="mine")
    assert host.begin(story="lantern-island")


@pytest.mark.parametrize(
    ("original", "format"), [("door_and_key", "yaml"), ("coffee_trap", "json"), ("default", "json")]
)
def test_a_copy_differs_in_its_name_alone(
    host: WorkspaceClient, original: str, format: str
) -> None:
    """A copy differs in its name only, and keeps comments and order."""
    before = _read_source(host, original)
    _make(host, id="mine", copy_of=original)
    copied = _read_source(host, "mine")

    assert (before["text"].replace(original, "mine", 1), format, False) == (
        copied["text"].replace(original, "mine"),
        copied["format"],
        copied["shipped"],
    )
    assert host.begin(scenario="mine")


def test_a_name_that_cannot_be_changed_in_place_is_written_again(
    host: WorkspaceClient, tmp_path: Path
) -> None:
    """If the name cannot be changed in place, the copy is written as JSON."""
    _make(host, id="odd")
    odd = _read_source(host, "odd")
    folded = odd["text"].replace("name: odd\n", "name: >-\n  odd\n", 1)
    _put_text(host, "odd", folded, odd["version"])
    made = _make(host, id="copy", copy_of="odd")

    assert (201, "json") == (made.status_code, _read_source(host, "copy")["format"])
    assert (tmp_path / PROJECT_REGISTRY.parent / "copy.json").exists()


def test_a_text_is_kept_if_it_was_seen(host: WorkspaceClient) -> None:
    """A text is saved if its last version was seen, even with mistakes."""
    _make(host, id="mine")
    seen = _read_source(host, "mine")["version"]
    kept = _put_text(host, "mine", "name: mine\n", seen)

    assert (200, kept.json()) == (kept.status_code, _read_source(host, "mine"))
    lines = host.client.get("/api/v1/scenarios").json()["items"]
    assert next(each["fault"] for each in lines if each["id"] == "mine")


def test_what_another_author_wrote_is_not_lost(host: WorkspaceClient) -> None:
    """Saving over an unseen version is refused; repeating the same save is not."""
    _make(host, id="mine")
    seen = _read_source(host, "mine")["version"]
    first, again = (_put_text(host, "mine", "name: theirs\n", seen) for _ in "12")
    mine = _put_text(host, "mine", "name: mine\n", seen)

    assert first.json() == again.json()
    assert (412, "REVISION_CONFLICT") == (mine.status_code, mine.json()["code"])


def test_what_comes_with_saniwa_is_only_read(host: WorkspaceClient) -> None:
    """A shipped scenario cannot be changed."""
    source = _read_source(host, "door_and_key")
    told = _put_text(host, "door_and_key", "name: x\n", source["version"])

    assert (409, "READ_ONLY") == (told.status_code, told.json()["code"])
    assert source == _read_source(host, "door_and_key")


def test_saniwas_own_registry_is_not_added_to(
    host: WorkspaceClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Saniwa's own registry is not changed, even if it is the project's."""
    monkeypatch.chdir(locate_shipped_registry().parents[2])
    before = locate_shipped_registry().read_bytes()

    assert "READ_ONLY" == _make(host, id="mine").json()["code"]
    assert before == locate_shipped_registry().read_bytes()


def test_the_same_request_makes_one_scenario(host: WorkspaceClient) -> None:
    """A repeated request with the same key makes one scenario."""
    first, again = _make(host, "k", id="mine"), _make(host, "k", id="mine")

    assert (201, first.json()) == (again.status_code, again.json())
    assert (409, "SCENARIO_EXISTS") == (
        (other := _make(host, id="mine")).status_code,
        other.json()["code"],
    )


@pytest.mark.parametrize("id", ["../x", "a/b", "a b", ".x", "-x"])
def test_a_name_must_be_a_plain_one(host: WorkspaceClient, id: str) -> None:
    """The name of a scenario must be a plain file name."""
    assert "NAME_UNUSABLE" == _make(host, id=id).json()["code"]


def test_no_answer_shows_a_folder_of_saniwa(host: WorkspaceClient, tmp_path: Path) -> None:
    """No answer shows a path of the server."""
    _make(host, id="mine")
    (tmp_path / PROJECT_REGISTRY.parent / "mine.yaml").unlink()
    told = host.client.get("/api/v1/scenarios/mine/source")

    assert "SCENARIO_FILE_NOT_FOUND" == told.json()["code"]
    assert str(tmp_path) not in told.text


def test_equal_requests_at_one_moment_are_answered_alike(host: WorkspaceClient) -> None:
    """Equal requests at the same moment get the same answer."""
    with ThreadPoolExecutor(4) as threads:
        told = list(threads.map(lambda _: _make(host, "k", id="mine"), range(4)))

    assert [201] * 4 == [each.status_code for each in told]
    assert 1 == len({each.content for each in told})
