"""The gate's tools: what each does; `tools.toml` describes them to a model."""

import logging
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from saniwa.app.operations import gate_events, gate_runs
from saniwa.core.errors import SaniwaError, StoreError
from saniwa.mcp import gate_tool_records
from saniwa.mcp.confirmation import Confirmation, make_reason_field
from saniwa.mcp.tool import ToolAnswer, ToolArguments, ToolReply, declare_tool
from saniwa.process.artifact import Claim
from saniwa.process.definition import DECISIONS
from saniwa.process.gate import Gate
from saniwa.process.run_search import find_last_run
from saniwa.store.run_id_lookup import LAST

SCHEME = "stategate://runs/"
"""The beginning of the addresses of runs."""

_DECISION_FORM = {
    "agreed": {
        "type": "boolean",
        "title": "Decide so",
        "description": "Whether the decision is made, in your name.",
    },
    "reason": make_reason_field("Why; kept in the record."),
}
_log = logging.getLogger(__name__)


class TickedRun(NamedTuple):
    """A run after its due timers have fired."""

    run_id: str
    """The run."""
    problem: gate_tool_records.TimeProblem
    """Why timers could not fire; unset if they could."""
    changed: tuple[str, ...]
    """The addresses of resources that timers have changed."""

    def make_reply(self, answer: ToolAnswer, text: str) -> ToolReply:
        """Return a reply about the run; the text ends with the problem of its timers."""
        if self.problem:
            text += gate_tool_records.render_time_problem(self.problem)
        return ToolReply(answer, text, changed=self.changed)


