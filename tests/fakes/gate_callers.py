"""People and agents as clients of a workspace's gate, without a server."""

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
"""The path of the gate's runs."""
_SECRET = "a long enough secret"


class KnownCallerApp:
    """An app that treats every request as one from a known caller."""

    def __init__(self, app: ASGIApp, caller: Caller) -> None:
        """Wrap an app."""
        self._app = app
        self._caller = caller

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Set the caller of the request."""
        await self._app({**scope, SCOPE_CALLER: self._caller}, receive, send)


class GateClient:
    """A client of the gate for one caller; other callers can work on the same run."""

    def __init__(self, garden: Workspace, caller: Caller = LOCAL_CALLER, run: str = "") -> None:
        """A caller at the gate of a workspace."""
        self.garden = garden
        self.client = TestClient(KnownCallerApp(make_app(garden), caller))
        self.run = run

    def sign_in(self, name: str, role: str) -> "GateClient":
        """Add a person with a credential; returns their client for the same run."""
        people = People(Path(self.garden.places.gate) / "people.json")
        by = f"{people.list_people()[0].name}:{_SECRET}" if people.list_people() else None
        known = people.add(name, role, _SECRET, at="2026-01-01T00:00:00Z", by=by)
        return GateClient(self.garden, make_caller(known, "badge"), self.run)

    def begin(self, process: str = "exploration", **more: Any) -> Any:
        """Start a run; later calls are about it."""
        told = self.client.post(GATE, json={"process_id": process, **more})
        self.run = told.json().get("run_id", "")
        return told

    def read(self, path: str = "") -> Any:
        """Read a part of the run."""
        return self.client.get(self.locate(path)).json()

    def send(self, event: str, revision: int, key: str = "", **more: Any) -> Any:
        """Send an event."""
        headers = {"If-Match": f'"{revision}"', "Idempotency-Key": key or f"k{revision}"}
        body = {"event_name": event, **more}
        return self.client.post(self.locate("/events"), json=body, headers=headers)

    def locate(self, path: str) -> str:
        """The address of a part of the run."""
        return f"{GATE}/{self.run}{path}"

    def reach_decision(self) -> int:
        """Submit all that an exploration asks for; returns the revision after that."""
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
