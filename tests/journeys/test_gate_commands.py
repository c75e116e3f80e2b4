"""The gate from the command line, through real processes, as people and agents use it."""

import csv
import json
import re
import stat
import subprocess
import sys
from pathlib import Path

import click
import pytest

from saniwa.cli.main import LazyGroup
from tests.fakes.processes import end_with_test
from tests.journeys.gate_terminal import GateTerminal, make_environment, walk_to_decide
from tests.journeys.terminal import Terminal

_SECRET = "correct horse"
_TIMED = """\
process_id: patience
version: "1"
name: Patience
states:
  - {name: waiting, prompt: Wait., tool_permissions: {allowed: [Read], ask: [Edit*], denied: [Bash]}}
  - {name: bored, prompt: Do something., is_final: true}
  - {name: pleased, is_final: true}
events:
  - {name: please, allowed_roles: [agent]}
  - {name: give_up, allowed_roles: [agent]}
transitions:
  - {from: waiting, event: please, to: pleased}
  - {from: waiting, event: give_up, to: bored, after: 1ms}
"""
_NEVER_LEFT = _TIMED.replace("after: 1ms", "after: 48h")


@pytest.fixture
def terminal(tmp_path: Path) -> GateTerminal:
    """A desk in an empty folder."""
    return GateTerminal(tmp_path)


def test_an_exploration_from_its_beginning_to_its_end(terminal: GateTerminal) -> None:
    """Evidence moves a run from state to state, and a person ends it."""
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


def test_the_history_tells_who_did_what_on_which_evidence(terminal: GateTerminal) -> None:
    """Author, role, hashes and what a decision was made on stand in the record."""
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
    """Each code comes with its exit code, and nothing of a refused event is written."""
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


def test_a_refusal_tells_people_what_is_missing_and_who_could(terminal: GateTerminal) -> None:
    """One line with the code, then what to bring and who may."""
    terminal.begin()
    numbers = ("--expected-revision", "1", "--key", "k")
    refused = terminal.run_command("emit", "submit_hypothesis", *numbers)

    assert (1, "") == (refused.code, refused.out)
    assert refused.err.startswith("refused: [GUARD_FAILED] 'submit_hypothesis' needs")
    assert "  missing: needs an artifact of kind 'hypothesis' (has_hypothesis: A hyp" in (
        refused.err
    )
    assert "agent or human may send it" in refused.err


def test_the_same_request_again_changes_nothing(terminal: GateTerminal) -> None:
    """A replay is a success with the first answer; another body under its key is not."""
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


@pytest.mark.parametrize("role", ["reviewer", "human"])
def test_a_role_cannot_be_had_by_saying_so(terminal: GateTerminal, role: str) -> None:
    """The environment gives no person's role, no option does, and no payload does."""
    walk_to_decide(terminal)
    digest = ("--approval-digest", terminal.read_digest())
    said = terminal.emit("approve", 6, *digest, STATE_GATE_ROLE=role)
    option = terminal.emit("approve", 6, *digest, "--role", role)
    payload = terminal.emit("approve", 6, *digest, "--payload", f'{{"role": "{role}"}}')
    plain = terminal.emit("approve", 6, *digest)

    assert (3, "ROLE_NEEDS_CREDENTIAL") == (said.code, said.refusal)
    assert 2 == option.code
    assert "No such option '--role'" in option.err.replace("option:", "option")
    assert ["FORBIDDEN"] * 2 == [payload.refusal, plain.refusal]
    assert "decide" == terminal.run_command("state", "--json").document["current_state"]


def test_a_role_of_the_process_that_may_approve_is_a_persons(terminal: GateTerminal) -> None:
    """A role that can approve needs a credential too, whatever it is called."""
    walk_to_decide(terminal)
    digest = ("--approval-digest", terminal.read_digest())
    refused = terminal.emit("approve", 6, *digest, STATE_GATE_ROLE="lead")

    assert "FORBIDDEN" == refused.refusal


