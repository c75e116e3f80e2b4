"""Runs at the command line: created, moved by events, listed and shown."""

import csv
import json
from pathlib import Path

import pytest

from tests.journeys.gate_terminal import (
    TIMED_PROCESS,
    UNTIMED_PROCESS,
    GateTerminal,
    walk_to_decide,
)


@pytest.fixture
def terminal(tmp_path: Path) -> GateTerminal:
    """A gate in an empty folder."""
    return GateTerminal(tmp_path)


def test_an_exploration_from_its_beginning_to_its_end(terminal: GateTerminal) -> None:
    """Evidence moves an exploration from state to state, and a person ends it."""
    run_id = walk_to_decide(terminal)
    credential = terminal.add_reviewer()
    before = terminal.run_command("state", "--json").document
    approved = terminal.run_command(
        "approve", "--digest", terminal.read_digest(), "--credential-file", credential
    )
    after = terminal.run_command("state", "--json", "last").document
    with (terminal.folder / f".state_gate/runs/{run_id}.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))

    assert ("decide", 6, []) == (
        before["current_state"],
        before["revision"],
        before["missing_guards"],
    )
    assert (0, "decide → done, revision 7\n") == (approved.code, approved.out)
    assert ("done", True, []) == (
        after["current_state"],
        after["is_final"],
        after["allowed_events"],
    )
    assert ["frame", "experiment", "observe", "synthesize", "decide", "decide", "done"] == [
        row["state"] for row in rows
    ]
    assert ["hypothesis.md", "./decision.md", ""] == [rows[n]["artifact_paths"] for n in (1, 5, 6)]
    verified = terminal.run_command("verify", "--all").out
    assert "claimed by the agent, not checked by the gate" in verified
    assert verified.endswith(f"\nOK: {run_id}\n")
    assert "INVALID_EVENT" == terminal.emit("submit_evidence", 7).refusal


def test_the_history_shows_who_did_what_on_which_evidence(terminal: GateTerminal) -> None:
    """The history has author, role, hashes, and the digest that a decision was based on."""
    walk_to_decide(terminal)
    digest = terminal.read_digest()
    terminal.run_command(
        "approve",
        "--digest",
        digest,
        "--reason",
        "it is warm",
        "--credential-file",
        terminal.add_reviewer(),
    )
    told = terminal.run_command("history").out
    lines = [
        json.loads(line) for line in terminal.run_command("history", "--json").out.splitlines()
    ]

    assert "submit_hypothesis  frame → experiment  agent:agent\n" in told
    assert "approve  decide → done  human:ann as reviewer\n" in told
    assert '"reason":"it is warm"' in told
    assert [*range(1, 8)] == [line["revision"] for line in lines]
    assert {"type": "human", "id": "ann"} == lines[6]["author"]
    assert (6, digest) == tuple(lines[6]["approval"][name] for name in ("revision", "digest"))
    assert 64 == len(lines[1]["artifacts"][0]["hash"])


def test_every_refusal_is_seen_in_the_published_shape(terminal: GateTerminal) -> None:
    """Each refusal has its code and exit status, and writes nothing."""
    run_id = terminal.begin()
    log = terminal.folder / f".state_gate/runs/{run_id}.csv"
    before = log.read_bytes()
    stranger = f"run-{run_id[4:-1]}{'0' if run_id[-1] != '0' else '1'}"
    missing = terminal.run_command(
        "emit", stranger, "x", "--expected-revision", "1", "--key", "k", "--json"
    )
    refused = {
        "GUARD_FAILED": terminal.emit("submit_hypothesis", 1),
        "REVISION_CONFLICT": terminal.emit("submit_hypothesis", 9),
        "INVALID_EVENT": terminal.emit("submit_hypotheses", 1),
        "FORBIDDEN": terminal.emit("abandon", 1, "--payload", '{"reason": "no"}'),
        "INVALID_PAYLOAD": terminal.emit("submit_hypothesis", 1, "--artifact", "../x.md"),
        "RUN_NOT_FOUND": missing,
    }

    assert {code: code for code in refused} == {
        code: answered.refusal for code, answered in refused.items()
    }
    assert {1} == {a.code for c, a in refused.items() if c != "REVISION_CONFLICT"}
    conflict = refused["REVISION_CONFLICT"]
    assert (4, 1) == (conflict.code, conflict.document["error"]["current_revision"])
    assert "Expected revision 9, but current is 1" == (conflict.document["error"]["message"])
    assert ["agent", "human"] == (refused["GUARD_FAILED"].document["error"]["details"]["who_may"])
    assert (
        "/artifact_paths/0"
        == (refused["INVALID_PAYLOAD"].document["error"]["details"]["validation_errors"][0]["path"])
    )
    assert before == log.read_bytes()


def test_a_refusal_shows_people_what_is_missing_and_who_could(terminal: GateTerminal) -> None:
    """A refusal says what is missing and which roles may send the event."""
    terminal.begin()
    numbers = ("--expected-revision", "1", "--key", "k")
    refused = terminal.run_command("emit", "submit_hypothesis", *numbers)

    assert (1, "") == (refused.code, refused.out)
    assert refused.err.startswith("refused[GUARD_FAILED]: 'submit_hypothesis' needs")
    assert "  missing: needs an artifact of kind 'hypothesis' (has_hypothesis: A hyp" in (
        refused.err
    )
    assert "agent or human may send it" in refused.err


@pytest.mark.parametrize("given", [(), ("--key", "hyp-001"), ("--expected-revision", "1")])
def test_an_event_without_revision_or_key_is_answered_with_the_whole_command(
    terminal: GateTerminal, given: tuple[str, ...]
) -> None:
    """The message has the command with the run's present revision, and names `gate state`."""
    run_id = terminal.begin()
    told = terminal.run_command("emit", "last", "submit_hypothesis", *given)
    command = f"emit {run_id} submit_hypothesis --expected-revision 1 --key submit_hypothesis-1"

    assert 2 == told.code
    assert command in " ".join(told.err.split())
    assert f"gate state {run_id}" in " ".join(told.err.split())


def test_the_same_request_again_changes_nothing(terminal: GateTerminal) -> None:
    """A repeated request gets the first answer; another body under its key is a conflict."""
    terminal.begin()
    sent = ("--inline", 'hypothesis="warm"')
    first = terminal.emit("submit_hypothesis", 1, *sent)
    again = terminal.emit("submit_hypothesis", 1, *sent)
    other = terminal.emit("submit_hypothesis", 1, "--inline", 'hypothesis="cold"')

    assert (0, 0) == (first.code, again.code)
    assert first.document["result"]["event_id"] == again.document["result"]["event_id"]
    assert again.document["result"]["replayed"]
    assert (1, "IDEMPOTENCY_CONFLICT") == (other.code, other.refusal)
    assert 2 == terminal.run_command("state", "--json").document["revision"]


def test_what_is_asked_for_and_is_not_there_is_reported(terminal: GateTerminal) -> None:
    """An unknown process, an unnamed run and broken JSON have different exit codes."""
    unknown = terminal.run_command("create-run", "--process", "exploratoin", "--json")
    unnamed = terminal.run_command("state")
    nothing = terminal.run_command("state", "last", "--json")
    broken = terminal.run_command("create-run", "--process", "exploration", "--context", "{")
    wrong = terminal.run_command(
        "create-run", "--process", "exploration", "--json", "--context", '{"team_mode": 1}'
    )

    assert (3, "PROCESS_NOT_FOUND") == (unknown.code, unknown.refusal)
    assert "did you mean 'exploration'?" == unknown.document["error"]["hint"]
    assert 2 == unnamed.code
    assert "This folder has no gate. Go to the folder of your project" in unnamed.err
    assert (3, "RUN_NOT_FOUND") == (nothing.code, nothing.refusal)
    assert 2 == broken.code
    assert "--context is no JSON" in broken.err
    assert (3, "INVALID_CONTEXT") == (wrong.code, wrong.refusal)
    assert not (terminal.folder / ".state_gate").exists()


@pytest.mark.parametrize(
    ("written", "cure"),
    [("testlog=ok", """; for text, write --inline 'testlog="ok"'"""), ("testlog={ok", "")],
)
def test_inline_text_without_quotes_is_answered_with_quotes(
    terminal: GateTerminal, written: str, cure: str
) -> None:
    """For inline text without quotes the error shows the quoted form, which can be copied."""
    run_id = terminal.begin()
    options = ("--expected-revision", "1", "--key", "k", "--inline", written)
    refused = terminal.run_command("emit", run_id, "submit_hypothesis", *options)

    assert (2, bool(cure)) == (refused.code, "for text, write" in refused.err)
    assert cure in " ".join(refused.err.split())


def test_runs_are_listed_and_found_by_parts(terminal: GateTerminal) -> None:
    """A list of runs can be filtered, and the end of an id is enough to find a run."""
    terminal.define("patience", UNTIMED_PROCESS)
    first, second = terminal.begin(), terminal.begin("patience")
    everyone = terminal.run_command("runs", "--json").document["runs"]
    few = terminal.run_command("runs", "--process", "patience", "--state", "waiting").out

    assert [first, second] == [run["run_id"] for run in everyone]
    assert few.startswith(f"{second}  patience  waiting  1  ")
    assert 1 == few.count("\n")
    assert first == terminal.run_command("state", first[-12:], "--json").document["run_id"]
    assert "No runs match.\n" == terminal.run_command("runs", "--state", "x").out


def test_events_tell_what_could_be_sent_and_by_whom(terminal: GateTerminal) -> None:
    """The list of events has those of other roles only on request, with the roles."""
    terminal.begin()
    mine = terminal.run_command("events", "--json").document["events"]
    everyones = terminal.run_command("events", "--include-blocked").out

    assert ["submit_hypothesis"] == [event["event_name"] for event in mine]
    assert "unsatisfied" == mine[0]["transitions"][0]["guard_status"]
    assert "only human or reviewer may send it" in everyones


def test_inline_front_matter_passes_verify(terminal: GateTerminal) -> None:
    """`verify` reads the fields of inline evidence as `emit` did."""
    terminal.begin()
    matter = json.dumps("---\nclaim: it does\nconfidence: high\n---\nTwice.\n")
    observed = ("--inline", 'observation="a"', "--inline", 'observation="b"')
    terminal.emit("submit_hypothesis", 1, "--inline", 'hypothesis="h"')
    terminal.emit("submit_evidence", 2, "--inline", "evidence=40")
    terminal.emit("submit_observation", 3, *observed)
    accepted = terminal.emit("submit_synthesis", 4, "--inline", f"synthesis={matter}")

    verified = terminal.run_command("verify", "--json")

    assert 0 == accepted.code, accepted.out
    assert (0, True) == (verified.code, verified.document["passed"])


def test_what_was_repaired_on_opening_is_reported(terminal: GateTerminal) -> None:
    """An incomplete table is completed when it is opened, with a warning."""
    run_id = terminal.begin()
    table = terminal.folder / f".state_gate/runs/{run_id}.csv"
    whole = table.read_bytes()
    table.write_bytes(whole[:-5])
    shown = terminal.run_command(
        "emit", "submit_hypothesis", "--expected-revision", "1", "--key", "k"
    )

    assert "warning[LOG_MENDED]: " in shown.err
    assert whole == table.read_bytes()


def test_a_broken_run_hides_no_other(terminal: GateTerminal) -> None:
    """Lists and ticks skip a damaged run, and report it."""
    terminal.define("patience", TIMED_PROCESS)
    broken, whole = terminal.begin("patience"), terminal.begin("patience")
    record = terminal.folder / f".state_gate/metadata/{broken}.jsonl"
    record.write_bytes(record.read_bytes().replace(b"waiting", b"pleased"))
    listed = terminal.run_command("runs", "--json")
    ticked = terminal.run_command("tick")
    verified = terminal.run_command("verify", "--all", "--json")

    assert 3 == listed.code
    assert [whole] == [run["run_id"] for run in listed.document["runs"]]
    assert ["TRACE_CORRUPT"] == [each["code"] for each in listed.document["broken"]]
    assert 3 == ticked.code
    assert f"{whole}  give_up  waiting → bored, revision 2\n" == ticked.out
    assert "[TRACE_CORRUPT]" in ticked.err
    assert {broken: False, whole: True} == {
        run["run_id"]: run["passed"] for run in verified.document["runs"]
    }


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("tick", "--every", "soon"), "such as 30s"),
        (("state", "--credential-file", "nowhere"), "there is no file 'nowhere'"),
        (("emit", "a", "b", "c", "--expected-revision", "1", "--key", "k"), "one EVENT"),
        (("emit", "a", "--expected-revision", "1", "--key", "k", "--inline", "x"), "TYPE=JSON"),
        (
            ("emit", "a", "--expected-revision", "1", "--key", "k", "--payload", "[1]"),
            "must be a JSON object",
        ),
        (
            ("emit", "a", "--expected-revision", "1", "--key", "k", "--payload", "@x"),
            "there is no file 'x'",
        ),
        (("people", "add", "ann", "--role", "human"), "add --token-file FILE"),
        (("stat",), "Did you mean 'state'?"),
    ],
)
def test_a_command_typed_wrongly_says_how_it_is_typed(
    terminal: GateTerminal, words: tuple[str, ...], told: str
) -> None:
    """A mistyped command exits with status 2, before anything is created."""
    answered = terminal.run_command(*words)

    assert 2 == answered.code
    assert told in answered.err
    assert not (terminal.folder / ".state_gate").exists()
