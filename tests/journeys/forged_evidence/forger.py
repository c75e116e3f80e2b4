"""A forger: an agent that sends invented evidence to a gate, through every interface.

A forgery is a true report with one thing changed, or an event that only a person may send.
Each is sent through one of four interfaces (library, HTTP, MCP, command line), with
`make nightly` through all of them, in one of five forms, and where possible under the name
of another maker. A forger succeeds if the run reaches another state by it, or if the gate
attests it. Where the process lets a claim wait for a reviewer, the reviewer here approves
everything.
"""

import io
import json
from collections import Counter
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from saniwa.app.gate.gate_opening import open_gate
from saniwa.app.workspace import Workspace, WorkspacePlaces
from saniwa.cli.main import main
from saniwa.core.errors import SaniwaError
from saniwa.mcp.gate_tools import GateTools
from saniwa.mcp.tool import list_tools, parse_arguments
from saniwa.process.gate import Gate
from saniwa.process.submission import Visitor
from tests.fakes.gate_callers import GateClient
from tests.house.pages import run_documented

DOORS = ("library", "http", "mcp", "terminal")
FORMS = ("inline", "text", "json", "yaml", "front")
MAKERS = ("", "gate", "tool", "person")
FEWEST = 200
"""The fewest forgeries for each process."""
REPORTS = {
    "check": "saniwa scenario check door_and_key --strict --json",
    "play": "saniwa play door_and_key > /dev/null && saniwa log last --json",
    "replay": "saniwa replay last --json",
    # The same about other subjects: each is true, and none belongs to those above.
    "other_check": "saniwa scenario check coffee_trap --json",
    "other_play": "saniwa play door_and_key > /dev/null && saniwa log last --json",
    "other_replay": "saniwa replay last --json",
}


class ForgedEvent(NamedTuple):
    """One event with documents that a forger sends."""

    event: str
    documents: dict[str, Any]
    payload: dict[str, Any]


class ForgedProject(NamedTuple):
    """A project with a real run and a real experiment, and true reports about them."""

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


def make_forged_project(folder: Path) -> ForgedProject:
    """Play a scenario to its end, and run small experiments."""
    reports = {name: json.loads(run_documented(each, folder)) for name, each in REPORTS.items()}
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
    """Sends events as an agent, through one interface after the other."""

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
        """How many forgeries were sent, by interface."""
        self.form = ""
        """The form of the last forgery."""
        self.run_id = ""
        self.begin()

    def _make_reviewer(self) -> Gate:
        """A gate for a person who approves everything."""
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
        """Create a new run."""
        self.run_id = self._gate.create_run(self._process, folder=self._folder).run_id

    @property
    def state(self) -> str:
        """The state of the run."""
        return self._gate.log.load_run(self.run_id).state

    def send_true(self, event: str, payload: Any = None, **documents: Any) -> None:
        """Submit true documents, or ones that only have to be there."""
        claims = [{"type": kind, "content": told} for kind, told in documents.items()]
        answer = self._emit(self._gate, event, payload, claims)
        assert answer["success"], answer

    def send_approval(self) -> str:
        """Let the reviewer approve; returns the gate's reason if it refuses."""
        answer = self._emit(self._reviewer, "approve", {"reason": "fine"}, [])
        return "" if answer["success"] else json.dumps(answer["error"])

    def send_rejection(self) -> None:
        """Let the reviewer reject."""
        assert self._emit(self._reviewer, "reject", {"reason": "no"}, [])["success"]

    def forge(self, forged: ForgedEvent) -> bool:
        """Send a forgery through the next interface; returns whether the gate accepted it."""
        door, form, maker = next(self._choices)
        self.form = form
        self.sent[door] += 1
        claims = [self._write(kind, told, form) for kind, told in forged.documents.items()]
        if door in ("library", "mcp") and maker:
            claims = [each | {"made_by": maker, "call": "1"} for each in claims]
        return self.try_door(door, forged, claims)

    def try_door(self, door: str, forged: ForgedEvent, claims: list[dict[str, Any]]) -> bool:
        """Send an event through an interface; returns whether the gate accepted it."""
        return bool(getattr(self, f"_try_{door}")(forged, claims))

    def list_attested(self) -> list[str]:
        """The kinds of evidence in the run that the gate attests."""
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

    def check_count(self) -> None:
        """Every interface was tried, and at least so many forgeries were sent."""
        assert set(DOORS) == set(self.sent)
        assert self.sent.total() >= FEWEST, self.sent
