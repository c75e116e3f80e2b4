"""The gate's tools: what each does, and how it is described to a model."""

import logging
from collections.abc import Callable
from itertools import islice
from typing import NamedTuple

import msgspec

from saniwa.core.errors import SaniwaError, StoreError
from saniwa.mcp import gate_records, gate_text
from saniwa.mcp.tool import Tool, ToolReply
from saniwa.process.artifact import Claim
from saniwa.process.gate import Gate

SCHEME = "stategate://runs/"
"""The beginning of the addresses of runs."""
LAST = "last"
"""The word that means the newest run."""

_log = logging.getLogger(__name__)


class TickedRun(NamedTuple):
    """A run after its due timers have fired."""

    run_id: str
    """The run."""
    problem: gate_records.TimeProblem
    """Why timers could not fire; unset if they could."""
    changed: tuple[str, ...]
    """The addresses of resources that timers have changed."""

    def add_time_problem(self, text: str) -> str:
        """Return a text about the run, with the problem of its timers, if any."""
        return text + gate_text.render_time_problem(self.problem) if self.problem else text


class GateTools:
    """The tools of one gate; the server's visitor is the gate's."""

    def __init__(self, gate: Gate, named: Callable[[], str]) -> None:
        """Use a gate; `named` returns the default run."""
        self._gate = gate
        self._named = named

    def read_state(self, arguments: gate_records.GateRunArguments) -> ToolReply:
        """Return the state of a run."""
        ticked = self._tick_run(arguments)
        state = self._gate.get_state(ticked.run_id)
        seen = gate_records.GateStateAnswer(
            **msgspec.structs.asdict(state), time_problem=ticked.problem
        )
        return ToolReply(
            seen, ticked.add_time_problem(gate_text.render_state(state)), changed=ticked.changed
        )

    def list_events(self, arguments: gate_records.ListEventsArguments) -> ToolReply:
        """Return the events that can be sent."""
        ticked = self._tick_run(arguments)
        found = self._gate.list_events(ticked.run_id, include_blocked=arguments.include_blocked)
        listed = gate_records.EventsAnswer(events=found, time_problem=ticked.problem)
        return ToolReply(
            listed, ticked.add_time_problem(gate_text.render_events(found)), changed=ticked.changed
        )

    def emit_event(self, arguments: gate_records.EmitEventArguments) -> ToolReply:
        """Send an event; a refusal is an answer."""
        ticked = self._tick_run(arguments)
        answer = self._gate.emit_event(
            run_id=ticked.run_id,
            event_name=arguments.event_name,
            expected_revision=arguments.expected_revision,
            idempotency_key=arguments.idempotency_key,
            payload=arguments.payload,
            artifact_paths=arguments.artifact_paths,
            artifacts=tuple(_make_claim(each) for each in arguments.artifacts),
            approval_digest=arguments.approval_digest,
        )
        moved = answer["success"] and "replayed" not in answer["result"]
        changed = list_addresses(ticked.run_id) if moved else ticked.changed
        return ToolReply(answer, gate_text.render_ruling(answer), changed=changed)

    def list_processes(
        self,
        arguments: gate_records.ListProcessesArguments,  # noqa: ARG002 - as every tool
    ) -> ToolReply:
        """List the processes that a run can be created from."""
        listed = gate_records.ProcessesAnswer(
            processes=tuple(gate_records.iterate_processes(self._gate))
        )
        return ToolReply(listed, gate_text.render_processes(listed))

    def create_run(self, arguments: gate_records.CreateRunArguments) -> ToolReply:
        """Create a run."""
        run_id = self._gate.create_run(arguments.process_id, arguments.variables).run_id
        state = self._gate.get_state(run_id)
        answer = gate_records.CreateRunAnswer(
            run_id=run_id,
            process_id=state.process_id,
            process_version=state.process_version,
            initial_state=state.current_state,
            revision=state.revision,
            current_state_prompt=state.current_state_prompt,
        )
        return ToolReply(answer, gate_text.render_state(state), added=True)

    def list_runs(self, arguments: gate_records.ListRunsArguments) -> ToolReply:
        """List the newest runs."""
        newest = gate_records.iterate_newest_runs(self._gate)
        wanted = (run for run in newest if arguments.process_id in ("", run.process_id))
        found = tuple(islice(wanted, arguments.limit + 1))
        listed = gate_records.GateRunsAnswer(
            runs=found[: arguments.limit], more=len(found) > arguments.limit
        )
        return ToolReply(listed, gate_text.render_runs(listed))

    def read_history(self, arguments: gate_records.GetHistoryArguments) -> ToolReply:
        """Return the history of a run."""
        run_id = self._find_run(arguments)
        entries = self._gate.read_history(run_id, arguments.after)
        found, more = gate_records.take_whole_revisions(entries, arguments.limit)
        history = gate_records.HistoryAnswer(run_id=run_id, entries=tuple(found), more=more)
        return ToolReply(history, gate_text.render_history(history))

    def review(self, arguments: gate_records.GateRunArguments) -> ToolReply:
        """Return what a person must look at before deciding."""
        ticked = self._tick_run(arguments)
        review = self._gate.review_run(ticked.run_id)
        shown = gate_records.GateReviewAnswer(
            **msgspec.structs.asdict(review), time_problem=ticked.problem
        )
        text = ticked.add_time_problem(gate_text.render_review(review))
        return ToolReply(shown, text, changed=ticked.changed)

    def verify(self, arguments: gate_records.GateRunArguments) -> ToolReply:
        """Check that everything is as it was written."""
        run_id = self._find_run(arguments)
        report = self._gate.verify(run_id)
        answer = gate_records.VerifyAnswer(
            run_id=run_id,
            passed=report.has_passed,
            findings=tuple(
                msgspec.convert(each.to_document(), gate_records.VerificationFault)
                for each in report.findings
            ),
        )
        return ToolReply(answer, gate_text.render_verification(answer))

    def _tick_run(self, arguments: gate_records.GateRunArguments) -> TickedRun:
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

    def _find_run(self, arguments: gate_records.GateRunArguments) -> str:
        named = arguments.run_id or self._named()
        if named == LAST:
            return self._find_last_run()
        if not named:
            raise StoreError(
                "RUN_NOT_FOUND",
                "no run was named, and this server was given none",
                hint="name run_id; list_runs shows the runs, create_run begins one",
            )
        return named

    def _find_last_run(self) -> str:
        run_id = max(self._gate.list_runs(), default="")
        if not run_id:
            raise StoreError(
                "RUN_NOT_FOUND", "no run is kept here yet", hint="begin one with create_run"
            )
        return run_id


