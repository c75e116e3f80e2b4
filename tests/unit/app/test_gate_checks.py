import asyncio
import json
import os
import select
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import msgspec
import pytest

from saniwa.app.experiment_start_and_resume import run_experiment
from saniwa.app.gate.gate_opening import open_gate
from saniwa.app.workspace import Workspace, WorkspacePlaces
from saniwa.core import extras
from saniwa.mcp.gate_tools import GateTools
from saniwa.mcp.tool import list_tools, parse_arguments
from saniwa.process.artifact import Claim
from saniwa.process.definition import CheckGuard
from saniwa.process.gate import Gate
from saniwa.process.ports import CheckOutcome
from tests.fakes.gate_callers import GateClient

PYTHON = sys.executable
PROCESS: dict[str, Any] = {
    "process_id": "work",
    "version": "1",
    "name": "Work",
    "states": ["open", "tested", {"name": "closed", "is_final": True}],
    "events": [
        {"name": "test", "allowed_roles": ["agent"]},
        {"name": "close", "allowed_roles": ["agent"]},
    ],
    "transitions": [
        {"from": "open", "event": "test", "to": "tested", "guard": "passes"},
        {"from": "tested", "event": "close", "to": "closed", "guard": "attested"},
    ],
    "guards": {
        "attested": {
            "type": "artifact",
            "artifact_type": "result",
            "condition": "exists",
            "made_by": "gate",
        }
    },
    "artifacts": ["result", {"type": "change", "forms": ["inline", "path"]}],
}


class CheckedProject:
    """A project whose gate runs one check."""

    def __init__(self, home: Path, *programs: str, **check: Any) -> None:
        self.root = home / ".state_gate"
        (self.root / "processes").mkdir(parents=True)
        guards = {**PROCESS["guards"], "passes": {"type": "check", "keep_as": "result", **check}}
        used = {str(check.get(name, "")) for name in ("subject", "artifact_type")}
        kinds = PROCESS["artifacts"] if any("change" in each for each in used) else ["result"]
        written = json.dumps({**PROCESS, "guards": guards, "artifacts": kinds})
        (self.root / "processes" / "work.json").write_text(written)
        settings = json.dumps({"check_commands": programs})
        (self.root / "state-gate.json").write_text(settings)
        with self.open() as gate:
            self.run_id = gate.create_run("work").run_id

    def open(self) -> Gate:
        """The gate, for an agent."""
        return open_gate(self.root)

    def send(self, event: str = "test", *artifacts: dict[str, Any]) -> dict[str, Any]:
        """The gate's answer to an event."""
        with self.open() as gate:
            revision = gate.log.load_run(self.run_id).revision
            return gate.emit_event(
                run_id=self.run_id,
                event_name=event,
                expected_revision=revision,
                idempotency_key=f"{event}-{revision}",
                artifacts=artifacts,
            )

    def get_refusal(self, *artifacts: dict[str, Any]) -> str:
        """The reason why a check refuses the event, which must not be recorded."""
        answer = self.send("test", *artifacts)
        with self.open() as gate:
            assert 1 == gate.log.load_run(self.run_id).revision
        assert not answer["success"], answer
        return str(answer["error"]["message"])

    def verify(self, *, rerun: bool = False) -> set[tuple[str, str]]:
        """The codes and severities of a verification."""
        with self.open() as gate:
            report = gate.verify(self.run_id, rerun=rerun)
        return {(each.code, each.severity) for each in report.findings}


def _make_command(code: str) -> dict[str, Any]:
    return {"kind": "command", "command": [PYTHON, "-c", textwrap.dedent(code)]}


def test_what_a_command_shows_is_evidence_made_by_the_gate(tmp_path: Path) -> None:
    """The exit status and output of a command are kept as evidence made by the gate."""
    project = CheckedProject(tmp_path, PYTHON, **_make_command("print('3 passed')"))

    assert project.send()["success"]
    with project.open() as gate:
        (piece,) = gate.review_run(project.run_id).evidence
        (shown,) = gate.get_state(project.run_id).artifacts
    assert ("gate", "passes", "result") == (piece.made_by, piece.check, piece.type)
    assert "3 passed\n" == piece.content["report"]["output"]
    assert 0 == piece.content["report"]["exit_code"]
    assert ("gate", piece.checked) == (shown.made_by, shown.checked)
    assert set() == project.verify()
    assert project.send("close")["success"]


def test_a_command_that_fails_refuses_the_event(tmp_path: Path) -> None:
    """A command that fails refuses the event, with exit status and end of output."""
    code = "import sys; print('x' * 5000); print('1 failed'); sys.exit(3)"
    told = CheckedProject(tmp_path, PYTHON, **_make_command(code)).get_refusal()

    assert "ended with 3, not 0" in told
    assert "1 failed" in told
    assert len(told) < 2_000


