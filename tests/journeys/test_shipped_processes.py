"""The shipped processes, played from start to end with real files."""

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from saniwa.app.gate.report_verification import make_project_lookup
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.gate import Gate
from saniwa.process.library import BundledProcessLibrary
from saniwa.process.submission import Visitor
from saniwa.store.gate.evidence_reader import FolderEvidenceReader
from saniwa.store.gate.sealed_gate_log import MemoryGateLog
from tests.house.pages import run_documented

AGENT = Visitor("agent")
HUMAN = Visitor("human", person=True, name="ann")
REVIEWER = Visitor("reviewer", person=True, name="bea")


class ManualClock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.time = 1_767_225_600_000

    def now(self) -> int:
        """The time that was set."""
        return self.time


class ProcessWalk:
    """One run, and the callers at its gate."""

    def __init__(self, process: str, folder: Path, project: Path | None = None) -> None:
        self.clock = ManualClock()
        self._lookup = None if project is None else make_project_lookup(project)
        self._log = MemoryGateLog()
        self._evidence = FolderEvidenceReader(folder / "artifacts", folder)
        begun = self._make_gate(AGENT).create_run(process)
        self.run_id = begun.run_id
        self.folder = folder / "artifacts" / self.run_id
        self.folder.mkdir(parents=True)
        self._sent = 0

    def _make_gate(self, visitor: Visitor) -> Gate:
        library = BundledProcessLibrary()
        return Gate(
            self._log, library, self._evidence, visitor, clock=self.clock, lookup=self._lookup
        )

    @property
    def state(self) -> str:
        """The state of the run."""
        return self._log.load_run(self.run_id).state

    def write(self, name: str, text: str) -> str:
        """Write a file into the evidence folder."""
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def send(
        self, event: str, *paths: str, by: Visitor = AGENT, payload: dict[str, Any] | None = None
    ) -> str:
        """Send an event; returns the new state, or the code of the refusal."""
        gate = self._make_gate(by)
        self._sent += 1
        answer = gate.emit_event(
            run_id=self.run_id,
            event_name=event,
            expected_revision=self._log.load_run(self.run_id).revision,
            idempotency_key=f"k{self._sent}",
            artifact_paths=paths,
            payload=payload,
            approval_digest=gate.review_run(self.run_id).digest if by.person else "",
        )
        if answer["success"]:
            return str(answer["result"]["transition"]["to_state"])
        return str(answer["error"]["code"])

    def tick(self, days: int) -> str:
        """Let some days pass; returns the state after a tick."""
        self.clock.time += days * 86_400_000
        self._make_gate(AGENT).tick(self.run_id)
        return self.state


def test_an_exploration_goes_from_a_question_to_a_decision(tmp_path: Path) -> None:
    """Each state of an exploration needs its evidence, and a reviewer decides."""
    walk = ProcessWalk("exploration", tmp_path)

    assert "GUARD_FAILED" == walk.send("submit_hypothesis")
    assert "experiment" == walk.send("submit_hypothesis", walk.write("hypothesis.md", "It rains."))
    assert "GUARD_FAILED" == walk.send("submit_evidence")
    assert "observe" == walk.send("submit_evidence", walk.write("evidence_1.txt", "wet"))
    assert "observe" == walk.send(
        "submit_observation", walk.write("observation_1.md", "The roof is wet.")
    )
    assert "synthesize" == walk.send(
        "submit_observation", walk.write("observation_2.md", "The street is wet.")
    )
    bare = walk.write("synthesis.md", "---\nclaim: it rained\n---\nSo it did.\n")
    assert "GUARD_FAILED" == walk.send("submit_synthesis", bare)
    sure = walk.write("synthesis.md", "---\nclaim: it rained\nconfidence: sure\n---\nYes.\n")
    assert "INVALID_PAYLOAD" == walk.send("submit_synthesis", sure)
    full = walk.write("synthesis.md", "---\nclaim: it rained\nconfidence: high\n---\nSo it did.\n")
    assert "decide" == walk.send("submit_synthesis", full)
    assert "GUARD_FAILED" == walk.send("approve", by=REVIEWER)
    assert "decide" == walk.send("submit_decision", walk.write("decision.md", "Umbrella."))
    assert "FORBIDDEN" == walk.send("approve")
    assert "done" == walk.send("approve", by=REVIEWER)


