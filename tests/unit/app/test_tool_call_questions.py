"""Questions about tool calls, each decided once by a person."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from saniwa.agent.tools.tool import ApprovalRequest
from saniwa.app.caller import LOCAL_CALLER, Caller
from saniwa.app.tool_call_questions import (
    QuestionApprover,
    ToolDecision,
    ToolQuestions,
    identify_question,
)
from saniwa.core.errors import StoreError
from saniwa.models.oracle import ToolCall
from tests.fakes.tool_agent import make_call, write_tool_agent
from tests.fakes.workspaces import WorkspaceClient, make_caller, make_workspace
from tests.journeys.gate_terminal import answer_of

_CALL = ToolCall(id="1", name="measure", arguments={"file": "a.md"})
_REQUEST = ApprovalRequest(_CALL, "it changes something", attempt="agent-1:2:tool-1")


@pytest.fixture
def questions(tmp_path: Path) -> ToolQuestions:
    """A folder with one question."""
    found = ToolQuestions(tmp_path / "saniwa.sqlite")
    found.ask("surveyor", _REQUEST)
    return found


def test_a_question_is_listed_until_it_is_decided(questions: ToolQuestions) -> None:
    """A question is listed until it is decided, and asking again does not repeat it."""
    questions.ask("surveyor", _REQUEST)
    (question,) = questions.list_open()

    assert ("surveyor", "measure", {"file": "a.md"}) == (
        question.agent,
        question.tool,
        question.arguments,
    )
    questions.decide(question.id, ToolDecision(answer="run", by="mori"))
    assert [] == questions.list_open()
    found = questions.find_decision(identify_question(_REQUEST.attempt))
    assert ToolDecision(answer="run", by="mori") == found


def test_of_many_decisions_one_counts(questions: ToolQuestions) -> None:
    """Of several decisions one counts, and the others are not found."""
    (question,) = questions.list_open()

    def decide(number: int) -> bool:
        try:
            questions.decide(question.id, ToolDecision(answer="skip", by=str(number)))
        except StoreError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        counted = list(pool.map(decide, range(40)))

    assert 1 == sum(counted)
    found = questions.find_decision(identify_question(_REQUEST.attempt))
    assert found is not None
    assert str(counted.index(True)) == found.by


@pytest.mark.parametrize("named", ["", "..", "../x", "0" * 32, "/etc/passwd"])
def test_a_question_that_no_agent_asks_cannot_be_answered(
    named: str, questions: ToolQuestions
) -> None:
    """A question that no agent waits for cannot be answered."""
    with pytest.raises(StoreError, match="no agent waits for an answer"):
        questions.decide(named, ToolDecision(answer="run"))


def test_secrets_and_torn_files_are_not_listed(
    tmp_path: Path, questions: ToolQuestions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Secrets are redacted, and malformed files are not listed."""
    monkeypatch.setenv("OTHER_API_KEY", "sk-very-secret-value")
    call = ToolCall(id="2", name="send", arguments={"key": "sk-very-secret-value"})
    questions.ask("surveyor", ApprovalRequest(call, "why", attempt="agent-1:3:tool-1"))
    (tmp_path / "questions" / "bad.question.json").write_text('{"id": "ba')

    assert ["measure", "send"] == [each.tool for each in questions.list_open()]
    assert "very-secret" not in str(questions.list_open())


def test_a_waiting_agent_continues_when_a_person_decides(tmp_path: Path) -> None:
    """A waiting agent continues with a person's decision, and the question is removed."""
    questions = ToolQuestions(tmp_path / "saniwa.sqlite")

    async def wait() -> object:
        approver = QuestionApprover("surveyor", questions, wait=True)
        asked = asyncio.create_task(approver.decide(_REQUEST))
        while not questions.list_open():
            await asyncio.sleep(0.01)
        decision = ToolDecision(answer="skip", reason="too early", by="mori")
        questions.decide(questions.list_open()[0].id, decision)
        return await asked

    assert ("skip", "too early", "mori") == asyncio.run(wait())
    assert [] == list((tmp_path / "questions").iterdir())


def test_an_agent_stops_and_finds_the_answer_later(tmp_path: Path) -> None:
    """A stopped agent finds the answer later, and the call runs once."""
    answers = [make_call("append", line="x"), "Done."]
    write_tool_agent(tmp_path / ".agent" / "hands", answers, mode="")
    questions = ToolQuestions(tmp_path / ".saniwa" / "saniwa.sqlite")

    stopped = answer_of(tmp_path, "agent", "run", "hands")
    again = answer_of(tmp_path, "agent", "run", "hands", "--resume")
    (question,) = questions.list_open()
    questions.decide(question.id, ToolDecision(answer="run", by="mori"))
    done = answer_of(tmp_path, "agent", "run", "hands", "--resume")

    assert [4, 4, 0] == [stopped.code, again.code, done.code], done.err
    assert "x\n" == (tmp_path / "workspace" / "effects.txt").read_text()
    (journal,) = (tmp_path / ".agent" / "hands" / "logs").glob("agent-*.jsonl")
    assert '"by":"mori"' in journal.read_text()


@pytest.mark.parametrize(
    ("caller", "status"),
    [
        (LOCAL_CALLER, 401),
        (make_caller("bot", "agent"), 401),
        (make_caller("mori", "reviewer"), 204),
    ],
    ids=["near", "agent", "person"],
)
def test_only_a_person_decides_over_http(
    tmp_path: Path, questions: ToolQuestions, caller: Caller, status: int
) -> None:
    """Over HTTP only a person may decide; others may only read."""
    garden = make_workspace(tmp_path, store=str(tmp_path / "saniwa.sqlite"))
    client = WorkspaceClient(garden, caller).client
    (question,) = client.get("/api/v1/agents/questions").json()["items"]

    body = {"answer": "run", "reason": "fine"}
    answer = client.post(f"/api/v1/agents/questions/{question['id']}", json=body)

    assert status == answer.status_code, answer.text
    decision = questions.find_decision(identify_question(_REQUEST.attempt))
    assert (status == 204) == (decision == ToolDecision(answer="run", reason="fine", by="mori"))
    if decision is not None:
        again = client.post(f"/api/v1/agents/questions/{question['id']}", json=body)
        assert 404 == again.status_code