class GateTools:
    """The tools of one gate; the server's visitor is the gate's."""

    def __init__(self, gate: Gate, named: Callable[[], str], *, remembers: bool = False) -> None:
        """Use a gate; `named` returns the default run.

        With `remembers`, a run that was created here is the default from then on: for a
        server that has one client.
        """
        self._gate = gate
        self._named = named
        self._remembers = remembers
        self._latest = ""

    @declare_tool(gate_runs.read_gate_run, gate_tool_records.GateStateAnswer)
    def get_state(self, arguments: gate_tool_records.GateRunArguments) -> ToolReply:
        """Return the state of a run."""
        ticked = self._tick_run(arguments)
        state = self._gate.get_state(ticked.run_id)
        seen = gate_tool_records.GateStateAnswer(
            **msgspec.structs.asdict(state), time_problem=ticked.problem
        )
        return ticked.make_reply(seen, gate_tool_records.render_state(state))

    @declare_tool(gate_runs.read_gate_run, gate_tool_records.WaitAnswer)
    def wait_for_change(self, arguments: gate_tool_records.WaitArguments) -> ToolReply:
        """Return the state of a run; the server asks again until it has changed."""
        ticked = self._tick_run(arguments)
        state = self._gate.get_state(ticked.run_id)
        after = state.revision if arguments.after is msgspec.UNSET else arguments.after
        changed = state.revision > after
        seen = gate_tool_records.WaitAnswer(
            **msgspec.structs.asdict(state), time_problem=ticked.problem, changed=changed
        )
        text = gate_tool_records.render_state(state)
        if not changed:
            text = f"Nothing has happened since revision {after}.\n{text}"
        again = None
        if not (changed or state.is_final):
            again = msgspec.structs.replace(arguments, run_id=ticked.run_id, after=after)
        return ticked.make_reply(seen, text)._replace(again=again)

    @declare_tool(gate_runs.read_gate_run, gate_tool_records.EventsAnswer)
    def list_events(self, arguments: gate_tool_records.ListEventsArguments) -> ToolReply:
        """Return the events that can be sent."""
        ticked = self._tick_run(arguments)
        found = self._gate.list_events(ticked.run_id, include_blocked=arguments.include_blocked)
        listed = gate_tool_records.EventsAnswer(events=found, time_problem=ticked.problem)
        return ticked.make_reply(listed, gate_tool_records.render_events(found))

    @declare_tool(gate_events.send_gate_event, gate_events.SendEventAnswer)
    def emit_event(self, arguments: gate_tool_records.EmitEventArguments) -> ToolReply:
        """Send an event; a refusal is an answer."""
        ticked = self._tick_run(arguments)
        claims = tuple(Claim(**msgspec.structs.asdict(each)) for each in arguments.artifacts)
        given = msgspec.structs.asdict(arguments) | {"run_id": ticked.run_id, "artifacts": claims}
        answer = self._gate.emit_event(**given)
        moved = answer["success"] and "replayed" not in answer["result"]
        changed = list_addresses(ticked.run_id) if moved else ticked.changed
        return ToolReply(answer, gate_tool_records.render_ruling(answer), changed=changed)

    @declare_tool(gate_runs.list_processes, gate_tool_records.ProcessesAnswer)
    def list_processes(self, _: ToolArguments) -> ToolReply:
        """List the processes that a run can be created from."""
        listed = gate_tool_records.ProcessesAnswer(
            processes=tuple(gate_tool_records.iterate_processes(self._gate))
        )
        return ToolReply(listed, gate_tool_records.render_processes(listed))

    @declare_tool(gate_runs.begin_gate_run, gate_tool_records.CreateRunAnswer)
    def create_run(self, arguments: gate_tool_records.CreateRunArguments) -> ToolReply:
        """Create a run."""
        run_id = self._gate.create_run(arguments.process_id, arguments.variables).run_id
        state = self._gate.get_state(run_id)
        answer = gate_tool_records.CreateRunAnswer(
            run_id=run_id,
            process_id=state.process_id,
            process_version=state.process_version,
            initial_state=state.current_state,
            revision=state.revision,
            current_state_prompt=state.current_state_prompt,
        )
        if self._remembers:
            self._latest = run_id
        return ToolReply(answer, gate_tool_records.render_state(state), added=True)

    @declare_tool(gate_runs.list_gate_runs, gate_tool_records.GateRunsAnswer)
    def list_runs(self, arguments: gate_tool_records.ListRunsArguments) -> ToolReply:
        """List the newest runs."""
        newest = gate_tool_records.iterate_newest_runs(self._gate)
        wanted = (run for run in newest if arguments.process_id in ("", run.process_id))
        found = tuple(islice(wanted, arguments.limit + 1))
        more = len(found) > arguments.limit
        listed = gate_tool_records.GateRunsAnswer(runs=found[: arguments.limit], more=more)
        return ToolReply(listed, gate_tool_records.render_runs(listed))

    @declare_tool(gate_events.read_gate_history, gate_tool_records.HistoryAnswer)
    def get_history(self, arguments: gate_tool_records.GetHistoryArguments) -> ToolReply:
        """Return the history of a run."""
        run_id = self._find_run(arguments)
        entries = self._gate.read_history(run_id, arguments.after)
        found, more = gate_events.take_whole_revisions(entries, arguments.limit)
        history = gate_tool_records.HistoryAnswer(run_id=run_id, entries=tuple(found), more=more)
        return ToolReply(history, gate_tool_records.render_history(history))

    @declare_tool(gate_runs.review_gate_run, gate_tool_records.GateReviewAnswer)
    def review(self, arguments: gate_tool_records.GateRunArguments) -> ToolReply:
        """Return what a person must look at before deciding."""
        ticked = self._tick_run(arguments)
        review = self._gate.review_run(ticked.run_id)
        shown = gate_tool_records.GateReviewAnswer(
            **msgspec.structs.asdict(review), time_problem=ticked.problem
        )
        return ticked.make_reply(shown, gate_tool_records.render_review(review))

    @declare_tool(gate_runs.verify_gate_run, gate_tool_records.VerifyAnswer)
    def verify(self, arguments: gate_tool_records.VerifyArguments) -> ToolReply:
        """Check that everything is as it was written."""
        run_id = self._find_run(arguments)
        report = self._gate.verify(run_id, rerun=arguments.rerun)
        found = [each.to_document() for each in report.findings]
        answer = gate_tool_records.VerifyAnswer(
            run_id=run_id,
            passed=report.has_passed,
            findings=msgspec.convert(found, tuple[gate_tool_records.VerificationFault, ...]),
            evidence=self._gate.list_origins(run_id),
        )
        return ToolReply(answer, gate_tool_records.render_verification(answer))

    def describe_run(self, named: str) -> str:
        """Return the state of a run as text, for a model.

        Raises:
            StoreError: `RUN_NOT_FOUND`; the log is damaged.
        """
        ticked = self._tick_run(gate_tool_records.GateRunArguments(run_id=named))
        return gate_tool_records.render_state(self._gate.get_state(ticked.run_id))

    def find_confirmation(self, arguments: object) -> Confirmation | None:
        """Return what a person is asked before an event; None if it is no decision.

        Only at a person's server: an agent's event is refused by the gate.
        """
        if not isinstance(arguments, gate_tool_records.EmitEventArguments):
            return None
        if not self._gate.visitor.person or arguments.event_name not in DECISIONS:
            return None
        review = self._gate.review_run(self._tick_run(arguments).run_id)
        shown = gate_tool_records.render_review(review)
        message = f"{arguments.event_name}, as {self._gate.visitor.role}?\n\n{shown}"

        def make_arguments(
            digest: str, sent: Mapping[str, Any]
        ) -> gate_tool_records.EmitEventArguments | None:
            if sent.get("agreed") is not True:
                return None
            reason = str(sent.get("reason") or "")
            payload = arguments.payload | ({"reason": reason} if reason else {})
            return replace(arguments, approval_digest=digest, payload=payload)

        return Confirmation(message, _DECISION_FORM, review.digest, make_arguments)

    def _tick_run(self, arguments: gate_tool_records.GateRunArguments) -> TickedRun:
        """Return the requested run after its due timers have fired.

        If timers cannot fire, the run can still be read, and the answer reports the
        problem.
        """
        run_id = self._find_run(arguments)
        try:
            changed = list_addresses(run_id) if self._gate.tick(run_id) else ()
        except SaniwaError as problem:
            return TickedRun(run_id, f"{problem.code}: {problem.message}", ())
        except Exception:  # noqa: BLE001 - a bug of ours must not hide the run
            _log.exception("time met a mistake in Saniwa, in the run %r", run_id)
            return TickedRun(run_id, "INTERNAL_ERROR: something went wrong inside", ())
        return TickedRun(run_id, msgspec.UNSET, changed)

    def _find_run(self, arguments: gate_tool_records.GateRunArguments) -> str:
        named = arguments.run_id or self._latest or self._named()
        if not named:
            raise StoreError(
                "RUN_NOT_FOUND",
                "no run_id was given, and this server has no default run",
                hint="give run_id; list_runs lists the runs, create_run starts one",
            )
        newest = find_last_run(self._gate.log) if named == LAST else named
        if not newest:
            raise StoreError(
                "RUN_NOT_FOUND", "there are no runs yet", hint="start one with create_run"
            )
        return newest


def list_addresses(run_id: str) -> tuple[str, ...]:
    """Return the addresses under which a run can be read."""
    return (f"{SCHEME}{run_id}/summary", f"{SCHEME}{run_id}/log")
