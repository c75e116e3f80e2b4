"""The output of the gate's commands for people: complete, and without forged lines."""

import json
import re
import shlex
from pathlib import Path

import pytest

from saniwa.process.reader import read_process_text
from tests.house.pages import ROOT
from tests.journeys.gate_terminal import CommandAnswer, GateTerminal, answer_of, walk_to_decide

_FREE = """\
process_id: free
version: "1"
name: Free
states:
  - {name: open, prompt: Write., required_artifacts: []}
  - {name: shut, is_final: true}
events:
  - name: tell
    description: Say it.
    allowed_roles: [agent]
    payload_schema:
      type: object
      required: [title]
      properties:
        title: {type: string}
        pages: {type: integer}
        tone: {enum: [plain, warm]}
  - {name: close, allowed_roles: [agent]}
  - {name: reject, allowed_roles: [reviewer]}
roles:
  - {name: agent, allowed_events: [tell, close]}
  - {name: reviewer, allowed_events: [reject], can_reject: true}
transitions:
  - {from: open, event: tell, to: open}
  - {from: open, event: close, to: shut}
  - {from: open, event: reject, to: open}
"""
_PROOF = """\
process_id: proof
version: "1"
name: Proof
states: [open, {name: shut, is_final: true}]
events: [{name: approve, allowed_roles: [reviewer]}]
transitions: [{from: open, event: approve, to: shut, guard: has_report}]
guards: {has_report: {type: artifact, artifact_type: report, condition: exists}}
artifacts: [{type: report}]
"""
_PROOF_CLOSABLE = _PROOF.replace(
    "events: [", "events: [{name: close, allowed_roles: [agent]}, "
).replace("transitions: [", "transitions: [{from: open, event: close, to: shut}, ")
_HURRIED = """\
process_id: hurried
version: "1"
name: Hurried
states:
  - {name: waiting}
  - {name: bored, is_final: true}
events:
  - {name: give_up, allowed_roles: [agent]}
transitions:
  - {from: waiting, event: give_up, to: bored, after: 1ms}
"""


@pytest.fixture
def terminal(tmp_path: Path) -> GateTerminal:
    """A gate in an empty folder."""
    return GateTerminal(tmp_path)


def test_a_review_shows_what_was_submitted_directly(terminal: GateTerminal) -> None:
    """Inline evidence is shown by field and line, shortened, with special characters escaped."""
    terminal.begin()
    said = {"expect": "a\u202eb\nc", "more": "x" * 900, "list": [1, {"deep": True}]}
    payload = ("--payload", '{"assumptions": ["it is warm"]}')
    sent = terminal.emit(
        "submit_hypothesis", 1, "--inline", f"hypothesis={json.dumps(said)}", *payload
    )
    shown = terminal.run_command("review").out.split("\n")

    assert 0 == sent.code
    quoted = [line.removeprefix(" " * 12) for line in shown if line.startswith(" " * 12 + "| ")]
    assert "| - it is warm" == quoted[0]
    assert ["| expect: |", r"|   a\u202eb", "|   c"] == quoted[1:4]
    assert quoted[4].startswith("| more: xxx")
    assert quoted[4].endswith("…")
    assert ["| list:", "|   - 1", "|   -", "|     deep: true"] == quoted[5:]


def test_a_review_says_who_submitted_when_and_what_a_decision_changes(
    terminal: GateTerminal,
) -> None:
    """A review names the author and the time of evidence, and where each decision leads."""
    walk_to_decide(terminal)
    shown = terminal.run_command("review").out
    first = terminal.run_command("review", "--json").document["evidence"][0]

    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", first["created_at"])
    assert f"by agent:agent, {first['created_at']}\n" in shown
    assert (
        "  decide    approve → done (reviewer)\n"
        "            override_guard: takes the event that you name, although evidence is missing\n"
        "            reject → experiment (reviewer)\n"
    ) in shown


