"""Invented evidence, sent to `experiment_review` through every interface: none is accepted."""

import json
import shutil
from collections.abc import Iterator
from typing import Any

from saniwa.app.scenario_lookup import PROJECT_REGISTRY
from tests.house.pages import run_documented
from tests.journeys.forged_evidence.forger import ForgedEvent, ForgedProject, Forger
from tests.journeys.forged_evidence.forgeries import (
    FINAL,
    REVIEW_PLAN,
    forge_results,
    list_moves,
    list_wrong,
    repeat_forgeries,
    write_loose_rules,
    write_other_scenario,
)


def test_nothing_invented_gets_an_experiment_reviewed(project: ForgedProject) -> None:
    """Though the reviewer approves everything, no forgery gets an experiment reviewed."""
    forger = Forger(project, "experiment_review")
    forger.send_true("submit_plan", plan=REVIEW_PLAN)
    forgeries = [({"results": project.results}, each) for each in forge_results(project)]
    wrong = [*list_wrong(project.results), "nowhere", ".", "..", "/etc", "{context.x}", "results"]
    for more in ({}, {"state": "reviewed"}, {"role": "reviewer"}, {"replayed": True}, {"a": 1}):
        forgeries += [({"results": each} | more, project.run_meta) for each in wrong]
    events = [ForgedEvent("submit_results", {"run_meta": each}, how) for how, each in forgeries]
    for forged in repeat_forgeries(events):
        if forger.forge(forged):
            forger.send_true("submit_report", report="coffee_trap: it is so.")
            forger.send_approval()
            assert "reported" == forger.state, forged
            forger.send_rejection()
    for forged in repeat_forgeries(list_moves("submit_results", "submit_report")):
        assert not forger.forge(forged), forged

    assert forger.state not in FINAL
    forger.check_count()
    forger.close()


def _forge_figures(project: ForgedProject) -> Iterator[str]:
    """Copies of a real experiment whose results.json does not follow from its cells."""
    page = (project.folder / project.results / "results.json").read_text("utf-8")
    true = json.loads(page)
    other = (project.folder / project.other_results / "results.json").read_text("utf-8")
    stats, (run,) = true["conditions"]["D"]["stats"], true["conditions"]["D"]["runs"]
    figures = {name: value for name, value in stats.items() if isinstance(value, int | float)}
    wrong = [{"stats": stats | {name: value + 1}} for name, value in figures.items()]
    wrong += [{"runs": [run | {"turns": 999}]}, {"runs": []}, {"runs": [run, run]}, {"more": 1}]
    documents = [true | {"conditions": {"D": true["conditions"]["D"] | each}} for each in wrong]
    estimates = true["analysis"]["estimates"]["D"]
    better = {"D": estimates | {"deeds_per_turn": estimates["deeds_per_turn"] | {"mean": 9.0}}}
    documents += [
        true | {"analysis": true["analysis"] | {"estimates": better}},
        documents[0] | {"analysis": None},
        true | {"question": "another"},
        {},
    ]
    # As the experiment writes it, so that only the forged figure differs.
    texts = [json.dumps(each, indent=2, ensure_ascii=False) + "\n" for each in [true, *documents]]
    assert page == texts.pop(0)
    twice = page.replace('"turns":', '"turns": 999, "turns":')
    for number, text in enumerate([*texts, twice, other, page[:-1], page + "\n", ""]):
        folder = project.folder / f"figures_{number}"
        shutil.copytree(project.folder / project.results, folder, dirs_exist_ok=True)
        (folder / "results.json").write_text(text, encoding="utf-8")
        yield folder.name
    (folder / "results.json").unlink()
    (folder / "results.json").symlink_to(project.folder / project.results / "results.json")
    yield folder.name


def test_figures_that_the_cells_do_not_give_are_not_reviewed(project: ForgedProject) -> None:
    """Results that do not follow from the cells, byte for byte, are not reviewed."""
    forger = Forger(project, "experiment_review")
    forger.send_true("submit_plan", plan=REVIEW_PLAN)
    for folder in [*_forge_figures(project), project.results]:
        forger.send_true("submit_results", {"results": folder}, run_meta=project.run_meta)
        forger.send_true("submit_report", report="coffee_trap: it is so.")
        forger.send_approval()
        if folder != project.results:
            assert "reported" == forger.state, folder
            forger.send_rejection()

    assert "reviewed" == forger.state, "the true folder is the last"
    forger.close()


