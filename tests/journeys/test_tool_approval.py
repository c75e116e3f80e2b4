"""A tool call that needs a person: asked once, answered anywhere, the first answer counts."""

import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from saniwa.agent.tools.tool import ApprovalRequest
from saniwa.app.gate.configuration import locate_gate
from saniwa.app.gate.gate_opening import open_people
from saniwa.app.tool_call_questions import ToolDecision, ToolQuestions, identify_question
from saniwa.models.oracle import ToolCall
from tests.fakes.commands import get_shim_folder
from tests.fakes.tool_agent import APPEND, make_call, write_tool_agent
from tests.journeys.gate_terminal import answer_of
from tests.journeys.mcp_clients import (
    SECRET,
    FormPerson,
    McpVisit,
    make_environment,
    open_person_client,
    open_stdio_client,
    run_async,
)
from tests.journeys.terminal import Terminal

pytestmark = pytest.mark.slow


def _add_person(folder: Path) -> None:
    place = locate_gate(folder / ".state_gate")
    open_people(place).add("ann", "reviewer", SECRET, at="2026-01-01T00:00:00Z")


def _stop_at_question(folder: Path) -> str:
    """An agent that has stopped because a call needs a person; returns the question's id."""
    _add_person(folder)
    write_tool_agent(folder / ".agent" / "hands", [make_call("append", line="x"), "Done."], mode="")
    stopped = answer_of(folder, "agent", "run", "hands")
    assert 4 == stopped.code, stopped.err
    (question,) = ToolQuestions(folder / ".saniwa" / "saniwa.sqlite").list_open()
    return question.id


def _read_effects(folder: Path) -> str:
    written = folder / "workspace" / "effects.txt"
    return written.read_text() if written.exists() else ""


@pytest.mark.parametrize("mode", ["auto", "legacy", "http"])
def test_a_person_lets_a_call_run_over_mcp(tmp_path: Path, mode: str) -> None:
    """The form shows the call, and the person's answer counts, not the model's."""
    id = _stop_at_question(tmp_path)
    person = FormPerson(answer="run", reason="fine")

    async def decide() -> None:
        async with open_person_client(tmp_path, person, mode) as visit:
            (listed,) = (await visit.call("list_tool_questions", seconds=60))["questions"]
            assert ("hands", "append", {"line": "x"}) == (
                listed["agent"],
                listed["tool"],
                listed["arguments"],
            )
            answer = await visit.call("answer_tool_question", question=id, answer="skip")
            assert {"question": id, "answer": "run", "reason": "fine", "by": "ann"} == answer
            assert [] == (await visit.call("list_tool_questions"))["questions"]
            again = await visit.call("answer_tool_question", question=id, answer="run")
            assert "QUESTION_NOT_FOUND" == again["error"]["code"]

    run_async(decide)
    done = answer_of(tmp_path, "agent", "run", "hands", "--resume")

    command = shlex.join([sys.executable, "-c", APPEND, "x"])
    asked = f'hands wants to use append {{"line":"x"}}\nit changes something; it runs: {command}'
    assert [asked] == person.asked
    assert (0, "x\n") == (done.code, _read_effects(tmp_path)), done.err
    assert "append: ann agreed: fine" in done.err


def test_a_person_denies_a_call_over_mcp(tmp_path: Path) -> None:
    """A refused call is not run, and the agent gets the reason."""
    id = _stop_at_question(tmp_path)
    person = FormPerson(answer="skip", reason="too early")

    async def decide() -> None:
        async with open_person_client(tmp_path, person, "auto") as visit:
            await visit.call("answer_tool_question", question=id)

    run_async(decide)
    done = answer_of(tmp_path, "agent", "run", "hands", "--resume")

    assert (0, "") == (done.code, _read_effects(tmp_path)), done.err
    assert "a person refused it: too early" in done.err


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize(
    "person",
    [FormPerson("decline"), FormPerson("cancel"), FormPerson(answer="maybe"), FormPerson("accept")],
    ids=["decline", "cancel", "other", "nothing"],
)
def test_a_person_who_gives_no_answer_over_mcp_decides_nothing(
    tmp_path: Path, mode: str, person: FormPerson
) -> None:
    """Without a person's answer the question stays open, even if the model gives one."""
    id = _stop_at_question(tmp_path)

    async def decide() -> None:
        async with open_person_client(tmp_path, person, mode) as visit:
            answer = await visit.call("answer_tool_question", question=id, answer="run")
            assert "DECISION_DECLINED" == answer["error"]["code"]
            assert 1 == len((await visit.call("list_tool_questions"))["questions"])

    run_async(decide)


def test_a_client_that_cannot_ask_sends_the_answer(tmp_path: Path) -> None:
    """A client that cannot ask may send the answer; without one it gets an error."""
    id = _stop_at_question(tmp_path)

    async def decide() -> None:
        person = {"STATE_GATE_CREDENTIAL": f"ann:{SECRET}"}
        async with open_stdio_client(tmp_path, **person) as visit:
            silent = await visit.call("answer_tool_question", question=id)
            assert "INVALID_PAYLOAD" == silent["error"]["code"]
            answer = await visit.call("answer_tool_question", question=id, answer="skip")
            assert ("skip", "ann") == (answer["answer"], answer["by"])

    run_async(decide)


