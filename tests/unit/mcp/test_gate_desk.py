from typing import Any

import jsonschema_rs
import msgspec
import pytest

from saniwa.core.errors import StoreError
from saniwa.mcp.failure import arguments_of
from saniwa.mcp.gate_desk import GateDesk, addresses
from saniwa.mcp.gate_tools import gate_tools
from saniwa.mcp.schema import given
from saniwa.mcp.tool import Reply
from saniwa.process.visitor import Visitor
from tests.fakes.paper import AGENT, HOUR, REVIEWER, Office

FILES = ["text.md", "source-1.md", "source-2.md"]


class Table:
    """The gate's tools, called as a client calls them."""

    def __init__(
        self, office: Office, visitor: Visitor = AGENT, named: str = ""
    ) -> None:
        self.desk = GateDesk(office.gate(visitor), lambda: named)
        self.tools = {tool.name: tool for tool in gate_tools(self.desk)}
        self.reply = Reply({}, "")

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """What a tool gives, in a shape that it announced."""
        tool = self.tools[name]
        self.reply = tool.call(arguments_of(tool.takes, arguments))
        told: dict[str, Any] = msgspec.json.decode(
            msgspec.json.encode(self.reply.shape)
        )
        jsonschema_rs.validator_for(given(tool.gives)).validate(told)
        return told

    def send(self, run_id: str, event: str, revision: int, **more: Any) -> Any:
        """Send an event under a key of its own."""
        return self.call(
            "emit_event",
            run_id=run_id,
            event_name=event,
            expected_revision=revision,
            idempotency_key=f"{event}-{revision}",
            **more,
        )


def test_a_run_can_be_walked_by_tools_alone() -> None:
    """Begin, look, hand in, and be told what comes next."""
    office = Office(files={file: file for file in FILES})
    table = Table(office)

    begun = table.call("create_run", process_id="paper", context={"topic": "tea"})
    run_id = begun["run_id"]
    assert "Write about tea" in table.reply.text
    assert table.reply.added
    answer = table.send(run_id, "submit", 1, artifact_paths=FILES)

    assert {"from_state": "draft", "to_state": "review"} == answer["result"][
        "transition"
    ]
    assert addresses(run_id) == table.reply.changed
    assert "review" == table.call("get_state", run_id=run_id)["current_state"]


def test_a_refusal_is_an_answer_and_no_failure() -> None:
    """It says what is missing, and what to do, to people and machines."""
    office = Office()
    table = Table(office)
    run_id = office.begin()

    answer = table.send(run_id, "submit", 1)

    assert "GUARD_FAILED" == answer["error"]["code"]
    assert not table.reply.failed
    assert () == table.reply.changed
    assert "Missing: needs 2 artifacts of kind 'source'" in table.reply.text
    assert "send the event again" in table.reply.text
    assert "Could send it" not in table.reply.text


def test_a_lost_race_is_told_where_the_run_stands() -> None:
    """The current revision comes back, and the way on."""
    office = Office()
    table = Table(office)
    run_id = office.begin()

    answer = table.send(run_id, "jot", 9)

    assert "REVISION_CONFLICT" == answer["error"]["code"]
    assert 1 == answer["error"]["current_revision"]
    assert "call get_state" in table.reply.text


def test_the_same_request_again_changes_nothing() -> None:
    """A replay is a success, and no resource changed by it."""
    office = Office()
    table = Table(office)
    run_id = office.begin()
    table.send(run_id, "jot", 1)

    answer = table.send(run_id, "jot", 1)

    assert answer["result"]["replayed"] is True
    assert () == table.reply.changed
    assert "nothing was done again" in table.reply.text


def test_evidence_can_be_handed_in_directly() -> None:
    """Content travels with the call, and stands in the history by its hash."""
    office = Office()
    table = Table(office)
    run_id = office.begin()
    piece = {"type": "text", "content": {"title": "Tea"}}

    answer = table.send(run_id, "jot", 1, artifacts=[piece])

    assert answer["success"], answer
    last = table.call("get_history", run_id=run_id)["entries"][-1]
    assert last["artifact_paths"][0].startswith("inline:text:")


def test_what_is_blocked_is_listed_only_when_asked_for() -> None:
    """An agent sees what it may send; with include_blocked also what others may."""
    office = Office()
    table = Table(office)
    run_id = office.reviewed()

    few = table.call("list_events", run_id=run_id)["events"]
    all_of_them = table.call("list_events", run_id=run_id, include_blocked=True)

    assert [] == few
    names = [event["event_name"] for event in all_of_them["events"]]
    assert ["approve", "reject"] == names
    assert "Blocked: for reviewer" in table.reply.text


@pytest.mark.parametrize("event", ["approve", "reject", "override_guard"])
def test_an_agents_server_never_decides(event: str) -> None:
    """Even with the right digest, and whatever the payload says about roles."""
    office = Office()
    table = Table(office)
    run_id = office.reviewed()
    digest = table.call("review", run_id=run_id)["digest"]

    answer = table.send(
        run_id,
        event,
        2,
        payload={"role": "reviewer", "reason": "trust me"},
        approval_digest=digest,
    )

    assert "FORBIDDEN" == answer["error"]["code"]
    assert "Could send it: reviewer.\nWhat to do: leave it to them" in table.reply.text
    assert 2 == office.log.standing(run_id).revision


