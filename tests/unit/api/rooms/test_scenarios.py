from pathlib import Path

from saniwa.wiring import open_scenario
from tests.fakes.gardens import Asking, garden_in


def test_scenarios_are_listed_as_their_registry_names_them(tmp_path: Path) -> None:
    """With who lives there, and in which language."""
    host = Asking(garden_in(tmp_path))
    told = {
        each["id"]: each
        for each in host.client.get("/api/v1/scenarios").json()["items"]
    }

    assert "en" == told["door_and_key"]["language"]
    assert "ja" == told["door_and_key_ja"]["language"]
    assert not any(each["fault"] for each in told.values())


def test_a_scenario_tells_its_published_hashes(tmp_path: Path) -> None:
    """The origin's coffee trap is known by them."""
    host = Asking(garden_in(tmp_path))
    told = host.client.get("/api/v1/scenarios/coffee_trap").json()

    own = open_scenario("coffee_trap").scenario_hash
    assert (own, "4f45a5f08875044b") == (told["scenario_hash"], told["world_hash"])


def test_a_path_is_no_scenario(tmp_path: Path) -> None:
    """Files are named by nobody who asks over HTTP."""
    host = Asking(garden_in(tmp_path))
    told = host.client.get("/api/v1/scenarios/door_and_key.yaml")

    assert (404, "REGISTRY_MISSING") == (told.status_code, told.json()["code"])
