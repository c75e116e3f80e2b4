from saniwa.scenario.loader import build_default_document, load_scenario
from saniwa.scenario.registry import ScenarioEntry

_ENTRY = ScenarioEntry(
    scenario_id="default", path=None, registry="experiments/scenarios/registry.yaml"
)


def test_the_built_in_world_is_used_for_both_hashes() -> None:
    """The built-in scenario has no file, so both of its hashes are the world hash."""
    loaded = load_scenario(_ENTRY)

    assert "f7f9ec192014b36e" == loaded.world_hash == loaded.scenario_hash


def test_the_record_of_the_built_in_scenario_is_the_contract_s() -> None:
    """The record of the built-in scenario is the contract's example, except for the hash."""
    meta = load_scenario(_ENTRY).to_meta()

    assert ("default", "default", "built-in", "experiments/scenarios/registry.yaml") == (
        meta["scenario_id"],
        meta["scenario_path"],
        meta["scenario_resolved_path"],
        meta["registry_path"],
    )
    assert {
        "counts": {"locations": 2, "objects": 4, "characters": 2},
        "objects_top10": ["マグカップ", "コーヒーメーカー", "テレビ", "ソファ"],
        "locations": ["キッチン", "リビング"],
    } == meta["world_summary"]


def test_the_built_in_document_is_a_fresh_copy() -> None:
    """Each caller gets a fresh copy of the built-in document."""
    build_default_document()["locations"].clear()

    assert 2 == load_scenario(None).summary.counts.locations


def test_a_registry_may_call_the_built_in_scenario_what_it_likes() -> None:
    """A registry may give the built-in scenario any id."""
    loaded = load_scenario(ScenarioEntry(scenario_id="baseline", path=None))

    assert ("baseline", "f7f9ec192014b36e") == (loaded.id, loaded.scenario_hash)
