from pathlib import Path
from typing import Any

import pytest

from saniwa.app.gate.gate_opening import open_gate
from saniwa.app.workspace import Workspace, WorkspacePlaces
from tests.fakes.gate_callers import GateClient
from tests.fakes.workspaces import make_workspace

HANDED: dict[str, Any] = {"artifacts": [{"type": "hypothesis", "content": "it rains"}]}


@pytest.fixture
def agent(tmp_path: Path) -> GateClient:
    """A local client with a run."""
    agent = GateClient(make_workspace(tmp_path))
    agent.begin()
    return agent


def test_an_accepted_event_is_answered_in_the_published_shape(agent: GateClient) -> None:
    """An accepted event has the published answer, with the revision as ETag."""
    told = agent.send("submit_hypothesis", 1, **HANDED)

    assert (200, '"2"') == (told.status_code, told.headers["etag"])
    assert told.json()["success"] is True
    assert {"from_state": "frame", "to_state": "experiment"} == (
        told.json()["result"]["transition"]
    )


def test_the_same_event_again_is_answered_as_before(agent: GateClient) -> None:
    """A repeated event with its key gets the first answer; another body is refused."""
    first = agent.send("submit_hypothesis", 1, "one", **HANDED).json()["result"]
    again = agent.send("submit_hypothesis", 1, "one", **HANDED).json()["result"]
    other = agent.send("submit_evidence", 2, "one", **HANDED)

    assert first["event_id"] == again["event_id"]
    assert again["replayed"] is True
    assert (422, "IDEMPOTENCY_CONFLICT") == (other.status_code, other.json()["code"])


def test_the_log_has_the_key_as_it_was_sent(agent: GateClient, tmp_path: Path) -> None:
    """The log has the key as it was sent."""
    agent.send("submit_hypothesis", 1, "my-own.word:1", **HANDED)
    table = tmp_path / "gate" / "runs" / f"{agent.run}.csv"

    assert ",my-own.word:1," in table.read_text(encoding="utf-8")


def test_what_is_missing_is_reported_with_who_could_do_it(agent: GateClient) -> None:
    """A refusal says what is missing and who may act, and the key stays unused."""
    told = agent.send("submit_hypothesis", 1, "one")
    problem = told.json()

    assert (409, "GUARD_FAILED") == (told.status_code, problem["code"])
    assert "hypothesis" in problem["details"]["missing_guards"][0]["current_status"]
    assert ["agent", "human"] == problem["details"]["who_may"]
    assert 200 == agent.send("submit_hypothesis", 1, "one", **HANDED).status_code


def test_a_caller_without_permission_learns_who_may(agent: GateClient) -> None:
    """A forbidden event is refused with the roles that may send it."""
    told = agent.send("abandon", 1, payload={"reason": "no time"})

    assert (403, "FORBIDDEN") == (told.status_code, told.json()["code"])
    assert {"human", "reviewer"} == set(told.json()["details"]["who_may"])


def test_a_stale_sender_learns_the_latest_revision(agent: GateClient) -> None:
    """A stale revision is refused with the current one."""
    told = agent.send("submit_hypothesis", 7, **HANDED)

    assert (412, "REVISION_CONFLICT") == (told.status_code, told.json()["code"])
    assert 1 == told.json()["details"]["current_revision"]


def test_an_event_needs_a_revision_and_a_key(agent: GateClient) -> None:
    """An event needs a revision and a key."""
    body = {"event_name": "submit_hypothesis"}
    keyless = agent.client.post(agent.locate("/events"), json=body, headers={"If-Match": '"1"'})
    blind = agent.client.post(agent.locate("/events"), json=body, headers={"Idempotency-Key": "k"})

    assert (400, "PROTOCOL_BAD_FIELD") == (keyless.status_code, keyless.json()["code"])
    assert (428, "REVISION_NEEDED") == (blind.status_code, blind.json()["code"])


def test_a_reviewer_decides_on_what_was_shown(agent: GateClient) -> None:
    """A decision needs the digest of the review, and has the person's signature."""
    revision = agent.reach_decision()
    mira = agent.sign_in("mira", "reviewer")
    shown = mira.read("/review")
    unbound = mira.send("approve", revision)
    stale = mira.send("approve", revision, approval_digest="0" * 64)
    told = mira.send(
        "approve", revision, payload={"reason": "it holds"}, approval_digest=shown["digest"]
    )
    verified = mira.client.post(mira.locate("/verify")).json()

    assert (422, "APPROVAL_UNBOUND") == (unbound.status_code, unbound.json()["code"])
    assert (409, "APPROVAL_STALE") == (stale.status_code, stale.json()["code"])
    assert "done" == told.json()["result"]["transition"]["to_state"]
    assert (True, ["EVIDENCE_CLAIMED"]) == (
        verified["passed"],
        [each["code"] for each in verified["findings"]],
    )
    decided = mira.read()["state"]["last_decision"]
    assert ("mira", "reviewer", "it holds") == (decided["by"], decided["role"], decided["reason"])


