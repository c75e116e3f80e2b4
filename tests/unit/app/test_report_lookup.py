import asyncio
import shutil
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec
import pytest

from saniwa.app.gate.report_verification import (
    SystemReportLookup,
    make_project_lookup,
    make_server_lookup,
)
from saniwa.app.run_service import RunService
from saniwa.app.run_stores import format_moment, summarize_run
from saniwa.app.scenario_lookup import PROJECT_REGISTRY, locate_shipped_registry
from saniwa.process.ports import EvidenceError
from saniwa.runs.replay import replay_run
from saniwa.store.memory_run_store import MemoryRunStore

_NO_RUN = "run-00000000-0000-7000-8000-000000000000"


class PlayedRunProject:
    """A project with its own registry, and one run in its store."""

    def __init__(self, folder: Path) -> None:
        self.registry = folder / PROJECT_REGISTRY
        shutil.copytree(locate_shipped_registry().parent, self.registry.parent)
        self.store = MemoryRunStore()
        parts = RunService(self.store, self.registry)
        run = parts.begin("door_and_key")
        asyncio.run(run.say("go east"))
        self.run_id = run.record.run_id
        self.lookup = SystemReportLookup(lambda: nullcontext(self.store), lambda: self.registry)

    def edit(self, old: str, new: str) -> None:
        """Change the scenario's file."""
        path = self.registry.parent / "door_and_key.yaml"
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def run_log(self, **changes: Any) -> dict[str, Any]:
        """What `saniwa log` prints of the run, with changes."""
        turns = self.store.read_turns(self.run_id)
        return summarize_run(self.store.load_record(self.run_id), turns) | changes

    def run_replay(self, **changes: Any) -> dict[str, Any]:
        """What `saniwa replay` prints of the run, with changes."""
        told: dict[str, Any] = msgspec.to_builtins(replay_run(self.store, self.run_id))
        return told | changes


@pytest.fixture
def played_project(tmp_path: Path) -> PlayedRunProject:
    """A project with one run of door and key."""
    return PlayedRunProject(tmp_path)


def _make_check_report(scenario: object = "door_and_key", *findings: Any, **more: Any) -> Any:
    listed = {"scenario": scenario, "passed": True, "findings": list(findings)}
    return {"errors": 0, "warnings": 0, "scenarios": [listed]} | more


def test_a_report_of_a_check_is_compared_with_a_check(played_project: PlayedRunProject) -> None:
    """A report of a check is compared with a new check, and the scenario and its hash are shown."""
    told = played_project.lookup.look_up("scenario_check", _make_check_report())

    assert told.startswith("scenario 'door_and_key' with hash ")
    assert told.endswith("was checked; 0 errors, 0 warnings")


def test_a_report_of_the_whole_registry_is_compared_with_the_registry(
    played_project: PlayedRunProject,
) -> None:
    """A report of the whole registry is compared with a check of the registry."""
    told = played_project.lookup.look_up("scenario_check", _make_check_report("registry"))

    assert "the registry; 0 errors, 0 warnings" == told


@pytest.mark.parametrize(
    ("report", "why"),
    [
        (_make_check_report("nowhere"), "'nowhere' is not in the registry"),
        (_make_check_report("../door_and_key"), "is not in the registry"),
        (_make_check_report(None), "does not name its scenario"),
        (_make_check_report(scenarios=[]), "lists no scenario"),
        (_make_check_report(scenarios=["x"]), "does not name its scenario"),
        (
            _make_check_report("door_and_key", {"code": "GOAL_MISSING", "severity": "warning"}),
            r"found no findings; the report lists \['GOAL_MISSING'\]",
        ),
        (_make_check_report(warnings=3), "it says warnings is 3; .* found 0"),
        ("passed", "is not a JSON object"),
    ],
)
def test_a_report_of_a_check_that_was_not_made_is_refused(
    played_project: PlayedRunProject, report: Any, why: str
) -> None:
    """A report of an unknown scenario, or with another result, is refused."""
    with pytest.raises(EvidenceError, match=why):
        played_project.lookup.look_up("scenario_check", report)


def test_a_scenario_with_an_error_is_refused_with_its_code(
    played_project: PlayedRunProject,
) -> None:
    """A scenario with an error is refused with its code, whatever the report says."""
    played_project.edit("east: shed", "east: nowhere")

    with pytest.raises(EvidenceError, match=r"and found [0-9]+ errors?, first EXIT_TARGET_MISSING"):
        played_project.lookup.look_up("scenario_check", _make_check_report())


def test_a_registry_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """Without a registry, a report is refused."""
    lookup = make_project_lookup(tmp_path, registry=tmp_path / "none.yaml")

    for name in ("door_and_key", "registry"):
        with pytest.raises(EvidenceError, match="registry"):
            lookup.look_up("scenario_check", _make_check_report(name))


