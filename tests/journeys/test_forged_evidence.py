"""Invented evidence, sent to every shipped process through every door: none of it passes.

A forgery is a true report with one thing changed, or an event that only a person may send.
Each goes through one of four doors (library, HTTP, MCP, command line), in a night through all
of them, in one of five forms, and where the door can say so under the name of another maker. A forger succeeds if the run
gets on by it, or if the gate vouches for it. Where the process lets a claim wait for a
reviewer, the reviewer here agrees to everything.
"""

import asyncio
import io
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from saniwa.app.experiment_runs import resume_experiment, run_experiment
from saniwa.app.gate.access import open_gate
from saniwa.app.scenarios import PROJECT_REGISTRY, locate_shipped_registry
from saniwa.app.workspace import Workspace, WorkspacePlaces
from saniwa.cli.main import main
from saniwa.core.errors import SaniwaError
from saniwa.mcp.gate_tools import GateTools
from saniwa.mcp.tool import list_tools, parse_arguments
from saniwa.process.gate import Gate
from saniwa.process.submission import Visitor
from tests.fakes.gate_callers import GateClient
from tests.fakes.model_server import ModelServer
from tests.fakes.nightly import NIGHTLY
from tests.house.pages import run_documented

NO_RUN = "run-00000000-0000-7000-8000-000000000000"
DOORS = ("library", "http", "mcp", "terminal")
FORMS = ("inline", "text", "json", "yaml", "front")
MAKERS = ("", "gate", "tool", "person")
FEWEST = 200
"""The fewest forgeries for each process."""
_REPORTS = {
    "check": "saniwa scenario check door_and_key --strict --json",
    "play": "saniwa play door_and_key > /dev/null && saniwa log last --json",
    "replay": "saniwa replay last --json",
    # The same of other subjects: each is true, and none belongs to the ones above.
    "other_check": "saniwa scenario check coffee_trap --json",
    "other_play": "saniwa play door_and_key > /dev/null && saniwa log last --json",
    "other_replay": "saniwa replay last --json",
}
_PEOPLE_ONLY = ("approve", "reject", "override_guard", "withdraw", "abandon", "created", "migrated")
_FINAL = ("published", "reviewed", "done")
_REVIEW_PLAN: dict[str, Any] = {
    "experiment_id": "coffee_trap",
    "question": "?",
    "conditions": ["D"],
    "seeds": 1,
}
_DECISION_PLAN: dict[str, Any] = {
    "experiment_id": "coffee_trap",
    "scenarios": ["coffee_trap"],
    "conditions": ["D"],
    "seeds": 1,
}


class ForgedEvent(NamedTuple):
    """One thing that a forger sends."""

    event: str
    documents: dict[str, Any]
    payload: dict[str, Any]


class ForgedProject(NamedTuple):
    """A project with a real run and a real experiment, and what is true of them."""

    folder: Path
    reports: dict[str, dict[str, Any]]
    results: str
    run_meta: dict[str, Any]
    other_results: str
    other_meta: dict[str, Any]

    def read_fingerprint(self, results: str) -> str:
        """The fingerprint of an experiment."""
        path = self.folder / results / "results.json"
        found: str = json.loads(path.read_text(encoding="utf-8"))["metadata"]["fingerprint"]
        return found


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> ForgedProject:
    """Play a scenario to its end, and run a small experiment."""
    folder = tmp_path_factory.mktemp("project")
    reports = {name: json.loads(run_documented(each, folder)) for name, each in _REPORTS.items()}
    command = "saniwa experiment run --scenario coffee_trap --profile dev --max-turns 2"
    run_documented(command, folder)
    (results,) = (folder / "results").iterdir()
    run_documented(command.replace("coffee_trap", "door_and_key"), folder)
    (other,) = set((folder / "results").iterdir()) - {results}
    metas = [
        json.loads((each / "run_meta.json").read_text(encoding="utf-8"))
        for each in (results, other)
    ]
    names = [f"results/{each.name}" for each in (results, other)]
    return ForgedProject(folder, reports, names[0], metas[0], names[1], metas[1])


