"""The gate: takes events in, weighs them, and writes down what it lets through.

One gate stands behind one door, and a door has one visitor: the role is never an
argument.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

import msgspec

from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import ProcessError, StoreError
from saniwa.core.finding import Report
from saniwa.core.ids import Ids, TimeOrderedIds
from saniwa.process.artifact import Claim
from saniwa.process.definition import CREATED, Process
from saniwa.process.mark import signed
from saniwa.process.passing.audit import Audit, verify
from saniwa.process.passing.clerk import Clerk
from saniwa.process.passing.hooking import Hooks
from saniwa.process.passing.moving import (
    migration,
    not_a_person,
    not_moved,
    opening,
    unfit,
)
from saniwa.process.passing.timing import MOST_FIRED, Fired, due, fire
from saniwa.process.ports import (
    Evidence,
    EvidenceError,
    Library,
    Messenger,
    ReportLookup,
    RunLog,
    Signer,
    Witness,
)
from saniwa.process.record import Entry, Record
from saniwa.process.ruling import (
    Refused,
    Ruling,
    Submission,
    answer,
)
from saniwa.process.standing import Standing
from saniwa.process.visitor import Visitor
from saniwa.process.weighing.guard import Facts
from saniwa.process.weighing.permission import Permission, permission
from saniwa.process.weighing.place import folder_steps
from saniwa.process.weighing.plan import Plan
from saniwa.process.weighing.plans import Plans
from saniwa.process.weighing.request import claims_of, refuse_payload
from saniwa.process.weighing.review import Review, review
from saniwa.process.weighing.variables import first_variables
from saniwa.process.weighing.view import RunState, Sendable, events_view, state_view


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
        signer: Signer | None = None,
        witness: Witness | None = None,
        lookup: ReportLookup | None = None,
    ) -> None:
        """A gate over a log; clock and ids default to the real ones.

        Without a messenger webhooks fail, and say so; without a signer decisions carry no
        mark; without a witness `verify` looks at none; without a lookup no report of a
        kind that asks for one is accepted.
        """
        self.log = log
        self.library = library
        self.evidence = evidence
        self.visitor = visitor
        self.clock = clock or SystemClock()
        self._ids = ids or TimeOrderedIds()
        self._hooks = Hooks(log, self.clock, messenger)
        self._plans = Plans(log)
        self._clerk = Clerk(
            log,
            evidence,
            visitor,
            plans=self._plans,
            hooks=self._hooks,
            clock=self.clock,
            ids=self._ids,
            signer=signer,
            lookup=lookup,
        )
        self._signer = signer
        self._witness = witness

    def create_run(
        self,
        process_id: str,
        variables: Mapping[str, Any] | None = None,
        *,
        folder: str = "",
        run_id: str = "",
    ) -> Standing:
        """Begin a run of a process in its first state.

        `run_id` is a name that was given out for it; empty for a fresh one.

        Raises:
            ProcessError: `PROCESS_NOT_FOUND`, `INVALID_PROCESS`; `INVALID_CONTEXT` for
                variables that the process does not allow; `FILE_OUTSIDE` for a folder
                that leads out of the project.
            StoreError: It could not be kept; `RUN_EXISTS` if its name is taken.
        """
        plan = self._plans.keep(Plan(self.library.find(process_id)))
        first = first_variables(plan, variables or {})
        _check_folder(folder)
        run_id = run_id or self._ids.fresh("run")
        record = Record(
            revision=1,
            at=self.clock.now(),
            state=plan.process.initial_state,
            event=CREATED,
            event_id=self._ids.fresh("evt"),
            role=self.visitor.role,
            author=self.visitor.author,
            variables=first,
            opening=opening(plan, folder),
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
            return self._clerk.submit(sent)
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
        artifacts: Iterable[Claim | Mapping[str, Any]] = (),
        approval_digest: str = "",
    ) -> dict[str, Any]:
        """The published call: `submit`, answered in the published shape.

        Raises:
            StoreError: The log could not be read or written.
        """
        try:
            claims = claims_of(artifact_paths, artifacts)
        except msgspec.ValidationError as problem:
            return answer(refuse_payload("/artifacts", str(problem)))
        sent = Submission(
            run_id=run_id,
            event_name=event_name,
            expected_revision=expected_revision,
            idempotency_key=idempotency_key,
            payload={} if payload is None else payload,  # type: ignore[arg-type]
            artifacts=claims,
            approval_digest=approval_digest,
        )
        return answer(self.submit(sent))

    def runs(self) -> Iterator[str]:
        """The ids of all runs, oldest first."""
        return self.log.runs()

    def history(self, run_id: str, after: int = 0) -> Iterator[Entry]:
        """A run's records and notes, beyond a revision, as a stream.

        Raises:
            StoreError: `RUN_NOT_FOUND`; the log cannot be trusted.
        """
        return self.log.entries(run_id, after)

    def close(self) -> None:
        """Let go of the log; everything acknowledged lasts."""
        self.log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def state(self, run_id: str) -> RunState:
        """Where a run stands, what is missing, and what this visitor may send.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `DEFINITION_MISSING`; the log cannot be trusted.
        """
        standing = self.log.standing(run_id)
        plan = self._plans.of(standing)
        facts = Facts(plan, standing, self.evidence)
        return state_view(plan, standing, self.visitor, facts, self.clock.now())

    def events(
        self, run_id: str, *, include_blocked: bool = False
    ) -> tuple[Sendable, ...]:
        """What can happen in a run now.

        Raises:
            StoreError: As `state` does.
        """
        standing = self.log.standing(run_id)
        plan = self._plans.of(standing)
        return events_view(
            plan,
            standing,
            self.visitor,
            Facts(plan, standing, self.evidence),
            include_blocked=include_blocked,
        )

    def review(self, run_id: str) -> Review:
        """What somebody who decides has to look at, with the digest to decide on.

        Raises:
            StoreError: As `state` does.
        """
        standing = self.log.standing(run_id)
        return review(self._plans.of(standing), standing, self.evidence)

    def permission(self, run_id: str, tool: str) -> Permission:
        """Whether an agent may use a tool in the state a run stands in.

        Raises:
            StoreError: As `state` does.
        """
        # A tool that time has forbidden is forbidden, whether or not somebody ticked.
        self.tick(run_id)
        standing = self.log.standing(run_id)
        return permission(self._plans.of(standing).state(standing.state), tool)

    def tick(self, run_id: str) -> tuple[Fired, ...]:
        """Take the transitions of a run whose time has come, and finish its hooks.

        Raises:
            StoreError: As `state` does; it could not be written.
        """
        fired: list[Fired] = []
        while len(fired) < MOST_FIRED:
            standing = self.log.standing(run_id)
            plan = self._plans.of(standing)
            self._hooks.settle(run_id, plan)
            if not due(plan, standing, self.clock.now()):
                break
            one = self._fire(run_id, MOST_FIRED - len(fired))
            if one is None:
                break
            fired.append(one)
        return tuple(fired)

    def _fire(self, run_id: str, left: int) -> Fired | None:
        with self.log.passage(run_id) as passage:
            plan, now = self._plans.of(passage.standing), self.clock.now()
            record = fire(passage, plan, self.evidence, now, self._ids, left)
        if record is None:
            return None
        self._hooks.settle(run_id, plan)
        return Fired(run_id, record.event, record.source, record.state, record.revision)

    def migrate(self, run_id: str, process: Process | None = None) -> Standing:
        """Move a run to its process as it is now, or to a given definition.

        Its state must still exist there. A run that stands on it already is left alone.

        Raises:
            ProcessError: `MIGRATION_REFUSED`; `FORBIDDEN` at an agent's door;
                `PROCESS_NOT_FOUND`, `INVALID_PROCESS`.
            StoreError: As `state` does; it could not be written.
        """
        if not self.visitor.person:
            raise not_a_person()
        standing = self.log.standing(run_id)
        self._hooks.settle(run_id, self._plans.of(standing))
        plan = Plan(process or self.library.find(standing.opening.process_id))
        if plan.hash == standing.opening.definition:
            return standing
        self.log.keep_definition(plan.process)
        with self.log.passage(run_id) as passage:
            standing = passage.standing
            why = unfit(plan, standing)
            if why:
                raise not_moved(standing, plan, why)
            event_id, now = self._ids.fresh("evt"), self.clock.now()
            record = migration(plan, standing, self.visitor, now, event_id)
            passage.append(signed(run_id, record, self._signer))
        return self.log.standing(run_id)

    def verify(self, run_id: str) -> Report:
        """Read a run again from its first byte: log, records, rules and evidence.

        Raises:
            StoreError: `RUN_NOT_FOUND`.
        """
        audit = Audit(run_id, self._plans.at, self._witness)
        return verify(audit, self.log, self.evidence)


def _check_folder(folder: str) -> None:
    try:
        folder_steps(folder)
    except EvidenceError as problem:
        raise ProcessError(
            "FILE_OUTSIDE",
            f"artifacts cannot be kept there: {problem}",
            hint="name a folder inside the project",
        ) from problem