def test_a_decision_that_is_blocked_says_by_what(terminal: GateTerminal) -> None:
    """Where evidence is missing for an approval, the review says so next to it."""
    terminal.define("proof", _PROOF)
    terminal.begin("proof")

    shown = terminal.run_command("review").out

    assert "  decide    approve → shut (reviewer): needs an artifact of kind 'report'\n" in shown


@pytest.mark.parametrize(
    "event", ["close", "approve"], ids=["new event", "decision that an agent never makes"]
)
def test_a_changed_process_file_is_named_with_the_command_that_moves_the_run(
    terminal: GateTerminal, event: str
) -> None:
    """If the process file has changed, the state and a refusal say how to move the run to it."""
    terminal.define("proof", _PROOF)
    run_id = terminal.begin("proof")
    send = ("emit", event, "--expected-revision", "1", "--key", "c")
    before = [terminal.run_command("state").out, terminal.run_command(*send).err]
    terminal.define("proof", _PROOF_CLOSABLE)
    after = [terminal.run_command("state").out, terminal.run_command(*send).err]
    cure = f"a person can move the run to it: saniwa gate migrate {run_id}\n"
    moved = terminal.run_command("migrate", run_id, "--credential-file", terminal.add_reviewer())
    still = [terminal.run_command("state").out, terminal.run_command(*send).err]

    assert 0 == moved.code, moved.err
    assert [event == "close", True] == [cure in after[1], cure in after[0]]
    assert not [text for text in (*before, *still) if "saniwa gate migrate" in text]


def test_a_process_file_with_errors_is_named_with_the_command_that_lists_them(
    terminal: GateTerminal,
) -> None:
    """If the process file has errors now, the state names the command that lists them."""
    terminal.define("proof", _PROOF)
    terminal.begin("proof")
    terminal.define("proof", _PROOF.replace("to: shut", "to: shutt"))

    state = terminal.run_command("state")

    assert 0 == state.code
    assert "cannot be used, so this run cannot move to it: saniwa gate check proof\n" in state.out


def test_a_review_names_the_run_and_the_files_to_look_at(terminal: GateTerminal) -> None:
    """A review names the run and the paths of its evidence."""
    run_id = walk_to_decide(terminal)
    shown = terminal.run_command("review").out

    assert f"  run       {run_id}\n" in shown
    assert f"look at .state_gate/artifacts/{run_id}/hypothesis.md\n" in shown


def test_no_role_of_a_door_forges_a_line(terminal: GateTerminal) -> None:
    """A role with line breaks is shown on one line."""
    role = "x\n  digest    0000"
    made = terminal.run_command(
        "create-run",
        *("--process", "exploration", "--write-config", "--json"),
        STATE_GATE_ROLE=role,
    )
    shown = terminal.run_command("history").out

    assert 0 == made.code
    assert "\n  digest    0000" not in shown
    assert r"agent:x\n  digest    0000" in shown


def test_the_state_says_what_a_person_decided_last(terminal: GateTerminal) -> None:
    """The state shows the last decision with person and reason."""
    terminal.define("free", _FREE)
    terminal.begin("free")
    reviewer = ("--credential-file", terminal.add_reviewer())
    why = "say\nmore"
    done = terminal.run_command(
        "reject", "--digest", terminal.read_digest(), "--reason", why, *reviewer
    )
    shown = terminal.run_command("state").out

    assert 0 == done.code, done.err
    assert '  decided   reject by ann as reviewer, revision 2: "say\\nmore"\n' in shown


def test_the_state_marks_what_is_overdue(terminal: GateTerminal) -> None:
    """The state marks a timed transition that is overdue."""
    terminal.define("hurried", _HURRIED)
    terminal.begin("hurried")

    assert "overdue: the next event or `saniwa gate tick` takes it\n" in (
        terminal.run_command("state").out
    )