class Forger:
    """Sends events as an agent, through one door after the other."""

    def __init__(self, project: ForgedProject, process: str, folder: str = "") -> None:
        self._project = project
        self._process = process
        self._folder = folder
        self._place = project.folder / ".state_gate"
        store = str(project.folder / ".saniwa" / "saniwa.sqlite")
        results = str(project.folder / "results")
        self._closing = ExitStack()
        self._gate = self._closing.enter_context(open_gate(self._place))
        self._reviewer = self._make_reviewer()
        self._workspace = Workspace(
            WorkspacePlaces(store=store, gate=str(self._place), results=results)
        )
        self._tools = {t.name: t for t in list_tools(GateTools(self._gate, lambda: ""))}
        self._choices = zip(cycle(DOORS), cycle(FORMS), cycle(MAKERS * 3 + ("",)), strict=False)
        self._keys = 0
        self.sent: Counter[str] = Counter()
        """How many forgeries were sent, by door."""
        self.form = ""
        """The form of the last forgery."""
        self.run_id = ""
        self.begin()

    def _make_reviewer(self) -> Gate:
        """A gate for a person who agrees to everything."""
        inner = self._gate
        return Gate(
            inner.log,
            inner.library,
            inner.evidence,
            Visitor("reviewer", person=True, name="bea"),
            lookup=inner._handler.lookup,
        )

    def close(self) -> None:
        """Close everything."""
        self._closing.close()

    def begin(self) -> None:
        """Begin a new run."""
        self.run_id = self._gate.create_run(self._process, folder=self._folder).run_id

    @property
    def state(self) -> str:
        """The state of the run."""
        return self._gate.log.load_run(self.run_id).state

    def send_true(self, event: str, payload: Any = None, **documents: Any) -> None:
        """Hand in something true, or what only has to be there."""
        claims = [{"type": kind, "content": told} for kind, told in documents.items()]
        answer = self._emit(self._gate, event, payload, claims)
        assert answer["success"], answer

    def send_approval(self) -> str:
        """Let the reviewer agree, whatever it is; the reason why the gate does not."""
        answer = self._emit(self._reviewer, "approve", {"reason": "fine"}, [])
        return "" if answer["success"] else json.dumps(answer["error"])

    def send_rejection(self) -> None:
        """Let the reviewer send it back."""
        assert self._emit(self._reviewer, "reject", {"reason": "no"}, [])["success"]

    def forge(self, forged: ForgedEvent) -> bool:
        """Send a forgery through the next door; whether the gate took it."""
        door, form, maker = next(self._choices)
        self.form = form
        self.sent[door] += 1
        claims = [self._write(kind, told, form) for kind, told in forged.documents.items()]
        if door in ("library", "mcp") and maker:
            claims = [each | {"made_by": maker, "call": "1"} for each in claims]
        return self.try_door(door, forged, claims)

    def try_door(self, door: str, forged: ForgedEvent, claims: list[dict[str, Any]]) -> bool:
        """Send an event through a door; whether the gate took it."""
        return bool(getattr(self, f"_try_{door}")(forged, claims))

    def list_attested(self) -> list[str]:
        """The kinds of evidence that the gate vouches for in the run."""
        return [each.type for each in self._gate.list_origins(self.run_id) if each.is_attested]

    def _write(self, kind: str, document: Any, form: str) -> dict[str, Any]:
        text = json.dumps(document)
        if form in ("inline", "text"):
            return {"type": kind, "content": document if form == "inline" else text}
        endings = {"json": "json", "yaml": "yaml", "front": "md"}
        home = self._place / "artifacts" / self.run_id
        home = self._project.folder / self._folder if self._folder else home
        home.mkdir(parents=True, exist_ok=True)
        path = home / f"{kind}_{self._keys}.{endings[form]}"
        # JSON is YAML too.
        path.write_text(f"---\n{text}\n---\nIt is so.\n" if form == "front" else text)
        return {"type": kind, "path": path.name}

    def _emit(self, gate: Gate, event: str, payload: Any, claims: list[Any]) -> dict[str, Any]:
        return gate.emit_event(
            run_id=self.run_id,
            event_name=event,
            **self._number(),
            payload=payload,
            artifacts=claims,
            approval_digest=gate.review_run(self.run_id).digest if gate.visitor.person else "",
        )

    def _number(self) -> dict[str, Any]:
        self._keys += 1
        revision = self._gate.log.load_run(self.run_id).revision
        return {"expected_revision": revision, "idempotency_key": f"k{self._keys}"}

    def _try_library(self, forged: ForgedEvent, claims: list[dict[str, Any]]) -> bool:
        return bool(self._emit(self._gate, forged.event, forged.payload, claims)["success"])

    def _try_http(self, forged: ForgedEvent, claims: list[dict[str, Any]]) -> bool:
        client = GateClient(self._workspace, run=self.run_id)
        number = self._number()
        told = client.send(
            forged.event,
            number["expected_revision"],
            number["idempotency_key"],
            payload=forged.payload,
            artifacts=claims,
        )
        return bool(told.status_code == 200)

    def _try_mcp(self, forged: ForgedEvent, claims: list[dict[str, Any]]) -> bool:
        tool = self._tools["emit_event"]
        arguments = {
            "run_id": self.run_id,
            "event_name": forged.event,
            "payload": forged.payload,
            "artifacts": claims,
            **self._number(),
        }
        try:
            reply = tool.call(parse_arguments(tool.takes, arguments))
        except SaniwaError:
            return False
        return bool(msgspec.to_builtins(reply.shape)["success"])

    def _try_terminal(self, forged: ForgedEvent, claims: list[dict[str, Any]]) -> bool:
        number = self._number()
        words = ["gate", "emit", self.run_id, forged.event, "--dir", str(self._place)]
        words += ["--expected-revision", str(number["expected_revision"])]
        words += ["--key", number["idempotency_key"], "--payload", json.dumps(forged.payload)]
        for claim in claims:
            inline = f"{claim['type']}={json.dumps(claim.get('content'))}"
            address = f"{claim['type']}={claim.get('url')}#sha256={claim.get('hash')}"
            given = ["--url", address] if "url" in claim else ["--inline", inline]
            words += ["--artifact", claim["path"]] if "path" in claim else given
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            try:
                main(words)
            except SystemExit as ended:
                return ended.code == 0


