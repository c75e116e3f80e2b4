"""Invented evidence, sent to `exploration` through every interface: the gate attests none."""

import json
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from saniwa.app.scenario_lookup import PROJECT_REGISTRY
from tests.house.pages import run_documented
from tests.journeys.forged_evidence.forger import DOORS, ForgedEvent, ForgedProject, Forger
from tests.journeys.forged_evidence.forgeries import (
    NO_RUN,
    list_moves,
    list_wrong,
    repeat_forgeries,
    write_other_scenario,
)


def _forge_names(project: ForgedProject) -> Iterator[ForgedEvent]:
    """Evidence that names a run or an experiment which does not exist or is not as it says."""
    half, bent = project.folder / "half", project.folder / "bent"
    for copy in (half, bent):
        shutil.copytree(project.folder / project.results, copy)
    next((half / "cells").glob("*.json")).unlink()
    cell = next((bent / "cells").glob("*.json"))
    cell.write_text(cell.read_text(encoding="utf-8").replace("true", "false"), encoding="utf-8")
    runs = [*list_wrong(project.reports["play"]["run"]), "run", "$(id)", "run-1; ls", "x\x00"]
    folders = [*list_wrong(project.results), "half", "bent", "/etc", ".", "..", "results"]
    more: list[dict[str, Any]] = [{"wet": True}, {"made_by": "gate"}, {"checked": "yes"}]
    more += [{"attested": True, "sure": each} for each in ("high", "low")]
    for other in more:
        for each in runs:
            yield ForgedEvent("submit_evidence", {"evidence": {"run": each} | other}, {})
        for each in folders:
            yield ForgedEvent("submit_evidence", {"evidence": {"experiment": each} | other}, {})


def test_nothing_invented_is_vouched_for_in_an_exploration(project: ForgedProject) -> None:
    """Evidence that names a run or an experiment is checked; other evidence stays a claim."""
    forger = Forger(project, "exploration")
    forger.send_true("submit_hypothesis", hypothesis="It rains.")
    for forged in repeat_forgeries([*_forge_names(project), *list_moves("submit_evidence")]):
        taken = forger.forge(forged)
        named = forged.documents.get("evidence", {})
        given = named.get("run", named.get("experiment"))
        # A text that is not a document names nothing: it is a claim, whatever it says.
        is_name = isinstance(given, str) and given.strip() and forger.form != "text"
        assert not (taken and is_name), forged
        assert not forger.list_attested(), forged
        if taken:
            assert "observe" == forger.state, forged
            forger.begin()
            forger.send_true("submit_hypothesis", hypothesis="It rains.")

    forger.check_count()
    forger.close()


def test_evidence_of_an_exploration_is_about_what_it_names(project: ForgedProject) -> None:
    """A true run or folder is refused when it is submitted under the name of another."""
    run, folder = project.reports["play"]["run"], project.results
    outcomes = []
    for evidence in (
        {"run": run, "scenario": "coffee_trap"},
        {"run": run, "scenario": "door_and_key"},
        {"experiment": folder, "experiment_id": "door_and_key"},
        {"experiment": folder, "experiment_id": "coffee_trap"},
    ):
        forger = Forger(project, "exploration")
        forger.send_true("submit_hypothesis", hypothesis="It rains.")
        claims = [{"type": "evidence", "content": evidence}]
        outcomes.append(forger.try_door("library", ForgedEvent("submit_evidence", {}, {}), claims))
        forger.close()

    assert [False, True, False, True] == outcomes


@pytest.mark.parametrize("door", DOORS)
def test_a_run_among_a_thousand_other_fields_is_looked_up(
    project: ForgedProject, door: str
) -> None:
    """Fields that a guard asks for are found among any number of others."""
    many = {f"a{number:04}": number for number in range(1_200)}
    forger = Forger(project, "exploration")
    forger.send_true("submit_hypothesis", hypothesis="It rains.")
    for inner in ({"run": NO_RUN}, {"experiment": "nowhere"}):
        claims = [{"type": "evidence", "content": many | inner}]

        assert not forger.try_door(door, ForgedEvent("submit_evidence", {}, {}), claims)

    assert "experiment" == forger.state
    forger.close()


def test_a_run_of_another_scenario_of_the_name_is_not_vouched_for(project: ForgedProject) -> None:
    """A run of a file whose scenario has a registered name is not a run of the registered one."""
    registry = project.folder / "named" / PROJECT_REGISTRY
    file = write_other_scenario(registry, "coffee_trap").relative_to(project.folder)
    told = run_documented(
        f"echo wait | saniwa play {file} --input - > /dev/null && saniwa log last --json",
        project.folder,
    )
    run = json.loads(told)
    assert "coffee_trap" == run["scenario"]
    forger = Forger(project, "exploration")
    forger.send_true("submit_hypothesis", hypothesis="It rains.")
    evidence = {"run": run["run"], "scenario": "coffee_trap"}
    claims = [{"type": "evidence", "content": evidence}]

    assert not forger.try_door("library", ForgedEvent("submit_evidence", {}, {}), claims)
    forger.close()
