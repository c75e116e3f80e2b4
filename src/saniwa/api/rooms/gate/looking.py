"""Looking at one run: where it stands, what is missing, what a decision is made on."""

from collections.abc import Iterable

import msgspec

from saniwa.api.finding import FindingView, finding_views
from saniwa.api.live import live
from saniwa.api.operation import Answer, Call, Operation
from saniwa.api.rooms.gate.asking import RUN, UNREAD, asked
from saniwa.api.rooms.process_shape import ProcessShape, shape_of
from saniwa.process.gate import Gate
from saniwa.process.record import Entry, Record
from saniwa.process.weighing.review import Review
from saniwa.process.weighing.view import RunState, Sendable


class Trodden(msgspec.Struct, frozen=True, kw_only=True):
    """A way a run has gone."""

    from_state: str
    """From here."""
    to_state: str
    """To there."""
    times: int
    """How often."""
    last: int
    """The revision it made last."""


class GateRunView(msgspec.Struct, frozen=True, kw_only=True):
    """A run of a process, looked at."""

    state: RunState
    """Where it stands, under the published names."""
    events: tuple[Sendable, ...]
    """What can happen here, also what this visitor may not send."""
    process: ProcessShape
    """The definition it stands on, which may be older than the process's file."""
    trail: list[Trodden]
    """Where it has been."""


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """What reading a run again from its first byte has shown."""

    run_id: str
    """The run."""
    passed: bool
    """Whether everything is as it was written."""
    findings: list[FindingView]
    """What is not, and what could not be looked at."""


async def read_gate_run(call: Call) -> Answer:
    """Where a run stands, and what could happen."""
    view = await asked(call, lambda gate: _view(gate, call.path["run"]))
    return Answer(body=view, revision=view.state.revision)


def _view(gate: Gate, run_id: str) -> GateRunView:
    state = gate.state(run_id)
    return GateRunView(
        state=state,
        events=gate.events(run_id, include_blocked=True),
        process=shape_of(gate.log.definition(state.process_hash)),
        trail=trail_of(gate.history(run_id)),
    )


def trail_of(entries: Iterable[Entry]) -> list[Trodden]:
    """The ways that some entries of a history tell of, each once, in their order."""
    found: dict[tuple[str, str], Trodden] = {}
    for entry in entries:
        if not isinstance(entry, Record) or not entry.source:
            continue
        way = entry.source, entry.state
        times = found[way].times + 1 if way in found else 1
        found[way] = Trodden(
            from_state=way[0], to_state=way[1], times=times, last=entry.revision
        )
    return list(found.values())


async def review_gate_run(call: Call) -> Answer:
    """What a decision is made on, and the digest that binds it."""
    review = await asked(call, lambda gate: gate.review(call.path["run"]))
    return Answer(body=review, revision=review.revision)


async def verify_gate_run(call: Call) -> Verified:
    """Read a run again: log, records, rules, evidence and marks."""
    run_id = call.path["run"]
    report = await asked(call, lambda gate: gate.verify(run_id))
    return Verified(
        run_id=run_id, passed=report.passed, findings=finding_views(report.findings)
    )


async def watch_gate_run(call: Call) -> object:
    """Tell of every event of a run, for as long as somebody listens."""
    run_id = call.path["run"]

    async def look() -> int:
        return await asked(call, lambda gate: gate.log.standing(run_id).revision)

    await look()
    return live(call, run_id, look)


OPERATIONS = (
    Operation(
        name="readGateRun",
        method="GET",
        path="/gate/runs/{run}",
        summary="Where a run stands, what is missing, and what could happen",
        run=read_gate_run,
        answers=GateRunView,
        tags=True,
        codes=UNREAD,
        path_examples=RUN,
    ),
    Operation(
        name="reviewGateRun",
        method="GET",
        path="/gate/runs/{run}/review",
        summary="What a decision is made on, and the digest that binds it",
        run=review_gate_run,
        answers=Review,
        tags=True,
        codes=UNREAD,
        path_examples=RUN,
    ),
    Operation(
        name="verifyGateRun",
        method="POST",
        path="/gate/runs/{run}/verify",
        summary="Read a run again from its first byte, and tell what is not as it was",
        run=verify_gate_run,
        answers=Verified,
        codes=UNREAD,
        path_examples=RUN,
    ),
    Operation(
        name="watchGateRun",
        method="GET",
        path="/gate/runs/{run}/live",
        summary="Be told of every event of a run, as server-sent events",
        run=watch_gate_run,
        answers=bytes,
        media="text/event-stream",
        codes=UNREAD,
        path_examples=RUN,
        streams=True,
    ),
)