def test_figures_that_fit_forged_cells_are_not_reviewed(project: ForgedProject) -> None:
    """Results that were computed from changed cells are not reviewed, since those do not replay."""
    folder = project.folder / "fitting"
    shutil.copytree(project.folder / project.results, folder)
    (cell,) = (folder / "cells").glob("*.json")
    text = cell.read_text(encoding="utf-8")
    cell.write_text(text.replace('"latency_ms":', '"latency_ms":1'), encoding="utf-8")
    run_documented("saniwa experiment report fitting", project.folder)
    forged, true = (project.folder / each / "results.json" for each in ("fitting", project.results))
    assert forged.read_bytes() != true.read_bytes(), "the forgery changes a figure"
    forger = Forger(project, "experiment_review")
    forger.send_true("submit_plan", plan=REVIEW_PLAN)
    forger.send_true("submit_results", {"results": "fitting"}, run_meta=project.run_meta)
    forger.send_true("submit_report", report="coffee_trap: it is so.")

    forger.send_approval()

    assert "reported" == forger.state
    forger.close()


def test_a_plan_or_a_report_of_another_experiment_is_not_reviewed(project: ForgedProject) -> None:
    """The plan, the results and the report must be about the same experiment."""
    cases: list[tuple[dict[str, Any], str, dict[str, Any], str]] = [
        ({"experiment_id": "door_and_key"}, project.results, project.run_meta, "door_and_key"),
        ({"conditions": ["A", "B"]}, project.results, project.run_meta, "coffee_trap"),
        ({}, project.results, project.run_meta, "door_and_key"),
        ({}, project.other_results, project.other_meta, "coffee_trap"),
        ({}, project.results, project.other_meta, "coffee_trap"),
    ]
    outcomes = []
    for plan, results, meta, report in [
        *cases,
        ({}, project.results, project.run_meta, "coffee_trap"),
    ]:
        forger = Forger(project, "experiment_review")
        forger.send_true("submit_plan", plan=REVIEW_PLAN | plan)
        forger.send_true("submit_results", {"results": results}, run_meta=meta)
        forger.send_true("submit_report", report=f"About {report}: it is so.")
        forger.send_approval()
        outcomes.append(forger.state)
        forger.close()

    assert ["reported"] * len(cases) + ["reviewed"] == outcomes


def _run_experiment(project: ForgedProject, options: str, **environment: str) -> tuple[str, Any]:
    """Run an experiment about the coffee trap; returns its folder and its run_meta."""
    before = set((project.folder / "results").iterdir())
    command = "saniwa experiment run --scenario coffee_trap --profile dev --max-turns 1 "
    named = "".join(f"{name}={value} " for name, value in environment.items())
    run_documented(named + command + options, project.folder)
    (folder,) = set((project.folder / "results").iterdir()) - before
    meta = json.loads((folder / "run_meta.json").read_text(encoding="utf-8"))
    return f"results/{folder.name}", meta


def test_what_an_experiment_did_not_run_is_not_reviewed(project: ForgedProject) -> None:
    """Results with another scenario of the name, another hash, rules or seeds are not reviewed."""
    registry = project.folder / "trap" / PROJECT_REGISTRY
    write_other_scenario(registry, "coffee_trap")
    other = _run_experiment(project, "", SANIWA_REGISTRY=str(registry))
    loose = _run_experiment(project, f"--rulebook {write_loose_rules(project.folder).name}")
    renamed = f"{other[0]}_renamed"
    shutil.copytree(project.folder / other[0], project.folder / renamed)
    page = project.folder / renamed / "prepared.json"
    said = other[1]["run_meta"]["scenarios"]["coffee_trap"]["scenario_hash"]
    true = project.run_meta["run_meta"]["scenarios"]["coffee_trap"]["scenario_hash"]
    page.write_text(page.read_text("utf-8").replace(said, true), encoding="utf-8")
    run_documented(f"saniwa experiment report {renamed}; true", project.folder)
    meta = json.loads(json.dumps(other[1]).replace(said, true))
    cases: list[tuple[str, Any, Any]] = [(*other, 1), (renamed, meta, 1), (*loose, 1)]
    cases += [(project.results, project.run_meta, seeds) for seeds in (500, [0, 1], [7], ["1"])]
    true_cases = [(project.results, project.run_meta, seeds) for seeds in (1, [0])]
    outcomes = []
    for results, told, seeds in [*cases, *true_cases]:
        forger = Forger(project, "experiment_review")
        forger.send_true("submit_plan", plan=REVIEW_PLAN | {"seeds": seeds})
        forger.send_true("submit_results", {"results": results}, run_meta=told)
        forger.send_true("submit_report", report="coffee_trap: it is so.")
        forger.send_approval()
        outcomes.append(forger.state)
        forger.close()

    assert ["reported"] * len(cases) + ["reviewed"] * 2 == outcomes
