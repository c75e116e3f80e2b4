"""The board: which runs there are, where they stand, what they wait for; beginning one."""

from collections.abc import Iterable
from functools import partial
from typing import Annotated, Any, Final

import msgspec

from saniwa.api.guard.caller import sign_in_needed
from saniwa.api.operation import Answer, Call, Operation, Page, at
from saniwa.api.rooms.gate.asking import asked
from saniwa.core.errors import ProcessError, StoreError
from saniwa.core.quoted import quoted
from saniwa.process.definition import APPROVE, DECISIONS
from saniwa.process.gate import Gate
from saniwa.process.weighing.view import RunState, Sendable

MOST_LOOKED_AT: Final = 500
"""Runs that are looked at for one answer; a filter may pass over most of them."""
_SHORT: Final = 3
Named = Annotated[str, msgspec.Meta(max_length=200)]


class GateRunLine(msgspec.Struct, frozen=True, kw_only=True):
    """A run of a process in one line."""

    run_id: str
    """The run."""
    process_id: str = ""
    """Its process."""
    current_state: str = ""
    """Where it stands."""
    is_final: bool = False
    """Whether it has ended."""
    revision: int = 0
    """How many events there were."""
    missing: list[str] = []
    """What keeps ways from here closed: the first three things."""
    more_missing: int = 0
    """How many things more."""
    decisions: list[str] = []
    """What a person could decide here."""
    ready: bool = False
    """Whether all is there that an approval needs: it waits for a person's word."""
    yours: list[str] = []
    """What whoever asks could decide here."""
    overdue: bool = False
    """Whether a way waits that time should have taken."""
    created_at: str = ""
    """When it began; ISO 8601."""
    updated_at: str = ""
    """When the last event was."""
    problem: str = ""
    """Why it cannot be told where it stands; then nothing else is."""