def test_reports_of_a_run_are_compared_with_the_run(played_project: PlayedRunProject) -> None:
    """Reports of a run are compared with the stored run and its replay."""
    log = played_project.lookup.look_up("run_log", played_project.run_log())
    again = played_project.lookup.look_up("run_replay", played_project.run_replay())

    run_id = played_project.run_id
    assert f"run {run_id} of scenario 'door_and_key' was read, 1 turn" == log
    assert f"run {run_id} was replayed, 1 turn, no difference" == again


@pytest.mark.parametrize(
    "change",
    [
        {"run": _NO_RUN},
        {"run": "last"},
        {"run": 7},
        {"scenario": "coffee_trap"},
        {"turns": 2},
        {"applied": 9},
        {"fingerprint": "0" * 16},
        {"refused": {"LOCKED": 3}},
    ],
)
def test_a_report_that_contradicts_its_run_is_refused(
    played_project: PlayedRunProject, change: dict[str, Any]
) -> None:
    """A report that differs from its run in any field is refused."""
    with pytest.raises(EvidenceError):
        played_project.lookup.look_up("run_log", played_project.run_log(**change))


def test_a_part_of_a_runs_id_names_no_run(played_project: PlayedRunProject) -> None:
    """A part of a run's id in a report is refused."""
    short = played_project.run_log(run=played_project.run_id[:-2])

    with pytest.raises(EvidenceError, match="there is no run"):
        played_project.lookup.look_up("run_log", short)


def test_a_run_of_another_edition_of_its_scenario_is_refused(
    played_project: PlayedRunProject,
) -> None:
    """A run of another version of the scenario than the registry's is refused."""
    report = played_project.run_log()
    played_project.edit("description:", "description: Changed. #")

    with pytest.raises(EvidenceError, match=r"has the hash .* in the registry"):
        played_project.lookup.look_up("run_log", report)


@pytest.mark.parametrize("change", [{"run": _NO_RUN}, {"turnsChecked": 9}, {"goalReached": True}])
def test_a_report_that_contradicts_the_replay_is_refused(
    played_project: PlayedRunProject, change: dict[str, Any]
) -> None:
    """A report that differs from the replay is refused."""
    with pytest.raises(EvidenceError):
        played_project.lookup.look_up("run_replay", played_project.run_replay(**change))


def test_a_run_that_replays_otherwise_is_refused(
    played_project: PlayedRunProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run whose replay differs is refused, with the turn."""
    report = played_project.run_replay()
    (turn,) = played_project.store.read_turns(played_project.run_id)
    forged = msgspec.structs.replace(turn, world_after="0" * 16)
    monkeypatch.setattr(played_project.store, "read_turns", lambda *_, **__: iter([forged]))

    with pytest.raises(EvidenceError, match="'worldAfter' of turn 0 differs from the record"):
        played_project.lookup.look_up("run_replay", report)


def test_what_the_gate_cannot_look_up_is_refused(played_project: PlayedRunProject) -> None:
    """An unknown kind of lookup is refused."""
    with pytest.raises(EvidenceError, match="cannot look up 'weather'"):
        played_project.lookup.look_up("weather", {})


def test_a_project_without_a_store_has_no_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a store the run is not found, and no store is created."""
    monkeypatch.delenv("SANIWA_STORE", raising=False)

    with pytest.raises(EvidenceError, match="there are no runs yet"):
        make_project_lookup(tmp_path).look_up("run_log", {"run": _NO_RUN})
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("named", [True, False])
def test_a_project_looks_in_its_own_store_and_registry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    """A project uses its own store and registry, unless the environment names others."""
    monkeypatch.delenv("SANIWA_STORE", raising=False)
    monkeypatch.delenv("SANIWA_REGISTRY", raising=False)
    played = PlayedRunProject(tmp_path)
    place = tmp_path / ("other.sqlite" if named else ".saniwa/saniwa.sqlite")
    if named:
        monkeypatch.setenv("SANIWA_STORE", str(place))
    parts = RunService(place, played.registry)
    run = parts.begin("door_and_key")
    asyncio.run(run.say("go east"))
    report = summarize_run(run.record, parts.store.read_turns(run.record.run_id))
    parts.close()

    told = make_project_lookup(tmp_path).look_up("run_log", report)
    beside = make_server_lookup(lambda: played.store, place, played.registry)

    assert run.record.run_id in told
    assert told == beside.look_up("run_log", report)


def test_a_server_that_keeps_its_runs_in_memory_looks_there(
    played_project: PlayedRunProject,
) -> None:
    """A server with a store in memory looks up runs there."""
    lookup = make_server_lookup(lambda: played_project.store, "memory:", played_project.registry)

    assert played_project.run_id in lookup.look_up("run_log", played_project.run_log())


def test_a_moment_that_no_calendar_has_is_shown_as_milliseconds() -> None:
    """A time that no calendar has is shown in milliseconds."""
    assert "2026-01-01T00:00:00Z" == format_moment(1_767_225_600_000)
    assert f"{10**18} ms" == format_moment(10**18)
