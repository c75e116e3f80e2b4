"""Every operation of the table, called with names too long for a file system."""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from saniwa.app.operations.operation import Operation
from saniwa.core.clock import FixedClock
from saniwa.http.admission import RequestAdmission
from saniwa.http.application import HTTP_OPERATIONS, make_app
from saniwa.http.server_settings import ServerSettings
from tests.fakes.experiment_folders import make_experiment
from tests.fakes.workspaces import NOW, make_workspace

_NO_FILE = ("x" * 300, "𠮟" * 250)
_LONG = ("x" * 5_000, *(f"{name}{end}" for name in _NO_FILE for end in ("", ".md", ".png")))
_KEYS = itertools.count()
_OPEN = re.compile(r"\{(\w+)(?::\w+)?\}")
_KNOWN = {"name": "default", "number": "1"}
_OWN = {"story": "mine", "path": "story.md"}
"""What may be written to; only the shipped story has assets."""


class FixedChance:
    """A source of random bytes that never change."""

    def draw_bytes(self, count: int) -> bytes:
        """The same bytes every time."""
        return b"c" * count


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    """A client of a guarded server that has something of every kind."""
    folder: Path = tmp_path_factory.mktemp("garden")
    make_experiment(folder / "results", only=1, at=NOW)
    app = RequestAdmission(
        make_app(make_workspace(folder)),
        ServerSettings(),
        people=folder / "people.json",
        folder=folder / "key",
        clock=FixedClock(NOW),
        seconds=itertools.count(0.0, 60.0).__next__,
        chance=FixedChance(),
    )
    told = TestClient(app, base_url="http://localhost")
    told.post("/api/v1/stories", json={"id": "mine", "title": "Mine"})
    return told


@pytest.fixture(scope="module")
def known_runs(client: TestClient) -> dict[str, str]:
    """A run of a world, and one at the gate."""
    world = client.post("/api/v1/runs", json={"scenario": "door_and_key"}).json()
    gate = client.post(
        "/api/v1/gate/runs",
        json={"process_id": "exploration", "variables": {"team_mode": "team"}},
        headers={"Idempotency-Key": "begin"},
    ).json()
    return {"/runs": world["run"], "/gate": gate["run_id"]}


def _iterate_with_name(value: Any, name: str) -> Iterator[Any]:
    """The same value, with the name in place of one of its texts at a time."""
    if isinstance(value, str):
        yield name
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from ({**value, key: each} for each in _iterate_with_name(inner, name))
    elif isinstance(value, list):
        for nth, inner in enumerate(value):
            changed = _iterate_with_name(inner, name)
            yield from ([*value[:nth], each, *value[nth + 1 :]] for each in changed)


def _iterate_requests(one: Operation, known: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """The operation with a long name in one part of its path or body at a time."""
    parts = {**dict.fromkeys(_OPEN.findall(one.path), "0"), **one.path_examples}
    parts |= {each: known[each] for each in parts if each in known}
    for name in _LONG:
        for path in _iterate_with_name(parts, name):
            yield _fill_path(one.path, path), one.example
        for body in _iterate_with_name(one.example, name):
            yield _fill_path(one.path, parts), body


def _fill_path(path: str, parts: dict[str, str]) -> str:
    return _OPEN.sub(lambda found: quote(parts[found[1]], safe="/"), path)


@pytest.mark.parametrize("one", HTTP_OPERATIONS, ids=lambda each: each.name)
def test_a_name_no_file_could_have_is_refused_like_any_other(
    client: TestClient, known_runs: dict[str, str], one: Operation
) -> None:
    """A name too long for a file gives an answer or a problem with a code, never a crash."""
    room = "/gate" if one.path.startswith("/gate") else "/runs"
    own = _OWN if "/files" in one.path else {}
    for path, body in _iterate_requests(one, {**_KNOWN, **own, "run": known_runs[room]}):
        told = client.request(
            one.method,
            f"/api/v1{path}",
            json=body,
            headers={"If-Match": '"0"', "Idempotency-Key": f"{next(_KEYS)}"},
        )

        assert 500 > told.status_code != 429, told.text[:300]
        assert told.status_code < 400 or told.json()["code"]
