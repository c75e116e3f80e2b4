"""Deciding alone: nothing is kept, no disk is asked."""

from pathlib import Path

from benchmarks.benchmark_run import BenchmarkRun
from benchmarks.gate_door import DOOR
from benchmarks.peer_questions import PeerRow
from benchmarks.peers import PeerError, gates, xstate
from benchmarks.row import ResultRow
from benchmarks.timing import time_cpu
from saniwa.process.artifact import Author
from saniwa.process.definition import CREATED
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.event_decision import AllowedTransition, SubmittedEvidence, decide_event
from saniwa.process.event_record import EventRecord, RunOpening
from saniwa.process.guards import GuardFacts
from saniwa.process.run_state import ProcessRun
from saniwa.process.submission import Submission, Visitor
from saniwa.store.gate.evidence_reader import FolderEvidenceReader

EVENTS = 20_000
"""Milliseconds of Saniwa and of XState."""
FEWER = 3000
"""Of the slower peers'."""
RATE = 200_000
"""Decisions a second."""
WORK = "decide one event in memory"


def measure_rows(bench: BenchmarkRun) -> list[ResultRow]:
    """Saniwa compared with three state machines."""
    spent = time_cpu(_walk) / EVENTS
    found = [
        ResultRow(
            work=WORK,
            ours=spent,
            mark=f"{RATE:,} a second",
            met=spent <= 1000 / RATE,
            asks=PeerRow.IN_MEMORY,
            note=f"{1000 / spent:,.0f} a second. We check payload, revision, event, role, "
            "transition and guard; the other state machines only look up the transition and take "
            "it.",
        )
    ]
    for peer in (gates.TRANSITIONS, gates.STATEMACHINE):
        report = bench.ask(peer, FEWER)
        theirs = None if report is None else report["event_ms"]
        found.append(_make_peer_row(peer.name, spent, theirs))
    return [*found, _make_peer_row("XState on Node", spent, _measure_xstate(bench))]


def _make_peer_row(name: str, spent: float, theirs: float | None) -> ResultRow:
    return ResultRow(work=WORK, ours=spent, peer=name, theirs=theirs, asks=PeerRow.IN_MEMORY)


def _measure_xstate(bench: BenchmarkRun) -> float | None:
    try:
        theirs: float = xstate.ask(EVENTS)["event_ms"]
    except PeerError as problem:
        bench.note_missing_peer(xstate.NAME, problem)
        return None
    bench.note_peer(xstate.NAME, xstate.VERSION)
    return theirs


def _walk() -> None:
    """Send events to a run that is not stored, and advance it."""
    plan, visitor, standing = ProcessIndex(DOOR), Visitor("agent"), _make_run()
    evidence = FolderEvidenceReader(Path(), Path())
    for revision in range(1, EVENTS + 1):
        sent = Submission(
            run_id=standing.run_id,
            event_name="move",
            expected_revision=revision,
            idempotency_key="key",
        )
        facts = GuardFacts(plan, standing, evidence)
        way = decide_event(plan, standing, sent, visitor, SubmittedEvidence(facts))
        assert isinstance(way, AllowedTransition), f"refused: {way}"
        standing.state = way.to
        standing.revision = revision + 1


def _make_run() -> ProcessRun:
    first = EventRecord(
        revision=1,
        at=0,
        state=DOOR.initial_state,
        event=CREATED,
        event_id="event-1",
        author=Author("agent", "agent"),
        opening=RunOpening(process_id=DOOR.process_id, process_version=DOOR.version, definition=""),
    )
    return ProcessRun.from_first_record("run-1", first)
