"""Decisions at the command line: who may make them, about what, and with which credential."""

import json
import re
import stat
from pathlib import Path

import click
import pytest

from saniwa.cli.main import LazyGroup
from tests.journeys.gate_terminal import UNTIMED_PROCESS, GateTerminal, walk_to_decide
from tests.journeys.terminal import Terminal

_SECRET = "correct horse"


@pytest.fixture
def terminal(tmp_path: Path) -> GateTerminal:
    """A gate in an empty folder."""
    return GateTerminal(tmp_path)


@pytest.mark.parametrize("role", ["reviewer", "human"])
def test_a_role_cannot_be_had_by_saying_so(terminal: GateTerminal, role: str) -> None:
    """Neither the environment nor an option nor a payload gives a caller a person's role."""
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
    """A role that can approve needs a credential, whatever its name is."""
    walk_to_decide(terminal)
    digest = ("--approval-digest", terminal.read_digest())
    refused = terminal.emit("approve", 6, *digest, STATE_GATE_ROLE="lead")

    assert "FORBIDDEN" == refused.refusal


def test_a_wrong_credential_opens_nothing_and_is_not_repeated(terminal: GateTerminal) -> None:
    """A wrong name and a wrong secret get the same error, which does not repeat them."""
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
    """No option's value is a secret, which other users could see in the process list."""
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
    """The digest of a review is used once, and is not accepted for a later review."""
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
    """A file changed since its submission stops an approval, and `verify` names it."""
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


def test_after_a_rejection_a_review_says_why_and_what_is_old(terminal: GateTerminal) -> None:
    """After a rejection a review shows its reason and the evidence from before it."""
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
    """An override needs a person's reason, and the history says what was missing."""
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


def test_a_run_moves_to_a_new_definition_only_by_a_person(terminal: GateTerminal) -> None:
    """Only a person can move a run to a new definition, which must have its state."""
    terminal.define("patience", UNTIMED_PROCESS)
    run_id = terminal.begin("patience")
    credential = ("--credential-file", terminal.add_reviewer())
    terminal.define("patience", UNTIMED_PROCESS.replace('version: "1"', 'version: "2"'))
    pinned = terminal.run_command("state", "--json").document["process_version"]
    agent = terminal.run_command("migrate", run_id, "--json")
    moved = terminal.run_command("migrate", run_id, *credential, "--json")
    lost = UNTIMED_PROCESS.replace("waiting", "sitting")
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


def test_people_are_named_by_those_who_are_known(terminal: GateTerminal) -> None:
    """Only the first person is added without a registered person, and the file is private."""
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


def test_changed_evidence_is_submitted_again_as_the_gate_says(terminal: GateTerminal) -> None:
    """The state and a refused approval print a complete command to submit again, which works."""
    run_id = walk_to_decide(terminal)
    credential = terminal.add_reviewer()
    terminal.put(run_id, "synthesis.md", "---\nclaim: no\nconfidence: low\n---\n")
    state = terminal.run_command("state").out
    deciding = ("approve", "--credential-file", credential, "--digest")
    refused = terminal.run_command(*deciding, terminal.read_digest())
    command = refused.err.partition("submit again: saniwa gate ")[2].split()
    again = terminal.run_command(*command)
    approved = terminal.run_command(*deciding, terminal.read_digest())

    assert f"submit again: saniwa gate {' '.join(command)}\n" in state
    assert (1, 0, 0) == (refused.code, again.code, approved.code)


def test_the_state_ties_each_guard_to_its_event(terminal: GateTerminal) -> None:
    """The state lists every guard with its event, its target state and whether it is satisfied."""
    walk_to_decide(terminal)

    state = terminal.run_command("state").out

    assert "gate emit" in state.partition("such as   saniwa ")[2]
    # Nothing is missing for this event, so the command names no file.
    assert "submit_decision --expected-revision 6 --key submit_decision-6\n" in state
    assert "guard     submit_decision → decide (has_decision): satisfied" in state
    assert "guard     approve → done (decidable): satisfied" in state


def test_the_state_names_the_command_for_people(terminal: GateTerminal) -> None:
    """Where a decision is due, it shows which there are and how to read the evidence."""
    run_id = walk_to_decide(terminal)

    state = terminal.run_command("state").out

    assert "people    decide (approve, reject) after reading: saniwa" in state
    assert f"gate review {run_id}\n" in state


def test_the_review_and_a_refused_agent_name_the_command_of_people(terminal: GateTerminal) -> None:
    """The review ends with the commands that decide; so does the refusal of an agent's decision."""
    run_id = walk_to_decide(terminal)

    review = terminal.run_command("review").out
    refused = terminal.run_command("emit", "approve", "--expected-revision", "6", "--key", "a")

    assert review.endswith(
        f"  such as   saniwa gate approve {run_id}\n            saniwa gate reject {run_id}\n"
    )
    assert f"hint: reviewer may send it: saniwa gate approve {run_id}\n" in refused.err


def test_a_rejection_at_a_terminal_asks_for_its_reason(terminal: GateTerminal) -> None:
    """After the confirmation, a rejection asks why; the state shows the reason to the agent."""
    walk_to_decide(terminal)
    words = ("gate", "reject", "--credential-file", terminal.add_reviewer())
    with Terminal(*words, folder=terminal.folder, prompt=("? [y/N]: ", "Reason: ")) as screen:
        screen.read_shown()
        asked = screen.type_line("y")
        screen.type_line("measure it twice")
        code = screen.leave()

    assert asked.endswith("Reason: ")
    assert 0 == code
    assert 'revision 7: "measure it twice"' in terminal.run_command("state").out


def test_a_decision_says_how_to_register_the_first_person(terminal: GateTerminal) -> None:
    """Without a registered person, a decision says how to register the first one."""
    walk_to_decide(terminal)
    with Terminal("gate", "approve", folder=terminal.folder, prompt=(": ",)) as screen:
        shown = screen.read_shown()
        code = screen.leave()

    assert "Register yourself first: " in shown
    assert "gate people add NAME --role reviewer" in shown
    assert 2 == code


def test_a_person_decides_at_a_terminal(terminal: GateTerminal) -> None:
    """A decision at a terminal shows the review before it asks, and never shows secrets."""
    walk_to_decide(terminal)
    words = ("gate", "people", "add", "ann", "--role", "reviewer")
    prompts = (": ", "? [y/N]: ", "Reason: ")
    with Terminal(*words, folder=terminal.folder, prompt=prompts) as screen:
        asked = screen.read_shown()
        twice = screen.type_line(_SECRET)
        screen.type_line(_SECRET)
        assert 0 == screen.leave()
    with Terminal("gate", "approve", folder=terminal.folder, prompt=prompts) as screen:
        screen.read_shown()
        screen.type_line("ann")
        shown = screen.type_line(_SECRET)
        why = screen.type_line("y")
        done = screen.type_line("it dissolves, twice")
        code = screen.leave()

    assert why.endswith("Reason: ")
    assert "Secret for the new person (12 to 1,000 characters): " == asked
    assert _SECRET not in twice + shown
    assert "decision.md" in shown
    assert shown.endswith("approve? [y/N]: ")
    assert "decide → done, revision 7" in done
    assert 0 == code


def test_no_person_decides_blindly(terminal: GateTerminal) -> None:
    """Without a terminal, a decision needs the digest of the review."""
    walk_to_decide(terminal)
    asked = terminal.run_command("approve", "--credential-file", terminal.add_reviewer())

    assert 2 == asked.code
    assert "pass the --digest" in asked.err
