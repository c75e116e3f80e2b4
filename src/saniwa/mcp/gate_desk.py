"""What the gate's tools do: they ask one gate, and answer for machines and for people."""

import logging
from collections.abc import Callable
from itertools import islice
from typing import NamedTuple

import msgspec

from saniwa.core.errors import SaniwaError, StoreError
from saniwa.mcp import gate_answers as gives
from saniwa.mcp import gate_arguments as takes
from saniwa.mcp import gate_text as text
from saniwa.mcp import listing, record_text
from saniwa.mcp.tool import Reply
from saniwa.process.artifact import Claim
from saniwa.process.gate import Gate

SCHEME = "stategate://runs/"
"""What the addresses of runs begin with."""
LAST = "last"
"""What stands for the newest run."""

_log = logging.getLogger(__name__)


class Met(NamedTuple):
    """A run as time has left it."""

    run_id: str
    """The run."""
    problem: gives.TimeProblem
    """Why time could not be taken; unset if it could."""
    changed: tuple[str, ...]
    """The addresses of what time has changed."""

    def told(self, said: str) -> str:
        """A text about the run, with what is wrong with its time."""
        return said + text.time_text(self.problem) if self.problem else said


class GateDesk:
    """What the tools do, at one gate: the door's visitor is the gate's."""

    def __init__(self, gate: Gate, named: Callable[[], str]) -> None:
        """Tools at a gate; `named` tells the run that is meant where none is named."""
        self._gate = gate
        self._named = named

    def look(self, asked: takes.OfRun) -> Reply:
        """Where a run stands."""
        met = self._meet(asked)
        state = self._gate.state(met.run_id)
        seen = gives.State(**msgspec.structs.asdict(state), time_problem=met.problem)
        return Reply(seen, met.told(text.state_text(state)), changed=met.changed)

    def events(self, asked: takes.ListEvents) -> Reply:
        """What can be sent."""
        met = self._meet(asked)
        found = self._gate.events(met.run_id, include_blocked=asked.include_blocked)
        listed = gives.Events(events=found, time_problem=met.problem)
        return Reply(listed, met.told(text.events_text(found)), changed=met.changed)

    def emit(self, asked: takes.EmitEvent) -> Reply:
        """Send an event; a refusal is an answer."""
        met = self._meet(asked)
        answer = self._gate.emit_event(
            run_id=met.run_id,
            event_name=asked.event_name,
            expected_revision=asked.expected_revision,
            idempotency_key=asked.idempotency_key,
            payload=asked.payload,
            artifact_paths=asked.artifact_paths,
            artifacts=tuple(_claim(each) for each in asked.artifacts),
            approval_digest=asked.approval_digest,
        )
        moved = answer["success"] and "replayed" not in answer["result"]
        changed = addresses(met.run_id) if moved else met.changed
        return Reply(answer, text.ruling_text(answer), changed=changed)

    def processes(self, asked: takes.Nothing) -> Reply:  # noqa: ARG002 - as every tool
        """What a run can be begun of."""
        listed = gives.Processes(processes=tuple(listing.processes(self._gate)))
        return Reply(listed, text.processes_text(listed))

    def create(self, asked: takes.CreateRun) -> Reply:
        """Begin a run."""
        run_id = self._gate.create_run(asked.process_id, asked.variables).run_id
        state = self._gate.state(run_id)
        begun = gives.Begun(
            run_id=run_id,
            process_id=state.process_id,
            process_version=state.process_version,
            initial_state=state.current_state,
            revision=state.revision,
            current_state_prompt=state.current_state_prompt,
        )
        return Reply(begun, text.state_text(state), added=True)

    def runs(self, asked: takes.ListRuns) -> Reply:
        """The newest runs."""
        newest = listing.newest_runs(self._gate)
        wanted = (run for run in newest if asked.process_id in ("", run.process_id))
        found = tuple(islice(wanted, asked.limit + 1))
        listed = gives.Runs(runs=found[: asked.limit], more=len(found) > asked.limit)
        return Reply(listed, text.runs_text(listed))

    def history(self, asked: takes.GetHistory) -> Reply:
        """What happened."""
        run_id = self._run(asked)
        entries = self._gate.history(run_id, asked.after)
        found, more = listing.whole_revisions(entries, asked.limit)
        told = gives.History(run_id=run_id, entries=tuple(found), more=more)
        return Reply(told, record_text.history_text(told))

    def review(self, asked: takes.OfRun) -> Reply:
        """What somebody who decides has to look at."""
        met = self._meet(asked)
        review = self._gate.review(met.run_id)
        shown = gives.Shown(**msgspec.structs.asdict(review), time_problem=met.problem)
        told = met.told(record_text.review_text(review))
        return Reply(shown, told, changed=met.changed)

    def verify(self, asked: takes.OfRun) -> Reply:
        """Whether everything is as it was written."""
        run_id = self._run(asked)
        report = self._gate.verify(run_id)
        told = gives.Verified(
            run_id=run_id,
            passed=report.passed,
            findings=tuple(
                msgspec.convert(each.as_document(), gives.Fault)
                for each in report.findings
            ),
        )
        return Reply(told, text.verified_text(told))

    def _meet(self, asked: takes.OfRun) -> Met:
        """The run that is meant, as time has left it.

        Time that cannot be taken keeps nobody from reading: it is told instead.
        """
        run_id = self._run(asked)
        try:
            changed = addresses(run_id) if self._gate.tick(run_id) else ()
        except SaniwaError as problem:
            return Met(run_id, f"{problem.code}: {problem.message}", ())
        except Exception:  # noqa: BLE001 - a mistake of ours must not hide the run
            _log.exception("time met a mistake in Saniwa, in the run %r", run_id)
            return Met(run_id, "INTERNAL_ERROR: something went wrong inside", ())
        return Met(run_id, msgspec.UNSET, changed)

    def _run(self, asked: takes.OfRun) -> str:
        named = asked.run_id or self._named()
        if named == LAST:
            return self._last()
        if not named:
            raise StoreError(
                "RUN_NOT_FOUND",
                "no run was named, and this server was given none",
                hint="name run_id; list_runs shows the runs, create_run begins one",
            )
        return named

    def _last(self) -> str:
        run_id = max(self._gate.runs(), default="")
        if not run_id:
            raise StoreError(
                "RUN_NOT_FOUND",
                "no run is kept here yet",
                hint="begin one with create_run",
            )
        return run_id


def addresses(run_id: str) -> tuple[str, ...]:
    """The addresses under which a run can be read."""
    return (f"{SCHEME}{run_id}/summary", f"{SCHEME}{run_id}/log")


def _claim(given: takes.HandedIn) -> Claim:
    return Claim(**msgspec.structs.asdict(given))
