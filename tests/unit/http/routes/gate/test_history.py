from pathlib import Path
from typing import Any

import pytest

from saniwa.app.operations import gate_events
from saniwa.process.run_state import ProcessRun
from tests.fakes.gate import (
    make_door_process,
    make_next_record,
    make_note,
    make_opening_record,
    make_run_id,
)
from tests.fakes.gate_callers import GateClient
from tests.fakes.workspaces import NOW, make_workspace


@pytest.fixture
def agent(tmp_path: Path) -> GateClient:
    """A local client with a run that waits for a decision."""
    agent = GateClient(make_workspace(tmp_path))
    agent.begin()
    agent.reach_decision()
    return agent


def test_every_event_is_reported_with_who_when_and_what(agent: GateClient) -> None:
    """Events are listed oldest first, with sender, time and content."""
    items = agent.read("/events")["items"]
    second = items[1]

    assert [1, 2, 3, 4, 5, 6, 7] == [each["revision"] for each in items]
    assert ("created", "frame") == (items[0]["event"], items[0]["to_state"])
    assert ("submit_hypothesis", "frame", "experiment") == (
        second["event"],
        second["from_state"],
        second["to_state"],
    )
    assert NOW <= items[0]["at"] < second["at"]
    assert ("agent", "agent", "agent") == (second["author"], second["author_type"], second["role"])
    assert ["hypothesis"] == [each["type"] for each in second["evidence"]]


def test_a_decision_is_reported_with_its_reason_and_not_its_mark(agent: GateClient) -> None:
    """A decision is shown as signed, without its signature."""
    mira = agent.sign_in("mira", "reviewer")
    digest = mira.read("/review")["digest"]
    mira.send("reject", 7, payload={"reason": "too soon"}, approval_digest=digest)
    told = mira.read("/events?after=7")["items"][0]

    assert ("reject", "too soon", "mira", "human", True, digest) == (
        told["event"],
        told["reason"],
        told["author"],
        told["author_type"],
        told["signed"],
        told["decided_on"],
    )
    assert "mac" not in told


def test_an_override_says_what_was_put_aside(tmp_path: Path) -> None:
    """An override shows the guard that was overridden."""
    agent = GateClient(make_workspace(tmp_path))
    agent.begin("experiment_review")
    mira = agent.sign_in("mira", "reviewer")
    digest = mira.read("/review")["digest"]
    payload = {"reason": "a pilot", "event": "submit_plan"}
    told = mira.send("override_guard", 1, payload=payload, approval_digest=digest)

    assert 200 == told.status_code, told.text
    assert mira.read("/events?after=1")["items"][0]["overridden"]


def test_a_history_is_paged_by_revision(agent: GateClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """The history is paged by revision without gaps, also if bytes end a page."""
    monkeypatch.setattr(gate_events, "MAX_HISTORY_BYTES", 600)
    found: list[dict[str, Any]] = []
    after: str | None = "0"
    pages = 0
    while after is not None:
        page = agent.read(f"/events?after={after}&limit=3")
        found += page["items"]
        after = page["next"]
        pages += 1

    assert agent.read("/events?limit=500&after=6")["items"] == found[-1:]
    assert list(range(1, 8)) == [each["revision"] for each in found]
    assert pages > 3


def test_a_note_stays_with_its_event() -> None:
    """A page ends between revisions, so that notes stay with their event."""
    first = make_opening_record(make_door_process())
    standing = ProcessRun.from_first_record(make_run_id(), first)
    page = gate_events.build_history_page(
        [first, make_note(standing), make_next_record(standing)], 1
    )

    assert ["event", "note"] == [each.kind for each in page.items]
    assert "1" == page.next


@pytest.mark.parametrize("query", ["after=-1", "limit=0", "limit=501", "after=x", "y=1"])
def test_a_part_that_cannot_be_is_refused(agent: GateClient, query: str) -> None:
    """An invalid parameter is refused by name."""
    told = agent.client.get(agent.locate(f"/events?{query}"))

    assert (400, "PROTOCOL_BAD_FIELD") == (told.status_code, told.json()["code"])