def test_a_wrong_credential_opens_nothing_and_is_not_repeated(terminal: GateTerminal) -> None:
    """Name and secret fail alike, and no message holds what was tried."""
    walk_to_decide(terminal)
    terminal.add_reviewer()
    digest = terminal.read_digest()
    tried = [
        terminal.run_command("approve", "--digest", digest, STATE_GATE_CREDENTIAL=credential)
        for credential in ("ann:wrong-secret", "bob:wrong-secret")
    ]

    assert [3, 3] == [answered.code for answered in tried]
    assert tried[0].err == tried[1].err
    assert "[CREDENTIAL_REFUSED]" in tried[0].err
    assert "wrong-secret" not in tried[0].err


def test_no_option_takes_a_secret() -> None:
    """Other users see what is typed: a secret comes from a file, a variable or a prompt."""
    gate = LazyGroup("gate")
    about = click.Context(gate)
    spelled = set()
    for name in gate.list_commands(about):
        command = gate.get_command(about, name)
        assert command is not None
        commands = [command]
        if isinstance(command, click.Group):
            inner = (command.get_command(about, each) for each in command.list_commands(about))
            commands += filter(None, inner)
        spelled |= {o for each in commands for p in each.params for o in p.opts}

    secretive = re.compile("credential|pass|secret|token|role")
    assert {"--credential-file", "--role", "--token", "--token-file"} == {
        option for option in spelled if secretive.search(option)
    }


def test_an_approval_is_spent_once(terminal: GateTerminal) -> None:
    """The digest of one review approves once; for what came after it counts nothing."""
    walk_to_decide(terminal)
    credential = ("--credential-file", terminal.add_reviewer())
    digest = terminal.read_digest()
    unbound = terminal.emit("reject", 6, *credential)
    rejected = terminal.run_command("reject", "--digest", digest, *credential, "--json")
    again = terminal.run_command("reject", "--digest", digest, *credential, "--json")
    old = ("--digest", digest, *credential, "--json")
    elsewhere = terminal.run_command("override", "--reason", "x", "--event", "abandon", *old)
    later = terminal.run_command("approve", *old)

    assert (1, "APPROVAL_UNBOUND") == (unbound.code, unbound.refusal)
    assert (0, "experiment") == (
        rejected.code,
        rejected.document["result"]["transition"]["to_state"],
    )
    assert again.document["result"]["replayed"]
    assert ["APPROVAL_STALE", "INVALID_EVENT"] == [elsewhere.refusal, later.refusal]
    assert 7 == terminal.run_command("state", "--json").document["revision"]


def test_changed_evidence_is_not_approved_and_is_found(terminal: GateTerminal) -> None:
    """A file that is not what was handed in stops an approval, and verify names it."""
    run_id = walk_to_decide(terminal)
    credential = ("--credential-file", terminal.add_reviewer())
    digest = terminal.read_digest()
    terminal.put(run_id, "decision.md", "Serve it COLD.\n")
    refused = terminal.run_command("approve", "--digest", digest, *credential, "--json")
    verified = terminal.run_command("verify", "--json")
    shown = terminal.run_command("review").out

    assert (1, "APPROVAL_STALE") == (refused.code, refused.refusal)
    assert (1, False) == (verified.code, verified.document["passed"])
    assert ["EVIDENCE_CLAIMED", "ARTIFACT_CHANGED"] == [
        found["code"] for found in verified.document["runs"][0]["findings"]
    ]
    assert "has changed since it was submitted" in shown


def test_after_a_rejection_a_review_tells_why_and_what_is_old(terminal: GateTerminal) -> None:
    """Whoever decides again sees what was said before, and what has not come since."""
    walk_to_decide(terminal)
    before = terminal.run_command("review").out
    words = ("--digest", terminal.read_digest(), "--credential-file", terminal.add_reviewer())
    sent = terminal.run_command("reject", *words, "--reason", "too cold")
    shown = terminal.run_command("review").out
    pieces = terminal.run_command("review", "--json").document["evidence"]

    assert 0 == sent.code, sent.err
    assert "from before the rejection" not in before
    assert 'decided   reject by ann as reviewer, revision 7: "too cold"' in shown
    assert "            is from before the rejection\n" in shown
    assert {True} == {each["sent_back"] for each in pieces}