def test_a_typed_result_does_not_count_as_the_gates(tmp_path: Path) -> None:
    """Evidence of an agent does not satisfy a guard with `made_by: gate`."""
    project = CheckedProject(tmp_path, PYTHON, **_make_command("print('ok')"))
    assert project.send("test", {"type": "result", "content": "all passed"})["success"]
    with project.open() as gate:
        made = sorted(each.made_by for each in gate.log.load_run(project.run_id).list_artifacts())
    assert ["agent", "gate"] == made


@pytest.mark.parametrize("maker", ["gate", "person", "tool", "system"])
def test_an_agent_cannot_claim_another_maker(tmp_path: Path, maker: str) -> None:
    """An agent cannot claim who made an artifact."""
    project = CheckedProject(tmp_path, PYTHON, **_make_command("print('ok')"))
    claim = {"type": "result", "content": "all passed", "made_by": maker, "call": "1"}

    assert "made" in project.get_refusal(claim)


def test_a_tool_call_is_looked_up_in_the_journal(tmp_path: Path) -> None:
    """A tool call in the journal is recorded as made by a tool."""

    class OneCall:
        """A journal with one call."""

        place = ""

        def has_result(self, call: str, hash: str, run_id: str) -> bool:
            """Whether it is that call, with any hash."""
            return call == "7" and len(hash) == 64 and run_id == project.run_id

    project = CheckedProject(tmp_path, PYTHON, **_make_command("print('ok')"))
    with project.open() as inner:
        gate = Gate(
            inner.log,
            inner.library,
            inner.evidence,
            inner.visitor,
            lookup=inner._handler.lookup,
            journal=OneCall(),
        )
        rulings = [
            gate.emit_event(
                run_id=project.run_id,
                event_name="test",
                expected_revision=1,
                idempotency_key=call,
                artifacts=[Claim(type="result", content="42", made_by="tool", call=call)],
            )["success"]
            for call in ("6", "7")
        ]
        made = {each.made_by: each.call for each in gate.review_run(project.run_id).evidence}
    assert [False, True] == rulings
    assert {"gate": "", "tool": "7"} == made


def test_a_program_that_the_owner_does_not_list_never_runs(tmp_path: Path) -> None:
    """A command that the owner does not list is not run."""
    project = CheckedProject(tmp_path, **_make_command("open('ran', 'w')"))

    assert f"saniwa gate allow-command {PYTHON}" in project.get_refusal()
    assert not (tmp_path / "ran").exists()


def test_no_variable_of_the_gate_reaches_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command gets only a few environment variables, and those of the process."""
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    monkeypatch.setenv("STATE_GATE_CREDENTIAL", "")
    command = _make_command("import json, os; print(json.dumps(dict(os.environ)))")
    project = CheckedProject(tmp_path, PYTHON, environment={"MODE": "fast"}, **command)

    assert project.send()["success"]
    with project.open() as gate:
        (piece,) = gate.review_run(project.run_id).evidence
    seen = json.loads(piece.content["report"]["output"])
    assert "fast" == seen.pop("MODE")
    assert not set(seen) - {"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"}


def test_a_time_limit_kills_everything_the_command_started(tmp_path: Path) -> None:
    """At its time limit a command is killed with its child processes."""
    code = """
        import subprocess, sys
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        print(child.pid, flush=True)
        child.wait()
    """
    project = CheckedProject(tmp_path, PYTHON, time_limit="2s", **_make_command(code))
    told = project.get_refusal()

    assert "stopped after 2 seconds" in told
    pid = int(told.partition("it printed: ")[2].split()[0].rstrip(";"))
    assert _has_died(pid)


def _has_died(pid: int) -> bool:
    """Whether a process has ended or ends within the time."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 30)[0])
    finally:
        os.close(handle)


def test_an_endless_output_is_cut_and_counted(tmp_path: Path) -> None:
    """A long output is cut at its beginning, with the size and hash of all of it."""
    code = "import sys; sys.stdout.write('a' * 3_000_000 + 'end')"
    project = CheckedProject(tmp_path, PYTHON, output_limit=100, **_make_command(code))

    assert project.send()["success"]
    with project.open() as gate:
        report = gate.review_run(project.run_id).evidence[0].content["report"]
    assert (3_000_003, "a" * 97 + "end") == (report["size"], report["output"])


