"""`saniwa agent run` with tools, as a command: approved, refused, killed, resumed."""

import json
import sys
from pathlib import Path

from saniwa.app.tool_call_questions import ToolQuestions
from tests.fakes.tool_agent import make_call, write_tool_agent
from tests.journeys.gate_terminal import CommandAnswer, answer_of

_STRIKE = "import os; open('effects.txt', 'a').write('x'); os.kill(os.getppid(), 9)"


def _run(folder: Path, *words: str) -> CommandAnswer:
    return answer_of(folder, "agent", "run", "hands", *words)


def test_a_tool_waits_for_a_person_and_is_agreed_to_beforehand(tmp_path: Path) -> None:
    """Without a terminal an agent stops with status 4 for an approval; `--allow-tool` gives it."""
    answers = [make_call("append", line="x"), "Done."]
    write_tool_agent(tmp_path / ".agent" / "hands", answers, mode="")

    stopped = _run(tmp_path)
    done = _run(tmp_path, "--resume", "--allow-tool", "append")

    assert [] == ToolQuestions(tmp_path / ".saniwa" / "saniwa.sqlite").list_open()
    assert (4, True) == (stopped.code, "[TOOL_APPROVAL_NEEDED]" in stopped.out)
    assert 0 == done.code, done.err
    assert "x\n" == (tmp_path / "workspace" / "effects.txt").read_text()


def test_a_command_that_killed_its_agent_is_settled_by_the_user(tmp_path: Path) -> None:
    """After a crash a call may have run; the user can answer that it counts as done."""
    # In its sandbox a command cannot end the agent.
    command = {"strike": {"command": [sys.executable, "-c", _STRIKE], "sandbox": False}}
    command["strike"]["parameters"] = {"type": "object"}
    answers = [make_call("strike", anvil=7), "Done."]
    write_tool_agent(tmp_path / ".agent" / "hands", answers, commands=command)

    killed = _run(tmp_path, "--workspace", "here")
    unsure = _run(tmp_path, "--resume")
    done = _run(tmp_path, "--resume", "--interrupted", "done")
    open_questions = ToolQuestions(tmp_path / ".saniwa" / "saniwa.sqlite").list_open()

    assert -9 == killed.code
    assert (4, True) == (unsure.code, "[TOOL_UNCERTAIN]" in unsure.out)
    assert '{"anvil":7}' in unsure.out
    assert 0 == done.code, done.err
    assert [] == open_questions
    assert "x" == (tmp_path / "here" / "effects.txt").read_text()


def test_a_recorded_run_is_played_back_without_tools(tmp_path: Path) -> None:
    """A replay takes answers and results from the recording, and runs no tool."""
    answers = [make_call("append", line="x"), "Done."]
    write_tool_agent(tmp_path / ".agent" / "hands", answers)

    recorded = _run(tmp_path, "--record", "tape.jsonl", "--json")
    (tmp_path / "workspace" / "effects.txt").unlink()
    replayed = _run(tmp_path, "--replay", "tape.jsonl", "--json")

    first, second = (json.loads(each.out)["summaries"] for each in (recorded, replayed))
    assert first == second
    assert not (tmp_path / "workspace" / "effects.txt").exists()


def test_mistakes_about_tools_are_reported(tmp_path: Path) -> None:
    """A check reports an unknown tool, a script with a placeholder, and a wrong handler."""
    command = {"count": {"command": ["sh", "-c", "wc {file}"]}}
    write_tool_agent(
        tmp_path / ".agent" / "hands",
        ["Done."],
        allowed=("Reed", "count"),
        commands=command,
        actions={"enabled": True, "handlers": {"note": "Write"}},
    )

    checked = answer_of(tmp_path, "agent", "check", "hands", "--json")

    found = {each["message"] for each in json.loads(checked.out)["findings"]}
    assert any("there is no tool 'Reed'" in each for each in found)
    assert any("must have no placeholder" in each for each in found)
    assert any("'note' cannot be handled by 'Write'" in each for each in found)