def test_an_agents_server_has_no_tool_for_questions(tmp_path: Path) -> None:
    """The server of an agent offers no tool to answer questions."""
    _stop_at_question(tmp_path)
    person = FormPerson(answer="run")

    async def look() -> None:
        server = StdioServerParameters(
            command=str(get_shim_folder() / "saniwa"),
            args=["mcp"],
            env=make_environment(),
            cwd=tmp_path,
        )
        async with Client(server, elicitation_callback=person.answer) as client:
            tools = {each.name for each in (await McpVisit(client).client.list_tools()).tools}
            assert not {"list_tool_questions", "answer_tool_question"} & tools

    run_async(look)


def test_the_agents_own_terminal_is_one_door(tmp_path: Path) -> None:
    """An answer typed at the agent's own terminal is accepted."""
    write_tool_agent(
        tmp_path / ".agent" / "hands", [make_call("append", line="x"), "Done."], mode=""
    )

    with Terminal("agent", "run", "hands", folder=tmp_path, prompt=(": ",)) as terminal:
        assert 'hands wants to use append {"line":"x"}' in terminal.read_shown()
        assert "why not" in terminal.type_line("n")
        shown = terminal.type_line("too early")
        assert 0 == terminal.leave()

    assert "a person refused it: too early" in shown
    assert "" == _read_effects(tmp_path)
    assert [] == ToolQuestions(tmp_path / ".saniwa" / "saniwa.sqlite").list_open()


def test_an_answer_from_elsewhere_ends_the_question_at_the_terminal(tmp_path: Path) -> None:
    """An answer from another terminal ends the question, and the agent continues."""
    _add_person(tmp_path)
    write_tool_agent(
        tmp_path / ".agent" / "hands", [make_call("append", line="x"), "Done."], mode=""
    )
    credential = tmp_path / "ann.key"
    credential.write_text(f"ann:{SECRET}\n")
    credential.chmod(0o600)

    with Terminal("agent", "run", "hands", folder=tmp_path, prompt=("[y/N]: ",)) as terminal:
        terminal.read_shown()
        listed = answer_of(tmp_path, "agent", "questions", "--json")
        id = listed.document["questions"][0]["id"]
        words = ("agent", "answer", id, "run", "--credential-file", str(credential), "--json")
        decided = answer_of(tmp_path, *words)
        shown = terminal.read_shown()
        assert 0 == terminal.leave()

    assert ("run", "ann") == (decided.document["answer"], decided.document["by"])
    assert "append: ann agreed" in shown
    assert "x\n" == _read_effects(tmp_path)


def test_ctrl_c_at_the_question_leaves_it_open(tmp_path: Path) -> None:
    """After Ctrl-C the question stays open and can be answered elsewhere."""
    write_tool_agent(
        tmp_path / ".agent" / "hands", [make_call("append", line="x"), "Done."], mode=""
    )

    with Terminal("agent", "run", "hands", folder=tmp_path, prompt=("[y/N]: ",)) as terminal:
        terminal.read_shown()
        assert 130 == terminal.interrupt()

    assert 1 == len(ToolQuestions(tmp_path / ".saniwa" / "saniwa.sqlite").list_open())


@pytest.mark.parametrize("words", [(), ("--credential-file", "bot.key")], ids=["none", "agent"])
def test_only_a_person_answers_at_another_terminal(
    tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent's credential, or none, cannot answer a question."""
    monkeypatch.delenv("STATE_GATE_CREDENTIAL", raising=False)
    _add_person(tmp_path)
    place = locate_gate(tmp_path / ".state_gate")
    open_people(place).add("bot", "agent", SECRET, at="2026-01-01T00:00:00Z", by=f"ann:{SECRET}")
    (tmp_path / "bot.key").write_text(f"bot:{SECRET}\n")
    questions = ToolQuestions(tmp_path / ".saniwa" / "saniwa.sqlite")
    request = _make_request()
    question = questions.ask("hands", request)

    refused = answer_of(tmp_path, "agent", "answer", question.id, "run", *words)

    assert 3 == refused.code
    assert "[FORBIDDEN]" in refused.err
    assert [question] == questions.list_open()


def test_a_late_answer_does_not_count_for_the_interrupted_call(tmp_path: Path) -> None:
    """An answer to whether a call may run does not count for the question after a crash."""
    questions = ToolQuestions(tmp_path / "saniwa.sqlite")
    first = questions.ask("hands", _make_request())
    questions.withdraw(first.id)
    second = questions.ask("hands", _make_request(may_have_run=True))

    with pytest.raises(Exception, match="no agent waits for an answer"):
        questions.decide(first.id, ToolDecision(answer="run", by="ann"))

    assert [second] == questions.list_open()
    assert second.id == identify_question("agent-1:1:tool-1", True)


def _make_request(**more: Any) -> ApprovalRequest:
    call = ToolCall(id="1", name="append", arguments={"line": "x"})
    return ApprovalRequest(call, "it changes something", attempt="agent-1:1:tool-1", **more)
