"""The gate: takes events in, weighs them, and writes down what it lets through.

One gate stands behind one door, and a door has one visitor: the role is never an
argument. Everything of an event is weighed and written while its run is held alone, so
nothing of a refused event is left behind.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
import orjson

from saniwa.core.clock import Clock, SystemClock
from saniwa.core.document import of_plain
from saniwa.core.errors import DocumentError, ProcessError, StoreError
from saniwa.core.finding import Finding, Report
from saniwa.core.ids import Ids, TimeOrderedIds
from saniwa.core.where import Where
from saniwa.process import variables as variable
from saniwa.process.artifact import Artifact, Claim
from saniwa.process.audit import Audit
from saniwa.process.definition import APPROVE, CREATED, DECISIONS, Process
from saniwa.process.guard import Facts
from saniwa.process.hooking import Hooks
from saniwa.process.intake import Intake, Stamp, take_in
from saniwa.process.moving import migration, unfit
from saniwa.process.plan import Plan, prompt_of
from saniwa.process.ports import Evidence, Library, Messenger, Passage, RunLog
from saniwa.process.record import Approval, Opening, Record, timestamp
from saniwa.process.review import Review, digest, review
from saniwa.process.ruling import (
    Accepted,
    Problem,
    Refused,
    Ruling,
    Submission,
    answer,
)
from saniwa.process.standing import Standing
from saniwa.process.timing import Fired, due, record_of, ripe
from saniwa.process.view import RunState, Sendable, events_view, state_view
from saniwa.process.visitor import Visitor
from saniwa.process.weigh import Brought, Way, weigh

LARGEST_PAYLOAD = 100_000
"""Bytes a payload may have as JSON."""
MOST_FIRED = 100
"""Transitions of one run that time takes in one go."""
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}").fullmatch
_NOTHING = Intake()


class Gate:
    """A door to runs of processes, for one visitor."""

    def __init__(
        self,
        log: RunLog,
        library: Library,
        evidence: Evidence,
        visitor: Visitor,
        *,
        clock: Clock | None = None,
        ids: Ids | None = None,
        messenger: Messenger | None = None,
    ) -> None:
        """A gate over a log; clock, ids and messenger default to the real ones."""
        self.log = log
        self.library = library
        self.evidence = evidence
        self.visitor = visitor
        self.clock = clock or SystemClock()
        self._ids = ids or TimeOrderedIds()
        self._hooks = Hooks(log, self.clock, messenger)
        self._plans: dict[str, Plan] = {}

    def create_run(
        self,
        process_id: str,
        variables: Mapping[str, Any] | None = None,
        *,
        folder: str = "",
    ) -> Standing:
        """Begin a run of a process in its first state.

        Raises:
            ProcessError: `PROCESS_NOT_FOUND`, `INVALID_PROCESS`; `INVALID_CONTEXT` for
                variables that the process does not allow.
            StoreError: It could not be kept.
        """
        plan = Plan(self.library.find(process_id))
        self._plans[plan.hash] = plan
        given = dict(variables or {})
        first = plan.process.initial_variables | given
        wrong = (
            *variable.opening_problems(plan, given),
            *variable.problems(plan, first, "/context"),
        )
        if wrong:
            raise _bad_variables(wrong)
        run_id = self._ids.fresh("run")
        opening = Opening(
            process_id=plan.process.process_id,
            process_version=plan.process.version,
            definition=plan.hash,
            folder=folder,
        )
        record = Record(
            revision=1,
            at=self.clock.now(),
            state=plan.process.initial_state,
            event=CREATED,
            event_id=self._ids.fresh("evt"),
            role=self.visitor.role,
            author=self.visitor.author,
            variables=first,
            opening=opening,
        )
        self.log.create(run_id, record, plan.process)
        self._hooks.settle(run_id, plan)
        return self.log.standing(run_id)

    def submit(self, sent: Submission) -> Ruling:
        """Weigh an event and, if it may happen, write it down.

        An acceptance is durable. A refusal wrote nothing and did not spend the key.

        Raises:
            StoreError: The log could not be read or written.
        """
        try:
            return self._submit(sent)
        except StoreError as problem:
            if problem.code != "RUN_NOT_FOUND":
                raise
            return Refused(
                code="RUN_NOT_FOUND", message=problem.message, hint=problem.hint
            )

    def emit_event(
        self,
        *,
        run_id: str,
        event_name: str,
        expected_revision: int,
        idempotency_key: str,
        payload: Mapping[str, Any] | None = None,
        artifact_paths: Sequence[str] = (),
        artifacts: Iterable[Claim] = (),
        approval_digest: str = "",
    ) -> dict[str, Any]:
        """The published call: `submit`, answered in the published shape.

        Raises:
            StoreError: The log could not be read or written.
        """
        claims = (*(Claim(path=path) for path in artifact_paths), *artifacts)
        sent = Submission(
            run_id=run_id,
            event_name=event_name,
            expected_revision=expected_revision,
            idempotency_key=idempotency_key,
            payload=dict(payload or {}),
            artifacts=claims,
            approval_digest=approval_digest,
        )
        return answer(self.submit(sent))

    def plan(self, standing: Standing) -> Plan:
        """The definition a run stands on, ready to be asked.

        Raises:
            StoreError: `DEFINITION_MISSING`.
        """
        return self._plan_of(standing.opening.definition)

    def state(self, run_id: str) -> RunState:
        """Where a run stands, what is missing, and what this visitor may send.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `DEFINITION_MISSING`; the log cannot be trusted.
        """
        standing = self.log.standing(run_id)
        plan = self.plan(standing)
        return state_view(plan, standing, self.visitor, self._facts(standing))

    def events(
        self, run_id: str, *, include_blocked: bool = False
    ) -> tuple[Sendable, ...]:
        """What can happen in a run now.

        Raises:
            StoreError: As `state` does.
        """
        standing = self.log.standing(run_id)
        return events_view(
            self.plan(standing),
            standing,
            self.visitor,
            self._facts(standing),
            include_blocked=include_blocked,
        )

    def review(self, run_id: str) -> Review:
        """What somebody who decides has to look at, with the digest to decide on.

        Raises:
            StoreError: As `state` does.
        """
        standing = self.log.standing(run_id)
        fault = partial(self.evidence.fault, standing.opening.folder)
        return review(self.plan(standing), standing, fault)

    def tick(self, run_id: str) -> tuple[Fired, ...]:
        """Take the transitions of a run whose time has come, and finish its hooks.

        Raises:
            StoreError: As `state` does; it could not be written.
        """
        fired: list[Fired] = []
        while len(fired) < MOST_FIRED:
            standing = self.log.standing(run_id)
            plan = self.plan(standing)
            self._hooks.settle(run_id, plan)
            if not due(plan, standing, self.clock.now()):
                break
            one = self._fire(run_id)
            if one is None:
                break
            fired.append(one)
        return tuple(fired)

    def _fire(self, run_id: str) -> Fired | None:
        with self.log.passage(run_id) as passage:
            standing, now = passage.standing, self.clock.now()
            plan = self.plan(standing)
            way = ripe(plan, standing, now, self._facts(standing))
            if way is None:
                return None
            record = record_of(way, standing, now, self._ids.fresh("evt"))
            passage.append(record)
        self._hooks.settle(run_id, plan)
        return Fired(run_id, way.event, way.source, way.to, record.revision)

    def migrate(self, run_id: str, process: Process | None = None) -> Standing:
        """Move a run to its process as it is now, or to a given definition.

        Its state must still exist there. A run that stands on it already is left alone.

        Raises:
            ProcessError: `MIGRATION_REFUSED`; `FORBIDDEN` at an agent's door;
                `PROCESS_NOT_FOUND`, `INVALID_PROCESS`.
            StoreError: As `state` does; it could not be written.
        """
        if not self.visitor.person:
            raise _not_a_person()
        standing = self.log.standing(run_id)
        plan = Plan(process or self.library.find(standing.opening.process_id))
        if plan.hash == standing.opening.definition:
            return standing
        self.log.keep_definition(plan.process)
        with self.log.passage(run_id) as passage:
            standing = passage.standing
            why = unfit(plan, standing)
            if why:
                raise _not_moved(standing, plan, why)
            passage.append(
                migration(
                    plan,
                    standing,
                    self.visitor,
                    self.clock.now(),
                    self._ids.fresh("evt"),
                )
            )
        return self.log.standing(run_id)

    def verify(self, run_id: str) -> Report:
        """Read a run again from its first byte: log, records, rules and evidence.

        Raises:
            StoreError: `RUN_NOT_FOUND`.
        """
        found = list(self.log.faults(run_id))
        audit = Audit(run_id, self._plan_of)
        try:
            found += audit.findings(self.log.entries(run_id))
        except StoreError as problem:
            if problem.code == "RUN_NOT_FOUND":
                raise
            found += [] if found else [_finding(problem)]
        if audit.standing is not None:
            folder = audit.standing.opening.folder
            found += audit.changed(partial(self.evidence.fault, folder))
        return Report.of(found)

    def _plan_of(self, hash: str) -> Plan:
        plan = self._plans.get(hash)
        if plan is None:
            plan = self._plans[hash] = Plan(self.log.definition(hash))
        return plan

    def _facts(self, standing: Standing, brought: Iterable[Artifact] = ()) -> Facts:
        fault = partial(self.evidence.fault, standing.opening.folder)
        return Facts(standing.variables, standing.artifacts, brought, fault)

    def _submit(self, sent: Submission) -> Ruling:
        refused = _malformed(sent)
        if refused is not None:
            return refused
        request = _digest_of(sent)
        event_id = self._ids.fresh("evt")
        intake = _NOTHING
        if sent.artifacts:
            # Files are read before the run is held: others need not wait for a disk.
            with self.log.passage(sent.run_id) as passage:
                known = self._replay(passage, sent, request)
                standing = passage.standing
                plan = self.plan(standing)
            if known is not None:
                return known
            intake = self._take_in(plan, standing, sent, event_id)
        ruling: Ruling | Plan
        while True:
            with self.log.passage(sent.run_id) as passage:
                ruling = self._decide(passage, sent, request, intake, event_id)
            if not isinstance(ruling, Plan):
                break
            self._hooks.settle(sent.run_id, ruling)
        if isinstance(ruling, Accepted) and not ruling.replayed:
            self._settle(sent.run_id)
        return ruling

    def _take_in(
        self, plan: Plan, standing: Standing, sent: Submission, event_id: str
    ) -> Intake:
        stamp = Stamp(
            standing.run_id,
            standing.opening.folder,
            event_id,
            timestamp(self.clock.now()),
            self.visitor.author,
        )
        return take_in(plan, sent.artifacts, stamp, self.evidence)

    def _decide(
        self,
        passage: Passage,
        sent: Submission,
        request: str,
        intake: Intake,
        event_id: str,
    ) -> Ruling | Plan:
        """The ruling; or the plan, if hooks of the last event must run first."""
        known = self._replay(passage, sent, request)
        if known is not None:
            return known
        standing = passage.standing
        plan = self.plan(standing)
        if plan.has_hooks and self._hooks.pending(plan, standing):
            return plan
        brought = self._brought(standing, sent, intake)
        way = weigh(plan, standing, sent, self.visitor, brought)
        if isinstance(way, Refused):
            return way
        record = self._record(standing, sent, request, intake, event_id, way)
        passage.append(record)
        state = plan.state(record.state)
        prompt = ""
        if state.prompt:
            prompt = prompt_of(state, standing.variables | record.variables)
        return Accepted(
            event_id=event_id,
            from_state=record.source,
            to_state=record.state,
            new_revision=record.revision,
            new_state_prompt=prompt,
        )

    def _settle(self, run_id: str) -> None:
        """Run the hooks of what has just been accepted."""
        if any(plan.has_hooks for plan in self._plans.values()):
            plan = self.plan(self.log.standing(run_id))
            self._hooks.settle(run_id, plan)

    def _brought(self, standing: Standing, sent: Submission, intake: Intake) -> Brought:
        facts = self._facts(standing, intake.artifacts)
        if sent.event_name not in DECISIONS:
            return Brought(facts, intake.problems)
        spoilt: list[str] = []
        if sent.event_name == APPROVE:
            folder = standing.opening.folder
            for each in standing.evidence():
                why = self.evidence.fault(folder, each)
                spoilt += [f"{each.place} {why}"] if why else []
        return Brought(facts, intake.problems, digest(standing), tuple(spoilt))

    def _record(
        self,
        standing: Standing,
        sent: Submission,
        request: str,
        intake: Intake,
        event_id: str,
        way: Way,
    ) -> Record:
        decided = sent.event_name in DECISIONS
        bound = Approval(sent.expected_revision, sent.approval_digest)
        return Record(
            revision=standing.revision + 1,
            at=self.clock.now(),
            state=way.to,
            event=sent.event_name,
            event_id=event_id,
            source=standing.state,
            key=sent.idempotency_key,
            digest=request,
            role=self.visitor.role,
            author=self.visitor.author,
            payload=sent.payload,
            variables={} if decided else way.variables,
            artifacts=intake.artifacts,
            approval=bound if decided else None,
            overridden=way.overridden,
        )

    def _replay(
        self, passage: Passage, sent: Submission, request: str
    ) -> Ruling | None:
        record = passage.kept(sent.idempotency_key)
        if record is None:
            return None
        if record.digest != request:
            return Refused(
                code="IDEMPOTENCY_CONFLICT",
                message=f"the key {sent.idempotency_key!r} stands for another request, "
                f"accepted as revision {record.revision}",
                hint="choose a new key for a new request",
                current_revision=passage.standing.revision,
            )
        return Accepted(
            event_id=record.event_id,
            from_state=record.source,
            to_state=record.state,
            new_revision=record.revision,
            replayed=True,
        )


def _malformed(sent: Submission) -> Refused | None:
    if _KEY(sent.idempotency_key) is None:
        told = "1 to 200 of A-Z a-z 0-9 . _ : / @ + -, beginning with a letter or digit"
        return _refuse_payload("/idempotency_key", told)
    try:
        if sent.payload:
            of_plain(sent.payload, "payload")
        for claim in sent.artifacts:
            of_plain([claim.metadata, *_content(claim)], "artifacts")
    except DocumentError as problem:
        return _refuse_payload(f"/{problem.where}", problem.message)
    if sent.payload and len(orjson.dumps(sent.payload)) > LARGEST_PAYLOAD:
        return _refuse_payload("/payload", f"it has over {LARGEST_PAYLOAD} bytes")
    return None


def _refuse_payload(path: str, told: str) -> Refused:
    return Refused(
        code="INVALID_PAYLOAD",
        message=f"what was sent cannot be taken: {path}: {told}",
        hint="mend what is named and send it again",
        validation_errors=(Problem(path, told),),
    )


def _digest_of(sent: Submission) -> str:
    """What tells one request from another."""
    claims = [
        [c.type, c.path, c.url, c.hash, c.metadata, *_content(c)]
        for c in sent.artifacts
    ]
    told = [sent.event_name, sent.payload, claims]
    return hashlib.sha256(orjson.dumps(told, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _content(claim: Claim) -> list[Any]:
    return [] if claim.content is msgspec.UNSET else [claim.content]


def _bad_variables(problems: Sequence[Problem]) -> ProcessError:
    told = "; ".join(f"{each.path}: {each.message}" for each in problems[:3])
    return ProcessError(
        "INVALID_CONTEXT",
        f"a run cannot begin with these variables: {told}",
        hint="mend what is named, or leave it out",
        details={"validation_errors": [[p.path, p.message] for p in problems]},
    )


def _not_a_person() -> ProcessError:
    return ProcessError(
        "FORBIDDEN",
        "only a person moves a run to another definition, and this door is an agent's",
        hint="open the gate with a person's credential",
    )


def _not_moved(standing: Standing, plan: Plan, why: str) -> ProcessError:
    return ProcessError(
        "MIGRATION_REFUSED",
        f"{standing.run_id} cannot move to version {plan.process.version!r}: {why}",
        hint="bring the run to a state both definitions have, or keep the state",
        details={"state": standing.state, "states": sorted(plan.states)},
    )


def _finding(problem: StoreError) -> Finding:
    return Finding(
        code=problem.code,
        message=problem.message,
        where=problem.where or Where(),
        hint=problem.hint,
    )