def test_a_guard_is_put_aside_by_a_person_with_a_reason(terminal: GateTerminal) -> None:
    """What was missing, and why that did not matter, stand in the log."""
    terminal.begin()
    credential = ("--credential-file", terminal.add_reviewer())
    words = ("override", "--event", "submit_hypothesis", "--digest", terminal.read_digest())
    silent = terminal.run_command(*words, *credential, "--json")
    told = terminal.run_command(*words, *credential, "--reason", "it was said aloud")

    assert "INVALID_PAYLOAD" == silent.refusal
    assert (0, "frame → experiment, revision 2\n") == (
        told.code,
        told.out.split("\n\n")[0] + ("\n" if "\n\n" in told.out else ""),
    )
    assert (
        "put aside: needs an artifact of kind 'hypothesis'" in terminal.run_command("history").out
    )


def test_time_takes_a_transition_on_a_tick(terminal: GateTerminal) -> None:
    """What is due happens by `tick`, and stands in the log as the timer's."""
    terminal.define("patience", _TIMED)
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
    """While it is tried again, and after it was given up."""
    retry = "retry: {every: 1ms, times: 1}, guard: late}"
    guard = "guards: {late: {type: context, variable: late, condition: equals, value: 1}}\n"
    schema = "context_schema: {properties: {late: {type: integer}}}\n"
    text = _TIMED.replace("after: 1ms}", f"after: 1ms, {retry}") + guard + schema
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
    """Before it is due, a tick does nothing."""
    terminal.define("patience", _NEVER_LEFT)
    terminal.begin("patience")

    assert {"fired": []} == terminal.run_command("tick", "--json").document
    assert "waiting" == terminal.run_command("state", "--json").document["current_state"]


def test_a_run_moves_to_a_new_definition_only_by_a_person(terminal: GateTerminal) -> None:
    """An agent may not, a lost state forbids it, and the move stands in the log."""
    terminal.define("patience", _NEVER_LEFT)
    run_id = terminal.begin("patience")
    credential = ("--credential-file", terminal.add_reviewer())
    terminal.define("patience", _NEVER_LEFT.replace('version: "1"', 'version: "2"'))
    pinned = terminal.run_command("state", "--json").document["process_version"]
    agent = terminal.run_command("migrate", run_id, "--json")
    moved = terminal.run_command("migrate", run_id, *credential, "--json")
    lost = _NEVER_LEFT.replace("waiting", "sitting")
    (terminal.folder / "lost.yaml").write_text(lost)
    refused = terminal.run_command("migrate", "last", "--to", "lost.yaml", *credential, "--json")

    assert "1" == pinned
    assert (1, "FORBIDDEN") == (agent.code, agent.refusal)
    assert ("2", "waiting", 2) == (
        moved.document["process_version"],
        moved.document["current_state"],
        moved.document["revision"],
    )
    assert (1, "MIGRATION_REFUSED") == (refused.code, refused.refusal)
    assert "migrated  waiting → waiting  human:ann as reviewer" in (
        terminal.run_command("history").out
    )
    assert 0 == terminal.run_command("verify").code


def test_what_is_asked_for_and_is_not_there_is_told(terminal: GateTerminal) -> None:
    """Unknown processes, unnamed runs and broken JSON each have their exit code."""
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
    assert "This folder has no gate" in unnamed.err
    assert (3, "RUN_NOT_FOUND") == (nothing.code, nothing.refusal)
    assert 2 == broken.code
    assert "--context is no JSON" in broken.err
    assert (3, "INVALID_CONTEXT") == (wrong.code, wrong.refusal)
    assert not (terminal.folder / ".state_gate").exists()


def test_runs_are_listed_and_found_by_parts(terminal: GateTerminal) -> None:
    """A list can be narrowed, and the end of an id is enough."""
    terminal.define("patience", _NEVER_LEFT)
    first, second = terminal.begin(), terminal.begin("patience")
    everyone = terminal.run_command("runs", "--json").document["runs"]
    few = terminal.run_command("runs", "--process", "patience", "--state", "waiting").out

    assert [first, second] == [run["run_id"] for run in everyone]
    assert few.startswith(f"{second}  patience  waiting  1  ")
    assert 1 == few.count("\n")
    assert first == terminal.run_command("state", first[-12:], "--json").document["run_id"]
    assert "No runs match.\n" == terminal.run_command("runs", "--state", "x").out