def _repeat(forgeries: Iterable[ForgedEvent]) -> Iterator[ForgedEvent]:
    """Each forgery once by day, and in a night once for each door; doors take turns."""
    times = len(DOORS) if NIGHTLY else 1
    return (each for each in forgeries for _ in range(times))


def _list_wrong(value: Any) -> list[Any]:
    """Values that are not this one, near ones among them."""
    wrong: list[Any] = [None, [], [value], {"is": value}, "", 0, -1, True, False, 10**18, NO_RUN]
    if isinstance(value, str):
        near = [value + " ", value[:-1], value + "\u200b", value.upper(), f"../{value}"]
        wrong += [*near, value[::-1], f"{value}\n", "last", "0" * 16, "f" * 16]
    if isinstance(value, int):
        wrong += [value + 1, value - 1, str(value), value + 0.5, -value]
    if isinstance(value, list):
        wrong += [[{}], [*value, {"code": "X", "severity": "note"}], ["fine"]]
    same = json.dumps(value)
    return [each for each in wrong if json.dumps(each) != same]


def _forge_each(document: dict[str, Any], *names: str) -> Iterator[dict[str, Any]]:
    """The document with one of these fields wrong, or missing."""
    for name in names:
        yield {key: value for key, value in document.items() if key != name}
        for wrong in _list_wrong(document[name]):
            yield document | {name: wrong}


def _list_moves(*events: str) -> list[ForgedEvent]:
    """Events that only people may send, and payloads that name a state or a role."""
    claims = ({"state": "done"}, {"to_state": "published"}, {"role": "reviewer"}, {"approved": 1})
    moves = [ForgedEvent(event, {}, {"reason": "fine"}) for event in _PEOPLE_ONLY]
    return moves + [ForgedEvent(event, {}, each) for event in events for each in claims]


def _forge_checks(project: ForgedProject) -> list[ForgedEvent]:
    check = project.reports["check"]
    (listed,) = check["scenarios"]
    documents = list(_forge_each(check, "passed", "errors", "warnings", "scenarios"))
    inner = _forge_each(listed, "scenario", "passed", "findings")
    documents += [check | {"scenarios": [each]} for each in inner]
    documents += [check | {"scenarios": [listed, listed | {"scenario": "nowhere"}]}]
    return [ForgedEvent("submit_check", {"check_report": each}, {}) for each in documents]


def _forge_plays(project: ForgedProject) -> list[ForgedEvent]:
    play, replay = project.reports["play"], project.reports["replay"]
    names = ("run", "scenario", "scenarioHash", "worldHash", "turns", "applied", "fingerprint")
    pairs = [(each, replay) for each in _forge_each(play, *names)]
    replays = _forge_each(replay, "run", "turnsChecked", "firstDifference", "goalReached")
    pairs += [(play, each) for each in replays]
    return [
        ForgedEvent("submit_play", {"play_report": one, "replay_report": other}, {})
        for one, other in pairs
    ]


@pytest.mark.parametrize("door", DOORS)
def test_every_door_takes_what_is_true(project: ForgedProject, door: str) -> None:
    """So a refusal is the gate's, and not the door's."""
    forger = Forger(project, "scenario_publishing")
    claim = {"type": "check_report", "content": project.reports["check"]}

    assert forger.try_door(door, ForgedEvent("submit_check", {}, {}), [claim])
    assert "checked" == forger.state
    forger.close()


def test_nothing_invented_gets_a_scenario_published(project: ForgedProject) -> None:
    """Neither a forged check, nor a forged run, nor a decision of the agent's own."""
    forger = Forger(project, "scenario_publishing")
    for forged in _repeat([*_forge_checks(project), *_list_moves("submit_check")]):
        assert not forger.forge(forged), forged
    forger.send_true("submit_check", check_report=project.reports["check"])
    for forged in _repeat([*_forge_plays(project), *_list_moves("submit_play")]):
        assert not forger.forge(forged), forged

    assert "checked" == forger.state
    _check_count(forger)
    forger.close()