def test_a_persons_server_decides_on_what_was_reviewed() -> None:
    """The digest of the review goes into the decision."""
    office = Office()
    table = Table(office, REVIEWER)
    run_id = office.reviewed()
    digest = table.call("review", run_id=run_id)["digest"]
    assert digest in table.reply.text

    answer = table.send(run_id, "approve", 2, approval_digest=digest)

    assert "published" == answer["result"]["transition"]["to_state"]


def test_a_run_that_was_given_need_not_be_named() -> None:
    """The server's own run is meant where none is named."""
    office = Office()
    run_id = office.begin()

    assert run_id == Table(office, named=run_id).call("get_state")["run_id"]


def test_no_run_at_all_is_told_with_what_to_do() -> None:
    """Nothing is guessed: not the newest, not the only one."""
    office = Office()
    office.begin()

    with pytest.raises(StoreError, match="no run was named") as caught:
        Table(office).call("get_state")

    assert "list_runs" in caught.value.hint


def test_runs_are_listed_newest_first_and_in_pieces() -> None:
    """A process can be asked for, and more is said where there is more."""
    office = Office()
    table = Table(office)
    assert table.call("list_runs") == {"runs": [], "more": False}
    assert "create_run" in table.reply.text
    ids = [office.begin() for _ in range(3)]

    listed = table.call("list_runs", limit=2)

    assert ids[:0:-1] == [run["run_id"] for run in listed["runs"]]
    assert listed["more"] is True
    assert "There are older ones." in table.reply.text
    assert 3 == len(table.call("list_runs", process_id="paper")["runs"])
    assert [] == table.call("list_runs", process_id="other")["runs"]


def test_a_run_that_cannot_be_read_does_not_hide_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It stands in the list with what is wrong with it."""
    office = Office()
    table = Table(office)
    good, bad = office.begin(), office.begin()
    usual = office.log.standing

    def standing(run_id: str) -> Any:
        if run_id == bad:
            raise StoreError("LOG_DIVERGED", "a row has no record")
        return usual(run_id)

    monkeypatch.setattr(office.log, "standing", standing)

    first, second = table.call("list_runs")["runs"]

    assert {"run_id": bad, "problem": "LOG_DIVERGED: a row has no record"} == first
    assert good == second["run_id"]
    assert f"{bad} cannot be read" in table.reply.text


@pytest.mark.parametrize("tool", ["get_state", "list_events", "review"])
def test_whoever_asks_sees_what_time_has_done(tool: str) -> None:
    """A transition whose time has come is taken before a run is told about."""
    office = Office()
    table = Table(office)
    run_id = office.reviewed()
    office.clock.moment += HOUR

    table.call(tool, run_id=run_id)

    assert "thrown_away" == office.log.standing(run_id).state


def test_what_time_has_done_comes_before_an_event() -> None:
    """Who sends too late meets the run as time has left it."""
    office = Office()
    table = Table(office, REVIEWER)
    run_id = office.reviewed()
    digest = table.call("review", run_id=run_id)["digest"]
    office.clock.moment += HOUR

    answer = table.send(run_id, "approve", 2, approval_digest=digest)

    assert ("REVISION_CONFLICT", 3) == (
        answer["error"]["code"],
        answer["error"]["current_revision"],
    )


def test_a_history_can_be_read_in_pieces_without_loss() -> None:
    """Pages end between revisions, so that notes stay with their event."""
    office = Office()
    table = Table(office)
    run_id = office.reviewed()
    whole = table.call("get_history", run_id=run_id)
    assert {"event", "note"} == {entry["kind"] for entry in whole["entries"]}

    pieces: list[Any] = []
    after, more = 0, True
    while more:
        page = table.call("get_history", run_id=run_id, after=after, limit=1)
        pieces += page["entries"]
        after, more = page["entries"][-1]["revision"], page["more"]

    assert whole["entries"] == pieces
    assert [] == table.call("get_history", run_id=run_id, after=99)["entries"]
    assert "Nothing more has happened." == table.reply.text


def test_a_changed_file_is_reported() -> None:
    """Reading again shows what is not as it was handed in."""
    office = Office()
    table = Table(office)
    run_id = office.reviewed()
    assert table.call("verify", run_id=run_id)["passed"] is True
    assert "as it was written" in table.reply.text

    office.desk.files["text.md"] = "other"

    report = table.call("verify", run_id=run_id)
    assert report["passed"] is False
    assert "text.md" in table.reply.text


def test_the_summary_of_a_run_says_what_is_to_come() -> None:
    """Time's transitions and required evidence are told as well."""
    office = Office()
    table = Table(office)

    table.call("get_state", run_id=office.reviewed())
    assert "By itself: 'timeout' to 'thrown_away'" in table.reply.text
    table.call("get_state", run_id=office.begin())
    assert "Required artifact 'text': missing." in table.reply.text
