from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from saniwa.app.scenarios import PROJECT_REGISTRY, locate_shipped_registry
from tests.fakes.workspaces import WorkspaceClient, make_workspace


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WorkspaceClient:
    """A host before a garden in a folder of its own."""
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
    """What was there before it was made can still be played."""
    before = _list_ids(host)
    made = _make(host, id="mine", language="ja")

    assert (201, "ja") == (made.status_code, made.json()["language"])
    assert [*before, "mine"] == _list_ids(host)
    assert host.begin(scenario="mine")
    assert host.begin(story="lantern-island")


@pytest.mark.parametrize(
    ("original", "format"), [("door_and_key", "yaml"), ("coffee_trap", "json"), ("default", "json")]
)
def test_a_copy_differs_in_its_name_alone(
    host: WorkspaceClient, original: str, format: str
) -> None:
    """Its author's comments and order stay; also what has no file can be copied."""
    before = _read_source(host, original)
    _make(host, id="mine", copy_of=original)
    copied = _read_source(host, "mine")

    assert (before["text"].replace(original, "mine", 1), format, False) == (
        copied["text"].replace(original, "mine"),
        copied["format"],
        copied["shipped"],
    )
    assert host.begin(scenario="mine")


def test_a_name_that_cannot_be_changed_in_place_is_written_anew(
    host: WorkspaceClient, tmp_path: Path
) -> None:
    """The copy says the same; only its form is another."""
    _make(host, id="odd")
    odd = _read_source(host, "odd")
    folded = odd["text"].replace("name: odd\n", "name: >-\n  odd\n", 1)
    _put_text(host, "odd", folded, odd["version"])
    made = _make(host, id="copy", copy_of="odd")

    assert (201, "json") == (made.status_code, _read_source(host, "copy")["format"])
    assert (tmp_path / PROJECT_REGISTRY.parent / "copy.json").exists()


def test_a_text_is_kept_if_it_was_seen(host: WorkspaceClient) -> None:
    """Whoever has read the last version may write the next, also a broken one."""
    _make(host, id="mine")
    seen = _read_source(host, "mine")["version"]
    kept = _put_text(host, "mine", "name: mine\n", seen)

    assert (200, kept.json()) == (kept.status_code, _read_source(host, "mine"))
    lines = host.client.get("/api/v1/scenarios").json()["items"]
    assert next(each["fault"] for each in lines if each["id"] == "mine")


def test_what_another_author_wrote_is_not_lost(host: WorkspaceClient) -> None:
    """A version that is not the last is refused; the same text again is not."""
    _make(host, id="mine")
    seen = _read_source(host, "mine")["version"]
    first, again = (_put_text(host, "mine", "name: theirs\n", seen) for _ in "12")
    mine = _put_text(host, "mine", "name: mine\n", seen)

    assert first.json() == again.json()
    assert (412, "REVISION_CONFLICT") == (mine.status_code, mine.json()["code"])


def test_what_comes_with_saniwa_is_only_read(host: WorkspaceClient) -> None:
    """Its files are the same afterwards."""
    source = _read_source(host, "door_and_key")
    told = _put_text(host, "door_and_key", "name: x\n", source["version"])

    assert (409, "READ_ONLY") == (told.status_code, told.json()["code"])
    assert source == _read_source(host, "door_and_key")


def test_saniwas_own_registry_is_not_added_to(
    host: WorkspaceClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where it is the project's, as in its own repository."""
    monkeypatch.chdir(locate_shipped_registry().parents[2])
    before = locate_shipped_registry().read_bytes()

    assert "READ_ONLY" == _make(host, id="mine").json()["code"]
    assert before == locate_shipped_registry().read_bytes()


def test_the_same_request_makes_one_scenario(host: WorkspaceClient) -> None:
    """A lost answer is asked for again under its key."""
    first, again = _make(host, "k", id="mine"), _make(host, "k", id="mine")

    assert (201, first.json()) == (again.status_code, again.json())
    assert (409, "SCENARIO_EXISTS") == (
        (other := _make(host, id="mine")).status_code,
        other.json()["code"],
    )


@pytest.mark.parametrize("id", ["../x", "a/b", "a b", ".x", "-x"])
def test_a_name_must_be_a_plain_one(host: WorkspaceClient, id: str) -> None:
    """It becomes a file's; no path is a name."""
    assert "NAME_UNUSABLE" == _make(host, id=id).json()["code"]


def test_no_answer_shows_a_folder_of_ours(host: WorkspaceClient, tmp_path: Path) -> None:
    """Where files lie on this machine is nobody's business."""
    _make(host, id="mine")
    (tmp_path / PROJECT_REGISTRY.parent / "mine.yaml").unlink()
    told = host.client.get("/api/v1/scenarios/mine/source")

    assert "SCENARIO_FILE_NOT_FOUND" == told.json()["code"]
    assert str(tmp_path) not in told.text


def test_equal_requests_at_one_moment_are_answered_alike(host: WorkspaceClient) -> None:
    """Whoever is second is told what the first made, and not that the name is taken."""
    with ThreadPoolExecutor(4) as threads:
        told = list(threads.map(lambda _: _make(host, "k", id="mine"), range(4)))

    assert [201] * 4 == [each.status_code for each in told]
    assert 1 == len({each.content for each in told})
