"""Transitions that the gate takes by itself: by time, and when child runs have ended.

Nothing runs in the background: they are taken when a caller ticks or sends an event, and
when a child run ends.
"""

import msgspec

from saniwa.core.clock import Clock, format_timestamp
from saniwa.core.errors import StoreError
from saniwa.core.ids import Ids
from saniwa.process.artifact import Artifact
from saniwa.process.child_groups import list_open_children
from saniwa.process.child_runs import GATE_AUTHOR, ChildRuns
from saniwa.process.declared_checks import CheckSession, build_join_artifacts
from saniwa.process.definition import ChildrenGuard, TransitionDefinition
from saniwa.process.definition_index import ProcessIndex, ProcessIndexCache
from saniwa.process.event_decision import list_missing_guards
from saniwa.process.event_record import EventRecord, LogNote
from saniwa.process.evidence_intake import SubmissionContext
from saniwa.process.guards import GuardFacts
from saniwa.process.ports import (
    CheckRunner,
    EvidenceChecker,
    EvidenceReader,
    GateLog,
    GateRunWriter,
)
from saniwa.process.ruling import MissingGuard
from saniwa.process.run_state import ProcessRun
from saniwa.process.state_hooks import HookRunner
from saniwa.process.submission import TIMER_VISITOR

MOST_FIRED = 100
"""Most automatic transitions of one run that are taken in one go."""
_TIMER_AUTHOR = msgspec.structs.replace(TIMER_VISITOR.author, type="system")


class FiredTimer(msgspec.Struct, frozen=True):
    """A transition that the gate took by itself."""

    run_id: str
    """The run."""
    event: str
    """Its name in the log."""
    from_state: str
    """The state before the transition."""
    to_state: str
    """The state after the transition."""
    revision: int
    """Its revision."""


def compute_due(way: TransitionDefinition, entered: int) -> int:
    """Return when an automatic transition of a state entered then is due, in milliseconds.

    Raises:
        CalendarError: Its time zone is not known on this machine.
    """
    if way.at:
        from saniwa.process.calendar_times import compute_due_time

        return compute_due_time(way.at, entered)
    return entered + way.after


def list_due_transitions(
    index: ProcessIndex, run: ProcessRun, now: int
) -> tuple[TransitionDefinition, ...]:
    """List the automatic transitions that are due: for child runs, then the soonest."""
    due = [
        (not way.when, compute_due(way, run.entered), number, way)
        for number, way in enumerate(index.list_automatic(run.state))
    ]
    return tuple(way for _, moment, _, way in sorted(due, key=lambda e: e[:3]) if moment <= now)


def name_timer(way: TransitionDefinition) -> str:
    """Return the name of a timed transition in notes."""
    return f"{way.event}->{way.to}" + (f"[{way.guard}]" if way.guard else "")


def is_given_up(way: TransitionDefinition, run: ProcessRun) -> bool:
    """Whether a timed transition was refused as often as it may be tried."""
    tried = run.timers.get(name_timer(way))
    return way.retry is not None and tried is not None and tried.attempts > way.retry.times


def is_waiting(way: TransitionDefinition, run: ProcessRun, now: int) -> bool:
    """Whether a timed transition was refused and is not to be tried now."""
    tried = run.timers.get(name_timer(way))
    if way.retry is None or tried is None:
        return False
    return is_given_up(way, run) or now < tried.tried + way.retry.every


class TimerChecks:
    """The checks that timed transitions of one run need; run while it is not locked."""

    def __init__(self, runner: CheckRunner | None, evidence: EvidenceReader) -> None:
        self._runner = runner
        self._evidence = evidence
        self._session: CheckSession | None = None
        self._revision = 0

    def prepare(self, run: ProcessRun, stamp: SubmissionContext) -> CheckSession:
        """Return the results so far; none if the run has moved on since."""
        if self._session is None or run.revision != self._revision:
            self._revision = run.revision
            self._session = CheckSession(self._runner, self._evidence, lambda: stamp, ())
        return self._session

    def run(self, index: ProcessIndex, run: ProcessRun, names: tuple[str, ...]) -> None:
        """Run the checks of these guards, if the run is still where they were asked for.

        Raises:
            StoreError: The settings of the gate cannot be read.
        """
        if self._session is not None and run.revision == self._revision:
            self._session.run(index, run, names)