class Board(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which runs to list; the newest first."""

    process: Named = ""
    """Only runs of this process."""
    state: Named = ""
    """Only runs in this state."""
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 50
    """How many at most; a page may have fewer and still not be the last."""
    after: Named = ""
    """The run to go on behind."""


class BeginGateRun(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True
):
    """What a new run is begun of."""

    process_id: Named
    """The process."""
    variables: dict[str, Any] = {}
    """First values of the run's variables."""
    folder: Annotated[str, msgspec.Meta(max_length=1_000)] = ""
    """Where its evidence lies: a folder that the owner of the server lists, or one inside of
    it; empty for a folder of its own. Only for people who have signed in."""


async def list_gate_runs(call: Call) -> Page[GateRunLine]:
    """List runs of processes, the newest first."""
    query: Board = call.query
    return await asked(call, lambda gate: _listed(gate, query))


def _listed(gate: Gate, query: Board) -> Page[GateRunLine]:
    ids = sorted(gate.runs(), reverse=True)
    behind = [id for id in ids if not query.after or id < query.after]
    lines: list[GateRunLine] = []
    for number, id in enumerate(behind[:MOST_LOOKED_AT], 1):
        line = _line(gate, id, query)
        if line is not None:
            lines.append(line)
        if len(lines) == query.limit:
            return Page(lines, id if number < len(behind) else None)
    rest = behind[MOST_LOOKED_AT - 1 :]
    return Page(lines, rest[0] if len(rest) > 1 else None)


def _line(gate: Gate, run_id: str, query: Board) -> GateRunLine | None:
    """The line of a run; None if it is not asked for. One that is broken hides no other."""
    try:
        standing = gate.log.standing(run_id)
        process, state = standing.opening.process_id, standing.state
        if query.process not in ("", process) or query.state not in ("", state):
            return None
        events = gate.events(run_id, include_blocked=True)
        return line_of(gate.state(run_id), events)
    except StoreError as problem:
        if query.process or query.state:
            return None
        return GateRunLine(run_id=run_id, problem=f"{problem.code}: {problem.message}")


def line_of(state: RunState, events: Iterable[Sendable]) -> GateRunLine:
    """A run in one line, from where it stands and what can happen there."""
    found = {each.event_name: each for each in events}
    decisions = [name for name in found if name in DECISIONS]
    missing = [each.current_status for each in state.missing_guards]
    return GateRunLine(
        run_id=state.run_id,
        process_id=state.process_id,
        current_state=state.current_state,
        is_final=state.is_final,
        revision=state.revision,
        missing=missing[:_SHORT],
        more_missing=max(0, len(missing) - _SHORT),
        decisions=decisions,
        ready=APPROVE in found and _open(found[APPROVE]),
        yours=[each for each in decisions if each in state.allowed_events],
        overdue=any(each.overdue for each in state.due),
        created_at=state.created_at,
        updated_at=state.updated_at,
    )


def _open(event: Sendable) -> bool:
    return any(way.guard_status != "unsatisfied" for way in event.transitions)


async def begin_gate_run(call: Call) -> Answer:
    """Begin a run; the same request again gets the run it got before."""
    body: BeginGateRun = call.body
    _check_folder(call, body.folder)
    state = await asked(call, lambda gate: _begun(call, gate, body))
    return Answer(
        body=state,
        revision=state.revision,
        headers=(at("gate/runs", state.run_id),),
    )


def _begun(call: Call, gate: Gate, body: BeginGateRun) -> RunState:
    run_id = _claimed(call, gate)
    try:
        if not _is_there(gate, run_id):
            _create(gate, body, run_id)
    except StoreError as problem:
        if problem.code != "RUN_EXISTS":
            raise
        # Sent twice at once, and the other has begun it; or one who was killed had not.
        if not _is_there(gate, run_id):
            run_id = _claimed(call, gate, spent=run_id)
            _create(gate, body, run_id)
    return gate.state(run_id)


def _claimed(call: Call, gate: Gate, spent: str = "") -> str:
    garden, owner = call.garden, f"gate/{call.caller.name}"
    fresh = garden.ids.fresh("run")
    there = partial(_is_there, gate)
    return garden.begun.claim(owner, call.asked, fresh, there, spent=spent)


def _is_there(gate: Gate, run_id: str) -> bool:
    try:
        gate.log.standing(run_id)
    except StoreError as problem:
        if problem.code != "RUN_NOT_FOUND":
            raise
        return False
    return True


def _create(gate: Gate, body: BeginGateRun, run_id: str) -> None:
    gate.create_run(body.process_id, body.variables, folder=body.folder, run_id=run_id)


def _check_folder(call: Call, folder: str) -> None:
    """Evidence of the project's own folders can be read by whoever sees the run."""
    if not folder:
        return
    if not call.caller.visitor.person:
        if not call.caller.name:
            raise sign_in_needed("nobody has signed in")
        role = call.caller.visitor.role
        raise _unfit(f"the role {quoted(role)} cannot open a folder of the project")
    if not call.garden.gates.evidence.is_fit(folder):
        raise _unfit(f"{quoted(folder)} is no folder for evidence")


def _unfit(why: str) -> ProcessError:
    return ProcessError(
        "FILE_OUTSIDE",
        why,
        hint="leave the folder out: the run then has one of its own; the owner of the "
        "server lists more with: saniwa serve --evidence FOLDER",
    )


OPERATIONS = (
    Operation(
        name="listGateRuns",
        method="GET",
        path="/gate/runs",
        summary="List runs of processes, the newest first",
        run=list_gate_runs,
        query=Board,
        answers=Page[GateRunLine],
    ),
    Operation(
        name="beginGateRun",
        method="POST",
        path="/gate/runs",
        summary="Begin a run of a process",
        run=begin_gate_run,
        takes=BeginGateRun,
        answers=RunState,
        needs="play",
        status=201,
        keyed=True,
        tags=True,
        codes=(
            "PROCESS_NOT_FOUND",
            "INVALID_PROCESS",
            "INVALID_CONTEXT",
            "FILE_OUTSIDE",
            "IDEMPOTENCY_CONFLICT",
        ),
        example={"process_id": "exploration", "variables": {"team_mode": "team"}},
    ),
)