def test_an_exploration_is_sent_back_or_abandoned_by_people(tmp_path: Path) -> None:
    """A rejection leads back to experiments, and only people can abandon an exploration."""
    walk = ProcessWalk("exploration", tmp_path)
    for event, name in [
        ("submit_hypothesis", "hypothesis.md"),
        ("submit_evidence", "evidence.md"),
        ("submit_observation", "observation_a.md"),
        ("submit_observation", "observation_b.md"),
    ]:
        walk.send(event, walk.write(name, name))
    walk.send("submit_synthesis", walk.write("synthesis.json", '{"claim":"x","confidence":"low"}'))

    assert "experiment" == walk.send("reject", by=REVIEWER)
    assert "GUARD_FAILED" == walk.send("submit_evidence")
    assert "observe" == walk.send("submit_evidence", walk.write("evidence.md", "2"))
    assert "GUARD_FAILED" == walk.send("submit_observation")
    why = {"reason": "no time"}
    assert "FORBIDDEN" == walk.send("abandon", payload=why)
    assert "INVALID_PAYLOAD" == walk.send("abandon", by=HUMAN)
    assert "abandoned" == walk.send("abandon", by=HUMAN, payload=why)


@pytest.fixture(scope="module")
def reports_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a shipped scenario was played to its end."""
    return tmp_path_factory.mktemp("reports")


@pytest.fixture(scope="module")
def reports(reports_folder: Path) -> dict[str, str]:
    """The reports that the commands print about it."""
    commands = {
        "check": "saniwa scenario check door_and_key --strict --json",
        "play": "saniwa play door_and_key > /dev/null && saniwa log last --json",
        "replay": "saniwa replay last --json",
    }
    return {name: run_documented(command, reports_folder) for name, command in commands.items()}


def test_a_scenario_is_published_on_real_reports(
    tmp_path: Path, reports_folder: Path, reports: dict[str, str]
) -> None:
    """A scenario is published with the real reports of the commands, and with nothing less."""
    walk = ProcessWalk("scenario_publishing", tmp_path, reports_folder)

    assert "GUARD_FAILED" == walk.send("submit_check")
    check = walk.write("check_report.json", reports["check"])
    assert "checked" == walk.send("submit_check", check)
    play = walk.write("play_report.json", reports["play"])
    assert "GUARD_FAILED" == walk.send("submit_play", play)
    replay = walk.write("replay_report.json", reports["replay"])
    assert "play_tested" == walk.send("submit_play", play, replay)
    assert "draft" == walk.send("reject", by=REVIEWER)
    assert "GUARD_FAILED" == walk.send("submit_check")
    assert "checked" == walk.send("submit_check", check)
    assert "GUARD_FAILED" == walk.send("submit_play", play)
    assert "play_tested" == walk.send("submit_play", play, replay)
    assert "published" == walk.send("approve", by=REVIEWER)


def test_a_publishing_report_is_refused_where_nothing_can_be_looked_up(
    tmp_path: Path, reports: dict[str, str]
) -> None:
    """A gate without a store and a registry accepts no report."""
    walk = ProcessWalk("scenario_publishing", tmp_path)
    report = walk.write("check_report.json", reports["check"])

    assert "INVALID_PAYLOAD" == walk.send("submit_check", report)
    assert "draft" == walk.state


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("play", {"run": "run-00000000-0000-7000-8000-000000000000"}),
        ("play", {"turns": 99}),
        ("play", {"scenario": "coffee_trap"}),
        ("replay", {"run": "run-00000000-0000-7000-8000-000000000000"}),
        ("replay", {"turnsChecked": 99}),
    ],
)
def test_a_report_of_another_run_than_the_stores_is_refused(
    tmp_path: Path, reports_folder: Path, reports: dict[str, str], kind: str, change: dict[str, Any]
) -> None:
    """A report about a run that differs from the stored run is refused."""
    walk = ProcessWalk("scenario_publishing", tmp_path, reports_folder)
    walk.send("submit_check", walk.write("check_report.json", reports["check"]))
    told = dict(reports)
    told[kind] = json.dumps(json.loads(reports[kind]) | change)
    play = walk.write("play_report.json", told["play"])
    replay = walk.write("replay_report.json", told["replay"])

    assert "INVALID_PAYLOAD" == walk.send("submit_play", play, replay)
    assert "checked" == walk.state


@pytest.mark.parametrize(
    "change",
    [
        {"passed": False},
        {"errors": 1},
        {"scenarios": []},
        {"scenarios": [{"scenario": "x", "file": "x", "passed": False, "findings": []}]},
        {"scenarios": [{"scenario": "x", "file": "x", "passed": True, "findings": []}]},
    ],
)
def test_a_failing_check_is_no_evidence(
    tmp_path: Path, reports_folder: Path, reports: dict[str, str], change: dict[str, Any]
) -> None:
    """A report with a failed check is refused as evidence."""
    walk = ProcessWalk("scenario_publishing", tmp_path, reports_folder)
    report = json.dumps(json.loads(reports["check"]) | change)

    assert "INVALID_PAYLOAD" == walk.send("submit_check", walk.write("check_report.json", report))
    assert "draft" == walk.state


@pytest.fixture(scope="module")
def results(reports_folder: Path) -> Path:
    """The folder of a small finished experiment."""
    run_documented(
        "saniwa experiment run --scenario coffee_trap --profile dev --max-turns 2", reports_folder
    )
    (folder,) = (reports_folder / "results").iterdir()
    return folder


def test_an_experiment_is_planned_run_reported_and_reviewed(
    tmp_path: Path, reports_folder: Path, results: Path
) -> None:
    """The plan comes first, and the results are checked and replayed before the approval."""
    walk = ProcessWalk("experiment_review", tmp_path, reports_folder)

    assert "GUARD_FAILED" == walk.send("submit_plan")
    plan = walk.write(
        "plan.yaml", "experiment_id: coffee_trap\nquestion: why\nconditions: [D]\nseeds: 1\n"
    )
    assert "running" == walk.send("submit_plan", plan)
    text = (results / "run_meta.json").read_text(encoding="utf-8")
    broken = walk.write("run_meta.json", text.replace("true", "false"))
    assert "INVALID_PAYLOAD" == walk.send("submit_results", broken)
    sound = walk.write("run_meta.json", text)
    assert "reported" == walk.send("submit_results", sound)
    assert "GUARD_FAILED" == walk.send("approve", by=REVIEWER)
    assert "reported" == walk.send(
        "submit_report", walk.write("report.md", "coffee_trap: it is so.")
    )
    assert "GUARD_FAILED" == walk.send("approve", by=REVIEWER)
    assert "running" == walk.send("reject", by=REVIEWER)
    assert "GUARD_FAILED" == walk.send("submit_results")
    where = {"results": f"results/{results.name}"}
    assert "reported" == walk.send("submit_results", sound, payload=where)
    assert "GUARD_FAILED" == walk.send("approve", by=REVIEWER)
    assert "reported" == walk.send("submit_report", "report.md")
    assert "reviewed" == walk.send("approve", by=REVIEWER)


@pytest.mark.parametrize("process", BundledProcessLibrary().list_ids())
def test_no_evidence_is_an_address_that_is_never_looked_at(process: str) -> None:
    """The shipped processes accept only evidence that the gate reads: files and inline text."""
    kinds = BundledProcessLibrary().find(process).artifacts

    assert {("path", "inline")} == {kind.forms for kind in kinds}


@pytest.mark.parametrize(
    ("process", "kind", "wrong"),
    [
        ("exploration", "synthesis", {"claim": "it rained", "confidence": "sure"}),
        ("experiment", "synthesis", {"claim": "it rained", "confidence": 0.9}),
        ("experiment_review", "plan", {"conditions": "A B", "seeds": 1}),
        ("experiment_review", "plan", {"conditions": ["A", "B"], "seeds": "five"}),
        ("experiment_review", "plan", {"conditions": ["A", "B"], "seeds": True}),
    ],
)
def test_a_value_that_the_prompt_does_not_allow_is_refused(
    process: str, kind: str, wrong: dict[str, Any]
) -> None:
    """Where a prompt names the values a field may have, evidence with another one is refused."""
    index = ProcessIndex(BundledProcessLibrary().find(process))
    checker = index.get_checker(index.get_kind(kind).schema)

    assert checker is not None
    assert 1 == len(checker.find_problems(wrong))


def test_an_experiment_that_never_runs_is_abandoned_by_time(tmp_path: Path) -> None:
    """An experiment that is not run within thirty days is abandoned."""
    walk = ProcessWalk("experiment_review", tmp_path)
    walk.send("submit_plan", walk.write("plan.json", json.dumps(PLAN)))

    assert "running" == walk.tick(29)
    assert "abandoned" == walk.tick(1)


PLAN = {"experiment_id": "coffee_trap", "question": "why", "conditions": ["D"], "seeds": 1}
NO_RUN = "run-00000000-0000-7000-8000-000000000000"
MAKERS = ("", "agent", "gate", "tool", "person")
FORMS = ("json", "yaml", "inline")


class ForgeryWalk(ProcessWalk):
    """Submits forged documents in every form and under every maker's name."""

    def try_all(self, event: str, forgeries: Iterable[dict[str, Any]]) -> int:
        """Send forgeries, each a document by its kind; returns how many were sent, all refused."""
        sent = 0
        for forged, form, maker in product(forgeries, FORMS, MAKERS):
            before = self.state
            claims = [self._make_claim(kind, told, form, maker) for kind, told in forged.items()]
            assert not self._send_claims(event, claims)["success"], (forged, form, maker)
            assert before == self.state
            sent += 1
        return sent

    def _make_claim(self, kind: str, document: Any, form: str, maker: str) -> dict[str, Any]:
        if form == "inline":
            return {"type": kind, "content": document, "made_by": maker, "call": "1"}
        # JSON is YAML too.
        name = self.write(f"{kind}.{form}", json.dumps(document))
        return {"type": kind, "path": name, "made_by": maker, "call": "1"}

    def _send_claims(self, event: str, claims: list[dict[str, Any]]) -> dict[str, Any]:
        self._sent += 1
        return self._make_gate(AGENT).emit_event(
            run_id=self.run_id,
            event_name=event,
            expected_revision=self._log.load_run(self.run_id).revision,
            idempotency_key=f"k{self._sent}",
            artifacts=claims,
        )


