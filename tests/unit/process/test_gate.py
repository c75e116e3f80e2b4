from typing import Any

import pytest

from saniwa.core.errors import ProcessError
from saniwa.process.artifact import Claim
from saniwa.process.definition import RoleDefinition, TransitionDefinition
from saniwa.process.event_record import EventRecord
from saniwa.process.gate import Gate
from saniwa.process.submission import Visitor
from tests.fakes.paper_process import PILE, REVIEWER, PaperGates, make_paper_process, read_refusal


def test_a_run_begins_in_the_first_state_at_revision_1() -> None:
    """A run begins with `created` at revision 1, in the initial state."""
    office = PaperGates()

    run_id = office.begin()

    (first,) = [e for e in office.log.read_entries(run_id) if isinstance(e, EventRecord)]
    assert (1, "created", "", "draft") == (first.revision, first.event, first.key, first.state)
    assert run_id.startswith("run-")


def test_an_accepted_event_answers_in_the_published_shape() -> None:
    """An accepted event returns its id, the transition and the new revision."""
    office = PaperGates()
    run_id = office.begin()

    answer = office.send(run_id, "jot", idempotency_key="k")

    result = answer["result"]
    assert answer["success"] is True
    assert result["accepted"] is True
    assert {"from_state": "draft", "to_state": "draft"} == result["transition"]
    assert 2 == result["new_revision"]


def test_a_stale_revision_is_refused_with_the_current_one() -> None:
    """A stale revision is refused with the current one, in the published words."""
    office = PaperGates()
    run_id = office.begin()

    answer = office.send(run_id, "jot", expected_revision=5)

    error = answer["error"]
    assert "REVISION_CONFLICT" == error["code"]
    assert "Expected revision 5, but current is 1" == error["message"]
    assert 1 == error["current_revision"] == error["details"]["current_revision"]


def test_a_replayed_key_succeeds_and_changes_nothing() -> None:
    """A repeated key succeeds without a change, even with another revision or role."""
    office = PaperGates(files=PILE)
    run_id = office.begin()
    asked: dict[str, Any] = {"idempotency_key": "k", "artifact_paths": ("text.md",)}
    first = office.send(run_id, "jot", **asked)
    office.desk.files.clear()

    again = office.send(run_id, "jot", visitor=REVIEWER, **(asked | {"expected_revision": 99}))

    assert again["success"] is True
    assert again["result"].pop("replayed") is True
    assert first == again
    assert 2 == office.log.load_run(run_id).revision


@pytest.mark.parametrize(
    "other",
    [
        {"payload": {"note": "two"}},
        {"artifact_paths": ("text.md",)},
        {"artifacts": (Claim(type="text", content="x"),)},
        {"approval_digest": "00"},
        {"payload": {"note": "x" * 100_001}},
    ],
)
def test_a_key_with_another_body_is_a_conflict(other: dict[str, Any]) -> None:
    """A key with another request is a conflict that names the first one's revision."""
    office = PaperGates(files=PILE)
    run_id = office.begin()
    office.send(run_id, "jot", idempotency_key="k", payload={"note": "one"})

    answer = office.send(
        run_id, "jot", idempotency_key="k", **({"payload": {"note": "one"}} | other)
    )

    assert "IDEMPOTENCY_CONFLICT" == read_refusal(answer)
    assert "revision 2" in answer["error"]["message"]
    assert 2 == office.log.load_run(run_id).revision


def test_a_refused_event_does_not_spend_its_key() -> None:
    """The key of a refused event can be used again."""
    office = PaperGates(files=PILE)
    run_id = office.begin()
    paths = ("source-1.md", "source-2.md")
    assert "GUARD_FAILED" == read_refusal(
        office.send(run_id, "submit", idempotency_key="k", artifact_paths=paths)
    )

    answer = office.send(run_id, "submit", idempotency_key="k", artifact_paths=(*paths, "text.md"))

    assert answer["success"] is True


def test_a_refused_event_leaves_nothing_behind() -> None:
    """A refused event leaves no variables and no artifacts."""
    office = PaperGates(files=PILE)
    run_id = office.begin()
    before = office.make_gate().get_state(run_id)

    answer = office.send(run_id, "submit", payload={"title": "x"}, artifact_paths=("text.md",))

    assert "GUARD_FAILED" == read_refusal(answer)
    assert before == office.make_gate().get_state(run_id)
    assert 1 == len(list(office.log.read_entries(run_id)))


def test_a_failed_guard_says_what_is_missing_and_who_may() -> None:
    """A failed guard names each missing piece, including the state's required evidence."""
    office = PaperGates()
    run_id = office.begin()

    answer = office.send(run_id, "submit")

    details = answer["error"]["details"]
    assert "GUARD_FAILED" == read_refusal(answer)
    assert ["", "ready"] == [m["guard_name"] for m in details["missing_guards"]]
    assert "an artifact of kind 'text'" in details["missing_guards"][0]["current_status"]
    assert "2 artifacts" in details["missing_guards"][1]["current_status"]
    assert ["agent"] == details["who_may"]


