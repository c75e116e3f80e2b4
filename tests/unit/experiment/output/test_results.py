import json
from importlib.resources import files
from typing import Any

import jsonschema_rs
import msgspec

from saniwa.documents.document import parse_document
from saniwa.experiment.analysis_records import Analysis, CellNumbers
from saniwa.experiment.cell_outcome import CellOutcome
from saniwa.experiment.metrics import count_outcome
from saniwa.experiment.output.output_folder import encode_json_page
from saniwa.experiment.output.results import CellResult, build_results, build_run_meta
from saniwa.experiment.plan import PreparedPlan
from tests.unit.experiment.output.trials import play_trial, replace_fields

_SEED = {
    "scenario_id",
    "scenario_path",
    "scenario_resolved_path",
    "registry_path",
    "scenario_hash",
    "world_hash",
    "world_summary",
    "validation_passed",
    "validation_errors",
}


def _render_results(analysis: Analysis | None = None, whole: PreparedPlan | None = None) -> Any:
    first, played = play_trial()
    cells = [CellResult.from_outcome(each, count_outcome(each)) for each in played]
    return json.loads(encode_json_page(build_results(whole or first, cells, analysis)))


def _replace_plan(**changed: Any) -> PreparedPlan:
    whole, _ = play_trial()
    plan = msgspec.structs.replace(whole.plan, **changed)
    return msgspec.structs.replace(whole, plan=plan)


def test_results_have_the_published_form() -> None:
    """Every key of earlier results is still there."""
    found = _render_results()
    known = {"experiment_id", "mode", "model", "seeds", "max_turns", "metadata"}
    assert {*known, "run_meta", "conditions", "analysis"} == set(found)
    assert {
        "profile",
        "scenarios",
        "temperature",
        "max_tokens",
        "max_retries",
        "gm_base_url",
        "llm_url",
    } < set(found["metadata"])
    assert ("trial", "sim", "stand-in", [0, 1], 3) == (
        found["experiment_id"],
        found["mode"],
        found["model"],
        found["seeds"],
        found["max_turns"],
    )


def test_metadata_holds_no_time_and_no_commit() -> None:
    """Whatever differs between runs is in a single file."""
    named = set(_render_results()["metadata"])
    assert named.isdisjoint({"generated_at", "git_sha", "git_short"})


def test_every_condition_has_its_runs_in_the_plans_order() -> None:
    """Runs are listed under their condition, and none is missing."""
    _, played = play_trial()
    found = _render_results()["conditions"]
    assert list("ABCD") == sorted(found)
    for name, part in found.items():
        expected = [each.key for each in played if each.condition == name]
        assert expected == [each["session_id"] for each in part["runs"]]
        assert 12 == part["stats"]["turns"]


def test_a_run_that_broke_down_is_reported() -> None:
    """An error is part of the results, with its code and message."""
    whole, played = play_trial()
    crash = replace_fields(played[0], passages=(), error="BRIDGE_REFUSED", error_message="no\ud800")
    found = json.loads(
        encode_json_page(
            build_results(whole, [CellResult.from_outcome(crash, count_outcome(crash))], None)
        )
    )
    run = found["conditions"][crash.condition]["runs"][0]
    assert ("BRIDGE_REFUSED", "no\ufffd", False, 0) == (
        run["error"],
        run["error_message"],
        run["success"],
        run["turns"],
    )


def test_where_conditions_differ_all_levels_are_reported() -> None:
    """A plan with two models lists both, in order."""
    whole, _ = play_trial()
    one_, two, *rest = whole.plan.conditions
    changed = (
        msgspec.structs.replace(one_, model="small", temperature=0.0),
        msgspec.structs.replace(two, model="large"),
        *rest,
    )
    found = _render_results(whole=_replace_plan(conditions=changed))
    assert ["large", "small", "stand-in"] == found["model"]
    assert [0.0, 0.7] == found["metadata"]["temperature"]


def test_an_analysis_is_in_the_results() -> None:
    """The results file includes estimates, comparisons and gates."""
    empty = Analysis(estimates={}, comparisons=(), effects=(), gates=(), method="none")
    assert "none" == _render_results(empty)["analysis"]["method"]
    assert _render_results()["analysis"] is None


def test_run_meta_has_every_field_of_the_contract() -> None:
    """Each scenario has its hashes, its world and its tags."""
    found = build_run_meta(play_trial()[0])
    assert {"house", "coffee_trap"} == set(found["scenarios"])
    for entry in found["scenarios"].values():
        assert {*_SEED, "world_canonical", "tags", "description"} == set(entry)


def test_tags_that_are_known_are_kept() -> None:
    """Tags from the registry are not overwritten."""
    whole, _ = play_trial()
    house = whole.settings["house"]
    told = msgspec.structs.replace(house, meta=house.meta | {"tags": ["demo"]})
    found = build_run_meta(msgspec.structs.replace(whole, settings={"house": told}))
    assert ["demo"] == found["scenarios"]["house"]["tags"]


def test_run_meta_is_evidence_for_a_gate() -> None:
    """The file passes the gate of the bundled process."""
    shipped = files("saniwa.process") / "shipped" / "experiment_review.yaml"
    process = parse_document(shipped.read_text(encoding="utf-8")).plain
    schema = next(a for a in process["artifacts"] if a["type"] == "run_meta")["schema"]
    evidence = json.loads(encode_json_page({"run_meta": build_run_meta(play_trial()[0])}))
    assert jsonschema_rs.is_valid(schema, evidence)
    evidence["run_meta"]["scenarios"]["house"]["validation_passed"] = False
    assert not jsonschema_rs.is_valid(schema, evidence)


def test_a_temperature_that_was_not_sent_is_not_reported() -> None:
    """Levels, metadata and counts use the value that was sent, not the planned one."""
    whole, played = play_trial()
    unsent = [CellResult.from_outcome(o, _count_without_temperature(o)) for o in played]
    found = json.loads(encode_json_page(build_results(whole, unsent, None)))

    assert found["metadata"]["temperature"] is None
    assert {None} == {c["levels"]["temperature"] for c in found["conditions"].values()}
    assert ["temperature"] == found["conditions"]["A"]["stats"]["unsent"]


def _count_without_temperature(outcome: CellOutcome) -> CellNumbers:
    return msgspec.structs.replace(count_outcome(outcome), unsent=("temperature",))