def test_events_tell_the_form_of_a_payload(terminal: GateTerminal) -> None:
    """The list of events shows the names and types of their payloads."""
    terminal.define("free", _FREE)
    terminal.begin("free")

    assert (
        '  payload   title: string (needed), pages: integer, tone: "plain" or "warm"\n'
    ) in terminal.run_command("events").out


def test_a_refusal_shows_each_sentence_once(terminal: GateTerminal) -> None:
    """A refusal prints what is missing only once."""
    terminal.begin()
    refused = terminal.run_command(
        "emit", "submit_hypothesis", "--expected-revision", "1", "--key", "k"
    )

    assert 1 == refused.err.count("needs an artifact of kind 'hypothesis'")
    assert "[GUARD_FAILED]: 'submit_hypothesis' needs more evidence\n" in refused.err


def test_nothing_due_is_reported(terminal: GateTerminal) -> None:
    """A tick without a due transition says so."""
    terminal.begin()

    assert "No timed transition was due.\n" == terminal.run_command("tick").out


@pytest.mark.parametrize("words", [("state",), ("state", "last"), ("runs",)])
def test_a_folder_without_a_gate_is_reported(
    terminal: GateTerminal, words: tuple[str, ...]
) -> None:
    """In a folder without a gate, a command says so and how to create a run."""
    told = terminal.run_command(*words)

    assert "his folder has no gate" in told.out + told.err
    assert "saniwa gate create-run" in told.out + told.err


def test_a_subfolder_uses_the_gate_of_the_folder_above(terminal: GateTerminal) -> None:
    """In a subfolder, commands use the nearest gate above, as git does, and say that they do."""
    run_id = terminal.begin()
    inner = terminal.folder / "src" / "deep"
    inner.mkdir(parents=True)
    state = answer_of(inner, "gate", "state")
    made = answer_of(inner, "gate", "create-run", "--process", "exploration", "--artifacts", ".")
    new = answer_of(inner, "gate", "new", "deploy")
    (inner / "hypothesis.md").write_text("warm")
    sent = ("submit_hypothesis", "--expected-revision", "1", "--key", "a")
    told = answer_of(inner, "gate", "emit", "last", *sent, "--artifact", "hypothesis.md")
    listed = terminal.run_command("runs").out.split("\n")
    gate = terminal.folder / ".state_gate"
    used = f"\ngate {gate}; to make one in this folder, add --dir .state_gate\n"

    assert f"  run       {run_id}\n" in state.out
    assert [run_id, made.out.split()[0]] == [line.split()[0] for line in listed if line]
    assert f"\nevidence goes into {inner}\n" in made.out
    assert [True, True, False] == [used in answer.out for answer in (made, new, state)]
    assert (gate / "processes" / "deploy.yaml").exists()
    assert 0 == told.code, told.err
    assert not (inner / ".state_gate").exists()


def test_a_second_gate_below_another_is_made_where_it_is_named(terminal: GateTerminal) -> None:
    """With `--dir .state_gate` a subfolder gets its own gate, and then uses it."""
    terminal.begin()
    inner = terminal.folder / "inner"
    inner.mkdir()
    create = ("gate", "create-run", "--process", "exploration")
    named = answer_of(inner, *create, "--dir", ".state_gate")
    after = answer_of(inner, *create)

    assert [0, 0] == [named.code, after.code]
    assert "to make one in this folder" not in named.out + after.out
    assert 2 == len(list((inner / ".state_gate" / "runs").glob("*.csv")))
    assert 1 == len(list((terminal.folder / ".state_gate" / "runs").glob("*.csv")))


@pytest.mark.parametrize("words", [("verify",), ("verify", "--all"), ("tick",)])
def test_nothing_is_fine_where_there_is_no_gate(
    terminal: GateTerminal, words: tuple[str, ...]
) -> None:
    """In a folder without a gate, checking runs exits with status 2."""
    told = terminal.run_command(*words)

    assert (2, "") == (told.code, told.out)
    assert "This folder has no gate" in told.err