def test_an_unknown_run_is_refused() -> None:
    """An unknown run is a refusal, not an exception."""
    office = PaperGates()

    answer = office.make_gate().emit_event(
        run_id="run-none", event_name="jot", expected_revision=1, idempotency_key="k"
    )

    assert "RUN_NOT_FOUND" == read_refusal(answer)


def test_an_unknown_event_is_refused_with_the_nearest() -> None:
    """An unknown event is refused with the nearest name."""
    office = PaperGates()
    run_id = office.begin()

    answer = office.send(run_id, "submitt")

    assert "INVALID_EVENT" == read_refusal(answer)
    assert "'submit'" in answer["error"]["hint"]


def test_an_event_without_a_way_from_here_is_refused() -> None:
    """An event that is not possible in this state is refused with a list of those that are."""
    office = PaperGates()
    run_id = office.begin()

    answer = office.decide(run_id, "approve")

    assert "INVALID_EVENT" == read_refusal(answer)
    assert "submit (agent may send it)" in answer["error"]["hint"]


def test_nothing_happens_in_a_final_state() -> None:
    """A run that has ended takes no event."""
    office = PaperGates()
    run_id = office.begin_reviewed()
    office.decide(run_id, "approve")

    answer = office.send(run_id, "jot")

    assert "INVALID_EVENT" == read_refusal(answer)
    assert "the run has ended" in answer["error"]["message"]


def test_a_transition_may_be_for_fewer_roles_than_its_event() -> None:
    """A transition may allow fewer roles than its event."""
    transitions = tuple(
        TransitionDefinition(source="draft", event="jot", to="draft", allowed_roles=("reviewer",))
        if way.event == "jot"
        else way
        for way in make_paper_process().transitions
    )
    office = PaperGates(make_paper_process(transitions=transitions))
    run_id = office.begin()

    answer = office.send(run_id, "jot")

    assert "FORBIDDEN" == read_refusal(answer)


def test_a_role_the_process_does_not_know_may_send_nothing() -> None:
    """An unknown role may send nothing, even if the event allows every role."""
    office = PaperGates()
    run_id = office.begin()

    answer = office.send(run_id, "jot", visitor=Visitor("stranger"))

    assert "FORBIDDEN" == read_refusal(answer)


def test_a_role_sends_only_what_its_definition_grants() -> None:
    """A role may send only its own `allowed_events`, even if the event allows every role."""
    roles = (
        RoleDefinition(name="agent", allowed_events=("submit",)),
        make_paper_process().roles[1],
    )
    office = PaperGates(make_paper_process(roles=roles))
    run_id = office.begin()

    assert "FORBIDDEN" == read_refusal(office.send(run_id, "jot"))


def test_a_run_cannot_begin_with_variables_its_process_forbids() -> None:
    """Initial variables that the process forbids are all reported, and no run is created."""
    office = PaperGates()

    with pytest.raises(ProcessError, match="INVALID_CONTEXT") as raised:
        office.begin(team_mode="crowd", secret=False)

    assert 2 == len(raised.value.details["validation_errors"])
    assert [] == list(office.log.list_runs())


@pytest.mark.parametrize("folder", ["..", "/etc", "a/../../b"])
def test_a_runs_folder_does_not_lead_out_of_the_project(folder: str) -> None:
    """A run folder outside the project is refused, and no run is created."""
    office = PaperGates()

    with pytest.raises(ProcessError, match="FILE_OUTSIDE"):
        office.make_gate().create_run("paper", folder=folder)

    assert [] == list(office.log.list_runs())


def test_looking_at_a_run_gives_no_hold_on_it() -> None:
    """Changing a view of a run does not change the run."""
    office = PaperGates()
    run_id = office.begin()
    inner = {"deep": 1}
    office.send(run_id, "jot", payload={"note": inner})

    inner["deep"] = 2
    office.make_gate().get_state(run_id).context["note"]["deep"] = 3
    office.make_gate().review_run(run_id).context["note"]["deep"] = 4
    office.log.load_run(run_id).variables["note"]["deep"] = 5

    assert {"deep": 1} == office.log.load_run(run_id).variables["note"]


@pytest.mark.parametrize(
    "given", [{"x": 10**30}, {"x": float("inf")}, {"x": {1}}, {"x": "y" * 100_001}]
)
def test_a_run_begins_only_with_what_can_be_shown_and_signed(given: dict[str, Any]) -> None:
    """Initial variables that cannot be shown and signed are refused."""
    office = PaperGates()

    with pytest.raises(ProcessError, match="INVALID_CONTEXT"):
        office.make_gate().create_run("paper", given)


def test_submitting_has_no_word_for_a_state() -> None:
    """Submitting an event has no argument for a state or a role."""
    import inspect

    from saniwa.process.submission import Submission

    names = {*inspect.signature(Gate.emit_event).parameters, *Submission.__struct_fields__}

    assert not {n for n in names if "state" in n or "role" in n or "to" == n}
