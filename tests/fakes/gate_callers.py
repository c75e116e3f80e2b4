"""People and agents before the gate of a garden, asked without a server."""

from pathlib import Path
from typing import Any

from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send

from saniwa.app.caller import LOCAL_CALLER, Caller, make_caller
from saniwa.app.workspace import Workspace
from saniwa.http.application import make_app
from saniwa.http.request_scope import SCOPE_CALLER
from saniwa.store.gate.people import People

GATE = "/api/v1/gate/runs"
"""Where the gate's runs lie."""
_SECRET = "a long enough secret"


class KnownCallerApp:
    """An app whose every request comes from one caller, as the guard would say."""

    def __init__(self, app: ASGIApp, caller: Caller) -> None:
        """Stand before an app."""
        self._app = app
        self._caller = caller

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Say who asks."""
        await self._app({**scope, SCOPE_CALLER: self._caller}, receive, send)


class GateClient:
    """Somebody before the gate; whoever it is, the run is the same."""

    def __init__(self, garden: Workspace, caller: Caller = LOCAL_CALLER, run: str = "") -> None:
        """A caller before a garden's gate."""
        self.garden = garden
        self.client = TestClient(KnownCallerApp(make_app(garden), caller))
        self.run = run

    def sign_in(self, name: str, role: str) -> "GateClient":
        """A person with a credential, at the same run."""
        people = People(Path(self.garden.places.gate) / "people.json")
        by = f"{people.list_people()[0].name}:{_SECRET}" if people.list_people() else None
        known = people.add(name, role, _SECRET, at="2026-01-01T00:00:00Z", by=by)
        return GateClient(self.garden, make_caller(known, "badge"), self.run)

    def begin(self, process: str = "exploration", **more: Any) -> Any:
        """Begin a run; what comes after is asked of it."""
        told = self.client.post(GATE, json={"process_id": process, **more})
        self.run = told.json().get("run_id", "")
        return told

    def read(self, path: str = "") -> Any:
        """Look at something of the run."""
        return self.client.get(self.locate(path)).json()

    def send(self, event: str, revision: int, key: str = "", **more: Any) -> Any:
        """Send an event."""
        headers = {"If-Match": f'"{revision}"', "Idempotency-Key": key or f"k{revision}"}
        body = {"event_name": event, **more}
        return self.client.post(self.locate("/events"), json=body, headers=headers)

    def locate(self, path: str) -> str:
        """The address of something of the run."""
        return f"{GATE}/{self.run}{path}"

    def reach_decision(self) -> int:
        """Hand in all that an exploration asks for; the revision it then stands at."""
        for number, (event, kind) in enumerate(_WORK, 1):
            content = _SAID.get(kind, f"{kind} number {number}")
            handed = [{"type": kind, "content": content}]
            told = self.send(event, number, artifacts=handed)
            assert 200 == told.status_code, told.text
        return len(_WORK) + 1


_WORK = (
    ("submit_hypothesis", "hypothesis"),
    ("submit_evidence", "evidence"),
    ("submit_observation", "observation"),
    ("submit_observation", "observation"),
    ("submit_synthesis", "synthesis"),
    ("submit_decision", "decision"),
)
_SAID = {"synthesis": {"claim": "it rains", "confidence": "high"}}
