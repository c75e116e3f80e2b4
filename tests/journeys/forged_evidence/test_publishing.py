"""Invented evidence, sent to `scenario_publishing` through every interface: none is accepted."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from saniwa.app.scenario_lookup import PROJECT_REGISTRY, locate_shipped_registry
from tests.house.pages import run_documented
from tests.journeys.forged_evidence.forger import DOORS, REPORTS, ForgedEvent, ForgedProject, Forger
from tests.journeys.forged_evidence.forgeries import (
    forge_each,
    list_moves,
    repeat_forgeries,
    write_loose_rules,
    write_other_scenario,
)


def _forge_checks(project: ForgedProject) -> list[ForgedEvent]:
    check = project.reports["check"]
    (listed,) = check["scenarios"]
    documents = list(forge_each(check, "passed", "errors", "warnings", "scenarios"))
    inner = forge_each(listed, "scenario", "passed", "findings")
    documents += [check | {"scenarios": [each]} for each in inner]
    documents += [check | {"scenarios": [listed, listed | {"scenario": "nowhere"}]}]
    return [ForgedEvent("submit_check", {"check_report": each}, {}) for each in documents]


def _forge_plays(project: ForgedProject) -> list[ForgedEvent]:
    play, replay = project.reports["play"], project.reports["replay"]
    names = ("run", "scenario", "scenarioHash", "worldHash", "turns", "applied", "fingerprint")
    pairs = [(each, replay) for each in forge_each(play, *names)]
    replays = forge_each(replay, "run", "turnsChecked", "firstDifference", "goalReached")
    pairs += [(play, each) for each in replays]
    return [
        ForgedEvent("submit_play", {"play_report": one, "replay_report": other}, {})
        for one, other in pairs
    ]


@pytest.mark.parametrize("door", DOORS)
def test_every_door_takes_what_is_true(project: ForgedProject, door: str) -> None:
    """Every interface accepts true evidence, so a refusal comes from the gate."""
    forger = Forger(project, "scenario_publishing")
    claim = {"type": "check_report", "content": project.reports["check"]}

    assert forger.try_door(door, ForgedEvent("submit_check", {}, {}), [claim])
    assert "checked" == forger.state
    forger.close()


def test_nothing_invented_gets_a_scenario_published(project: ForgedProject) -> None:
    """No forged check, forged run or decision of the agent gets a scenario published."""
    forger = Forger(project, "scenario_publishing")
    for forged in repeat_forgeries([*_forge_checks(project), *list_moves("submit_check")]):
        assert not forger.forge(forged), forged
    forger.send_true("submit_check", check_report=project.reports["check"])
    for forged in repeat_forgeries([*_forge_plays(project), *list_moves("submit_play")]):
        assert not forger.forge(forged), forged

    assert "checked" == forger.state
    forger.check_count()
    forger.close()


@pytest.mark.parametrize("door", DOORS)
def test_only_a_regular_file_of_the_run_is_evidence(project: ForgedProject, door: str) -> None:
    """A link, pipe, folder, huge file, address or similar name is not evidence."""
    forger = Forger(project, "scenario_publishing")
    home = project.folder / ".state_gate" / "artifacts" / forger.run_id
    home.mkdir(parents=True, exist_ok=True)
    true = project.folder / "true_check.json"
    true.write_text(json.dumps(project.reports["check"]))
    (home / "check_report_link.json").symlink_to(true)
    (home / "inner").symlink_to(project.folder)
    os.mkfifo(home / "check_report_pipe.json")
    (home / "check_report_folder.json").mkdir()
    with (home / "check_report_huge.json").open("wb") as huge:
        huge.truncate(65 * 1024 * 1024)
    (home / "check_report_e\u0301.json").write_text(true.read_text())
    (listed,) = project.reports["check"]["scenarios"]
    alike = listed | {"scenario": listed["scenario"].replace("o", "\u043e")}
    paths = ("link", "pipe", "folder", "huge", "\u00e9")
    claims: list[dict[str, Any]] = [
        {"type": "check_report", "path": f"check_report_{each}.json"} for each in paths
    ]
    claims += [
        {"type": "check_report", "path": "inner/true_check.json"},
        {"type": "check_report", "path": "../../../true_check.json"},
        {"type": "check_report", "url": "https://example.com/check.json", "hash": "0" * 64},
        {"type": "check_rep\u043ert", "content": project.reports["check"]},
        {"type": "check_report", "content": project.reports["check"] | {"scenarios": [alike]}},
    ]
    for claim in claims:
        event = ForgedEvent("submit_check", {}, {})
        assert not forger.try_door(door, event, [claim]), claim

    assert "draft" == forger.state
    forger.close()


def test_evidence_that_changes_before_the_approval_publishes_nothing(
    project: ForgedProject,
) -> None:
    """The gate reads every file again at the approval, and refuses one that has changed."""
    forger = Forger(project, "scenario_publishing")
    forger.send_true("submit_check", check_report=project.reports["check"])
    home = project.folder / ".state_gate" / "artifacts" / forger.run_id
    home.mkdir(parents=True, exist_ok=True)
    claims = []
    for kind in ("play", "replay"):
        path = home / f"{kind}_report.json"
        path.write_text(json.dumps(project.reports[kind]))
        claims.append({"type": f"{kind}_report", "path": path.name})
    assert forger.try_door("library", ForgedEvent("submit_play", {}, {}), claims)
    path.write_text(json.dumps(project.reports["other_replay"]))

    forger.send_approval()

    assert "play_tested" == forger.state
    forger.close()


@pytest.mark.parametrize("door", DOORS)
def test_true_reports_of_different_subjects_publish_nothing(
    project: ForgedProject, door: str
) -> None:
    """A check, log or replay of another scenario or run publishes nothing."""
    told = project.reports
    mixed = [
        ("other_check", "play", "replay"),
        ("check", "play", "other_replay"),
        ("check", "other_play", "replay"),
        ("other_check", "other_play", "other_replay"),
    ]
    for check, play, replay in mixed:
        forger = Forger(project, "scenario_publishing")
        forger.send_true("submit_check", check_report=told[check])
        claims = [
            {"type": "play_report", "content": told[play]},
            {"type": "replay_report", "content": told[replay]},
        ]

        assert not forger.try_door(door, ForgedEvent("submit_play", {}, {}), claims), (check, play)
        assert "checked" == forger.state
        forger.close()


def test_a_check_of_an_earlier_version_and_a_run_of_a_later_one_publish_nothing(
    tmp_path: Path,
) -> None:
    """The scenario that was played must have the hash of the one that was checked."""
    registry = tmp_path / PROJECT_REGISTRY
    shutil.copytree(locate_shipped_registry().parent, registry.parent)
    check = json.loads(run_documented(REPORTS["check"], tmp_path))
    scenario = registry.with_name("door_and_key.yaml")
    project = ForgedProject(tmp_path, {}, "", {}, "", {})
    forger = Forger(project, "scenario_publishing")
    forger.send_true("submit_check", check_report=check)
    text = scenario.read_text(encoding="utf-8")
    scenario.write_text(text.replace("lavender", "lavendel", 1), encoding="utf-8")
    play, replay = (json.loads(run_documented(REPORTS[n], tmp_path)) for n in ("play", "replay"))
    claims = [
        {"type": "play_report", "content": play},
        {"type": "replay_report", "content": replay},
    ]
    own = {"report": {"scenarioHash": play["scenarioHash"]}}
    forged = [[], [{"type": "scenario_checked", "content": own}]]
    sent = ForgedEvent("submit_play", {}, {})
    outcomes = [forger.try_door("library", sent, claims + more) for more in forged]
    forger.send_true("revise")
    forger.send_true("submit_check", check_report=check)
    outcomes.append(forger.try_door("library", sent, claims))
    forger.close()

    assert [False, False, True] == outcomes


@pytest.mark.parametrize("edited", [False, True])
def test_a_run_by_other_rules_publishes_nothing(project: ForgedProject, edited: bool) -> None:
    """A run with other rules, from the start or changed later, publishes nothing."""
    book = write_loose_rules(project.folder).name
    begin = f"saniwa play door_and_key --book {book} --input north.txt > /dev/null && "
    if edited:
        begin = "echo wait | saniwa play door_and_key --input - > /dev/null && "
        begin += f"saniwa rulebook edit last {book} > /dev/null && "
        begin += "saniwa play --resume last --input north.txt > /dev/null && "
    told = {
        "play_report": json.loads(run_documented(begin + "saniwa log last --json", project.folder)),
        "replay_report": json.loads(run_documented(REPORTS["replay"], project.folder)),
    }
    assert told["replay_report"]["goalReached"] is True
    claims = [{"type": kind, "content": each} for kind, each in told.items()]
    for door in DOORS:
        forger = Forger(project, "scenario_publishing")
        forger.send_true("submit_check", check_report=project.reports["check"])

        assert not forger.try_door(door, ForgedEvent("submit_play", {}, {}), claims)
        assert "checked" == forger.state
        forger.close()


def test_a_registry_of_the_agents_own_publishes_nothing(
    project: ForgedProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A registry and store that the agent names are not those of the reviewer's gate."""
    registry = project.folder / "own" / PROJECT_REGISTRY
    write_other_scenario(registry, "door_and_key")
    forger = Forger(project, "scenario_publishing")
    own = {"SANIWA_REGISTRY": str(registry), "SANIWA_STORE": str(registry.with_name("own.sqlite"))}
    named = "".join(f"export {name}={value}; " for name, value in own.items())
    begin = "echo go to yard | saniwa play door_and_key --input - > /dev/null && "
    reports = REPORTS | {"play": begin + "saniwa log last --json"}
    claims = {}
    for name in ("check", "play", "replay"):
        told = json.loads(run_documented(named + reports[name], project.folder))
        claims[name] = [{"type": f"{name}_report", "content": told}]
    sent = {"submit_check": claims["check"], "submit_play": claims["play"] + claims["replay"]}
    with monkeypatch.context() as shell:
        for name, value in own.items():
            shell.setenv(name, value)
        for event, handed in sent.items():
            assert forger.try_door("terminal", ForgedEvent(event, {}, {}), handed)

    forger.send_approval()

    assert "play_tested" == forger.state
    forger.close()