def test_events_tell_what_could_be_sent_and_by_whom(terminal: GateTerminal) -> None:
    """What is for others is shown only on request, with those it is for."""
    terminal.begin()
    mine = terminal.run_command("events", "--json").document["events"]
    everyones = terminal.run_command("events", "--include-blocked").out

    assert ["submit_hypothesis"] == [event["event_name"] for event in mine]
    assert "unsatisfied" == mine[0]["transitions"][0]["guard_status"]
    assert "for human or reviewer" in everyones


def test_watching_ends_where_the_run_ends(terminal: GateTerminal) -> None:
    """A run is followed from its last event to its final state."""
    terminal.define("patience", _NEVER_LEFT)
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
    """Whoever has seen enough leaves without a traceback."""
    terminal.define("patience", _NEVER_LEFT)
    terminal.begin("patience")
    seen = terminal.run_command("state", "--json").document["process_hash"][:16]
    with Terminal("gate", "watch", folder=terminal.folder, prompt=f"{seen}\n") as screen:
        shown = screen.read_shown()
        code = screen.interrupt()

    assert "created  waiting  agent:agent" in shown
    assert 130 == code


def test_people_are_named_by_those_who_are_known(terminal: GateTerminal) -> None:
    """Only the first needs nobody's word; the file is its owner's alone."""
    credential = terminal.add_reviewer()
    alone = terminal.run_command("people", "add", "bob", "--role", "reviewer", "--token", "--json")
    vouched = terminal.run_command(
        "people", "add", "bob", "--role", "human", "--token", "--json",
        "--credential-file", credential,
    )  # fmt: skip
    listed = terminal.run_command("people", "list", "--json").document["people"]
    removed = terminal.run_command(
        "people", "remove", "ann", STATE_GATE_CREDENTIAL=vouched.document["credential"]
    )
    kept = terminal.folder / ".state_gate" / "people.json"

    assert (3, "CREDENTIAL_REFUSED") == (alone.code, alone.refusal)
    assert [("ann", "reviewer"), ("bob", "human")] == [(one["name"], one["role"]) for one in listed]
    assert {"name", "role", "added_at"} == set(listed[0])
    assert 0 == removed.code
    assert ["bob"] == [one["name"] for one in json.loads(kept.read_text())["people"]]
    assert 0o600 == stat.S_IMODE(kept.stat().st_mode)


def test_a_person_decides_at_a_terminal(terminal: GateTerminal) -> None:
    """Passphrases are not shown; the review is, before anything is asked."""
    walk_to_decide(terminal)
    words = ("gate", "people", "add", "ann", "--role", "reviewer")
    prompts = (": ", "? [y/N]: ")
    with Terminal(*words, folder=terminal.folder, prompt=prompts) as screen:
        asked = screen.read_shown()
        twice = screen.type_line(_SECRET)
        screen.type_line(_SECRET)
        assert 0 == screen.leave()
    with Terminal("gate", "approve", folder=terminal.folder, prompt=prompts) as screen:
        screen.read_shown()
        screen.type_line("ann")
        shown = screen.type_line(_SECRET)
        done = screen.type_line("y")
        code = screen.leave()

    assert "Passphrase for the new person: " == asked
    assert _SECRET not in twice + shown
    assert "decision.md" in shown
    assert shown.endswith("approve? [y/N]: ")
    assert "decide → done, revision 7" in done
    assert 0 == code


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


def test_no_person_decides_blindly(terminal: GateTerminal) -> None:
    """Where nobody can be asked, the digest of what was looked at is needed."""
    walk_to_decide(terminal)
    asked = terminal.run_command("approve", "--credential-file", terminal.add_reviewer())

    assert 2 == asked.code
    assert "pass the --digest" in asked.err