def test_an_unknown_run_is_reported_with_the_command_that_lists_them(
    terminal: GateTerminal,
) -> None:
    """For an unknown run the error names the command that lists runs."""
    terminal.begin()
    gone = "run-00000000-0000-7000-8000-000000000000"
    looked = terminal.run_command("state", gone)
    sent = terminal.run_command("emit", gone, "x", "--expected-revision", "1", "--key", "k")
    part = terminal.run_command("state", "zzzzzzzz")

    assert [True] * 3 == ["saniwa gate runs" in each.err for each in (looked, sent, part)]
    assert [3, 1, 3] == [each.code for each in (looked, sent, part)]


def test_a_file_that_is_not_there_is_reported_with_where_it_was_looked_for(
    terminal: GateTerminal,
) -> None:
    """For a missing file the error names the folder and a file of that name inside it."""
    run_id = terminal.begin()
    inside = terminal.put(run_id, "ev/hypothesis.md", "warm\n")
    outside = terminal.folder / "hypothesis.md"
    outside.write_text("warm\n")
    seen = str(inside.relative_to(terminal.folder))
    one = terminal.run_command(
        *("emit", "submit_hypothesis", "--expected-revision", "1", "--key", "k"),
        *("--artifact", seen),
    )
    other = terminal.run_command(
        *("emit", "submit_hypothesis", "--expected-revision", "1", "--key", "k"),
        *("--artifact", "hypothesis.md"),
    )

    assert f"looked in .state_gate/artifacts/{run_id}" in one.err
    assert "write --artifact ev/hypothesis.md" in one.err
    assert (
        f"cp {outside.name} .state_gate/artifacts/{run_id}; then write --artifact hypothesis.md"
        in other.err
    )


def test_a_new_run_begins_with_its_instructions(terminal: GateTerminal) -> None:
    """A new run shows the instructions of its first state; `new` prints a command that starts one."""
    made = terminal.run_command("new", "my deploy")
    begin = made.out.partition("start a run: saniwa gate ")[2].strip()
    begun = terminal.run_command(*shlex.split(begin))
    sent = ("emit", "submit", "--expected-revision", "1", "--key", "k", "--artifact")
    missing = terminal.run_command(*sent, "report.md")

    assert "check it: saniwa gate check 'my deploy'\n" in made.out
    assert begun.out.endswith(
        "evidence goes into .\n\nDo the work, write report.md, and submit it with the event submit.\n"
    )
    assert missing.err.endswith("hint: looked in the current folder\n")


def test_changed_evidence_is_named_also_where_none_can_be_submitted(terminal: GateTerminal) -> None:
    """A state in which only people decide, or the last one, says what to do about a changed file."""
    terminal.run_command("new", "deploy")
    run_id = terminal.begin("deploy")
    first = terminal.run_command("state").out
    terminal.put(run_id, "report.md", "done")
    terminal.emit("submit", 1, "--artifact", "report.md")
    terminal.put(run_id, "report.md", "not done")
    waiting = terminal.run_command("state").out
    terminal.put(run_id, "report.md", "done")
    decided = ("--digest", terminal.read_digest(), "--credential-file", terminal.add_reviewer())
    assert 0 == terminal.run_command("approve", *decided).code
    terminal.put(run_id, "report.md", "not done")
    ended = terminal.run_command("state").out

    assert "(FILE is a path in this folder, and is named after its kind)" in first
    assert "  changed   restore 'report.md', or reject\n" in waiting
    assert ended.endswith("  changed   restore 'report.md'\n")
    assert "FILE" not in waiting + ended


