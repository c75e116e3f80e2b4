"""Commands at a gate, run as real processes, and their answers."""

import json
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

from tests.fakes.commands import run_command

TIMED_PROCESS = """\
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
"""A process with a timeout of one millisecond."""
UNTIMED_PROCESS = TIMED_PROCESS.replace("after: 1ms", "after: 48h")
"""The same, with a timeout that does not occur during a test."""
WEBHOOK_PROCESS = """\
process_id: bell
version: "1"
name: Bell
states:
  - name: quiet
    on_enter: [{type: notify, via: webhook, url: "http://127.0.0.1:9/secret"}]
  - {name: rung, is_final: true}
events: [{name: ring, allowed_roles: "*"}]
transitions: [{from: quiet, event: ring, to: rung}]
"""
"""A process whose first state sends a webhook that cannot arrive."""


class CommandAnswer(NamedTuple):
    """The answer of a command."""

    code: int
    """Its exit code."""
    out: str
    """Standard output."""
    err: str
    """Standard error."""

    @property
    def document(self) -> dict[str, Any]:
        """Standard output, read as JSON."""
        told: dict[str, Any] = json.loads(self.out)
        return told

    @property
    def refusal(self) -> str:
        """The code of a refusal in the published form."""
        told: str = self.document["error"]["code"]
        return told


def answer_of(
    folder: Path, *words: str, stdin: bytes = b"", known: dict[str, str] | None = None
) -> CommandAnswer:
    """Run `saniwa …` in a folder and wait for it to end."""
    done = run_command(folder, *words, stdin=stdin, environment=known or make_environment())
    return CommandAnswer(done.returncode, done.stdout, done.stderr)


class GateTerminal:
    """Runs gate commands in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run_command(self, *words: str, stdin: str = "", **variables: str) -> CommandAnswer:
        """Run `saniwa gate …` and wait for it to end."""
        return answer_of(
            self.folder, "gate", *words, stdin=stdin.encode(), known=make_environment() | variables
        )

    def begin(self, process: str = "exploration") -> str:
        """Create a run, which becomes the current one."""
        made = self.run_command("create-run", "--process", process, "--write-config", "--json")
        assert 0 == made.code, made.out
        run_id: str = made.document["run_id"]
        return run_id

    def emit(self, event: str, revision: int, *more: str, **variables: str) -> CommandAnswer:
        """Send an event to the current run, with a key made of its name and revision."""
        key = f"{event}-{revision}"
        numbers = ("--expected-revision", str(revision), "--key", key)
        return self.run_command("emit", event, *numbers, "--json", *more, **variables)

    def put(self, run_id: str, name: str, text: str) -> Path:
        """Write a file into the folder of the run's evidence."""
        path = self.folder / ".state_gate" / "artifacts" / run_id / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def define(self, name: str, text: str) -> None:
        """Write a definition where the gate finds it."""
        path = self.folder / ".state_gate" / "processes" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def add_reviewer(self) -> str:
        """Add a reviewer; returns the path of the file with the credential."""
        added = self.run_command("people", "add", "ann", "--role", "reviewer", "--token")
        assert 0 == added.code, added.err
        path = self.folder / "ann.credential"
        path.write_text(added.out.splitlines()[-1])
        return str(path)

    def read_digest(self) -> str:
        """The digest of the current review."""
        told: str = self.run_command("review", "--json").document["digest"]
        return told


def make_environment() -> dict[str, str]:
    """Environment variables without Saniwa's, without colours, and with a wide screen.

    `python3` is that of the tests: a launcher script for it cannot start in a sandbox.
    """
    # As for users: without the setting that makes Python compile everything again.
    ours = ("STATE_GATE_", "SANIWA_", "PYTHONDONTWRITEBYTECODE")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    path = os.pathsep.join([str(Path(sys.executable).parent), kept["PATH"]])
    return kept | {"NO_COLOR": "1", "COLUMNS": "200", "PATH": path}


def walk_to_decide(desk: GateTerminal) -> str:
    """Take an exploration to its proposal: revision 6, in `decide`."""
    run_id = desk.begin()
    desk.put(run_id, "hypothesis.md", "Warm water dissolves more sugar.\n")
    synthesis = "---\nclaim: it does\nconfidence: high\n---\nTwice.\n"
    desk.put(run_id, "synthesis.md", synthesis)
    desk.put(run_id, "decision.md", "Serve it warm.\n")
    seen = '{"grams": 40}'
    steps = [
        ("submit_hypothesis", "--artifact", "hypothesis.md"),
        ("submit_evidence", "--inline", f"evidence={seen}"),
        ("submit_observation", "--inline", 'observation="a"', "--inline", 'observation="b"'),
        ("submit_synthesis", "--artifact-paths", "synthesis.md"),
        ("submit_decision", "--artifact", "./decision.md"),
    ]
    for revision, (event, *evidence) in enumerate(steps, 1):
        answered = desk.emit(event, revision, *evidence)
        assert 0 == answered.code, answered.out
    return run_id