class AutomaticTransitions(msgspec.Struct, frozen=True, kw_only=True):
    """Takes the transitions that no caller sends, for the runs of one log."""

    log: GateLog
    evidence: EvidenceReader
    checker: EvidenceChecker
    indexes: ProcessIndexCache
    hooks: HookRunner
    children: ChildRuns
    clock: Clock
    ids: Ids
    lookup: CheckRunner | None = None

    def make_checks(self) -> TimerChecks:
        """Return the checks of timed transitions, of which none has been run."""
        return TimerChecks(self.lookup, self.evidence)

    def finish(self, run_id: str, *, notes_failure: bool = False) -> None:
        """Do what follows an event: hooks, child runs, and the parent of a run that ended.

        With `notes_failure`, a parent that cannot be reached is noted in the run's log
        and is no error: the event is durable, and a tick of the parent finds the end.

        Raises:
            StoreError: A log cannot be read or written.
        """
        run = self.log.load_run(run_id)
        index = self.indexes.load_index_for(run)
        if self.hooks.has_pending(index, run):
            self.hooks.run_pending(run_id, index)
            self._finish_children(run_id)
        if run.opening.parent is None:
            return
        try:
            self._report_to_parent(run_id)
        except StoreError as problem:
            if not notes_failure:
                raise
            self._note_failure(run_id, problem)

    def _finish_children(self, run_id: str) -> None:
        """Let child runs that were just begun do what their first states ask for."""
        for group, _, child_id in list_open_children(self.log.load_run(run_id)):
            index = self.indexes.load_index(group.batch.definition)
            first = index.get_state(index.process.initial_state)
            if first.is_final or index.list_hooks("", first.name):
                self.finish(child_id)

    def _report_to_parent(self, run_id: str) -> None:
        parent = self.children.report_end(self.log.load_run(run_id))
        if parent:
            self.advance(parent)

    def _note_failure(self, run_id: str, problem: StoreError) -> None:
        message = f"the parent was not reached: {problem.code}: {problem.message}"
        with self.log.lock_run(run_id) as passage:
            note = LogNote(
                revision=passage.run.revision,
                at=self.clock.now(),
                about="child",
                message=message,
                failed=True,
            )
            passage.append_note(note)

    def advance(self, run_id: str) -> tuple[FiredTimer, ...]:
        """Take every automatic transition of a run that is due, one after the other.

        Raises:
            StoreError: A log cannot be read or written.
        """
        fired: list[FiredTimer] = []
        checks = self.make_checks()
        while len(fired) < MOST_FIRED:
            self.finish(run_id)
            run = self.log.load_run(run_id)
            index = self.indexes.load_index_for(run)
            if not list_due_transitions(index, run, self.clock.now()):
                break
            with self.log.lock_run(run_id) as passage:
                # The run may have been moved, and by another process that did no more.
                index = self.indexes.load_index_for(passage.run)
                if self.hooks.has_pending(index, passage.run):
                    continue
                taken = self.take_next(passage, index, MOST_FIRED - len(fired), checks)
            if taken is None:
                break
            if isinstance(taken, tuple):
                checks.run(index, self.log.load_run(run_id), taken)
                continue
            fired.append(FiredTimer(run_id, taken.event, taken.source, taken.state, taken.revision))
        else:
            self.finish(run_id)
        return tuple(fired)

    def take_next(
        self, passage: GateRunWriter, index: ProcessIndex, left: int, checks: TimerChecks
    ) -> EventRecord | tuple[str, ...] | None:
        """Take the first automatic transition that is due; None if there is none.

        Returns the names of guards instead, if their checks must be run first. Of the
        `left` transitions that may be taken in one go, the last gets the current time.
        So a cycle of timed states catches up with the present instead of being walked
        through one by one.

        Raises:
            StoreError: It could not be written.
        """
        run, now = passage.run, self.clock.now()
        ways = list_due_transitions(index, run, now)
        if not ways or left <= 0 or self.children.explain_closed(run):
            return None
        event_id = self.ids.create_id("evt")
        stamp = SubmissionContext(run.run_id, "", event_id, format_timestamp(now), _TIMER_AUTHOR)
        session = checks.prepare(run, stamp)
        for way in ways:
            if is_waiting(way, run, now):
                continue
            results = session.make_results() if way.retry is not None else None
            facts = GuardFacts(index, run, self.checker, session.artifacts, results)
            missing = list_missing_guards(index, way, facts)
            if missing:
                _note_refusal(passage, way, missing, now)
            elif facts.checks.pending:
                return tuple(facts.checks.pending)
            else:
                artifacts = _collect_artifacts(index, run, session, facts.joins, stamp)
                record = _build_record(run, way, artifacts, event_id, now, last=left == 1)
                passage.append(record)
                return record
        return None


def _collect_artifacts(
    index: ProcessIndex,
    run: ProcessRun,
    session: CheckSession,
    joins: dict[str, ChildrenGuard],
    stamp: SubmissionContext,
) -> tuple[Artifact, ...]:
    found = build_join_artifacts(index, run, joins, stamp, len(session.artifacts))
    return (*session.artifacts, *found)


def _build_record(
    run: ProcessRun,
    way: TransitionDefinition,
    artifacts: tuple[Artifact, ...],
    event_id: str,
    now: int,
    *,
    last: bool,
) -> EventRecord:
    # When it was due, not when it was noticed: later timers count from that time.
    due = now if last or way.when else max(compute_due(way, run.entered), run.updated)
    return EventRecord(
        revision=run.revision + 1,
        at=due,
        state=way.to,
        event=way.event,
        event_id=event_id,
        source=run.state,
        role=GATE_AUTHOR.id if way.when else TIMER_VISITOR.role,
        author=GATE_AUTHOR if way.when else _TIMER_AUTHOR,
        artifacts=artifacts,
    )


def _note_refusal(
    passage: GateRunWriter, way: TransitionDefinition, missing: tuple[MissingGuard, ...], now: int
) -> None:
    """Record that a timed transition was refused, if it is tried again."""
    if way.retry is None:
        return
    why = "; ".join(each.current_status for each in missing)
    passage.append_note(
        LogNote(
            revision=passage.run.revision,
            at=now,
            about="timer",
            message=f"{name_timer(way)}: {why}",
            failed=True,
            timer=name_timer(way),
        )
    )
