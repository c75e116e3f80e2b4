from pathlib import Path

from saniwa.app.scenario_lookup import locate_shipped_registry, open_scenario
from saniwa.app.workspace import Workspace, WorkspacePlaces
from tests.fakes.workspaces import WorkspaceClient, make_workspace


def test_scenarios_are_listed_as_their_registry_names_them(tmp_path: Path) -> None:
    """Scenarios are listed with their language, those for beginners first."""
    host = WorkspaceClient(make_workspace(tmp_path))
    items = host.client.get("/api/v1/scenarios").json()["items"]
    told = {each["id"]: each for each in items}

    assert ["door_and_key", "door_and_key_ja"] == [*told][:2]
    assert "en" == told["door_and_key"]["language"]
    assert "ja" == told["door_and_key_ja"]["language"]
    assert not any(each["fault"] for each in told.values())


def test_included_worlds_are_described_in_the_language_of_the_reader(tmp_path: Path) -> None:
    """With `Accept-Language: ja`, descriptions are Japanese; ids and names stay."""
    host = WorkspaceClient(make_workspace(tmp_path))
    asked = host.client.get("/api/v1/scenarios", headers={"Accept-Language": "ja"})
    told = {each["id"]: each for each in asked.json()["items"]}

    assert "鍵が見つかるまで開かない音楽室" == told["locked_door"]["description"]
    assert "locked_door" == told["locked_door"]["name"]


def test_a_scenario_shows_its_published_hashes(tmp_path: Path) -> None:
    """A scenario has its published hashes."""
    host = WorkspaceClient(make_workspace(tmp_path))
    told = host.client.get("/api/v1/scenarios/coffee_trap").json()

    own = open_scenario("coffee_trap").scenario_hash
    assert (own, "4f45a5f08875044b") == (told["scenario_hash"], told["world_hash"])


def test_a_path_is_no_scenario(tmp_path: Path) -> None:
    """A path is not accepted as a scenario."""
    host = WorkspaceClient(make_workspace(tmp_path))
    told = host.client.get("/api/v1/scenarios/door_and_key.yaml")

    assert (404, "REGISTRY_MISSING") == (told.status_code, told.json()["code"])


def test_a_scenario_is_described_by_its_author(tmp_path: Path) -> None:
    """Without a description in the registry, the scenario's own is shown."""
    kitchen = locate_shipped_registry().parent / "kitchen.yaml"
    text = kitchen.read_text(encoding="utf-8")
    (tmp_path / "kitchen.yaml").write_text(text, encoding="utf-8")
    registry = tmp_path / "registry.yaml"
    registry.write_text("scenarios: [{scenario_id: kitchen, path: kitchen.yaml}]\n")
    places = WorkspacePlaces(store="memory:", registry=str(registry))
    host = WorkspaceClient(Workspace(places))
    told = host.client.get("/api/v1/scenarios").json()["items"]

    (line,) = (each for each in told if each["id"] == "kitchen")
    assert line["description"].startswith("A small kitchen, a garden behind it")