def test_a_file_that_was_copied_is_named_by_its_place_there(terminal: GateTerminal) -> None:
    """For a file outside the folder the error shows how to copy it, then how it is named there."""
    run_id = terminal.begin()
    (terminal.folder / "my papers").mkdir()
    (terminal.folder / "my papers/hypothesis.md").write_text("warm\n")
    sent = ("emit", "submit_hypothesis", "--expected-revision", "1", "--key", "k")
    missing = terminal.run_command(*sent, "--artifact", "my papers/hypothesis.md")
    terminal.put(run_id, "hypothesis.md", "warm\n")
    copied = terminal.run_command(*sent, "--artifact", "my papers/hypothesis.md")

    assert (
        f"cp 'my papers/hypothesis.md' .state_gate/artifacts/{run_id}; "
        "then write --artifact hypothesis.md"
    ) in missing.err
    assert "it is there already: write --artifact hypothesis.md" in copied.err
    assert "cp " not in copied.err


def test_an_answer_given_before_says_so_and_how_to_submit_a_changed_file(
    terminal: GateTerminal,
) -> None:
    """A repeated request says that nothing was sent, and how to submit a file that has changed."""
    run_id = terminal.begin()
    terminal.put(run_id, "hypothesis.md", "warm")
    terminal.put(run_id, "evidence.md", "204")
    steps = [("submit_hypothesis", "1", "hypothesis.md"), ("submit_evidence", "2", "evidence.md")]
    commands = [
        (
            "emit",
            event,
            "--expected-revision",
            revision,
            "--key",
            "k" + revision,
            "--artifact",
            file,
        )
        for event, revision, file in steps
    ]
    for command in commands:
        terminal.run_command(*command)
    same = terminal.run_command(*commands[1])
    terminal.put(run_id, "evidence.md", "205")
    changed = terminal.run_command(*commands[1])
    terminal.put(run_id, "evidence.md", "204")
    terminal.put(run_id, "hypothesis.md", "cold")
    other = terminal.run_command(*commands[0])
    as_json = terminal.run_command(*commands[0], "--json")

    told = "note: the key 'k2' was used before: this is the answer given then; nothing was sent now"
    assert ["experiment → observe, revision 3 (accepted before)"] * 2 == [
        each.out.partition("\n")[0] for each in (same, changed)
    ]
    assert same.err.rstrip() == told
    again = f"{run_id} submit_evidence --expected-revision 3 --key again-3 --artifact evidence.md"
    assert changed.err.startswith(
        told + "\nnote: evidence has changed since it was submitted: restore 'evidence.md'"
    )
    assert changed.err.rstrip().endswith(f"or submit again: saniwa gate emit {again}")
    assert "restore 'hypothesis.md', or submit again with the next event" in other.err
    assert "" == as_json.err


def test_a_process_file_is_put_where_processes_are_found(terminal: GateTerminal) -> None:
    """For a process file as a name, the error says where to put it and its id there."""
    (terminal.folder / "free.yaml").write_text(_FREE)
    told = terminal.run_command("create-run", "--process", "free.yaml")

    assert 3 == told.code
    assert "put the file into .state_gate/processes, then: --process free" in told.err


def test_a_folder_outside_is_reported_with_the_project(terminal: GateTerminal) -> None:
    """For a folder outside the project the error names the project, or the path inside it."""
    outside = terminal.run_command("create-run", "--process", "exploration", "--artifacts", "/a/b")
    whole = str(terminal.folder / "papers")
    inside = terminal.run_command("create-run", "--process", "exploration", "--artifacts", whole)

    assert f"the project is {terminal.folder}" in outside.err
    assert "--artifacts papers" in inside.err


def test_a_state_to_wait_for_must_exist(terminal: GateTerminal) -> None:
    """Waiting for an unknown state is an error that offers the nearest."""
    terminal.begin()
    told = terminal.run_command("watch", "--until", "experimnt")

    assert 2 == told.code
    assert "did you mean 'experiment'?" in told.err