def _forge_names(project: ForgedProject) -> Iterator[ForgedEvent]:
    """Evidence that names a run or an experiment which is not there, or not as it says."""
    half, bent = project.folder / "half", project.folder / "bent"
    for copy in (half, bent):
        shutil.copytree(project.folder / project.results, copy)
    next((half / "cells").glob("*.json")).unlink()
    cell = next((bent / "cells").glob("*.json"))
    cell.write_text(cell.read_text(encoding="utf-8").replace("true", "false"), encoding="utf-8")
    runs = [*_list_wrong(project.reports["play"]["run"]), "run", "$(id)", "run-1; ls", "x\x00"]
    folders = [*_list_wrong(project.results), "half", "bent", "/etc", ".", "..", "results"]
    more: list[dict[str, Any]] = [{"wet": True}, {"made_by": "gate"}, {"checked": "yes"}]
    more += [{"attested": True, "sure": each} for each in ("high", "low")]
    for other in more:
        for each in runs:
            yield ForgedEvent("submit_evidence", {"evidence": {"run": each} | other}, {})
        for each in folders:
            yield ForgedEvent("submit_evidence", {"evidence": {"experiment": each} | other}, {})


def test_nothing_invented_is_vouched_for_in_an_exploration(project: ForgedProject) -> None:
    """What names a run or an experiment is looked up; what names none stays a claim."""
    forger = Forger(project, "exploration")
    forger.send_true("submit_hypothesis", hypothesis="It rains.")
    for forged in _repeat([*_forge_names(project), *_list_moves("submit_evidence")]):
        taken = forger.forge(forged)
        named = forged.documents.get("evidence", {})
        given = named.get("run", named.get("experiment"))
        # A text that is no document names nothing: it is a claim, whatever it says.
        is_name = isinstance(given, str) and given.strip() and forger.form != "text"
        assert not (taken and is_name), forged
        assert not forger.list_attested(), forged
        if taken:
            assert "observe" == forger.state, forged
            forger.begin()
            forger.send_true("submit_hypothesis", hypothesis="It rains.")

    _check_count(forger)
    forger.close()


def _forge_results(project: ForgedProject) -> Iterator[dict[str, Any]]:
    """What was run, with one thing wrong."""
    name, true = next(iter(project.run_meta["run_meta"]["scenarios"].items()))
    names = ("scenario_id", "scenario_hash", "world_hash", "validation_passed")
    scenarios = [{name: each} for each in _forge_each(true, *names)]
    scenarios += [{}, {name: true, "more": true}, {"other": true}, {name: true | {"played": 9}}]
    for each in scenarios:
        yield {"run_meta": {"scenarios": each}}


def test_nothing_invented_gets_an_experiment_reviewed(project: ForgedProject) -> None:
    """The reviewer agrees to everything, and the gate does not."""
    forger = Forger(project, "experiment_review")
    forger.send_true("submit_plan", plan=_REVIEW_PLAN)
    forgeries = [({"results": project.results}, each) for each in _forge_results(project)]
    wrong = [*_list_wrong(project.results), "nowhere", ".", "..", "/etc", "{context.x}", "results"]
    for more in ({}, {"state": "reviewed"}, {"role": "reviewer"}, {"replayed": True}, {"a": 1}):
        forgeries += [({"results": each} | more, project.run_meta) for each in wrong]
    events = [ForgedEvent("submit_results", {"run_meta": each}, how) for how, each in forgeries]
    for forged in _repeat(events):
        if forger.forge(forged):
            forger.send_true("submit_report", report="coffee_trap: it is so.")
            forger.send_approval()
            assert "reported" == forger.state, forged
            forger.send_rejection()
    for forged in _repeat(_list_moves("submit_results", "submit_report")):
        assert not forger.forge(forged), forged

    assert forger.state not in _FINAL
    _check_count(forger)
    forger.close()


def _forge_figures(project: ForgedProject) -> Iterator[str]:
    """Copies of a real experiment whose results.json is not what its cells give."""
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
    # As the experiment writes it, so that nothing but the forged figure differs.
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
    """The gate computes results.json again from the cells, and compares every byte."""
    forger = Forger(project, "experiment_review")
    forger.send_true("submit_plan", plan=_REVIEW_PLAN)
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
    """Where the results are written again from changed cells, the cells do not replay."""
    folder = project.folder / "fitting"
    shutil.copytree(project.folder / project.results, folder)
    (cell,) = (folder / "cells").glob("*.json")
    text = cell.read_text(encoding="utf-8")
    cell.write_text(text.replace('"latency_ms":', '"latency_ms":1'), encoding="utf-8")
    run_documented("saniwa experiment report fitting", project.folder)
    forged, true = (project.folder / each / "results.json" for each in ("fitting", project.results))
    assert forged.read_bytes() != true.read_bytes(), "the forgery changes a figure"
    forger = Forger(project, "experiment_review")
    forger.send_true("submit_plan", plan=_REVIEW_PLAN)
    forger.send_true("submit_results", {"results": "fitting"}, run_meta=project.run_meta)
    forger.send_true("submit_report", report="coffee_trap: it is so.")

    forger.send_approval()

    assert "reported" == forger.state
    forger.close()


