"""One event's way through the gate: inspect, decide, record, run its hooks.

The decision is made while the run is locked, so a refused event leaves nothing behind
and no two events get the same revision.
"""

from functools import partial
from typing import Any

import msgspec
import orjson

from saniwa.core.clock import Clock, format_timestamp
from saniwa.core.idempotency import IdempotencyKey
from saniwa.core.ids import Ids
from saniwa.process.artifact import Artifact
from saniwa.process.automatic_transitions import MOST_FIRED, AutomaticTransitions, TimerChecks
from saniwa.process.declared_checks import CheckSession, build_join_artifacts
from saniwa.process.definition import APPROVE, DECISIONS, StateDefinition
from saniwa.process.definition_index import ProcessIndex, ProcessIndexCache, render_prompt
from saniwa.process.event_decision import AllowedTransition, SubmittedEvidence, decide_event
from saniwa.process.event_record import Approval, EventRecord
from saniwa.process.evidence_intake import EvidenceIntake, SubmissionContext, inspect_claims
from saniwa.process.guards import GuardFacts
from saniwa.process.ports import (
    CheckRunner,
    EvidenceChecker,
    EvidenceReader,
    GateLog,
    GateRunWriter,
    Signer,
    ToolJournal,
)
from saniwa.process.review import digest_review, sign_record
from saniwa.process.ruling import EventAcceptance, EventRefusal, Ruling, refuse_malformed
from saniwa.process.run_state import ProcessRun
from saniwa.process.submission import Submission, Visitor, digest_request

_EMPTY_INTAKE = EvidenceIntake()


