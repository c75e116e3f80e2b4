"""An operation gives the same answer, or the same refusal, at every door that offers it."""

import asyncio
import base64
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import msgspec
import pytest
from starlette.testclient import TestClient

from saniwa.app.host_playings import HostDefaults, PlayingHandler
from saniwa.app.operations.catalog import OPERATIONS
from saniwa.app.operations.contract import PATH_PARAMETER, Operation
from saniwa.http.application import make_app
from tests.fakes.playing_stages import LAMP
from tests.fakes.workspaces import make_workspace

_BY_LINE = {each.line: each for each in OPERATIONS if each.line}

LineStep = tuple[str, dict[str, Any]]
STORY: list[LineStep] = [
    ("begin", {"draft": LAMP}),
    ("moment", {}),
    ("step", {}),
    ("choose", {"index": 7}),
    ("choose", {"index": 0}),
    ("step", {"revision": 99}),
    ("say", {"text": "Ana", "key": "once"}),
    ("back", {"steps": 1, "key": "once"}),
    ("save", {"name": "here"}),
    ("saves", {}),
    ("back", {"steps": 2}),
    ("skip", {}),
    ("load", {"name": "nowhere"}),
    ("load", {"name": "here"}),
    ("backlog", {"limit": 2}),
    ("remove", {"name": "here"}),
    ("remove", {"name": "here"}),
    ("preview", {"text": "look"}),
    ("asset", {"path": "images/none.png"}),
]
SCENARIO: list[LineStep] = [
    ("begin", {"scenario": "door_and_key", "language": "ja"}),
    ("preview", {"text": "take the key"}),
    ("say", {"text": "look", "actor": None}),
    ("say", {"text": "look", "actor": "no such character"}),
    ("choose", {"index": 0}),
    ("moment", {}),
    ("asset", {"path": "images/none.png"}),
]
LIBRARY: list[LineStep] = [
    ("begin", {"story": "lantern-island", "seed": 3}),
    ("asset", {"path": "images/harbour.png"}),
    ("step", {}),
]
NOTHING: list[LineStep] = [
    ("begin", {}),
    ("begin", {"scenario": "a", "story": "b"}),
    ("begin", {"story": "no such story"}),
    ("begin", {"scenario": "no such scenario"}),
]
CONVERSATIONS = {"story": STORY, "scenario": SCENARIO, "library": LIBRARY, "nothing": NOTHING}


class Door(Protocol):
    """Somewhere that operations can be asked for."""

    def ask(self, operation: Operation, fields: dict[str, Any]) -> Any:
        """What comes back: the answer without its envelope, or the code of a refusal."""


class LineDoor:
    """A host that sends lines."""

    def __init__(self, folder: Path) -> None:
        """A conversation about nothing yet."""
        self._handler = PlayingHandler(make_workspace(folder), HostDefaults())

    def ask(self, operation: Operation, fields: dict[str, Any]) -> Any:
        """Send a line; what it answers."""
        line = msgspec.json.encode({"op": operation.line, **fields})
        given = asyncio.run(self._handler.handle_line(line))
        answer = msgspec.json.decode(msgspec.json.encode(given))
        if not answer.pop("ok"):
            return answer["error"]["code"]
        answer.pop("protocol", None)
        return answer


class HttpDoor:
    """A client of the HTTP API, which fills in the route of the table."""

    def __init__(self, folder: Path) -> None:
        """A client that has seen nothing."""
        self._client = TestClient(make_app(make_workspace(folder)))
        self._run, self._revision = "run-0", 0

    def ask(self, operation: Operation, fields: dict[str, Any]) -> Any:
        """Send a request; its answer, in the form of a line's."""
        sent = dict(fields)
        headers = {"If-Match": f'"{sent.pop("revision", self._revision)}"'}
        if "key" in sent:
            headers["Idempotency-Key"] = sent.pop("key")
        path = PATH_PARAMETER.sub(
            lambda found: quote(sent.pop(found[1], self._run)), operation.path
        )
        where: dict[str, Any] = {"json": sent} if operation.takes else {"params": sent}
        told = self._client.request(operation.method, f"/api/v1{path}", headers=headers, **where)
        if told.status_code >= 400:
            return told.json()["code"]
        if operation.name in ("save", "removeSave"):
            return self.ask(_BY_LINE["saves"], {})
        if operation.answers is bytes:
            content = base64.b64encode(told.content).decode()
            return {"media": told.headers["content-type"], "content": content}
        return self._read(operation, told.json())

    def _read(self, operation: Operation, body: dict[str, Any]) -> Any:
        if "revision" in body:
            self._run, self._revision = body["run"], body["revision"]
            return {"moment": body}
        if "moment" in body:
            self._revision = body["moment"]["revision"]
            return body
        if "items" in body:
            return {"steps" if operation.line == "backlog" else "saves": body["items"]}
        return {"understanding": body}


@pytest.mark.parametrize("steps", CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_lines_and_http_give_the_same_answers(tmp_path: Path, steps: list[LineStep]) -> None:
    """Each door has a workspace of its own, with the same clock and ids."""
    lines, http = LineDoor(tmp_path / "lines"), HttpDoor(tmp_path / "http")

    for op, fields in steps:
        operation = _BY_LINE[op]

        assert http.ask(operation, fields) == lines.ask(operation, fields), (op, fields)


def test_every_line_that_http_offers_too_is_compared() -> None:
    """A new line joins a conversation above."""
    asked = {op for steps in CONVERSATIONS.values() for op, _ in steps}

    assert {op for op, each in _BY_LINE.items() if each.path} == asked
