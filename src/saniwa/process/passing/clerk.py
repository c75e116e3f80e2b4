"""One event's way through the gate: looked at, weighed, written down, its hooks run.

Everything that decides happens while the run is held alone, so nothing of a refused
event is left behind and no two events get one revision.
"""

import msgspec
import orjson

from saniwa.core.clock import Clock
from saniwa.core.ids import Ids
from saniwa.process.definition import APPROVE, DECISIONS
from saniwa.process.mark import signed
from saniwa.process.passing.hooking import Hooks
from saniwa.process.passing.timing import MOST_FIRED, fire
from saniwa.process.ports import Evidence, Passage, ReportLookup, RunLog, Signer
from saniwa.process.record import Approval, Record, timestamp
from saniwa.process.ruling import Accepted, Refused, Ruling, Submission
from saniwa.process.standing import Standing
from saniwa.process.visitor import Visitor
from saniwa.process.weighing.guard import Facts
from saniwa.process.weighing.intake import Intake, Stamp, take_in
from saniwa.process.weighing.plan import Plan, prompt_of
from saniwa.process.weighing.plans import Plans
from saniwa.process.weighing.request import digest_of, malformed
from saniwa.process.weighing.review import digest
from saniwa.process.weighing.weigh import Brought, Way, weigh

_NOTHING = Intake()


class Clerk:
    """Takes events in for one visitor."""

    def __init__(
        self,
        log: RunLog,
        evidence: Evidence,
        visitor: Visitor,
        *,
        plans: Plans,
        hooks: Hooks,
        clock: Clock,
        ids: Ids,
        signer: Signer | None = None,
        lookup: ReportLookup | None = None,
    ) -> None:
        """A clerk at a visitor's door."""
        self._lookup = lookup
        self._log = log
        self._evidence = evidence
        self._visitor = visitor
        self._plans = plans
        self._hooks = hooks
        self._clock = clock
        self._ids = ids
        self._signer = signer

    def submit(self, sent: Submission) -> Ruling:
        """Weigh an event and, if it may happen, write it down.

        Raises:
            StoreError: The log could not be read or written.
        """
        refused = malformed(sent)
        if refused is not None:
            return self._of_a_known_run(sent, refused)
        if sent.payload:
            # Ours from here on: whoever sent it may go on writing in it.
            payload = orjson.loads(orjson.dumps(sent.payload))
            sent = msgspec.structs.replace(sent, payload=payload)
        request = digest_of(sent)
        event_id = self._ids.fresh("evt")
        intake = _NOTHING
        if sent.artifacts:
            # Files are read before the run is held: others need not wait for a disk.
            with self._log.passage(sent.run_id) as passage:
                known = self._replay(passage, sent, request)
                standing = passage.standing
                plan = self._plans.of(standing)
            if known is not None:
                return known
            intake = self._take_in(plan, standing, sent, event_id)
        left = MOST_FIRED
        while True:
            with self._log.passage(sent.run_id) as passage:
                ruling = self._decide(passage, sent, request, intake, event_id, left)
            if not isinstance(ruling, Plan):
                break
            left -= 1
            self._hooks.settle(sent.run_id, ruling)
        if isinstance(ruling, Accepted) and not ruling.replayed:
            self._settle(sent.run_id)
        return ruling

    def _of_a_known_run(self, sent: Submission, refused: Refused) -> Refused:
        """What is wrong with a request comes after its run and its key.

        Raises:
            StoreError: `RUN_NOT_FOUND`, and all else that keeps a log from being read.
        """
        if type(sent.run_id) is not str:
            return refused
        with self._log.passage(sent.run_id) as passage:
            key = sent.idempotency_key
            record = passage.kept(key) if type(key) is str else None
            revision = passage.standing.revision
        if record is not None:
            return _conflict(record, revision)
        return msgspec.structs.replace(refused, current_revision=revision)

    def _take_in(
        self, plan: Plan, standing: Standing, sent: Submission, event_id: str
    ) -> Intake:
        stamp = Stamp(
            standing.run_id,
            standing.opening.folder,
            event_id,
            timestamp(self._clock.now()),
            self._visitor.author,
        )
        return take_in(plan, sent.artifacts, stamp, self._evidence, self._lookup)

    def _decide(
        self,
        passage: Passage,
        sent: Submission,
        request: str,
        intake: Intake,
        event_id: str,
        left: int,
    ) -> Ruling | Plan:
        """The ruling; or the plan, if hooks or time come first: then decide again."""
        known = self._replay(passage, sent, request)
        if known is not None:
            return known
        standing = passage.standing
        plan = self._plans.of(standing)
        if plan.has_hooks and self._hooks.pending(plan, standing):
            return plan
        if plan.timers(standing.state) and self._is_late(passage, plan, left):
            return plan
        brought = self._brought(plan, standing, sent, intake)
        way = weigh(plan, standing, sent, self._visitor, brought)
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

    def _is_late(self, passage: Passage, plan: Plan, left: int) -> bool:
        """Whether time has moved the run before the event could."""
        now = self._clock.now()
        return fire(passage, plan, self._evidence, now, self._ids, left) is not None

    def _settle(self, run_id: str) -> None:
        """Run the hooks of what has just been accepted."""
        if self._plans.any_hooks:
            plan = self._plans.of(self._log.standing(run_id))
            self._hooks.settle(run_id, plan)

    def _brought(
        self, plan: Plan, standing: Standing, sent: Submission, intake: Intake
    ) -> Brought:
        facts = Facts(plan, standing, self._evidence, intake.artifacts)
        if sent.event_name not in DECISIONS:
            return Brought(facts, intake.problems)
        spoilt: list[str] = []
        if sent.event_name == APPROVE:
            folder = standing.opening.folder
            for each in standing.evidence():
                why = self._evidence.fault(folder, each)
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
        record = Record(
            revision=standing.revision + 1,
            at=self._clock.now(),
            state=way.to,
            event=sent.event_name,
            event_id=event_id,
            source=standing.state,
            key=sent.idempotency_key,
            digest=request,
            role=self._visitor.role,
            author=self._visitor.author,
            payload=sent.payload,
            variables={} if decided else way.variables,
            artifacts=intake.artifacts,
            approval=bound if decided else None,
            overridden=way.overridden,
        )
        return signed(sent.run_id, record, self._signer) if decided else record

    def _replay(
        self, passage: Passage, sent: Submission, request: str
    ) -> Ruling | None:
        record = passage.kept(sent.idempotency_key)
        if record is None:
            return None
        standing = passage.standing
        if record.digest != request:
            return _conflict(record, standing.revision)
        state = self._plans.of(standing).state(record.state)
        return Accepted(
            event_id=record.event_id,
            from_state=record.source,
            to_state=record.state,
            new_revision=record.revision,
            new_state_prompt=prompt_of(state, standing.variables),
            replayed=True,
        )


def _conflict(record: Record, revision: int) -> Refused:
    return Refused(
        code="IDEMPOTENCY_CONFLICT",
        message=f"the key {record.key!r} stands for another request, accepted as "
        f"revision {record.revision}",
        hint="choose a new key for a new request",
        current_revision=revision,
    )