class EventHandler(msgspec.Struct, frozen=True, kw_only=True):
    """Handles events for one visitor."""

    log: GateLog
    evidence: EvidenceReader
    checker: EvidenceChecker
    visitor: Visitor
    indexes: ProcessIndexCache
    automatic: AutomaticTransitions
    clock: Clock
    ids: Ids
    signer: Signer | None = None
    lookup: CheckRunner | None = None
    journal: ToolJournal | None = None

    def submit(self, sent: Submission) -> Ruling:
        """Decide on an event and, if it may happen, record it.

        Raises:
            StoreError: The log could not be read or written.
        """
        refused = refuse_malformed(sent)
        if refused is not None:
            return self._refuse_with_revision(sent, refused)
        if sent.payload:
            # A private copy: the caller may go on changing its own payload.
            payload = orjson.loads(orjson.dumps(sent.payload))
            sent = msgspec.structs.replace(sent, payload=payload)
        request = digest_request(sent)
        event_id = self.ids.create_id("evt")
        intake = _EMPTY_INTAKE
        if sent.artifacts:
            # Read files before locking the run, so that other writers do not wait for a
            # disk.
            with self.log.lock_run(sent.run_id) as passage:
                known = self._replay(passage, sent, request)
                run = passage.run
                index = self.indexes.load_index_for(run)
            if known is not None:
                return known
            stamp = self._make_stamp(run.home, run.opening.folder, event_id)
            intake = inspect_claims(
                index, sent.artifacts, stamp, self.evidence, self.lookup, self.journal
            )
        ruling = self._find_ruling(sent, request, intake, event_id)
        # After a crash, the same request again finds what the first one left undone.
        if isinstance(ruling, EventAcceptance) and self.indexes.any_hooks:
            self.automatic.finish(sent.run_id, notes_failure=True)
        return ruling

    def _find_ruling(
        self, sent: Submission, request: str, intake: EvidenceIntake, event_id: str
    ) -> Ruling:
        """Decide, as often as hooks, timers or checks must run first."""
        left = MOST_FIRED
        stamp = partial(self._make_stamp, sent.run_id, "", event_id)
        session = CheckSession(self.lookup, self.evidence, stamp, intake.artifacts)
        timers = self.automatic.make_checks()
        while True:
            with self.log.lock_run(sent.run_id) as passage:
                moved = self._catch_up(passage, sent, request, left, timers)
                ruling = moved or self._decide(passage, sent, request, intake, event_id, session)
            if isinstance(ruling, ProcessIndex):
                left -= 1
                self.automatic.finish(sent.run_id)
            elif isinstance(ruling, tuple):
                run = self.log.load_run(sent.run_id)
                timers.run(self.indexes.load_index_for(run), run, ruling)
            elif isinstance(ruling, AllowedTransition):
                # Outside the lock: a check may take minutes. If the run moves on in the
                # meantime, the event is refused for its revision.
                run = self.log.load_run(sent.run_id)
                session.run(self.indexes.load_index_for(run), run, ruling.checks)
            else:
                return ruling

    def _refuse_with_revision(self, sent: Submission, refused: EventRefusal) -> EventRefusal:
        """Refuse a malformed request, after its run and its key have been checked.

        Raises:
            StoreError: `RUN_NOT_FOUND`, or any other reason the log cannot be read.
        """
        if type(sent.run_id) is not str:
            return refused
        with self.log.lock_run(sent.run_id) as passage:
            key = sent.idempotency_key
            record = passage.find_by_key(key) if type(key) is str else None
            revision = passage.run.revision
        if record is not None:
            return _refuse_key_conflict(record, revision)
        return msgspec.structs.replace(refused, current_revision=revision)

    def _make_stamp(self, run_id: str, folder: str, event_id: str) -> SubmissionContext:
        at = format_timestamp(self.clock.now())
        return SubmissionContext(run_id, folder, event_id, at, self.visitor.author)

    def _catch_up(
        self, passage: GateRunWriter, sent: Submission, request: str, left: int, timers: TimerChecks
    ) -> Ruling | ProcessIndex | tuple[str, ...] | None:
        """Return what comes before the event; None if nothing does.

        The answer to the same request, if it was accepted before; the index, if hooks
        must run first or a transition was taken; the guards whose checks a timer needs.
        """
        known = self._replay(passage, sent, request)
        if known is not None:
            return known
        run = passage.run
        index = self.indexes.load_index_for(run)
        if index.has_hooks and self.automatic.hooks.has_pending(index, run):
            return index
        if index.list_automatic(run.state):
            taken = self.automatic.take_next(passage, index, left, timers)
            return taken if isinstance(taken, tuple) or taken is None else index
        return None

    def _decide(
        self,
        passage: GateRunWriter,
        sent: Submission,
        request: str,
        intake: EvidenceIntake,
        event_id: str,
        session: CheckSession,
    ) -> Ruling | AllowedTransition:
        """Return the ruling; the transition, if it needs checks to be run first."""
        run = passage.run
        index = self.indexes.load_index_for(run)
        brought = self._collect_evidence(index, run, sent, intake, session)
        ended = index.get_state(run.state).is_final
        closed = "" if ended else self.automatic.children.explain_closed(run)
        way = decide_event(index, run, sent, self.visitor, brought, closed)
        if isinstance(way, EventRefusal) or way.checks:
            return way
        artifacts = (*intake.artifacts, *session.artifacts)
        if way.joins:
            stamp, first = self._make_stamp(sent.run_id, "", event_id), len(session.artifacts)
            artifacts += build_join_artifacts(index, run, way.joins, stamp, first)
        record = self._build_record(run, sent, request, artifacts, event_id, way)
        passage.append(record)
        state = index.get_state(record.state)
        return _accept(record, state, run.variables | record.variables if state.prompt else {})

    def _collect_evidence(
        self,
        index: ProcessIndex,
        run: ProcessRun,
        sent: Submission,
        intake: EvidenceIntake,
        session: CheckSession,
    ) -> SubmittedEvidence:
        facts = GuardFacts(index, run, self.checker, intake.artifacts, session.make_results())
        if sent.event_name not in DECISIONS:
            return SubmittedEvidence(facts, intake.problems)
        changed_evidence: list[str] = []
        if sent.event_name == APPROVE:
            folder = run.opening.folder
            for each in run.list_artifacts():
                why = self.checker.find_evidence_change(folder, each)
                changed_evidence += [f"{each.place} {why}"] if why else []
        return SubmittedEvidence(
            facts, intake.problems, digest_review(run), tuple(changed_evidence)
        )

    def _build_record(
        self,
        run: ProcessRun,
        sent: Submission,
        request: str,
        artifacts: tuple[Artifact, ...],
        event_id: str,
        way: AllowedTransition,
    ) -> EventRecord:
        decided = sent.event_name in DECISIONS
        bound = Approval(sent.expected_revision, sent.approval_digest)
        record = EventRecord(
            revision=run.revision + 1,
            at=self.clock.now(),
            state=way.to,
            event=sent.event_name,
            event_id=event_id,
            source=run.state,
            key=sent.idempotency_key,
            digest=request,
            role=self.visitor.role,
            author=self.visitor.author,
            payload=sent.payload,
            variables={} if decided else way.variables,
            artifacts=artifacts,
            approval=bound if decided else None,
            overridden=way.overridden,
        )
        return sign_record(sent.run_id, record, self.signer) if decided else record

    def _replay(self, passage: GateRunWriter, sent: Submission, request: str) -> Ruling | None:
        record = passage.find_by_key(sent.idempotency_key)
        if record is None:
            return None
        asked = IdempotencyKey(key=sent.idempotency_key, digest=request)
        run = passage.run
        # A row of a table has no digest; its gate knew a request by its key alone.
        known = record.imported and record.event == sent.event_name
        if not known and not asked.is_same_request(record.digest):
            return _refuse_key_conflict(record, run.revision)
        state = self.indexes.load_index_for(run).get_state(record.state)
        return _accept(record, state, run.variables, replayed=True)


def _accept(
    record: EventRecord,
    state: StateDefinition,
    variables: dict[str, Any],
    *,
    replayed: bool = False,
) -> EventAcceptance:
    return EventAcceptance(
        event_id=record.event_id,
        from_state=record.source,
        to_state=record.state,
        new_revision=record.revision,
        new_state_prompt=render_prompt(state, variables),
        replayed=replayed,
    )


def _refuse_key_conflict(record: EventRecord, revision: int) -> EventRefusal:
    return EventRefusal(
        code="IDEMPOTENCY_CONFLICT",
        message=f"the key {record.key!r} was already used for another request, accepted as "
        f"revision {record.revision}",
        hint="use a new key for a new request",
        current_revision=revision,
    )
