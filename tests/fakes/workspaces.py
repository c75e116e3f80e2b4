"""Workspaces for tests, in memory, called without a server."""

from pathlib import Path
from typing import Any

from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from saniwa.app.caller import Caller
from saniwa.app.workspace import Workspace, WorkspacePlaces
from saniwa.core.clock import FixedClock
from saniwa.core.ids import CountingIds
from saniwa.http.application import make_app
from saniwa.http.request_scope import SCOPE_CALLER
from saniwa.process.submission import Visitor

NOW = 1_800_000_000_000
"""The current time in a workspace for tests."""


def make_workspace(
    folder: Path, store: str = "memory:", evidence: tuple[str, ...] = ()
) -> Workspace:
    """A workspace with all its folders in one folder; `evidence` lists folders in it."""
    places = WorkspacePlaces(
        store=store,
        stories=str(folder / "stories"),
        scenarios=str(folder / "scenarios"),
        gate=str(folder / "gate"),
        results=str(folder / "results"),
        evidence=tuple(str(folder / each) for each in evidence),
    )
    return Workspace(places, clock=FixedClock(NOW), ids=CountingIds())


def make_caller(name: str, role: str = "human") -> Caller:
    """A person who has signed in, or an agent if that is the role."""
    visitor = Visitor(role, person=role != "agent", name=name)
    return Caller(visitor=visitor, by="badge")


class WorkspaceClient:
    """Calls a workspace as a host does, and keeps the run and its revision."""

    def __init__(self, garden: Workspace, caller: Caller | None = None) -> None:
        """A host of a workspace: a local one, or the given caller."""
        self.garden = garden
        app = make_app(garden)

        async def call_as_known(scope: Scope, receive: Receive, send: Send) -> None:
            """The app, with the caller already identified."""
            if caller is not None:
                scope[SCOPE_CALLER] = caller
            await app(scope, receive, send)

        self.client = TestClient(call_as_known, raise_server_exceptions=True)
        self.run = ""
        self.revision = 0

    def begin(self, **named: Any) -> dict[str, Any]:
        """Start a run; later calls are about it."""
        told = self.client.post("/api/v1/runs", json=named)
        assert 201 == told.status_code, told.text
        return self._take_moment(told.json())

    def change(
        self, path: str, body: Any = None, *, key: str = "", revision: int | None = None
    ) -> dict[str, Any]:
        """Change the run at the last seen revision; returns the answer."""
        seen = self.revision if revision is None else revision
        headers = {"If-Match": f'"{seen}"'}
        if key:
            headers["Idempotency-Key"] = key
        told = self.client.post(self.locate(path), json=body, headers=headers)
        answer: dict[str, Any] = told.json()
        if told.status_code == 200:
            self._take_moment(answer.get("moment", answer))
        return answer

    def read(self, path: str) -> dict[str, Any]:
        """Read a part of the run."""
        answer: dict[str, Any] = self.client.get(self.locate(path)).json()
        return answer

    def locate(self, path: str) -> str:
        """The address of a part of the run."""
        return f"/api/v1/runs/{self.run}{path}"

    def _take_moment(self, moment: dict[str, Any]) -> dict[str, Any]:
        self.run, self.revision = moment["run"], moment["revision"]
        return moment


def read_words(moment: dict[str, Any]) -> list[str]:
    """The lines that are said in a state."""
    directives = moment["step"]["directives"]
    return [each["args"]["text"] for each in directives if each["type"] == "Say"]