@pytest.mark.parametrize("folder", ["away", "missing"])
def test_a_command_stays_inside_the_project(tmp_path: Path, folder: str) -> None:
    """A command outside the project, or behind a link, is refused."""
    project = CheckedProject(tmp_path / "p", PYTHON, folder=folder, **_make_command("1"))
    (tmp_path / "p" / "away").symlink_to(tmp_path)

    assert project.get_refusal()


def test_a_killed_gate_leaves_nothing_half_written(tmp_path: Path) -> None:
    """A gate killed during a check leaves the run unchanged, and the event can be sent again."""
    marker = tmp_path / "p" / "began"
    code = f"""
        import pathlib, sys, time
        began = pathlib.Path({str(marker)!r})
        if not began.exists():
            began.write_text("")
            time.sleep(600)
    """
    project = CheckedProject(tmp_path / "p", PYTHON, **_make_command(code))
    sender = textwrap.dedent(f"""
        from saniwa.app.gate.gate_opening import open_gate
        gate = open_gate({str(project.root)!r})
        gate.emit_event(run_id={project.run_id!r}, event_name="test", expected_revision=1,
                        idempotency_key="test-1")
    """)
    with subprocess.Popen([PYTHON, "-c", sender], start_new_session=True) as child:
        while not marker.exists():
            assert child.poll() is None
        child.send_signal(signal.SIGKILL)
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        if str(marker).encode() in _read_quietly(each) and int(each.parent.name) != os.getpid():
            os.kill(int(each.parent.name), signal.SIGKILL)

    assert project.send()["success"]
    assert set() == project.verify()


def test_the_checks_are_run_again_over_http_and_mcp(tmp_path: Path) -> None:
    """`rerun` gives the same findings over HTTP and MCP, and without it no check runs."""
    project = CheckedProject(tmp_path, "cat", kind="command", command=["cat", "proof"])
    (tmp_path / "proof").write_text("one")
    assert project.send()["success"]
    (tmp_path / "proof").unlink()
    client = GateClient(Workspace(WorkspacePlaces(gate=str(project.root))), run=project.run_id)
    with project.open() as gate:
        (tool,) = (
            each for each in list_tools(GateTools(gate, lambda: "")) if each.name == "verify"
        )
        found = []
        for rerun in (False, True):
            arguments = {"run_id": project.run_id, "rerun": rerun}
            reply = tool.call(parse_arguments(tool.takes, arguments))
            path = client.locate(f"/verify?rerun={str(rerun).lower()}")
            told = client.client.post(path).json()
            for answer in (told, msgspec.to_builtins(reply.shape)):
                found.append([(each["code"], each["severity"]) for each in answer["findings"]])

    assert [[], [], [("CHECK_DIFFERS", "error")], [("CHECK_DIFFERS", "error")]] == found