def _change_each(document: dict[str, Any], **values: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """The document with one field changed, once for every value."""
    return (document | {name: each} for name, given in values.items() for each in given)


def test_no_forged_report_gets_a_scenario_published(
    tmp_path: Path, reports_folder: Path, reports: dict[str, str]
) -> None:
    """A forged field, form or maker in a report is refused."""
    walk = ForgeryWalk("scenario_publishing", tmp_path, reports_folder)
    check, play, replay = (json.loads(reports[name]) for name in ("check", "play", "replay"))
    listed = check["scenarios"][0]
    invented = [[listed | {"scenario": name}] for name in ("nowhere", "", "../door_and_key", 7)]
    found = [[listed | {"findings": [{"code": "X", "severity": "warning"}]}]]
    checks = _change_each(check, scenarios=[[], *invented, *found], warnings=[1], errors=[1])
    sent = walk.try_all("submit_check", [{"check_report": each} for each in checks])
    assert "checked" == walk.send("submit_check", walk.write("check_report.json", reports["check"]))
    plays = _change_each(
        play,
        run=[NO_RUN, "last", play["run"][:-1]],
        turns=[1, 99],
        applied=[99],
        scenario=["coffee_trap"],
        scenarioHash=["0" * 16],
        worldHash=["0" * 16],
        fingerprint=["0" * 16],
    )
    replays = _change_each(replay, run=[NO_RUN], turnsChecked=[1, 99], goalReached=[False])
    sent += walk.try_all(
        "submit_play", [{"play_report": p, "replay_report": replay} for p in plays]
    )
    sent += walk.try_all(
        "submit_play", [{"play_report": play, "replay_report": r} for r in replays]
    )
    assert sent >= 200


def test_no_invented_run_or_experiment_is_evidence_of_an_exploration(
    tmp_path: Path, reports_folder: Path, results: Path
) -> None:
    """Evidence that names an unknown or different run or experiment is refused."""
    walk = ForgeryWalk("exploration", tmp_path, reports_folder)
    walk.send("submit_hypothesis", walk.write("hypothesis.md", "It rains."))
    half, bent = reports_folder / "half", reports_folder / "bent"
    shutil.copytree(results, half)
    next((half / "cells").glob("*.json")).unlink()
    shutil.copytree(results, bent)
    cell = next((bent / "cells").glob("*.json"))
    cell.write_text(cell.read_text(encoding="utf-8").replace("true", "false"), encoding="utf-8")
    runs = [NO_RUN, "last", "run", "../x", "run-1; ls", "$(id)", "x\x00"]
    folders = ["nowhere", ".", "..", "/etc", "half", "bent", str(results), "results"]
    forged = [*({"run": each, "wet": True} for each in runs)]
    forged += [{"experiment": each, "wet": True} for each in folders]

    assert walk.try_all("submit_evidence", [{"evidence": each} for each in forged]) >= 200


def test_no_forged_result_of_an_experiment_is_approved(
    tmp_path: Path, reports_folder: Path, results: Path
) -> None:
    """Results that do not replay, or differ from the plan, cannot be approved."""
    told = json.loads((results / "run_meta.json").read_text(encoding="utf-8"))
    name, meta = next(iter(told["run_meta"]["scenarios"].items()))
    metas = [
        {name: meta | {"scenario_hash": "0" * 16}},
        {name: meta | {"world_hash": "f" * 16}},
        {name: meta | {"scenario_id": "other"}},
        {name: meta, "more": meta},
        {"other": meta},
        {name: meta | {"played": 100}},
    ]
    true = f"results/{results.name}"
    forged = [({"run_meta": {"scenarios": each}}, true) for each in metas]
    forged += [(told, each) for each in ("nowhere", ".", "..", "/etc", "half", "{context.x}")]
    for number, (document, folder) in enumerate(forged):
        walk = ProcessWalk("experiment_review", tmp_path / str(number), reports_folder)
        walk.send("submit_plan", walk.write("plan.json", json.dumps(PLAN)))
        file = walk.write("run_meta.json", json.dumps(document))
        assert "reported" == walk.send("submit_results", file, payload={"results": folder})
        walk.send("submit_report", walk.write("report.md", "coffee_trap: it is so."))

        assert "GUARD_FAILED" == walk.send("approve", by=REVIEWER), (document, folder)