def _ask_hook(desk: GateTerminal, tool: str, **more: object) -> dict[str, str] | None:
    """What the hook says of a tool; None for no decision."""
    call = json.dumps({"tool_name": tool, **more})
    answered = desk.run_command("hook", "pre-tool-use", stdin=call)
    assert 0 == answered.code, answered.err
    said: dict[str, str] | None = answered.document.get("hookSpecificOutput")
    return said


def test_a_tool_is_allowed_denied_or_asked_about(terminal: GateTerminal) -> None:
    """The state's permissions answer; the gate's own tools need no permission."""
    terminal.define("patience", _NEVER_LEFT)
    terminal.begin("patience")
    own = "mcp__saniwa__emit_event"
    tools = ("Bash", "EditFile", "Read", "Write", own)
    said = {tool: _ask_hook(terminal, tool) or {} for tool in tools}

    assert {"Bash": "deny", "EditFile": "ask", "Read": "allow", "Write": "deny", own: None} == {
        tool: told.get("permissionDecision") for tool, told in said.items()
    }
    assert "in state 'waiting'" in said["Bash"]["permissionDecisionReason"]


@pytest.mark.parametrize("process", ["", "exploration"])
def test_the_hook_decides_nothing_where_nothing_is_stated(
    terminal: GateTerminal, process: str
) -> None:
    """Without a run, or without permissions in its state, the host decides."""
    if process:
        terminal.begin(process)
    call = {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}
    answered = terminal.run_command("hook", "pre-tool-use", stdin=json.dumps(call))

    assert (0, "{}\n") == (answered.code, answered.out)


@pytest.mark.parametrize("process", ["", "exploration"])
@pytest.mark.parametrize(
    ("tool", "asked"),
    [
        ("Edit", {"file_path": ".state_gate/people.json"}),
        ("Bash", {"command": "rm -rf .state_gate"}),
    ],
)
def test_the_hook_denies_writing_the_gates_own_files(
    terminal: GateTerminal, process: str, tool: str, asked: dict[str, str]
) -> None:
    """In every state, and also without a run."""
    if process:
        terminal.begin(process)
    said = _ask_hook(terminal, tool, tool_input=asked, cwd=str(terminal.folder))

    assert said is not None
    assert "deny" == said["permissionDecision"]
    assert "belongs to the gate" in said["permissionDecisionReason"]


def test_an_empty_allowed_list_denies_every_tool_but_the_gates(terminal: GateTerminal) -> None:
    """`allowed: []` means that no tool is allowed."""
    permissions = "tool_permissions: {allowed: []}"
    text = re.sub(r"tool_permissions: {.*}}", permissions + "}", _NEVER_LEFT)
    terminal.define("patience", text)
    terminal.begin("patience")
    said = _ask_hook(terminal, "Read")

    assert said is not None
    assert "deny" == said["permissionDecision"]
    assert _ask_hook(terminal, "mcp__saniwa__get_state") is None


def test_after_an_event_the_new_state_says_what_to_do(terminal: GateTerminal) -> None:
    """The prompt is told after an event was sent, and only then."""
    terminal.define("patience", _NEVER_LEFT)
    terminal.begin("patience")
    sent = {"tool_name": "Bash", "tool_input": {"command": "saniwa gate emit please"}}
    told = terminal.run_command("hook", "post-tool-use", stdin=json.dumps(sent)).document
    other = terminal.run_command("hook", "post-tool-use", stdin='{"tool_name": "Read"}').document

    assert {
        "hookEventName": "PostToolUse",
        "additionalContext": "waiting, revision 1: Wait.",
    } == told["hookSpecificOutput"]
    assert {} == other


def test_a_gate_that_cannot_be_read_denies_where_it_was_told_to(terminal: GateTerminal) -> None:
    """A broken gate is an error; with --fail-closed it also denies the tool."""
    config = terminal.folder / ".state_gate" / "state-gate.json"
    config.parent.mkdir()
    config.write_text("{")
    call = '{"tool_name": "Read"}'
    open_ = terminal.run_command("hook", "pre-tool-use", stdin=call)
    closed = terminal.run_command("hook", "pre-tool-use", "--fail-closed", stdin=call)
    nonsense = terminal.run_command("hook", "pre-tool-use", stdin="{")

    assert 3 == open_.code
    assert "[STORE_UNREADABLE]" in open_.err
    assert "deny" == closed.document["hookSpecificOutput"]["permissionDecision"]
    assert 2 == nonsense.code