def _read_quietly(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_check_that_fails_now_is_reported_on_rerun(tmp_path: Path) -> None:
    """With `rerun`, a check that fails now is an error, and another output a note."""
    project = CheckedProject(tmp_path, "cat", kind="command", command=["cat", "proof"])
    (tmp_path / "proof").write_text("one")
    assert project.send()["success"]

    assert ("CHECK_DIFFERS", "note") not in project.verify(rerun=True)
    (tmp_path / "proof").write_text("two")
    assert ("CHECK_DIFFERS", "note") in project.verify(rerun=True)
    (tmp_path / "proof").unlink()
    assert ("CHECK_DIFFERS", "error") in project.verify(rerun=True)
    assert set() == project.verify()


def test_files_are_hashed_at_the_commit_that_evidence_names(tmp_path: Path) -> None:
    """Files are hashed at the commit in the evidence, and an unknown commit is refused."""
    project = CheckedProject(
        tmp_path, kind="file_hash", subject="{artifact.change.commit}", files=["a.txt"]
    )
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    (tmp_path / "a.txt").write_text("hello\n")
    subprocess.run([*git, "add", "a.txt"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "a"], check=True)
    (tmp_path / "a.txt").write_text("changed\n")

    for commit in ("0" * 40, "--help", "nowhere", "HEAD; ls", ""):
        assert project.get_refusal({"type": "change", "content": {"commit": commit}})
    assert project.send("test", {"type": "change", "content": {"commit": "HEAD"}})["success"]
    with project.open() as gate:
        report = gate.review_run(project.run_id).evidence[-1].content["report"]
    known = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
    assert {"a.txt": known} == report["files"]


def test_evidence_is_held_to_a_schema_by_a_guard(tmp_path: Path) -> None:
    """The newest evidence of a kind must fit the guard's schema."""
    project = CheckedProject(
        tmp_path, kind="json_schema", artifact_type="change", schema={"required": ["why"]}
    )

    assert "why" in project.get_refusal({"type": "change", "content": {"what": 1}})
    assert project.send("test", {"type": "change", "content": {"why": 1}})["success"]


def test_a_story_is_checked_by_the_gate(tmp_path: Path) -> None:
    """A missing or invalid story, and one outside the project, is refused."""
    project = CheckedProject(tmp_path / "p", kind="story_check", subject="{artifact.change.story}")
    (tmp_path / "out.md").write_text("# A\n\nHello.\n")
    (tmp_path / "p" / "good.md").write_text("# A\n\nHello.\n")
    (tmp_path / "p" / "bad.md").write_text("# A\n\n{{if}}\n")

    for story in ("../out.md", "none.md", "bad.md"):
        assert project.get_refusal({"type": "change", "content": {"story": story}})
    assert project.send("test", {"type": "change", "content": {"story": "good.md"}})["success"]


def test_showing_a_run_runs_no_check(tmp_path: Path) -> None:
    """Showing a run lists its checks and runs none."""
    project = CheckedProject(tmp_path, PYTHON, **_make_command("open('ran', 'w')"))
    with project.open() as gate:
        (event,) = gate.list_events(project.run_id)
        gate.get_state(project.run_id)
    assert ("passes",) == event.transitions[0].checks
    assert not (tmp_path / "ran").exists()


class _EarlierChecks:
    """Checks scenarios as version 0.2.0 did, without hashes."""

    def find_obstacle(self, check: CheckGuard) -> str:  # noqa: ARG002 - the port's
        """Nothing prevents a check."""
        return ""

    def run_check(self, check: CheckGuard, subject: str) -> CheckOutcome:  # noqa: ARG002 - the port's
        """The result that the gate kept then."""
        report = {"scenario": subject, "errors": 0, "warnings": 0, "codes": []}
        return CheckOutcome("checked", report)

    def look_up(self, subject: str, report: object) -> str:
        """Must not be called."""
        raise AssertionError((subject, report))


def test_a_report_that_an_earlier_version_kept_does_not_differ(tmp_path: Path) -> None:
    """A check result of an earlier version with fewer fields counts as the same."""
    project = CheckedProject(tmp_path, kind="scenario_check", subject="door_and_key")
    with project.open() as today:
        gate = Gate(
            today.log, today.library, today.evidence, today.visitor, lookup=_EarlierChecks()
        )
        answer = gate.emit_event(
            run_id=project.run_id, event_name="test", expected_revision=1, idempotency_key="k"
        )

    assert answer["success"], answer
    assert set() == project.verify(rerun=True)


PLAN = {"experiment_id": "e", "scenarios": ["coffee_trap"], "profile": "dev", "max_turns": 1}


@pytest.mark.parametrize("report", [True, False])
def test_results_that_the_cells_give_pass(tmp_path: Path, report: bool) -> None:
    """Results that follow from the cells pass, with or without the report's statistics."""
    folder = asyncio.run(run_experiment(PLAN, output=tmp_path / "out", report=report)).folder
    project = CheckedProject(tmp_path, kind="experiment_report", subject=f"out/{folder.name}")

    assert project.send()["success"]


def test_results_that_the_cells_do_not_give_are_refused_with_the_first_difference(
    tmp_path: Path,
) -> None:
    """Results that do not follow from the cells are refused, with the first difference."""
    folder = asyncio.run(run_experiment(PLAN, output=tmp_path / "out", report=False)).folder
    project = CheckedProject(tmp_path, kind="experiment_report", subject=f"out/{folder.name}")
    path = folder / "results.json"
    true = path.read_text(encoding="utf-8")
    refusals = []
    for forged in (true.replace('"turns": 1', '"turns": 9'), true + " " * len(true) * 9):
        path.write_text(forged, encoding="utf-8")
        refusals.append(project.get_refusal())

    line = 1 + true[: true.index('"turns": 1')].count("\n")
    assert f"line {line} is '\"turns\": 9,', and the cells give '\"turns\": 1,'" in refusals[0]
    assert "saniwa experiment report writes it again" in refusals[0]
    assert "results.json cannot be compared: has more than" in refusals[1]


def test_statistics_that_cannot_be_computed_here_are_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Statistics that cannot be computed here are refused with what is missing."""
    folder = asyncio.run(run_experiment(PLAN, output=tmp_path / "out")).folder
    project = CheckedProject(tmp_path, kind="experiment_report", subject=f"out/{folder.name}")
    monkeypatch.setattr(extras, "find_spec", lambda _: None)

    refusal = project.get_refusal()

    assert "results.json cannot be compared: " in refusal