def test_no_visitor_of_this_machine_decides_without_a_credential(agent: GateClient) -> None:
    """A local caller without a credential cannot decide."""
    revision = agent.reach_decision()
    digest = agent.read("/review")["digest"]
    told = agent.send("approve", revision, approval_digest=digest)

    assert (403, "FORBIDDEN") == (told.status_code, told.json()["code"])


def test_evidence_that_changed_since_cannot_be_approved(agent: GateClient, tmp_path: Path) -> None:
    """Evidence that changed since cannot be approved, even with the same digest."""
    folder = tmp_path / "gate" / "artifacts" / agent.run
    folder.mkdir(parents=True)
    file = folder / "decision.md"
    file.write_text("umbrella", encoding="utf-8")
    revision = agent.reach_decision()
    agent.send("submit_decision", revision, "x", artifact_paths=["decision.md"])
    mira = agent.sign_in("mira", "reviewer")
    file.write_text("no umbrella", encoding="utf-8")
    shown = mira.read("/review")
    told = mira.send("approve", revision + 1, approval_digest=shown["digest"])

    assert ["decision.md"] == [e["place"] for e in shown["evidence"] if e["fault"]]
    assert (409, "APPROVAL_STALE") == (told.status_code, told.json()["code"])
    assert "decision.md" in told.json()["detail"]


@pytest.mark.parametrize("path", ["../../people.json", "/etc/passwd", ".secret"])
def test_no_evidence_is_taken_from_elsewhere(agent: GateClient, path: str) -> None:
    """Evidence outside the folder, or hidden, is refused with a pointer to it."""
    told = agent.send("submit_hypothesis", 1, artifact_paths=[path])

    assert (422, "INVALID_PAYLOAD") == (told.status_code, told.json()["code"])
    assert "/artifact_paths/0" == told.json()["details"]["validation_errors"][0]["path"]


@pytest.mark.parametrize(
    "path", [".keys/hypothesis.md", "gate/hypothesis.md", "GATE/hypothesis.md"]
)
def test_hidden_files_of_a_shared_folder_stay_hidden(
    agent: GateClient, tmp_path: Path, path: str
) -> None:
    """Hidden files of a shared project folder are refused as evidence."""
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text("secret", encoding="utf-8")
    gate = open_gate(str(tmp_path / "gate"))
    agent.run = gate.create_run("exploration", folder=".").run_id
    told = agent.send("submit_hypothesis", 1, artifact_paths=[path])

    assert (422, "INVALID_PAYLOAD") == (told.status_code, told.json()["code"])
    assert "hidden" in told.json()["detail"]


@pytest.mark.parametrize(
    "body",
    [
        {"event_name": "\u2028"},
        {"event_name": "no such event"},
        {"event_name": "submit_hypothesis", "payload": {"a" * 5000: 1}},
        {"event_name": "submit_hypothesis", "payload": {"x": 2**70}},
        {"event_name": "submit_hypothesis", "artifacts": [{}]},
        {"event_name": "submit_hypothesis", "artifacts": [{"url": "http://u:p@x/"}]},
        {"event_name": "submit_hypothesis", "artifact_paths": ["a;b", "\u202egnp.x"]},
        {"event_name": "approve", "approval_digest": "é" * 100},
        {"event_name": "submit_hypothesis", "state": "done"},
        {},
        [],
    ],
)
def test_odd_requests_are_refused_and_break_nothing(agent: GateClient, body: Any) -> None:
    """Malformed requests are refused without an internal error."""
    headers = {"If-Match": '"1"', "Idempotency-Key": "k"}
    told = agent.client.post(agent.locate("/events"), json=body, headers=headers)

    assert 400 <= told.status_code < 500, told.text
    assert 1 == agent.read()["state"]["revision"]


class HandMovedClock:
    """A clock that is set by hand."""

    moment = 0

    def now(self) -> int:
        """The time that was set."""
        return self.moment


def test_time_is_taken_when_it_has_come(tmp_path: Path) -> None:
    """A timed transition is taken when it is due, and not before."""
    clock = HandMovedClock()
    places = WorkspacePlaces(store="memory:", gate=str(tmp_path / "gate"))
    agent = GateClient(Workspace(places, clock=clock))
    file = tmp_path / "gate" / "processes" / "brief.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        "process_id: brief\nversion: '1'\nname: Brief\n"
        "states: [{name: a}, {name: b, is_final: true}]\n"
        "events: [{name: go, allowed_roles: [agent]}]\n"
        "transitions: [{from: a, event: go, to: b}, {from: a, after: 1s, to: b}]\n",
        encoding="utf-8",
    )
    agent.begin("brief")
    early = agent.client.post(agent.locate("/tick")).json()
    clock.moment += 2_000
    overdue = agent.read()["state"]["due"][0]["overdue"]
    late = agent.client.post(agent.locate("/tick")).json()

    assert [] == early["fired"]
    assert overdue is True
    assert ["b"] == [each["to_state"] for each in late["fired"]]
