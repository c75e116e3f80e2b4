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

from saniwa.cli.main import gate
from tests.fakes.processes import end_with_test
from tests.journeys.desk import Desk, environment, walk_to_decide
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
def desk(tmp_path: Path) -> Desk:
    """A desk in an empty folder."""
    return Desk(tmp_path)


def test_an_exploration_from_its_beginning_to_its_end(desk: Desk) -> None:
    """Evidence moves a run from state to state, and a person ends it."""
    run_id = walk_to_decide(desk)
    credential = desk.reviewer()
    before = desk.type("state", "--json").document
    approved = desk.type("approve", "--digest", desk.digest(), "--credential-file", credential)
    after = desk.type("state", "--json", "last").document
    with (desk.folder / f".state_gate/runs/{run_id}.csv").open(newline="") as stream:
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
    verified = desk.type("verify", "--all").out
    assert "claimed by the agent; nothing it says was checked" in verified
    assert verified.endswith(f"\nOK: {run_id}\n")
    assert "INVALID_EVENT" == desk.emit("submit_evidence", 7).refusal


def test_the_history_tells_who_did_what_on_which_evidence(desk: Desk) -> None:
    """Author, role, hashes and what a decision was made on stand in the record."""
    walk_to_decide(desk)
    digest = desk.digest()
    desk.type(
        "approve",
        "--digest",
        digest,
        "--reason",
        "it is warm",
        "--credential-file",
        desk.reviewer(),
    )
    told = desk.type("history").out
    lines = [json.loads(line) for line in desk.type("history", "--json").out.splitlines()]

    assert "submit_hypothesis  frame → experiment  agent:agent\n" in told
    assert "approve  decide → done  human:ann as reviewer\n" in told
    assert '"reason":"it is warm"' in told
    assert [*range(1, 8)] == [line["revision"] for line in lines]
    assert {"type": "human", "id": "ann"} == lines[6]["author"]
    assert (6, digest) == tuple(lines[6]["approval"][name] for name in ("revision", "digest"))
    assert 64 == len(lines[1]["artifacts"][0]["hash"])


