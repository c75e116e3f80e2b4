"""Submits an experiment to a gate as evidence: its plan, its results and its report.

The submitter acts as an agent: it opens a run of the process `experiment`, submits what
the experiment itself produces, and stops where a person has to write something. It stores
nothing in the experiment's folder: the gate's own log records what was submitted, so after
a crash the next process sees it and submits nothing twice.
"""

import shlex
from pathlib import Path
from typing import Any, Final

import msgspec

from saniwa.app import describe
from saniwa.app.gate.configuration import locate_gate
from saniwa.app.gate.gate_opening import open_gate
from saniwa.core.errors import ExperimentError, ProcessError
from saniwa.core.findings import SourceLocation
from saniwa.experiment.output import output_folder
from saniwa.experiment.plan import PreparedPlan
from saniwa.process.artifact import Claim
from saniwa.process.gate import Gate
from saniwa.process.ruling import EventRefusal
from saniwa.process.run_state import ProcessRun
from saniwa.process.submission import Submission

PROCESS: Final = "experiment"
"""The process that an experiment passes through."""
_WAITING_STATES: Final = {
    "submit_plan": "frame",
    "submit_results": "experiment",
    "submit_report": "observe",
}
"""The state that waits for each event."""
_WRITING_STATES: Final = {"synthesize": "synthesis", "decide": "decision"}
"""The kind of text that a person has to write, for each state that needs one."""


class ExperimentSubmitter:
    """Submits an experiment's evidence to a gate, each piece once."""

    def __init__(self) -> None:
        self._run_id = ""
        self._fingerprint = ""

    def open_run(self, prepared: PreparedPlan, folder: Path) -> str:
        """Return the id of the experiment's gate run, after submitting its plan.

        Reuses the run that was opened for this experiment before; else opens a new one.

        Raises:
            ProcessError: The gate refuses, with its own code.
            StoreError: The gate cannot be opened, read or written.
        """
        self._fingerprint = prepared.fingerprint
        about = {
            "experiment_id": prepared.plan.experiment_id,
            "fingerprint": prepared.fingerprint,
            "folder": folder.name,
        }
        with open_gate(locate_gate()) as gate:
            project, real = locate_gate().project.resolve(), folder.resolve()
            within = project in real.parents
            # The folder relative to the gate's project; empty if it is outside.
            inside = real.relative_to(project).as_posix() if within else ""
            found = _find_earlier_run(gate, about, inside)
            if found is None:
                found = gate.create_run(PROCESS, about, folder=inside).run_id
            self._run_id = found
            self._submit_claim(
                gate, "submit_plan", Claim(type="plan", content=prepared.to_document())
            )
        return self._run_id

    def submit_results(self, folder: Path) -> None:
        """Submit `run_meta` if the run still waits for it.

        Raises:
            ExperimentError: `EXPERIMENT_NOT_FOUND` if nothing is written yet.
            ProcessError: The gate refuses, with its own code.
            StoreError: The gate cannot be opened, read or written.
        """
        self._submit_file("submit_results", "run_meta", folder / output_folder.RUN_META)

    def submit_report(self, folder: Path) -> None:
        """Submit the report if the run still waits for it.

        Raises:
            ExperimentError: As `submit_results` does.
            ProcessError: As `submit_results` does.
            StoreError: As `submit_results` does.
        """
        self._submit_file("submit_report", "report", folder / output_folder.REPORT)

    def is_awaiting_results(self) -> bool:
        """Return whether no results were submitted yet, so that cells may change.

        Raises:
            StoreError: The gate cannot be opened or read.
        """
        with open_gate(locate_gate()) as gate:
            run = gate.log.load_run(self._run_id)
        return run.state in (_WAITING_STATES["submit_plan"], _WAITING_STATES["submit_results"])

    def describe_next_step(self) -> str:
        """Return the state of the run and the command that continues it.

        Raises:
            StoreError: The gate cannot be opened or read.
        """
        with open_gate(locate_gate()) as gate:
            run = gate.log.load_run(self._run_id)
            home = gate.evidence.locate_folder(run.home, run.opening.folder)
        return _describe_run(run, home)

    def _submit_file(self, event: str, kind: str, file: Path) -> None:
        assert self._run_id, "a submitter opens a run before it brings anything"
        with open_gate(locate_gate()) as gate:
            inside = gate.log.load_run(self._run_id).opening.folder
            claim = (
                Claim(type=kind, path=file.name)
                if inside
                else Claim(type=kind, content=_read_content(file))
            )
            self._submit_claim(gate, event, claim)

    def _submit_claim(self, gate: Gate, event: str, claim: Claim) -> None:
        run = gate.log.load_run(self._run_id)
        if run.state != _WAITING_STATES[event]:
            return
        # The revision is part of the key: after a rejection the same event is sent
        # again.
        ruling = gate.submit(
            Submission(
                run_id=self._run_id,
                event_name=event,
                expected_revision=run.revision,
                idempotency_key=f"{self._fingerprint}-{event}-{run.revision}",
                artifacts=(claim,),
            )
        )
        if isinstance(ruling, EventRefusal):
            raise _make_refusal_error(event, ruling)


def _find_earlier_run(gate: Gate, about: dict[str, str], inside: str) -> str | None:
    """Return the newest run that was opened for this experiment."""
    for run_id in reversed(list(gate.log.list_runs())):
        run = gate.log.load_run(run_id)
        opening = (run.opening.process_id, run.opening.folder)
        variables = {name: run.variables.get(name) for name in about}
        if opening == (PROCESS, inside) and variables == about:
            return run_id
    return None


def _read_content(file: Path) -> Any:
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError as problem:
        raise describe("EXPERIMENT_NOT_FOUND", name=file.name).to_error(
            ExperimentError, where=SourceLocation(file=file.name)
        ) from problem
    return msgspec.json.decode(text) if file.suffix == ".json" else text


def _make_refusal_error(event: str, ruling: EventRefusal) -> ProcessError:
    missing = "; ".join(guard.current_status for guard in ruling.missing_guards)
    why = ruling.message if missing in ruling.message else f"{ruling.message}: {missing}"
    return ProcessError(ruling.code, f"the gate refuses {event!r}: {why}", hint=ruling.hint)


def _describe_run(run: ProcessRun, home: str) -> str:
    at = f"the gate's run {run.run_id} is in state {run.state!r}"
    kind = _WRITING_STATES.get(run.state)
    if kind is None:
        command = ["saniwa", "gate", "state", run.run_id]
        return f"{at}: {shlex.join(command)}"
    command = [
        *("saniwa", "gate", "emit", run.run_id, f"submit_{kind}"),
        *("--expected-revision", str(run.revision)),
        *("--key", f"{kind}-{run.revision}", "--artifact", f"{kind}.md"),
    ]
    return f"{at}: write {kind}.md in {home}, then {shlex.join(command)}"