def test_an_export_is_harmless_unless_the_exact_log_is_asked_for(terminal: GateTerminal) -> None:
    """An export is safe for spreadsheets by default; `--exact` gives the log itself."""
    run_id = terminal.begin()
    terminal.put(run_id, "=1_hypothesis.md", "It is a formula.\n")
    terminal.emit("submit_hypothesis", 1, "--artifact", "=1_hypothesis.md")
    kept = (terminal.folder / f".state_gate/runs/{run_id}.csv").read_bytes()
    plain = terminal.run_command("export")
    exact = terminal.run_command("export", "--exact")
    filed = terminal.run_command("export", "--exact", "-o", "run.csv")

    assert ",'=1_hypothesis.md" in plain.out
    assert kept.decode() == exact.out
    assert (0, "") == (filed.code, filed.out)
    assert kept == (terminal.folder / "run.csv").read_bytes()


def test_an_export_never_overwrites_a_file(terminal: GateTerminal) -> None:
    """An export does not overwrite a file, such as the run's own."""
    run_id = terminal.begin()
    own = [f".state_gate/runs/{run_id}.csv", f".state_gate/metadata/{run_id}.jsonl"]
    (terminal.folder / "notes.txt").write_text("mine\n")
    for name in (*own, "notes.txt"):
        before = (terminal.folder / name).read_bytes()
        refused = terminal.run_command("export", "-o", name)

        assert (2, "") == (refused.code, refused.out)
        assert f"--output: the file {name!r} already" in refused.err
        assert before == (terminal.folder / name).read_bytes()


def test_a_new_process_is_the_smallest_that_needs_evidence_and_a_person(
    terminal: GateTerminal, tmp_path: Path
) -> None:
    """A new process has its own id and version and no findings; the guide shows its text."""
    assert 0 == terminal.run_command("new", "deploy").code

    written = next(tmp_path.rglob("deploy.yaml")).read_text(encoding="utf-8")
    process = read_process_text(written).process
    assert process is not None
    assert ("deploy", "deploy", "1") == (process.process_id, process.name, process.version)
    assert ["draft", "review", "done"] == [each.name for each in process.states]
    assert 0 == terminal.run_command("check", "deploy", "--strict").code
    lines = [each for each in written.splitlines() if not each.lstrip().startswith("#")]
    shown = (ROOT / "docs" / "guide" / "gate.md").read_text(encoding="utf-8")
    assert "\n".join(lines) in shown


def test_a_process_is_started_from_another(terminal: GateTerminal) -> None:
    """A process can be copied from another, and never overwrites a file."""
    made = terminal.run_command("new", "mine", "--from", "exploration")
    again = terminal.run_command("new", "mine")
    begun = terminal.run_command("create-run", "--process", "mine", "--json")
    written = terminal.folder / ".state_gate/processes/mine.yaml"

    assert 0 == made.code, made.err
    assert "wrote .state_gate/processes/mine.yaml" in made.out
    assert 'process_id: "mine"\n' in written.read_text()
    assert "# From a question to a decision" in written.read_text()
    assert 0 == begun.code
    assert (3, True) == (again.code, "PROCESS_EXISTS" in again.err)
    evil = terminal.run_command("new", "../evil")
    assert (3, True) == (evil.code, "[NAME_UNUSABLE]" in evil.err)
    assert 3 == terminal.run_command("new", "other", "--from", "no_such").code


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("process: {process_id: free}", "it is under 'process' (line 1)"),
        ("processId: free", "its key is 'processId' (line 1)"),
        ("id: free", "its key is 'id' (line 1)"),
        (
            "process_id: &own free\ndescription: *own",
            "it has an anchor that other lines may refer to",
        ),
        ("process_id:\n  free", "it spans several lines (line 1)"),
        ("process_id: >-\n  free", "it spans several lines (line 1)"),
    ],
)
def test_what_cannot_be_renamed_is_reported_and_not_written(
    terminal: GateTerminal, written: str, why: str
) -> None:
    """If the id cannot be replaced, the error says why and no file is written."""
    source = _FREE.replace("process_id: free", written)
    (terminal.folder / "source.yaml").write_text(source)
    told = terminal.run_command("new", "mine", "--from", "source.yaml")

    assert 0 == terminal.run_command("check", "source.yaml").code
    assert 2 == told.code
    assert why in told.err
    assert "write it in one line at the top: process_id: free" in told.err
    assert not (terminal.folder / ".state_gate").exists()


