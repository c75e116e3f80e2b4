"""Checks that run a program, from the command line: announced, allowed, run and reported."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.gate_terminal import GateTerminal

CHECKED_PROCESS = """\
process_id: work
version: "1"
name: Work
states: [draft, {name: review, is_final: true}]
events: [{name: submit, allowed_roles: [agent]}]
transitions: [{from: draft, event: submit, to: review, guard: tests_pass}]
guards:
  tests_pass: {type: check, kind: command, command: [python3, tests.py]}
"""
"""A process whose only guard runs a program."""
PLAN = "the gate will run python3 tests.py when submit is sent"
FAILING = "print('1 failed')\nprint('see tests.py')\nraise SystemExit(1)\n"


@pytest.fixture
def terminal(tmp_path: Path) -> GateTerminal:
    """A project with a run of the process; its tests fail."""
    desk = GateTerminal(tmp_path)
    desk.define("work", CHECKED_PROCESS)
    (tmp_path / "tests.py").write_text(FAILING)
    desk.begin("work")
    return desk


def _allow(desk: GateTerminal) -> None:
    done = desk.run_command("allow-command", "python3", "--credential-file", desk.add_reviewer())
    assert 0 == done.code, done.err


def _read_transition(desk: GateTerminal) -> dict[str, Any]:
    (event,) = desk.run_command("events", "--json").document["events"]
    (way,) = event["transitions"]
    assert isinstance(way, dict)
    return way


def test_a_check_that_was_not_run_is_never_called_satisfied(terminal: GateTerminal) -> None:
    """Before a check has run, every interface says what it will run, and if it is allowed."""
    before, way = terminal.run_command("state").out, _read_transition(terminal)
    assert ("unchecked", "blocked") == (way["guard_status"], way["pending_checks"][0]["status"])
    assert "tests_pass: not allowed yet: the gate would run python3 tests.py" in before
    assert "saniwa gate allow-command python3" in before

    _allow(terminal)
    way, state = _read_transition(terminal), terminal.run_command("state", "--json").document
    assert ("unchecked", "ready") == (way["guard_status"], way["pending_checks"][0]["status"])
    assert way["pending_checks"] == state["pending_checks"]
    assert PLAN == state["pending_checks"][0]["current_status"]
    call = json.dumps({"session_id": "one", "source": "startup"})
    shown = [
        terminal.run_command("state").out,
        terminal.run_command("events").out,
        terminal.run_command("hook", "session-start", stdin=call).out,
    ]
    assert [True] * 3 == [PLAN in text for text in shown]
    assert not any("satisfied" in text for text in [before, *shown])


def test_an_unrun_check_is_announced_in_japanese(terminal: GateTerminal) -> None:
    """What a check will run is said in the language that was asked for."""
    assert (
        "まだ許可されていない：python3 tests.py"
        in terminal.run_command("state", "--language", "ja").out
    )
    _allow(terminal)
    assert (
        "submitが送られたときに、ゲートがpython3 tests.pyを実行する"
        in terminal.run_command("state", "--language", "ja").out
    )


def test_only_a_person_allows_a_command(terminal: GateTerminal) -> None:
    """A command is allowed by a person, and the other settings of the gate stay."""
    config = terminal.folder / ".state_gate" / "state-gate.json"
    before = config.read_bytes()
    refused = terminal.run_command("allow-command", "python3")
    assert (3, before) == (refused.code, config.read_bytes())
    assert "only a person may allow a command" in refused.err

    key = ("--credential-file", terminal.add_reviewer())
    assert 2 == terminal.run_command("allow-command", "python3 tests.py", *key).code
    assert before == config.read_bytes()
    for program in ("python3", "make", "python3"):
        assert 0 == terminal.run_command("allow-command", program, *key).code
    expected = json.loads(before) | {"check_commands": ["python3", "make"]}
    assert expected == json.loads(config.read_bytes())


def test_a_refused_check_says_who_can_do_what(terminal: GateTerminal) -> None:
    """A check that is not allowed, and one that fails, are not answered with "send evidence"."""
    numbers = ("--expected-revision", "1", "--key", "s-1")
    blocked = terminal.run_command("emit", "submit", *numbers)
    assert "saniwa gate allow-command python3" in blocked.err
    assert "no evidence replaces a check" in blocked.err
    _allow(terminal)
    failed = terminal.run_command("emit", "submit", *numbers)
    assert "fix what the check has found" in failed.err
    assert "\n    | see tests.py\n" in failed.err
    assert not any("with what is missing" in answer.err for answer in (blocked, failed))

    (terminal.folder / "tests.py").write_text("print('ok')")
    assert 0 == terminal.run_command("emit", "submit", *numbers).code


def test_no_file_is_suggested_for_an_event_that_needs_none(terminal: GateTerminal) -> None:
    """The command that a state suggests names a file only if evidence is missing."""
    assert "--artifact" not in terminal.run_command("state").out
    terminal.begin("exploration")
    assert "--artifact FILE" in terminal.run_command("state").out