def test_what_was_mended_on_opening_is_told(terminal: GateTerminal) -> None:
    """A table that a crash left torn is completed, and a warning says so."""
    run_id = terminal.begin()
    table = terminal.folder / f".state_gate/runs/{run_id}.csv"
    whole = table.read_bytes()
    table.write_bytes(whole[:-5])
    shown = terminal.run_command(
        "emit", "submit_hypothesis", "--expected-revision", "1", "--key", "k"
    )

    assert "warning: [LOG_MENDED]" in shown.err
    assert whole == table.read_bytes()


def test_a_broken_run_hides_no_other(terminal: GateTerminal) -> None:
    """Lists and ticks go on past a run that cannot be trusted, and say so."""
    terminal.define("patience", _TIMED)
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


def test_ticking_goes_on_until_control_c(terminal: GateTerminal) -> None:
    """With --every, what becomes due later is done later; Ctrl-C ends it."""
    terminal.define("patience", _TIMED)
    run_id = terminal.begin("patience")
    words = ("gate", "tick", "--every", "20ms")
    with Terminal(*words, folder=terminal.folder, prompt="revision 2\n") as screen:
        shown = screen.read_shown()
        code = screen.interrupt()

    assert f"{run_id}  give_up  waiting → bored, revision 2\n" == shown
    assert 130 == code


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("tick", "--every", "soon"), "such as 30s"),
        (("state", "--credential-file", "nowhere"), "there is no file 'nowhere'"),
        (("emit", "a", "b", "c", "--expected-revision", "1", "--key", "k"), "one EVENT"),
        (("emit", "a", "--expected-revision", "1"), "--key"),
        (("emit", "a", "--key", "k"), "--expected-revision"),
        (("emit", "a", "--expected-revision", "1", "--key", "k", "--inline", "x"), "TYPE=JSON"),
        (
            ("emit", "a", "--expected-revision", "1", "--key", "k", "--payload", "[1]"),
            "must be a JSON object",
        ),
        (
            ("emit", "a", "--expected-revision", "1", "--key", "k", "--payload", "@x"),
            "there is no file 'x'",
        ),
        (("people", "add", "ann", "--role", "human"), "add --token"),
        (("stat",), "Did you mean 'state'?"),
    ],
)
def test_a_command_typed_wrongly_says_how_it_is_typed(
    terminal: GateTerminal, words: tuple[str, ...], told: str
) -> None:
    """Mistakes of the hand end with 2, before anything is opened."""
    answered = terminal.run_command(*words)

    assert 2 == answered.code
    assert told in answered.err
    assert not (terminal.folder / ".state_gate").exists()


def test_a_webhook_that_could_not_be_sent_is_listed_until_it_is(terminal: GateTerminal) -> None:
    """It is kept with the run, and no list shows more of its address than the host."""
    hook = '{type: notify, via: webhook, url: "http://127.0.0.1:9/secret"}'
    terminal.define(
        "bell",
        f'process_id: bell\nversion: "1"\nname: Bell\n'
        f"states: [{{name: quiet, on_enter: [{hook}]}}, {{name: rung, is_final: true}}]\n"
        'events: [{name: ring, allowed_roles: "*"}]\n'
        "transitions: [{from: quiet, event: ring, to: rung}]\n",
    )
    run_id = terminal.begin("bell")

    (listed,) = terminal.run_command("deliveries", "--json").document["undelivered"]
    refused = terminal.run_command("deliveries", "--again", "--credential-file", "none.key")
    again = terminal.run_command(
        "deliveries", "last", "--again", "--credential-file", terminal.add_reviewer()
    )

    assert (run_id, "1:0", 1) == (listed["run_id"], listed["webhook"], listed["attempts"])
    assert 0 != refused.code
    assert "quiet  2 attempts, again " in again.out
    assert "secret" not in listed["problem"] + again.out