def list_addresses(run_id: str) -> tuple[str, ...]:
    """Return the addresses under which a run can be read."""
    return (f"{SCHEME}{run_id}/summary", f"{SCHEME}{run_id}/log")


def _make_claim(given: gate_records.SubmittedArtifact) -> Claim:
    return Claim(**msgspec.structs.asdict(given))


INSTRUCTIONS = """\
A gate keeps the state of processes. You never name a state: you send an event with \
evidence, and the gate decides where that leads. Begin with get_state; it tells what is \
to be done, what is missing, and the revision your next event must expect. Your role is \
{role!r}, fixed for this server; events for other roles are refused however they are asked \
for. {person}"""

AGENT = "approve, reject and override_guard are for people, who come in by another door."
PERSON = "For approve, reject and override_guard, call review first and send its digest."

_GET_STATE = """\
Tell where a run stands: its state, the prompt that says what to do there, the revision \
that emit_event must expect, the evidence that is required and what is still missing, the \
folder for files of evidence (artifact_base_path), what a person decided last and why, and \
the events you may send. Call it first, and again after REVISION_CONFLICT. Changes nothing.
"""
_LIST_EVENTS = """\
List the events that can be sent in the run's present state, with the JSON Schema of each \
payload, the conditions on the way, and what is missing for them. include_blocked also \
lists what your role may not send and who may. Changes nothing.
"""
_EMIT_EVENT = """\
Send an event, with evidence. This is the only way to move a run, and you do not say where \
to: the gate weighs the event and decides the state.

Give expected_revision from get_state and a fresh idempotency_key of your own. Evidence goes \
into artifact_paths (files in the folder that get_state tells as artifact_base_path) or \
artifacts (content handed in directly); it becomes part of the record, with its hash.

The answer has success true or false; a refusal wrote nothing and did not spend the key.
- GUARD_FAILED: evidence is missing. details.missing_guards says which. Produce it and send \
the event again; rewording does not help.
- REVISION_CONFLICT: somebody else was first. Call get_state, see whether your evidence \
still fits, then send it with the new revision.
- FORBIDDEN: the event is for another role. Leave it to them; details.who_may says who.
- INVALID_EVENT: it cannot happen in this state; see list_events.
- INVALID_PAYLOAD: details.validation_errors says what to mend.
- IDEMPOTENCY_CONFLICT: the key stands for another request; use a new one.
If an answer was lost, send the very same request with the same key: it counts once.
"""
_LIST_PROCESSES = """\
List the processes that create_run can begin, with what each is for. Changes nothing.
"""
_CREATE_RUN = """\
Begin a run of a process in its first state; list_processes tells which there are. context gives first values of the run's \
variables where the process allows that. Keep the run_id of the answer.
"""
_LIST_RUNS = """\
List runs, the newest first, with process, state and revision. Changes nothing.
"""
_GET_HISTORY = """\
Tell what happened in a run: who sent which event when, on which evidence, and where the \
gate let it lead. Ask again with after for what comes later. Changes nothing.
"""
_REVIEW = """\
Show what somebody has to look at before deciding: the evidence with hashes, what was handed \
in directly, where files lie, whether any of it has changed since, and the digest that approve, reject or override_guard must name. \
Looking is allowed to everybody; deciding is for people. Changes nothing.
"""
_VERIFY = """\
Read a run again from its first byte and report whatever is not as it was written: the log, \
the records, the rules, and files of evidence that changed after they were handed in. \
Changes nothing.
"""