def test_every_refusal_is_seen_in_the_published_shape(desk: Desk) -> None:
    """Each code comes with its exit code, and nothing of a refused event is written."""
    run_id = desk.begin()
    log = desk.folder / f".state_gate/runs/{run_id}.csv"
    before = log.read_bytes()
    stranger = f"run-{run_id[4:-1]}{'0' if run_id[-1] != '0' else '1'}"
    missing = desk.type("emit", stranger, "x", "--expected-revision", "1", "--key", "k", "--json")
    refused = {
        "GUARD_FAILED": desk.emit("submit_hypothesis", 1),
        "REVISION_CONFLICT": desk.emit("submit_hypothesis", 9),
        "INVALID_EVENT": desk.emit("submit_hypotheses", 1),
        "FORBIDDEN": desk.emit("abandon", 1, "--payload", '{"reason": "no"}'),
        "INVALID_PAYLOAD": desk.emit("submit_hypothesis", 1, "--artifact", "../x.md"),
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


def test_a_refusal_tells_people_what_is_missing_and_who_could(desk: Desk) -> None:
    """One line with the code, then what to bring and who may."""
    desk.begin()
    numbers = ("--expected-revision", "1", "--key", "k")
    refused = desk.type("emit", "submit_hypothesis", *numbers)

    assert (1, "") == (refused.code, refused.out)
    assert refused.err.startswith("refused: [GUARD_FAILED] 'submit_hypothesis' needs")
    assert "  missing: needs an artifact of kind 'hypothesis' (has_hypothesis: A hyp" in (
        refused.err
    )
    assert "agent or human may send it" in refused.err


def test_the_same_request_again_changes_nothing(desk: Desk) -> None:
    """A replay is a success with the first answer; another body under its key is not."""
    desk.begin()
    sent = ("--inline", 'hypothesis="warm"')
    first = desk.emit("submit_hypothesis", 1, *sent)
    again = desk.emit("submit_hypothesis", 1, *sent)
    other = desk.emit("submit_hypothesis", 1, "--inline", 'hypothesis="cold"')

    assert (0, 0) == (first.code, again.code)
    assert first.document["result"]["event_id"] == again.document["result"]["event_id"]
    assert again.document["result"]["replayed"]
    assert (1, "IDEMPOTENCY_CONFLICT") == (other.code, other.refusal)
    assert 2 == desk.type("state", "--json").document["revision"]


@pytest.mark.parametrize("role", ["reviewer", "human"])
def test_a_role_cannot_be_had_by_saying_so(desk: Desk, role: str) -> None:
    """The environment gives no person's role, no option does, and no payload does."""
    walk_to_decide(desk)
    digest = ("--approval-digest", desk.digest())
    said = desk.emit("approve", 6, *digest, STATE_GATE_ROLE=role)
    option = desk.emit("approve", 6, *digest, "--role", role)
    payload = desk.emit("approve", 6, *digest, "--payload", f'{{"role": "{role}"}}')
    plain = desk.emit("approve", 6, *digest)

    assert (3, "ROLE_NEEDS_CREDENTIAL") == (said.code, said.refusal)
    assert 2 == option.code
    assert "No such option '--role'" in option.err.replace("option:", "option")
    assert ["FORBIDDEN"] * 2 == [payload.refusal, plain.refusal]
    assert "decide" == desk.type("state", "--json").document["current_state"]


def test_a_role_of_the_process_that_may_approve_is_a_persons(desk: Desk) -> None:
    """A role that can approve needs a credential too, whatever it is called."""
    walk_to_decide(desk)
    digest = ("--approval-digest", desk.digest())
    refused = desk.emit("approve", 6, *digest, STATE_GATE_ROLE="lead")

    assert "FORBIDDEN" == refused.refusal


def test_a_wrong_credential_opens_nothing_and_is_not_repeated(desk: Desk) -> None:
    """Name and secret fail alike, and no message holds what was tried."""
    walk_to_decide(desk)
    desk.reviewer()
    digest = desk.digest()
    tried = [
        desk.type("approve", "--digest", digest, STATE_GATE_CREDENTIAL=credential)
        for credential in ("ann:wrong-secret", "bob:wrong-secret")
    ]

    assert [3, 3] == [answered.code for answered in tried]
    assert tried[0].err == tried[1].err
    assert "[CREDENTIAL_REFUSED]" in tried[0].err
    assert "wrong-secret" not in tried[0].err


def test_no_option_takes_a_secret() -> None:
    """Other users see what is typed: a secret comes from a file, a variable or a prompt."""
    about = click.Context(gate)
    spelled = set()
    for name in gate.list_commands(about):
        command = gate.get_command(about, name)
        assert command is not None
        commands = [command]
        if isinstance(command, click.Group):
            commands += command.commands.values()
        spelled |= {o for each in commands for p in each.params for o in p.opts}

    secretive = re.compile("credential|pass|secret|token|role")
    assert {"--credential-file", "--role", "--token", "--token-file"} == {
        option for option in spelled if secretive.search(option)
    }


def test_an_approval_is_spent_once(desk: Desk) -> None:
    """The digest of one review approves once; for what came after it counts nothing."""
    walk_to_decide(desk)
    credential = ("--credential-file", desk.reviewer())
    digest = desk.digest()
    unbound = desk.emit("reject", 6, *credential)
    rejected = desk.type("reject", "--digest", digest, *credential, "--json")
    again = desk.type("reject", "--digest", digest, *credential, "--json")
    old = ("--digest", digest, *credential, "--json")
    elsewhere = desk.type("override", "--reason", "x", "--event", "abandon", *old)
    later = desk.type("approve", *old)

    assert (1, "APPROVAL_UNBOUND") == (unbound.code, unbound.refusal)
    assert (0, "experiment") == (
        rejected.code,
        rejected.document["result"]["transition"]["to_state"],
    )
    assert again.document["result"]["replayed"]
    assert ["APPROVAL_STALE", "INVALID_EVENT"] == [elsewhere.refusal, later.refusal]
    assert 7 == desk.type("state", "--json").document["revision"]


def test_changed_evidence_is_not_approved_and_is_found(desk: Desk) -> None:
    """A file that is not what was handed in stops an approval, and verify names it."""
    run_id = walk_to_decide(desk)
    credential = ("--credential-file", desk.reviewer())
    digest = desk.digest()
    desk.put(run_id, "decision.md", "Serve it COLD.\n")
    refused = desk.type("approve", "--digest", digest, *credential, "--json")
    verified = desk.type("verify", "--json")
    shown = desk.type("review").out

    assert (1, "APPROVAL_STALE") == (refused.code, refused.refusal)
    assert (1, False) == (verified.code, verified.document["passed"])
    assert ["EVIDENCE_CLAIMED", "ARTIFACT_CHANGED"] == [
        found["code"] for found in verified.document["runs"][0]["findings"]
    ]
    assert "has changed since it was handed in" in shown


def test_after_a_rejection_a_review_tells_why_and_what_is_old(desk: Desk) -> None:
    """Whoever decides again sees what was said before, and what has not come since."""
    walk_to_decide(desk)
    before = desk.type("review").out
    words = ("--digest", desk.digest(), "--credential-file", desk.reviewer())
    sent = desk.type("reject", *words, "--reason", "too cold")
    shown = desk.type("review").out
    pieces = desk.type("review", "--json").document["evidence"]

    assert 0 == sent.code, sent.err
    assert "from before the rejection" not in before
    assert 'decided   reject by ann as reviewer, revision 7: "too cold"' in shown
    assert "            is from before the rejection\n" in shown
    assert {True} == {each["sent_back"] for each in pieces}


def test_a_guard_is_put_aside_by_a_person_with_a_reason(desk: Desk) -> None:
    """What was missing, and why that did not matter, stand in the log."""
    desk.begin()
    credential = ("--credential-file", desk.reviewer())
    words = ("override", "--event", "submit_hypothesis", "--digest", desk.digest())
    silent = desk.type(*words, *credential, "--json")
    told = desk.type(*words, *credential, "--reason", "it was said aloud")

    assert "INVALID_PAYLOAD" == silent.refusal
    assert (0, "frame → experiment, revision 2\n") == (
        told.code,
        told.out.split("\n\n")[0] + ("\n" if "\n\n" in told.out else ""),
    )
    assert "put aside: needs an artifact of kind 'hypothesis'" in desk.type("history").out


def test_time_takes_a_transition_when_somebody_ticks(desk: Desk) -> None:
    """What is due happens by `tick`, and stands in the log as the timer's."""
    desk.define("patience", _TIMED)
    run_id = desk.begin("patience")
    due = desk.type("state", "--json").document["due"]
    fired = desk.type("tick", "--json")
    again = desk.type("tick", run_id, "--json")

    assert ["give_up"] == [each["event"] for each in due]
    assert [("waiting", "bored", 2)] == [
        (each["from_state"], each["to_state"], each["revision"]) for each in fired.document["fired"]
    ]
    assert (0, {"fired": []}) == (again.code, again.document)
    assert "give_up  waiting → bored  system:timer\n" in desk.type("history").out


def test_time_that_has_not_come_takes_nothing(desk: Desk) -> None:
    """Before it is due, a tick does nothing."""
    desk.define("patience", _NEVER_LEFT)
    desk.begin("patience")

    assert {"fired": []} == desk.type("tick", "--json").document
    assert "waiting" == desk.type("state", "--json").document["current_state"]


def test_a_run_moves_to_a_new_definition_only_by_a_person(desk: Desk) -> None:
    """An agent may not, a lost state forbids it, and the move stands in the log."""
    desk.define("patience", _NEVER_LEFT)
    run_id = desk.begin("patience")
    credential = ("--credential-file", desk.reviewer())
    desk.define("patience", _NEVER_LEFT.replace('version: "1"', 'version: "2"'))
    pinned = desk.type("state", "--json").document["process_version"]
    agent = desk.type("migrate", run_id, "--json")
    moved = desk.type("migrate", run_id, *credential, "--json")
    lost = _NEVER_LEFT.replace("waiting", "sitting")
    (desk.folder / "lost.yaml").write_text(lost)
    refused = desk.type("migrate", "last", "--to", "lost.yaml", *credential, "--json")

    assert "1" == pinned
    assert (1, "FORBIDDEN") == (agent.code, agent.refusal)
    assert ("2", "waiting", 2) == (
        moved.document["process_version"],
        moved.document["current_state"],
        moved.document["revision"],
    )
    assert (1, "MIGRATION_REFUSED") == (refused.code, refused.refusal)
    assert "migrated  waiting → waiting  human:ann as reviewer" in (desk.type("history").out)
    assert 0 == desk.type("verify").code


def test_what_is_asked_for_and_is_not_there_is_told(desk: Desk) -> None:
    """Unknown processes, unnamed runs and broken JSON each have their exit code."""
    unknown = desk.type("create-run", "--process", "exploratoin", "--json")
    unnamed = desk.type("state")
    nothing = desk.type("state", "last", "--json")
    broken = desk.type("create-run", "--process", "exploration", "--context", "{")
    wrong = desk.type(
        "create-run", "--process", "exploration", "--json", "--context", '{"team_mode": 1}'
    )

    assert (3, "PROCESS_NOT_FOUND") == (unknown.code, unknown.refusal)
    assert "did you mean 'exploration'?" == unknown.document["error"]["hint"]
    assert 2 == unnamed.code
    assert "There is no gate in this folder" in unnamed.err
    assert (3, "RUN_NOT_FOUND") == (nothing.code, nothing.refusal)
    assert 2 == broken.code
    assert "--context is no JSON" in broken.err
    assert (3, "INVALID_CONTEXT") == (wrong.code, wrong.refusal)
    assert not (desk.folder / ".state_gate").exists()


def test_runs_are_listed_and_found_by_parts(desk: Desk) -> None:
    """A list can be narrowed, and the end of an id is enough."""
    desk.define("patience", _NEVER_LEFT)
    first, second = desk.begin(), desk.begin("patience")
    everyone = desk.type("runs", "--json").document["runs"]
    few = desk.type("runs", "--process", "patience", "--state", "waiting").out

    assert [first, second] == [run["run_id"] for run in everyone]
    assert few.startswith(f"{second}  patience  waiting  1  ")
    assert 1 == few.count("\n")
    assert first == desk.type("state", first[-12:], "--json").document["run_id"]
    assert "There are no such runs here.\n" == desk.type("runs", "--state", "x").out


def test_events_tell_what_could_be_sent_and_by_whom(desk: Desk) -> None:
    """What is for others is shown only on request, with those it is for."""
    desk.begin()
    mine = desk.type("events", "--json").document["events"]
    everyones = desk.type("events", "--include-blocked").out

    assert ["submit_hypothesis"] == [event["event_name"] for event in mine]
    assert "unsatisfied" == mine[0]["transitions"][0]["guard_status"]
    assert "for human or reviewer" in everyones


def test_watching_ends_where_the_run_ends(desk: Desk) -> None:
    """A run is followed from its last event to its final state."""
    desk.define("patience", _NEVER_LEFT)
    desk.begin("patience")
    watcher = end_with_test(
        subprocess.Popen(
            [sys.executable, "-m", "saniwa", "gate", "watch", "--json"],
            cwd=desk.folder,
            env=environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
    )
    assert watcher.stdout is not None
    first = json.loads(watcher.stdout.readline())
    desk.emit("please", 1)
    rest = [json.loads(line) for line in watcher.stdout]
    code = watcher.wait(timeout=120)

    assert "created" == first["event"]
    assert [("please", "pleased")] == [(one["event"], one["state"]) for one in rest]
    assert 0 == code


def test_watching_ends_with_control_c(desk: Desk) -> None:
    """Whoever has seen enough leaves without a traceback."""
    desk.define("patience", _NEVER_LEFT)
    desk.begin("patience")
    seen = desk.type("state", "--json").document["process_hash"][:16]
    with Terminal("gate", "watch", folder=desk.folder, prompt=f"{seen}\n") as screen:
        shown = screen.shown()
        code = screen.interrupt()

    assert "created  waiting  agent:agent" in shown
    assert 130 == code


def test_people_are_named_by_those_who_are_known(desk: Desk) -> None:
    """Only the first needs nobody's word; the file is its owner's alone."""
    credential = desk.reviewer()
    alone = desk.type("people", "add", "bob", "--role", "reviewer", "--token", "--json")
    vouched = desk.type(
        "people", "add", "bob", "--role", "human", "--token", "--json",
        "--credential-file", credential,
    )  # fmt: skip
    listed = desk.type("people", "list", "--json").document["people"]
    removed = desk.type(
        "people", "remove", "ann", STATE_GATE_CREDENTIAL=vouched.document["credential"]
    )
    kept = desk.folder / ".state_gate" / "people.json"

    assert (3, "CREDENTIAL_REFUSED") == (alone.code, alone.refusal)
    assert [("ann", "reviewer"), ("bob", "human")] == [(one["name"], one["role"]) for one in listed]
    assert {"name", "role", "added_at"} == set(listed[0])
    assert 0 == removed.code
    assert ["bob"] == [one["name"] for one in json.loads(kept.read_text())["people"]]
    assert 0o600 == stat.S_IMODE(kept.stat().st_mode)


def test_a_person_decides_at_a_terminal(desk: Desk) -> None:
    """Passphrases are not shown; the review is, before anything is asked."""
    walk_to_decide(desk)
    words = ("gate", "people", "add", "ann", "--role", "reviewer")
    prompts = (": ", "? [y/N]: ")
    with Terminal(*words, folder=desk.folder, prompt=prompts) as screen:
        asked = screen.shown()
        twice = screen.type(_SECRET)
        screen.type(_SECRET)
        assert 0 == screen.leave()
    with Terminal("gate", "approve", folder=desk.folder, prompt=prompts) as screen:
        screen.shown()
        screen.type("ann")
        shown = screen.type(_SECRET)
        done = screen.type("y")
        code = screen.leave()

    assert "Passphrase for the new person: " == asked
    assert _SECRET not in twice + shown
    assert "decision.md" in shown
    assert shown.endswith("approve? [y/N]: ")
    assert "decide → done, revision 7" in done
    assert 0 == code


def test_inline_front_matter_passes_verify(desk: Desk) -> None:
    """`verify` reads the fields of inline evidence as `emit` did."""
    desk.begin()
    matter = json.dumps("---\nclaim: it does\nconfidence: high\n---\nTwice.\n")
    observed = ("--inline", 'observation="a"', "--inline", 'observation="b"')
    desk.emit("submit_hypothesis", 1, "--inline", 'hypothesis="h"')
    desk.emit("submit_evidence", 2, "--inline", "evidence=40")
    desk.emit("submit_observation", 3, *observed)
    accepted = desk.emit("submit_synthesis", 4, "--inline", f"synthesis={matter}")

    verified = desk.type("verify", "--json")

    assert 0 == accepted.code, accepted.out
    assert (0, True) == (verified.code, verified.document["passed"])


def test_nobody_decides_blindly(desk: Desk) -> None:
    """Where nobody can be asked, the digest of what was looked at is needed."""
    walk_to_decide(desk)
    asked = desk.type("approve", "--credential-file", desk.reviewer())

    assert 2 == asked.code
    assert "give --digest" in asked.err


def _ask_hook(desk: Desk, tool: str, **more: object) -> dict[str, str] | None:
    """What the hook says of a tool; None for no decision."""
    call = json.dumps({"tool_name": tool, **more})
    answered = desk.type("hook", "pre-tool-use", stdin=call)
    assert 0 == answered.code, answered.err
    said: dict[str, str] | None = answered.document.get("hookSpecificOutput")
    return said


def test_a_tool_is_allowed_denied_or_asked_about(desk: Desk) -> None:
    """The state's permissions answer; the gate's own tools need no permission."""
    desk.define("patience", _NEVER_LEFT)
    desk.begin("patience")
    own = "mcp__saniwa__emit_event"
    tools = ("Bash", "EditFile", "Read", "Write", own)
    said = {tool: _ask_hook(desk, tool) or {} for tool in tools}

    assert {"Bash": "deny", "EditFile": "ask", "Read": "allow", "Write": "deny", own: None} == {
        tool: told.get("permissionDecision") for tool, told in said.items()
    }
    assert "in state 'waiting'" in said["Bash"]["permissionDecisionReason"]


@pytest.mark.parametrize("process", ["", "exploration"])
def test_the_hook_decides_nothing_where_nothing_is_stated(desk: Desk, process: str) -> None:
    """Without a run, or without permissions in its state, the host decides."""
    if process:
        desk.begin(process)
    call = {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}
    answered = desk.type("hook", "pre-tool-use", stdin=json.dumps(call))

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
    desk: Desk, process: str, tool: str, asked: dict[str, str]
) -> None:
    """In every state, and also without a run."""
    if process:
        desk.begin(process)
    said = _ask_hook(desk, tool, tool_input=asked, cwd=str(desk.folder))

    assert said is not None
    assert "deny" == said["permissionDecision"]
    assert "belongs to the gate" in said["permissionDecisionReason"]


def test_an_empty_allowed_list_denies_every_tool_but_the_gates(desk: Desk) -> None:
    """`allowed: []` means that no tool is allowed."""
    permissions = "tool_permissions: {allowed: []}"
    text = re.sub(r"tool_permissions: {.*}}", permissions + "}", _NEVER_LEFT)
    desk.define("patience", text)
    desk.begin("patience")
    said = _ask_hook(desk, "Read")

    assert said is not None
    assert "deny" == said["permissionDecision"]
    assert _ask_hook(desk, "mcp__saniwa__get_state") is None


def test_after_an_event_the_new_state_says_what_to_do(desk: Desk) -> None:
    """The prompt is told after an event was sent, and only then."""
    desk.define("patience", _NEVER_LEFT)
    desk.begin("patience")
    sent = {"tool_name": "Bash", "tool_input": {"command": "saniwa gate emit please"}}
    told = desk.type("hook", "post-tool-use", stdin=json.dumps(sent)).document
    other = desk.type("hook", "post-tool-use", stdin='{"tool_name": "Read"}').document

    assert {
        "hookEventName": "PostToolUse",
        "additionalContext": "waiting, revision 1: Wait.",
    } == told["hookSpecificOutput"]
    assert {} == other


def test_a_gate_that_cannot_be_read_denies_where_it_was_told_to(desk: Desk) -> None:
    """A broken gate is an error; with --fail-closed it also denies the tool."""
    config = desk.folder / ".state_gate" / "state-gate.json"
    config.parent.mkdir()
    config.write_text("{")
    call = '{"tool_name": "Read"}'
    open_ = desk.type("hook", "pre-tool-use", stdin=call)
    closed = desk.type("hook", "pre-tool-use", "--fail-closed", stdin=call)
    nonsense = desk.type("hook", "pre-tool-use", stdin="{")

    assert 3 == open_.code
    assert "[STORE_UNREADABLE]" in open_.err
    assert "deny" == closed.document["hookSpecificOutput"]["permissionDecision"]
    assert 2 == nonsense.code


def test_what_was_mended_on_opening_is_told(desk: Desk) -> None:
    """A table that a crash left torn is completed, and a warning says so."""
    run_id = desk.begin()
    table = desk.folder / f".state_gate/runs/{run_id}.csv"
    whole = table.read_bytes()
    table.write_bytes(whole[:-5])
    shown = desk.type("emit", "submit_hypothesis", "--expected-revision", "1", "--key", "k")

    assert "warning: [LOG_MENDED]" in shown.err
    assert whole == table.read_bytes()


def test_a_broken_run_hides_no_other(desk: Desk) -> None:
    """Lists and ticks go on past a run that cannot be trusted, and say so."""
    desk.define("patience", _TIMED)
    broken, whole = desk.begin("patience"), desk.begin("patience")
    record = desk.folder / f".state_gate/metadata/{broken}.jsonl"
    record.write_bytes(record.read_bytes().replace(b"waiting", b"pleased"))
    listed = desk.type("runs", "--json")
    ticked = desk.type("tick")
    verified = desk.type("verify", "--all", "--json")

    assert 3 == listed.code
    assert [whole] == [run["run_id"] for run in listed.document["runs"]]
    assert ["TRACE_CORRUPT"] == [each["code"] for each in listed.document["broken"]]
    assert 3 == ticked.code
    assert f"{whole}  give_up  waiting → bored, revision 2\n" == ticked.out
    assert "[TRACE_CORRUPT]" in ticked.err
    assert {broken: False, whole: True} == {
        run["run_id"]: run["passed"] for run in verified.document["runs"]
    }


def test_ticking_goes_on_until_control_c(desk: Desk) -> None:
    """With --every, what becomes due later is done later; Ctrl-C ends it."""
    desk.define("patience", _TIMED)
    run_id = desk.begin("patience")
    words = ("gate", "tick", "--every", "20ms")
    with Terminal(*words, folder=desk.folder, prompt="revision 2\n") as screen:
        shown = screen.shown()
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
        (("people", "add", "ann", "--role", "human"), "give --token"),
        (("stat",), "Did you mean 'state'?"),
    ],
)
def test_a_command_typed_wrongly_says_how_it_is_typed(
    desk: Desk, words: tuple[str, ...], told: str
) -> None:
    """Mistakes of the hand end with 2, before anything is opened."""
    answered = desk.type(*words)

    assert 2 == answered.code
    assert told in answered.err
    assert not (desk.folder / ".state_gate").exists()
