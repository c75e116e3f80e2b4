"""Timed transitions at the command line: `tick`, `watch` and `deliveries`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.processes import end_with_test
from tests.journeys.gate_terminal import (
    TIMED_PROCESS,
    UNTIMED_PROCESS,
    WEBHOOK_PROCESS,
    GateTerminal,
    make_environment,
)
from tests.journeys.terminal import Terminal


@pytest.fixture
def terminal(tmp_path: Path) -> GateTerminal:
    """A gate in an empty folder."""
    return GateTerminal(tmp_path)


def test_time_takes_a_transition_on_a_tick(terminal: GateTerminal) -> None:
    """A tick takes a due transition, and the history names the timer."""
    terminal.define("patience", TIMED_PROCESS)
    run_id = terminal.begin("patience")
    due = terminal.run_command("state", "--json").document["due"]
    fired = terminal.run_command("tick", "--json")
    again = terminal.run_command("tick", run_id, "--json")

    assert ["give_up"] == [each["event"] for each in due]
    assert [("waiting", "bored", 2)] == [
        (each["from_state"], each["to_state"], each["revision"]) for each in fired.document["fired"]
    ]
    assert (0, {"fired": []}) == (again.code, again.document)
    assert "give_up  waiting → bored  system:timer\n" in terminal.run_command("history").out


def test_an_attempt_that_was_refused_is_reported_by_the_tick(terminal: GateTerminal) -> None:
    """A tick reports a refused attempt that is retried, and one that was given up."""
    retry = "retry: {every: 1ms, times: 1}, guard: late}"
    guard = "guards: {late: {type: context, variable: late, condition: equals, value: 1}}\n"
    schema = "context_schema: {properties: {late: {type: integer}}}\n"
    text = TIMED_PROCESS.replace("after: 1ms}", f"after: 1ms, {retry}") + guard + schema
    terminal.define("patience", text)
    run_id = terminal.begin("patience")
    shown = [terminal.run_command("tick", run_id).out for _ in range(2)]
    told = terminal.run_command("tick", run_id, "--json").document

    why = "needs the variable 'late', which is not set"
    ways = ("refused, attempt 1", "given up after 2 attempts")
    assert [f"{run_id}  give_up  {way}: give_up->bored[late]: {why}\n" for way in ways] == shown
    assert [2] == [each["attempts"] for each in told["given_up"]]
    assert "refused" not in told


def test_time_that_has_not_come_takes_nothing(terminal: GateTerminal) -> None:
    """A tick before the time is due does nothing."""
    terminal.define("patience", UNTIMED_PROCESS)
    terminal.begin("patience")

    assert {"fired": []} == terminal.run_command("tick", "--json").document
    assert "waiting" == terminal.run_command("state", "--json").document["current_state"]


def test_watching_ends_where_the_run_ends(terminal: GateTerminal) -> None:
    """`watch` shows a run's events from the last one to its final state."""
    terminal.define("patience", UNTIMED_PROCESS)
    terminal.begin("patience")
    watcher = end_with_test(
        subprocess.Popen(
            [sys.executable, "-m", "saniwa", "gate", "watch", "--json"],
            cwd=terminal.folder,
            env=make_environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
    )
    assert watcher.stdout is not None
    first = json.loads(watcher.stdout.readline())
    terminal.emit("please", 1)
    rest = [json.loads(line) for line in watcher.stdout]
    code = watcher.wait(timeout=120)

    assert "created" == first["event"]
    assert [("please", "pleased")] == [(one["event"], one["state"]) for one in rest]
    assert 0 == code


def test_watching_ends_with_control_c(terminal: GateTerminal) -> None:
    """Ctrl-C ends `watch` without a traceback."""
    terminal.define("patience", UNTIMED_PROCESS)
    terminal.begin("patience")
    seen = terminal.run_command("state", "--json").document["process_hash"][:16]
    with Terminal("gate", "watch", folder=terminal.folder, prompt=f"{seen}\n") as screen:
        shown = screen.read_shown()
        code = screen.interrupt()

    assert "created  waiting  agent:agent" in shown
    assert 130 == code


def test_ticking_continues_until_control_c(terminal: GateTerminal) -> None:
    """With `--every` a tick is repeated until Ctrl-C."""
    terminal.define("patience", TIMED_PROCESS)
    run_id = terminal.begin("patience")
    words = ("gate", "tick", "--every", "20ms")
    with Terminal(*words, folder=terminal.folder, prompt="revision 2\n") as screen:
        shown = screen.read_shown()
        code = screen.interrupt()

    assert f"{run_id}  give_up  waiting → bored, revision 2\n" == shown
    assert 130 == code


def test_a_webhook_that_could_not_be_sent_is_listed_until_it_is(terminal: GateTerminal) -> None:
    """An undelivered webhook is listed until it is sent, without secrets of its address."""
    terminal.define("bell", WEBHOOK_PROCESS)
    run_id = terminal.begin("bell")

    (listed,) = terminal.run_command("deliveries", "--json").document["undelivered"]
    refused = terminal.run_command("deliveries", "--again", "--credential-file", "none.key")
    again = terminal.run_command(
        "deliveries", "last", "--again", "--credential-file", terminal.add_reviewer()
    )
    state = terminal.run_command("state").out

    assert (run_id, "1:0", 1) == (listed["run_id"], listed["webhook"], listed["attempts"])
    assert 0 != refused.code
    assert "quiet  2 attempts, again " in again.out
    assert "webhook   1:0 about quiet: 2 attempts, again at 20" in state
    assert "secret" not in listed["problem"] + again.out + state


def test_a_dead_letter_is_listed_until_a_person_drops_it(terminal: GateTerminal) -> None:
    """A person can drop a dead letter; the history has the reason, and `verify` passes."""
    terminal.define("bell", WEBHOOK_PROCESS)
    terminal.begin("bell")
    credential = ("--credential-file", terminal.add_reviewer())
    before = terminal.run_command("deliveries", "--dead")
    for _ in range(5):
        terminal.run_command("deliveries", "last", "--again", *credential)
    dead = terminal.run_command("deliveries", "--dead", "--json").document["undelivered"]
    by_agent = terminal.run_command("deliveries", "last", "--drop", "gone")
    (dropped,) = terminal.run_command(
        "deliveries", "last", "--webhook", "1:0", "--drop", "gone", *credential, "--json"
    ).document["done"]

    assert "No dead letters.\n" == before.out
    assert [("1:0", 6, "")] == [(d["webhook"], d["attempts"], d["due_at"]) for d in dead]
    assert "[FORBIDDEN]" in by_agent.err
    assert dropped["message"].endswith(": dropped by 'ann': gone")
    assert "All webhooks were delivered.\n" == terminal.run_command("deliveries").out
    assert "dropped by 'ann': gone" in terminal.run_command("history").out
    assert 0 == terminal.run_command("verify").code


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--webhook", "1:0"], "--webhook needs RUN"),
        (["last", "--webhook", "7:0"], "no undelivered webhook '7:0'"),
        (["last", "--again", "--drop", "gone"], "Use --again or --drop"),
        (["last", "--drop", " "], "--drop needs a reason"),
    ],
)
def test_webhooks_are_chosen_plainly(terminal: GateTerminal, options: list[str], why: str) -> None:
    """An invalid choice of webhooks is a usage error."""
    terminal.define("bell", WEBHOOK_PROCESS)
    terminal.begin("bell")

    answered = terminal.run_command("deliveries", *options)

    assert 2 == answered.code
    assert why in answered.err