def build_gate_tools(tools: GateTools) -> tuple[Tool, ...]:
    """Return the tools of a gate, in the order in which a model needs them."""
    return (
        Tool(
            "get_state",
            "Where a run stands",
            _GET_STATE,
            gate_records.GateRunArguments,
            gate_records.GateStateAnswer,
            tools.read_state,
        ),
        Tool(
            "list_events",
            "What can be sent",
            _LIST_EVENTS,
            gate_records.ListEventsArguments,
            gate_records.EventsAnswer,
            tools.list_events,
        ),
        Tool(
            "emit_event",
            "Send an event with evidence",
            _EMIT_EVENT,
            gate_records.EmitEventArguments,
            gate_records.EmitEventAnswer,
            tools.emit_event,
            reads=False,
            # The idempotency key makes it repeatable.
            repeats=True,
        ),
        Tool(
            "list_processes",
            "Which processes there are",
            _LIST_PROCESSES,
            gate_records.ListProcessesArguments,
            gate_records.ProcessesAnswer,
            tools.list_processes,
        ),
        Tool(
            "create_run",
            "Begin a run",
            _CREATE_RUN,
            gate_records.CreateRunArguments,
            gate_records.CreateRunAnswer,
            tools.create_run,
            reads=False,
        ),
        Tool(
            "list_runs",
            "Which runs there are",
            _LIST_RUNS,
            gate_records.ListRunsArguments,
            gate_records.GateRunsAnswer,
            tools.list_runs,
        ),
        Tool(
            "get_history",
            "What happened in a run",
            _GET_HISTORY,
            gate_records.GetHistoryArguments,
            gate_records.HistoryAnswer,
            tools.read_history,
        ),
        Tool(
            "review",
            "What is to be decided on",
            _REVIEW,
            gate_records.GateRunArguments,
            gate_records.GateReviewAnswer,
            tools.review,
        ),
        Tool(
            "verify",
            "Whether a run is as it was written",
            _VERIFY,
            gate_records.GateRunArguments,
            gate_records.VerifyAnswer,
            tools.verify,
        ),
    )