def test_nothing_invented_gets_an_experiment_decided(project: ForgedProject) -> None:
    """Without a real folder of results, or with other words about them, no decision stands."""
    counted = 0
    plan = _DECISION_PLAN | {"fingerprint": project.read_fingerprint(project.results)}
    report = f"It is so: {plan['fingerprint']}."
    for folder in (project.results, "", "results"):
        forger = Forger(project, "experiment", folder)
        forger.send_true("submit_plan", plan=plan)
        documents = list(_forge_results(project))
        documents += [] if folder else [project.run_meta]
        for forged in _repeat(
            ForgedEvent("submit_results", {"run_meta": each}, {}) for each in documents
        ):
            if forger.forge(forged):
                forger.send_true("submit_report", report=report)
                forger.send_true("submit_synthesis", synthesis={"claim": "x", "confidence": "low"})
                forger.send_true("submit_decision", decision="Do it.")
                forger.send_approval()
                assert "decide" == forger.state, forged
                forger.send_rejection()
        for forged in _repeat(_list_moves("submit_results")):
            assert not forger.forge(forged), forged
        assert forger.state not in _FINAL
        assert set(DOORS) == set(forger.sent)
        counted += forger.sent.total()
        forger.close()
    assert counted >= FEWEST


@pytest.mark.parametrize("door", DOORS)
def test_only_a_regular_file_of_the_run_is_evidence(project: ForgedProject, door: str) -> None:
    """Not a link, a pipe, a folder, a huge file, an address, nor a name that looks alike."""
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
    """The reviewer agrees, and the gate reads every file again."""
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
    """One scenario's check with another's run, or one run's log with another's replay."""
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
    """The scenario that was checked has the hash of the one that was played."""
    registry = tmp_path / PROJECT_REGISTRY
    shutil.copytree(locate_shipped_registry().parent, registry.parent)
    check = json.loads(run_documented(_REPORTS["check"], tmp_path))
    scenario = registry.with_name("door_and_key.yaml")
    project = ForgedProject(tmp_path, {}, "", {}, "", {})
    forger = Forger(project, "scenario_publishing")
    forger.send_true("submit_check", check_report=check)
    text = scenario.read_text(encoding="utf-8")
    scenario.write_text(text.replace("lavender", "lavendel", 1), encoding="utf-8")
    play, replay = (json.loads(run_documented(_REPORTS[n], tmp_path)) for n in ("play", "replay"))
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


def test_a_plan_or_a_report_of_another_experiment_is_not_reviewed(project: ForgedProject) -> None:
    """What was planned, what ran and what is reported are one experiment, or none."""
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
        forger.send_true("submit_plan", plan=_REVIEW_PLAN | plan)
        forger.send_true("submit_results", {"results": results}, run_meta=meta)
        forger.send_true("submit_report", report=f"About {report}: it is so.")
        forger.send_approval()
        outcomes.append(forger.state)
        forger.close()

    assert ["reported"] * len(cases) + ["reviewed"] == outcomes


def test_a_plan_or_a_report_of_another_experiment_is_not_decided_on(project: ForgedProject) -> None:
    """The fingerprint of the results is that of the plan, and the report names it."""
    own, other = map(project.read_fingerprint, (project.results, project.other_results))
    outcomes = []
    for plan, report in [(other, other), (own, other), (other, own), (own, own)]:
        forger = Forger(project, "experiment", project.results)
        forger.send_true("submit_plan", plan=_DECISION_PLAN | {"fingerprint": plan})
        forger.send_true("submit_results", run_meta=project.run_meta)
        forger.send_true("submit_report", report=f"Fingerprint `{report}`: it is so.")
        forger.send_true("submit_synthesis", synthesis={"claim": "x", "confidence": "low"})
        forger.send_true("submit_decision", decision="Do it.")
        forger.send_approval()
        outcomes.append(forger.state)
        forger.close()

    assert ["decide", "decide", "decide", "done"] == outcomes


def test_evidence_of_an_exploration_is_about_what_it_names(project: ForgedProject) -> None:
    """A true run with another scenario's name, or a true folder with another's id, is refused."""
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


def _write_loose_rules(folder: Path) -> Path:
    """A rulebook by which locked doors stop nobody."""
    checks = [{"id": each, "enabled": False} for each in ("door_open", "door_unlocked")]
    path = folder / "loose.yaml"
    rules = [{"actionType": "move", "checks": checks}]
    path.write_text(json.dumps({"extends": "default", "rules": rules}))
    (folder / "north.txt").write_text("go north\n")
    return path


