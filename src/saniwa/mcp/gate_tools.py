"""The gate's tools, with what a model is told about each."""

from saniwa.mcp import gate_answers as gives
from saniwa.mcp import gate_arguments as takes
from saniwa.mcp.gate_desk import GateDesk
from saniwa.mcp.tool import Tool

INSTRUCTIONS = """\
A gate keeps the state of processes. You never name a state: you send an event with \
evidence, and the gate decides where that leads. Begin with get_state; it tells what is \
to be done, what is missing, and the revision your next event must expect. Your role is \
{role!r}, fixed for this server; events for other roles are refused however they are asked \
for. {person}"""

AGENT = (
    "approve, reject and override_guard are for people, who come in by another door."
)
PERSON = (
    "For approve, reject and override_guard, call review first and send its digest."
)

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


def gate_tools(desk: GateDesk) -> tuple[Tool, ...]:
    """The tools at a gate, in the order a model needs them."""
    return (
        Tool(
            "get_state",
            "Where a run stands",
            _GET_STATE,
            takes.OfRun,
            gives.State,
            desk.look,
        ),
        Tool(
            "list_events",
            "What can be sent",
            _LIST_EVENTS,
            takes.ListEvents,
            gives.Events,
            desk.events,
        ),
        Tool(
            "emit_event",
            "Send an event with evidence",
            _EMIT_EVENT,
            takes.EmitEvent,
            gives.Emitted,
            desk.emit,
            reads=False,
            # The key makes it so.
            repeats=True,
        ),
        Tool(
            "list_processes",
            "Which processes there are",
            _LIST_PROCESSES,
            takes.Nothing,
            gives.Processes,
            desk.processes,
        ),
        Tool(
            "create_run",
            "Begin a run",
            _CREATE_RUN,
            takes.CreateRun,
            gives.Begun,
            desk.create,
            reads=False,
        ),
        Tool(
            "list_runs",
            "Which runs there are",
            _LIST_RUNS,
            takes.ListRuns,
            gives.Runs,
            desk.runs,
        ),
        Tool(
            "get_history",
            "What happened in a run",
            _GET_HISTORY,
            takes.GetHistory,
            gives.History,
            desk.history,
        ),
        Tool(
            "review",
            "What is to be decided on",
            _REVIEW,
            takes.OfRun,
            gives.Shown,
            desk.review,
        ),
        Tool(
            "verify",
            "Whether a run is as it was written",
            _VERIFY,
            takes.OfRun,
            gives.Verified,
            desk.verify,
        ),
    )