def test_a_process_in_json_is_not_begun_from(terminal: GateTerminal) -> None:
    """A process in JSON cannot be the source of a new one."""
    (terminal.folder / "source.yaml").write_text(
        '{"process_id": "a", "version": "1", "name": "A", '
        '"states": [{"name": "over", "is_final": true}]}'
    )
    told = terminal.run_command("new", "mine", "--from", "source.yaml")

    assert 2 == told.code
    assert "'source.yaml' is JSON, and not YAML in lines" in told.err


def test_a_process_that_hides_a_shipped_one_is_warned_about(terminal: GateTerminal) -> None:
    """A process with the id of a shipped one gives a warning."""
    hiding, other = terminal.run_command("new", "exploration"), terminal.run_command("new", "mine")

    assert (0, 0) == (hiding.code, other.code)
    assert "warning: 'exploration' is also a process included with" in hiding.err
    assert "" == other.err


def test_a_check_can_be_quiet(terminal: GateTerminal) -> None:
    """With `--quiet` a check shows only what makes it fail."""
    terminal.define("free", _FREE + "artifacts:\n  - {type: note}\n")
    loud, quiet = (
        terminal.run_command("check", "free"),
        terminal.run_command("check", "free", "--quiet"),
    )

    terminal.define("broken", _FREE.replace("to: shut", "to: shot"))
    broken = terminal.run_command("check", "broken", "--quiet")

    assert "warning[ARTIFACT_UNUSED]" in loud.out
    assert (0, "") == (quiet.code, quiet.out)
    assert 1 == broken.code
    assert "'shot'" in broken.out


def test_a_shipped_process_is_shown_in_japanese(terminal: GateTerminal) -> None:
    """With `--language ja` a shipped process is shown in Japanese."""
    terminal.begin()

    english = terminal.run_command("state").out
    state = terminal.run_command("state", "--language", "ja").out
    events = terminal.run_command("events", "--language", "ja").out

    assert "needs an artifact of kind 'hypothesis'" in english
    assert "種類'hypothesis'の証拠が必要" in state
    assert "問いを立ててください（探索の種類：hybrid）" in state
    assert "submit_hypothesis  仮説を提出する。" in events


def _list_english(answer: CommandAnswer) -> list[str]:
    """Lines of an answer that have a sentence in English; commands and evidence count as none."""
    assert 0 == answer.code, answer.err
    told = (
        line.partition("saniwa gate ")[0] for line in answer.out.split("\n") if "| " not in line
    )
    return [line for line in told if re.search(r"\b[a-z]+ [a-z]+ [a-z]+\b", line)]


def test_no_sentence_is_left_in_english(terminal: GateTerminal) -> None:
    """With `--language ja`, `state`, `events` and `review` have no sentence in English."""
    japanese = ("--language", "ja")
    run_id = walk_to_decide(terminal)
    before = [terminal.run_command(each) for each in ("state", "review")]
    words = ("--digest", terminal.read_digest(), "--credential-file", terminal.add_reviewer())
    terminal.run_command("reject", *words, "--reason", "cold")
    terminal.put(run_id, "hypothesis.md", "Cold.\n")
    shown = [
        terminal.run_command(*command, *japanese)
        for command in (("state",), ("events", "--include-blocked"), ("review",))
    ]
    terminal.define("proof", _PROOF)
    terminal.begin("proof")
    terminal.define("proof", _PROOF_CLOSABLE)
    shown += [terminal.run_command(each, *japanese) for each in ("state", "events", "review")]
    terminal.define("hurried", _HURRIED)
    terminal.begin("hurried")
    shown.append(terminal.run_command("state", *japanese))

    assert [True, True] == [bool(_list_english(each)) for each in before]
    assert [] == [line for each in shown for line in _list_english(each)]