@pytest.mark.parametrize("edited", [False, True])
def test_a_run_by_other_rules_publishes_nothing(project: ForgedProject, edited: bool) -> None:
    """Neither rules that the run began with, nor rules that it was given on its way."""
    book = _write_loose_rules(project.folder).name
    begin = f"saniwa play door_and_key --book {book} --input north.txt > /dev/null && "
    if edited:
        begin = "echo wait | saniwa play door_and_key --input - > /dev/null && "
        begin += f"saniwa rulebook edit last {book} > /dev/null && "
        begin += "saniwa play --resume last --input north.txt > /dev/null && "
    told = {
        "play_report": json.loads(run_documented(begin + "saniwa log last --json", project.folder)),
        "replay_report": json.loads(run_documented(_REPORTS["replay"], project.folder)),
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
    """Its commands may name another registry and store; the reviewer's gate has its own."""
    registry = project.folder / "own" / PROJECT_REGISTRY
    _write_other_scenario(registry, "door_and_key")
    forger = Forger(project, "scenario_publishing")
    own = {"SANIWA_REGISTRY": str(registry), "SANIWA_STORE": str(registry.with_name("own.sqlite"))}
    named = "".join(f"export {name}={value}; " for name, value in own.items())
    begin = "echo go to yard | saniwa play door_and_key --input - > /dev/null && "
    reports = _REPORTS | {"play": begin + "saniwa log last --json"}
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


def _write_other_scenario(registry: Path, name: str) -> Path:
    """A scenario of this name in a registry of its own, whose end is next door."""
    registry.parent.mkdir(parents=True)
    file = registry.with_name(f"{name}.json")
    ways = (("hall", "yard"), ("yard", "hall"))
    places = {one: {"name": one, "description": "Bare.", "exits": [to]} for one, to in ways}
    about: dict[str, Any] = {"name": name, "locations": places, "language": "en"}
    about |= {"clear_condition": {"type": "reach_location", "target": "yard"}}
    file.write_text(
        json.dumps(about | {"characters": {"ann": {"name": "Ann", "location": "hall"}}})
    )
    entries = [
        {"scenario_id": each, "path": file.name if each == name else None}
        for each in (name, "default")
    ]
    registry.write_text(json.dumps({"scenarios": entries}))
    return file


def _run_experiment(project: ForgedProject, options: str, **environment: str) -> tuple[str, Any]:
    """Run an experiment about the coffee trap; its folder, and its run_meta."""
    before = set((project.folder / "results").iterdir())
    command = "saniwa experiment run --scenario coffee_trap --profile dev --max-turns 1 "
    named = "".join(f"{name}={value} " for name, value in environment.items())
    run_documented(named + command + options, project.folder)
    (folder,) = set((project.folder / "results").iterdir()) - before
    meta = json.loads((folder / "run_meta.json").read_text(encoding="utf-8"))
    return f"results/{folder.name}", meta


def test_what_an_experiment_did_not_run_is_not_reviewed(project: ForgedProject) -> None:
    """Another scenario of the name, one hash for another, other rules, or more seeds."""
    registry = project.folder / "trap" / PROJECT_REGISTRY
    _write_other_scenario(registry, "coffee_trap")
    other = _run_experiment(project, "", SANIWA_REGISTRY=str(registry))
    loose = _run_experiment(project, f"--rulebook {_write_loose_rules(project.folder).name}")
    renamed = f"{other[0]}_renamed"
    shutil.copytree(project.folder / other[0], project.folder / renamed)
    page = project.folder / renamed / "prepared.json"
    said = other[1]["run_meta"]["scenarios"]["coffee_trap"]["scenario_hash"]
    true = project.run_meta["run_meta"]["scenarios"]["coffee_trap"]["scenario_hash"]
    page.write_text(page.read_text("utf-8").replace(said, true), encoding="utf-8")
    run_documented(f"saniwa experiment report {renamed}; true", project.folder)
    meta = json.loads(json.dumps(other[1]).replace(said, true))
    cases: list[tuple[str, Any, Any]] = [(*other, 1), (renamed, meta, 1), (*loose, 1)]
    cases += [(project.results, project.run_meta, seeds) for seeds in (500, [0, 1], [7], True, "1")]
    true_cases = [(project.results, project.run_meta, seeds) for seeds in (1, [0])]
    outcomes = []
    for results, told, seeds in [*cases, *true_cases]:
        forger = Forger(project, "experiment_review")
        forger.send_true("submit_plan", plan=_REVIEW_PLAN | {"seeds": seeds})
        forger.send_true("submit_results", {"results": results}, run_meta=told)
        forger.send_true("submit_report", report="coffee_trap: it is so.")
        forger.send_approval()
        outcomes.append(forger.state)
        forger.close()

    assert ["reported"] * len(cases) + ["reviewed"] * 2 == outcomes


@pytest.mark.parametrize(
    "wrong",
    [
        {"seeds": 500},
        {"seeds": [0, 1]},
        {"conditions": ["A", "B", "C", "D"]},
        {"conditions": [{"name": "D", "model": "great"}]},
        {"scenarios": ["coffee_trap", "door_and_key"]},
    ],
)
def test_a_plan_that_says_more_than_ran_is_not_decided_on(
    project: ForgedProject, wrong: dict[str, Any]
) -> None:
    """The plan has the true fingerprint, and one field that is not so."""
    own = project.read_fingerprint(project.results)
    forger = Forger(project, "experiment", project.results)
    forger.send_true("submit_plan", plan=_DECISION_PLAN | {"fingerprint": own} | wrong)
    forger.send_true("submit_results", run_meta=project.run_meta)
    forger.send_true("submit_report", report=f"Fingerprint `{own}`: it is so.")
    forger.send_true("submit_synthesis", synthesis={"claim": "x", "confidence": "low"})
    forger.send_true("submit_decision", decision="Do it.")

    forger.send_approval()

    assert "decide" == forger.state
    forger.close()


@pytest.mark.parametrize("door", DOORS)
def test_a_run_among_a_thousand_other_fields_is_looked_up(
    project: ForgedProject, door: str
) -> None:
    """However many fields evidence has, those that a guard asks for are found."""
    many = {f"a{number:04}": number for number in range(1_200)}
    forger = Forger(project, "exploration")
    forger.send_true("submit_hypothesis", hypothesis="It rains.")
    for inner in ({"run": NO_RUN}, {"experiment": "nowhere"}):
        claims = [{"type": "evidence", "content": many | inner}]

        assert not forger.try_door(door, ForgedEvent("submit_evidence", {}, {}), claims)

    assert "experiment" == forger.state
    forger.close()


def test_a_run_of_another_scenario_of_the_name_is_not_vouched_for(project: ForgedProject) -> None:
    """A file's scenario may have a registered name; the run of it is not a run of that one."""
    registry = project.folder / "named" / PROJECT_REGISTRY
    file = _write_other_scenario(registry, "coffee_trap").relative_to(project.folder)
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


class ModelProject(NamedTuple):
    """A project with runs of one experiment with a model."""

    about: ForgedProject
    signed: str
    """Run by a person, with a signature."""
    again: str
    """The same plan, run by the person once more, with other answers."""
    invented: str
    """The same plan, whose answers an agent thought of."""
    own: str
    """The same, signed by a person of that name in a list of people of the agent's own."""


def _answer_kindly(asked: str) -> str:
    return f"Thought: {len(asked)}\nOutput: *look around* Good morning."


def _answer_grandly(asked: str) -> str:
    return f"Thought: {len(asked)}\nOutput: *take the cup* I have won."


@pytest.fixture(scope="module")
def model_project(tmp_path_factory: pytest.TempPathFactory) -> ModelProject:
    """Run one plan several times against a server."""
    folder = tmp_path_factory.mktemp("signed")
    gate = folder / ".state_gate"
    made = []
    run_documented("saniwa gate people add ann --role reviewer --token-file ann.key", folder)
    add = "saniwa gate people add ann --role reviewer --token-file own.key"
    run_documented(f"STATE_GATE_PEOPLE=own.json {add}", folder)
    ann = (folder / "ann.key").read_text("utf-8").strip()
    with ModelServer(_answer_kindly) as server, pytest.MonkeyPatch.context() as shell:
        shell.setenv("SANIWA_GATE", str(gate))
        hosts = {"model_hosts": [server.url.removeprefix("http://")]}
        (gate / "state-gate.json").write_text(json.dumps(hosts), encoding="utf-8")
        plan = _REVIEW_PLAN | {"scenarios": ["coffee_trap"], "seeds": 2, "max_turns": 1}
        plan |= {"mode": "real", "model": "openai-compatible:m", "llm_url": f"{server.url}/v1"}
        own = (folder / "own.key").read_text("utf-8").strip()
        runs = [(_answer_kindly, ann), *((_answer_grandly, key) for key in (ann, None, own))]
        for reply, key in runs:
            server.reply = reply
            if key is own:
                shell.setenv("STATE_GATE_PEOPLE", str(folder / "own.json"))
            run = run_experiment(plan, output=folder / "results", report=False, credential=key)
            made.append(f"results/{asyncio.run(run).folder.name}")
    meta = json.loads((folder / made[0] / "run_meta.json").read_text("utf-8"))
    return ModelProject(ForgedProject(folder, {}, "", meta, "", {}), *made)


def _forge_signatures(project: ModelProject) -> Iterator[str]:
    """Folders whose answers no one signed while they arrived, whatever their signatures say."""
    folder = project.about.folder
    yield from (project.invented, project.own)

    def copy_folder(source: str, name: str) -> Path:
        shutil.copytree(folder / source, folder / "results" / name)
        return folder / "results" / name

    def list_signatures(place: Path) -> list[Path]:
        return sorted((place / "signatures").glob("*.json"))

    def write_results(place: Path) -> str:
        asyncio.run(resume_experiment(str(place), report=False))
        return f"results/{place.name}"

    # The signatures of other answers, all of them or one.
    place = copy_folder(project.invented, "lent")
    shutil.copytree(folder / project.signed / "signatures", place / "signatures")
    yield write_results(place)
    place = copy_folder(project.signed, "half_invented")
    cell = sorted((place / "cells").glob("*.json"))[0]
    shutil.copy(folder / project.invented / "cells" / cell.name, cell)
    yield write_results(place)
    # True cells of two runs, of which the better one is taken each time.
    place = copy_folder(project.signed, "mixed")
    for kind in ("cells", "signatures"):
        shutil.copy(folder / project.again / kind / cell.name, place / kind / cell.name)
    yield write_results(place)
    # Signatures that no one made, made with another secret, or made for another cell.
    changes: list[Callable[[list[dict[str, Any]]], Any]] = [
        lambda signatures: signatures[0].update(by="bea"),
        lambda signatures: signatures[0].update(mac="0" * 64),
        lambda signatures: signatures[0].update(mac=""),
        lambda signatures: signatures[0].update(run="another"),
        lambda signatures: signatures[0].update(signatures[1]),
        lambda signatures: signatures[0].clear(),
    ]
    for number, change in enumerate(changes):
        place = copy_folder(project.signed, f"changed_{number}")
        signatures = [json.loads(each.read_text("utf-8")) for each in list_signatures(place)]
        change(signatures)
        list_signatures(place)[0].write_text(json.dumps(signatures[0]), encoding="utf-8")
        yield f"results/{place.name}"
    place = copy_folder(project.signed, "linked")
    list_signatures(place)[0].unlink()
    list_signatures(place)[0].with_name(cell.name).symlink_to(
        list_signatures(folder / project.signed)[0]
    )
    yield f"results/{place.name}"
    place = copy_folder(project.signed, "unsigned")
    shutil.rmtree(place / "signatures")
    yield f"results/{place.name}"


def _review(project: ModelProject, results: str, door: str) -> tuple[str, str]:
    """Let an experiment of a model be reviewed; the state it reaches, and why no other.

    Its results are handed in through a door; the reviewer agrees to everything.
    """
    forger = Forger(project.about, "experiment_review")
    forger.send_true("submit_plan", plan=_REVIEW_PLAN | {"seeds": 2})
    claims = [{"type": "run_meta", "content": project.about.run_meta}]
    assert forger.try_door(door, ForgedEvent("submit_results", {}, {"results": results}), claims)
    forger.send_true("submit_report", report="coffee_trap: it is so.")
    why = forger.send_approval()
    forger.close()
    return forger.state, why


def test_invented_answers_of_a_model_are_not_reviewed(model_project: ModelProject) -> None:
    """A replay finds no difference in them, and no person signed them while they arrived."""
    outcomes = {}
    for results, door in zip(_forge_signatures(model_project), cycle(DOORS), strict=False):
        outcomes[results] = _review(model_project, results, door)

    wrong = {k: v for k, v in outcomes.items() if v[0] != "reported" or "are claimed" not in v[1]}
    assert {} == wrong
    assert len(outcomes) > 2 * len(DOORS)


@pytest.mark.parametrize("door", DOORS)
def test_neither_door_lets_invented_answers_of_a_model_through(
    model_project: ModelProject, door: str
) -> None:
    """The same forgery at every door, and beside it the same plan with a signature."""
    assert "reported" == _review(model_project, model_project.invented, door)[0]
    assert ("reviewed", "") == _review(model_project, model_project.signed, door)


_LENIENT = """
process_id: lenient
version: "1"
name: Lenient
states: [look, keep, {name: done, is_final: true}]
events: [{name: go, allowed_roles: [agent]}]
transitions:
  - {from: look, event: go, to: keep, guard: replayed}
  - {from: keep, event: go, to: done, guard: attested}
guards:
  replayed:
    {type: check, kind: experiment_report, subject: RESULTS, keep_as: kept, accept_claims: true}
  attested: {type: artifact, artifact_type: kept, condition: exists, made_by: gate}
artifacts: [kept]
"""


@pytest.mark.parametrize("is_signed", [False, True])
def test_a_process_that_accepts_claims_keeps_them_as_claims(
    model_project: ModelProject, *, is_signed: bool
) -> None:
    """The check lets invented answers pass, and nothing calls its result attested."""
    results = model_project.signed if is_signed else model_project.invented
    place = model_project.about.folder / ".state_gate" / "processes"
    place.mkdir(exist_ok=True)
    (place / "lenient.yaml").write_text(_LENIENT.replace("RESULTS", results), encoding="utf-8")
    forger = Forger(model_project.about, "lenient")

    assert forger.try_door("library", ForgedEvent("go", {}, {}), [])
    assert is_signed == forger.try_door("library", ForgedEvent("go", {}, {}), [])
    assert (["kept"] if is_signed else []) == forger.list_attested()
    forger.close()


def _check_count(forger: Forger) -> None:
    assert set(DOORS) == set(forger.sent)
    assert forger.sent.total() >= FEWEST, forger.sent
