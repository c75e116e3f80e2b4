"""An experiment under the gate: plan, run_meta and report handed in as evidence.

The gatekeeper comes as an agent. It opens a run of the process `experiment`, brings what
the experiment itself has, and stops where somebody has to think. Nothing of it is kept
in the experiment's folder: the gate's own log says what was handed in, so that whatever
killed a coordinator, the next one sees it and hands nothing in twice.
"""

import shlex
from pathlib import Path
from typing import Any, Final

import msgspec

from saniwa.core.errors import ExperimentError, ProcessError
from saniwa.core.where import Where
from saniwa.experiment import layout
from saniwa.experiment.plan import Prepared
from saniwa.process.artifact import Claim
from saniwa.process.gate import Gate
from saniwa.process.ruling import Refused, Submission
from saniwa.process.standing import Standing
from saniwa.wiring.gate import gate_folders, open_gate

PROCESS: Final = "experiment"
"""The process that an experiment passes through."""
_WAITS: Final = {
    "submit_plan": "frame",
    "submit_results": "experiment",
    "submit_report": "observe",
}
"""For each event, the state that waits for it."""
_STEPS: Final = {"synthesize": "synthesis", "decide": "decision"}
"""For each state in which somebody has to write, what it is."""


class Gatekeeper:
    """Brings an experiment's evidence to a gate, each piece once."""

    def __init__(self) -> None:
        self._run_id = ""
        self._fingerprint = ""

    def open(self, prepared: Prepared, folder: Path) -> str:
        """The id of the experiment's run, with its plan handed in.

        The run that was opened for this experiment before, else a new one.

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
        with self._gate() as gate:
            inside = self._inside(folder)
            found = _opened_before(gate, about, inside)
            if found is None:
                found = gate.create_run(PROCESS, about, folder=inside).run_id
            self._run_id = found
            self._send(gate, "submit_plan", Claim(type="plan", content=_plan(prepared)))
        return self._run_id

    def submit_results(self, folder: Path) -> None:
        """Hand in what ran, if the run still waits for it.

        Raises:
            ExperimentError: `EXPERIMENT_NOT_FOUND` where nothing is written yet.
            ProcessError: The gate refuses, with its own code.
            StoreError: The gate cannot be opened, read or written.
        """
        self._bring("submit_results", "run_meta", folder / layout.RUN_META)

    def submit_report(self, folder: Path) -> None:
        """Hand in what was found, if the run still waits for it.

        Raises:
            ExperimentError: As `submit_results` does.
            ProcessError: As `submit_results` does.
            StoreError: As `submit_results` does.
        """
        self._bring("submit_report", "report", folder / layout.REPORT)

    def awaits_results(self) -> bool:
        """Whether nothing of what ran was handed in yet, so that cells may change.

        Raises:
            StoreError: The gate cannot be opened or read.
        """
        with self._gate() as gate:
            standing = gate.log.standing(self._run_id)
        return standing.state in (_WAITS["submit_plan"], _WAITS["submit_results"])

    def next_step(self) -> str:
        """Where the run stands, and what somebody types to go on.

        Raises:
            StoreError: The gate cannot be opened or read.
        """
        with self._gate() as gate:
            standing = gate.log.standing(self._run_id)
            home = gate.evidence.home(self._run_id, standing.opening.folder)
        return _told(standing, home)

    def _gate(self) -> Gate:
        return open_gate(role="agent")

    def _inside(self, folder: Path) -> str:
        """The experiment's folder as the gate's project names it; empty from outside."""
        project = gate_folders().project.resolve()
        real = folder.resolve()
        return real.relative_to(project).as_posix() if project in real.parents else ""

    def _bring(self, event: str, kind: str, file: Path) -> None:
        assert self._run_id, "a gatekeeper opens a run before it brings anything"
        with self._gate() as gate:
            inside = gate.log.standing(self._run_id).opening.folder
            claim = (
                Claim(type=kind, path=file.name)
                if inside
                else Claim(type=kind, content=_content(file))
            )
            self._send(gate, event, claim)

    def _send(self, gate: Gate, event: str, claim: Claim) -> None:
        standing = gate.log.standing(self._run_id)
        if standing.state != _WAITS[event]:
            return
        # The revision is part of the key: after a rejection the same event comes again.
        ruling = gate.submit(
            Submission(
                run_id=self._run_id,
                event_name=event,
                expected_revision=standing.revision,
                idempotency_key=f"{self._fingerprint}-{event}-{standing.revision}",
                artifacts=(claim,),
            )
        )
        if isinstance(ruling, Refused):
            raise _refused(event, ruling)


def _opened_before(gate: Gate, about: dict[str, str], inside: str) -> str | None:
    """The newest run of the process that was opened for this very experiment."""
    for run_id in reversed(list(gate.log.runs())):
        standing = gate.log.standing(run_id)
        begun = (standing.opening.process_id, standing.opening.folder)
        told = {name: standing.variables.get(name) for name in about}
        if begun == (PROCESS, inside) and told == about:
            return run_id
    return None


def _plan(prepared: Prepared) -> dict[str, Any]:
    """The plan as evidence: whole, and with what a reader looks for always there."""
    plan = prepared.plan
    said = msgspec.structs.asdict(plan) | {"fingerprint": prepared.fingerprint}
    told: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(said))
    return told


def _content(file: Path) -> Any:
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError as problem:
        raise ExperimentError(
            "EXPERIMENT_NOT_FOUND",
            f"the experiment has no {file.name!r} to hand in",
            where=Where(file=file.name),
            hint="resume it, so that everything is written",
        ) from problem
    return msgspec.json.decode(text) if file.suffix == ".json" else text


def _refused(event: str, ruling: Refused) -> ProcessError:
    missing = "; ".join(guard.current_status for guard in ruling.missing_guards)
    why = (
        ruling.message if missing in ruling.message else f"{ruling.message}: {missing}"
    )
    return ProcessError(
        ruling.code, f"the gate refuses {event!r}: {why}", hint=ruling.hint
    )


def _told(standing: Standing, home: str) -> str:
    at = f"the gate's run {standing.run_id} stands in {standing.state!r}"
    kind = _STEPS.get(standing.state)
    if kind is None:
        command = ["saniwa", "gate", "state", standing.run_id]
        return f"{at}: {shlex.join(command)}"
    command = [
        *("saniwa", "gate", "emit", standing.run_id, f"submit_{kind}"),
        *("--expected-revision", str(standing.revision)),
        *("--key", f"{kind}-{standing.revision}", "--artifact", f"{kind}.md"),
    ]
    return f"{at}: write {kind}.md in {home}, then {shlex.join(command)}"
