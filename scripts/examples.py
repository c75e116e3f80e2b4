"""Writes an example answer of every operation, given by a real server, for the OpenAPI document.

`python scripts/examples.py FILE` plays a short tour: a run, a story, a gate, an experiment.
"""

import asyncio
import itertools
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from saniwa.app.experiment_start_and_resume import run_experiment
from saniwa.app.operations.operation import PATH_EXAMPLES, Operation
from saniwa.app.workspace import Workspace, WorkspacePlaces
from saniwa.core.clock import FixedClock
from saniwa.core.ids import CountingIds
from saniwa.http.application import HTTP_OPERATIONS, make_app
from saniwa.store.json_lines_file import JsonLinesFile

LONGEST = 160
"""Characters shown of a text."""
ITEMS = 2
"""Items shown of a list."""
NOW = 1_800_000_000_000

# An experiment has the machine's time in its name and its records: the examples have a
# fixed one, so that two runs of this script write the same bytes.
_FOLDER_TIME = re.compile(r"\d{8}_\d{6}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


class ExampleTour:
    """Calls one operation after another, and keeps the first answer of each."""

    def __init__(self) -> None:
        workspace = Workspace(
            WorkspacePlaces(store="memory:"), clock=FixedClock(NOW), ids=CountingIds()
        )
        self._client = TestClient(make_app(workspace)).__enter__()
        self._known = {each.name: each for each in HTTP_OPERATIONS}
        self._count = itertools.count()
        self.answers: dict[str, Any] = {}

    def ask(self, name: str, body: Any = None, /, *, seen: int | None = None, **path: str) -> Any:
        """Call an operation by its name; its answer is kept if it is the first."""
        operation = self._known[name]
        headers = {"Idempotency-Key": f"tour-{next(self._count)}"}
        if seen is not None:
            headers["If-Match"] = f'"{seen}"'
        answer = self._client.request(
            operation.method,
            "/api/v1" + _fill_path(operation, path),
            json=operation.example if body is None and operation.takes else body,
            headers=headers,
        )
        assert answer.is_success, f"{name}: {answer.status_code} {answer.text}"
        told = answer.json() if answer.content else None
        self.answers.setdefault(name, told)
        return told

    def list_missing(self) -> list[str]:
        """The operations that were not called yet."""
        return [
            each.name
            for each in HTTP_OPERATIONS
            if each.answers not in (None, bytes) and each.name not in self.answers
        ]


def _fill_path(operation: Operation, given: dict[str, str]) -> str:
    parts = {**operation.path_examples, **given}
    return operation.path.replace(":path", "").format(**parts)


def shorten_value(value: Any) -> Any:
    """The same value, with fixed times and shortened texts and lists."""
    match value:
        case str():
            text = _FOLDER_TIME.sub("20270115_080000", value)
            text = _TIME.sub("2027-01-15T08:00:00Z", text)
            return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
        case dict():
            return {name: shorten_value(each) for name, each in value.items()}
        case list():
            return [shorten_value(each) for each in value[:ITEMS]]
    return value


def visit_run(tour: ExampleTour) -> None:
    """A scenario, from its beginning to a replay."""
    begun = tour.ask("beginRun")
    run = begun["run"]
    told = tour.ask("say", {"text": "go east"}, seen=0, run=run)
    tour.ask("previewWords", run=run)
    tour.ask("save", run=run, name="the shed")
    told = tour.ask("goBack", seen=told["revision"], run=run)
    told = tour.ask("loadSave", seen=told["revision"], run=run, name="the shed")
    for name in (
        *("readRun", "readMoment", "readBacklog", "listSaves", "listTurns"),
        *("readWorld", "readMind", "listAdmissible", "readHint", "readRunRulebook"),
        *("checkRunRulebook", "tryRunRulebook", "replayRun"),
    ):
        tour.ask(name, run=run)
    tour.ask("readTurn", run=run, turn="0")
    tour.ask("editRunRulebook", seen=told["revision"], run=run)


def visit_story(tour: ExampleTour) -> None:
    """A story, to its first choice."""
    moment = tour.ask("beginRun", {"story": "lantern-island"})
    run = moment["run"]
    while moment["waiting"] == "step":
        moment = tour.ask("takeStep", seen=moment["revision"], run=run)
    moment = tour.ask("say", {"text": "Robin"}, seen=moment["revision"], run=run)
    while moment["waiting"] == "step":
        moment = tour.ask("takeStep", seen=moment["revision"], run=run)
    moment = tour.ask("choose", {"index": 0}, seen=moment["revision"], run=run)
    tour.ask("skip", seen=moment["revision"], run=run)
    for name in ("listStories", "readStory", "listTexts", "readText"):
        tour.ask(name)


def visit_table(tour: ExampleTour) -> None:
    """A run in which an agent has a seat."""
    run = tour.ask("beginRun")["run"]
    tour.ask("readTable", run=run)
    asked = (("seatAgents", None), ("say", {"text": "wait"}), ("stepTable", None))
    for name, body in (*asked, ("takeSeat", None), ("handSeatBack", None)):
        revision = tour.ask("readRun", run=run)["revision"]
        tour.ask(name, body, seen=revision, run=run)
    tour.ask("pauseTable", run=run)
    tour.ask("goTable", run=run)
    tour.ask("pauseTable", run=run)


def visit_gate(tour: ExampleTour) -> None:
    """A run of a process, with one piece of evidence."""
    tour.ask("listProcesses")
    tour.ask("readProcess")
    run = tour.ask("beginGateRun")["run_id"]
    tour.ask("sendGateEvent", seen=1, run=run)
    for name in (
        *("listGateRuns", "readGateRun", "reviewGateRun", "verifyGateRun"),
        *("tickGateRun", "readGateHistory"),
    ):
        tour.ask(name, run=run)


def visit_agents(tour: ExampleTour) -> None:
    """An agent that has used one tool."""
    folder = Path(".agent/surveyor")
    (folder / "logs").mkdir(parents=True)
    (folder / "agent.json").write_text("{}", encoding="utf-8")
    id = PATH_EXAMPLES["journal"]
    call = {"attempt": f"{id}:1:tool-1", "tool": "measure"}
    answer = {"messages": [""], "sessionId": "", "model": "openai:example", "finish": "tool_call"}
    asked = [{"id": "call-1", "name": "measure", "arguments": {"file": "draft.md"}}]
    journal = JsonLinesFile(folder / "logs" / f"{id}.jsonl")
    entries: tuple[dict[str, Any], ...] = (
        {"event": "initialized", "agent": "surveyor", "agentRun": id, "definition": ""},
        {"event": "iterationStart", "iteration": 1, "step": "work", "turn": None},
        {"event": "promptBuilt", "prompt": "Which draft is shorter?"},
        {"event": "queryExecuted", "response": {**answer, "calls": asked}},
        {"event": "toolStarted", **call, **asked[0], "note": {"sandbox": "landlock"}},
        {"event": "toolFinished", **call, "key": "", "output": {"text": "exit code 0"}},
    )
    for number, entry in enumerate(entries):
        journal.append({**entry, "at": NOW + number})
    tour.ask("listAgentJournals")
    tour.ask("readAgentJournal")


def visit_experiment(tour: ExampleTour) -> None:
    """Two conditions, two seeds, without a model."""
    asyncio.run(
        run_experiment(
            {
                "experiment_id": "tour",
                "scenarios": ["coffee_trap"],
                "conditions": ["A", "D"],
                "seeds": 2,
                "max_turns": 3,
            },
            output="results",
        )
    )
    for name in (
        *("listExperiments", "readExperiment", "readMeasures", "readReport"),
        *("listCells", "compareExperiments", "listTurnsBehind"),
    ):
        tour.ask(name)
    cell = tour.ask("listCells")["items"][0]["key"]
    tour.ask("readCell", cell=cell)
    tour.ask("readTold", cell=cell)


def visit_authoring(tour: ExampleTour) -> None:
    """Stories, scenarios and rulebooks that authors write."""
    for name in (
        *("readAbout", "listScenarios", "readScenario", "readSource", "listRuns"),
        *("listRulebooks", "readRulebook", "readRulebookSource", "checkRulebook", "checkStory"),
        *("checkScenario", "tryWords", "listAgents", "listToolQuestions"),
    ):
        tour.ask(name)
    # Signing in gives the same answer, but needs a server with authentication.
    tour.answers["signIn"] = tour.answers["readAbout"]
    tour.answers["changeSecret"] = tour.answers["readAbout"]
    story = tour.ask("makeStory")["id"]
    tour.ask("keepText", story=story, path="rain.md")
    world = tour.ask("makeScenario")["id"]
    written = tour.ask("readSource", scenario=world)
    kept = {"text": written["text"], "seen": written["version"]}
    tour.ask("keepSource", kept, scenario=world)
    book = tour.ask("makeRulebook")
    kept = {"text": "extends: strict\n", "seen": book["version"]}
    tour.ask("keepRulebookSource", kept, name=book["name"])


def write(file: Path, tours: tuple[Callable[[ExampleTour], None], ...]) -> None:
    """Make all tours in a temporary folder, and write the answers."""
    tour, here = ExampleTour(), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for each in tours:
                each(tour)
        finally:
            os.chdir(here)
    missing = tour.list_missing()
    assert not missing, f"nobody asked: {', '.join(missing)}"
    told = {name: shorten_value(tour.answers[name]) for name in sorted(tour.answers)}
    text = json.dumps(told, ensure_ascii=False, indent=1)
    file.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: examples.py FILE")
    write(
        Path(sys.argv[1]).absolute(),
        (
            *(visit_run, visit_story, visit_table, visit_gate, visit_agents),
            *(visit_experiment, visit_authoring),
        ),
    )
