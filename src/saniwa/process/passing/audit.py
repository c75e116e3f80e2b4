"""Reading a run again from its beginning: could it have come to this, and is it all there?

Says nothing about bytes: how a run is kept is checked by whoever keeps it.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from saniwa.core.errors import StoreError
from saniwa.core.finding import Finding, Report
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.process.artifact import Artifact
from saniwa.process.definition import (
    CREATED,
    DECISIONS,
    MIGRATED,
    OVERRIDE,
    Transition,
)
from saniwa.process.ports import Evidence, RunLog, Witness
from saniwa.process.record import Entry, Record, decision_message
from saniwa.process.standing import Standing
from saniwa.process.visitor import Visitor
from saniwa.process.weighing.guard import Facts
from saniwa.process.weighing.plan import Plan
from saniwa.process.weighing.review import digest
from saniwa.process.weighing.weigh import lacks

Plans = Callable[[str], Plan]
"""Gives the definition with a hash."""


class Audit:
    """One reading of one run."""

    def __init__(
        self, run_id: str, plans: Plans, witness: Witness | None = None
    ) -> None:
        """Stand before a run's first record; without a witness no mark is looked at."""
        self.run_id = run_id
        self._plans = plans
        self._witness = witness
        self.standing: Standing | None = None

    def findings(self, entries: Iterable[Entry]) -> Iterator[Finding]:
        """Everything in the records that cannot have come about by the rules."""
        for entry in entries:
            if not isinstance(entry, Record):
                if self.standing is not None:
                    self.standing.notice(entry)
                continue
            if self.standing is None:
                yield from self._first(entry)
            else:
                yield from self._next(self.standing, entry)

    def changed(self, fault: Callable[[Artifact], str]) -> Iterator[Finding]:
        """Every piece of evidence that is not what was handed in."""
        if self.standing is None:
            return
        for artifact in self.standing.evidence():
            if artifact.url:
                yield _unchecked(artifact, self.run_id)
            why = fault(artifact)
            if why:
                yield Finding(
                    code="ARTIFACT_CHANGED",
                    message=f"{quoted(artifact.place)} {why}",
                    where=Where(file=artifact.path, path=self.run_id),
                    hint="bring it back as it was, or hand it in again",
                    details={"type": artifact.type, "hash": artifact.hash},
                )

    def _first(self, record: Record) -> Iterator[Finding]:
        if record.opening is None or record.revision != 1 or record.event != CREATED:
            yield self._wrong(record, "a run begins with `created` as revision 1")
            return
        plan = self._plan(record)
        if plan is not None and record.state != plan.process.initial_state:
            first = plan.process.initial_state
            yield self._wrong(record, f"a run begins in state {quoted(first)}")
        self.standing = Standing.first(self.run_id, record)

    def _next(self, before: Standing, record: Record) -> Iterator[Finding]:
        if record.revision != before.revision + 1:
            yield self._wrong(record, f"revision {before.revision + 1} comes next")
        if record.source != before.state:
            told = (
                f"the run stood in {quoted(before.state)}, not {quoted(record.source)}"
            )
            yield self._wrong(record, told)
        if record.at < before.updated:
            yield self._late(before, record)
        if record.event in DECISIONS:
            yield from self._decided(before, record)
        yield from self._led(before, record)
        before.advance(record)

    def _led(self, before: Standing, record: Record) -> Iterator[Finding]:
        try:
            plan = self._plans(before.opening.definition)
        except StoreError as problem:
            yield self._wrong(record, problem.message)
            return
        if record.event == MIGRATED:
            after = self._plan(record)
            if record.state != before.state:
                yield self._wrong(record, "a migration changes no state")
            if after is not None and record.state not in after.states:
                told = f"the new definition has no state {quoted(record.state)}"
                yield self._wrong(record, told)
            return
        if not _could(plan, before, record):
            told = f"{quoted(record.event)} as {quoted(record.role)}"
            there = f"does not lead there from {quoted(before.state)} on this evidence"
            yield self._wrong(record, f"{told} {there}")

    def _decided(self, before: Standing, record: Record) -> Iterator[Finding]:
        """What is wrong with a decision: who, on what, and whose mark is under it."""
        if record.author.type != "human":
            yield self._wrong(
                record, f"{quoted(record.event)} was not sent by a person"
            )
        approval = record.approval
        if approval is None or approval.digest != digest(before):
            yield self._wrong(record, "it was not decided on what was there")
        elif self._witness is not None:
            message = decision_message(
                self.run_id,
                approval.revision,
                record.event,
                approval.digest,
                record.role,
            )
            name = record.author.id
            known = self._witness.confirms(name, message, approval.mac)
            if known is None:
                yield self._unproven(record)
            elif not known:
                yield self._wrong(record, f"the mark under it is not that of {name!r}")

    def _unproven(self, record: Record) -> Finding:
        return Finding(
            code="DECISION_UNPROVEN",
            severity="warning",
            message=f"revision {record.revision} ({record.event}) bears the mark of "
            f"{record.author.id!r}, whom nobody here knows",
            where=self._where(record),
            hint="look with the people of that time, or ask them",
        )

    def _plan(self, record: Record) -> Plan | None:
        if record.opening is None:
            return None
        try:
            return self._plans(record.opening.definition)
        except StoreError:
            return None

    def _wrong(self, record: Record, why: str) -> Finding:
        return Finding(
            code="RECORD_IMPOSSIBLE",
            message=f"revision {record.revision} ({record.event} → "
            f"{quoted(record.state)}) cannot have come about: {why}",
            where=self._where(record),
            hint="the run was changed by something that is not this gate",
            details={"revision": record.revision},
        )

    def _late(self, before: Standing, record: Record) -> Finding:
        return Finding(
            code="CLOCK_STEPPED_BACK",
            severity="note",
            message=f"revision {record.revision} is {before.updated - record.at} ms "
            "earlier than the one before it",
            where=self._where(record),
            hint="clocks differ or were set; the order is that of the revisions",
        )

    def _where(self, record: Record) -> Where:
        return Where(file=f"{self.run_id}.csv", line=record.revision + 1)


def _unchecked(artifact: Artifact, run_id: str) -> Finding:
    return Finding(
        code="ARTIFACT_UNCHECKED",
        severity="note",
        message=f"{quoted(artifact.url)} was not fetched: its hash is what was said",
        where=Where(path=run_id),
        hint="fetch it and compare its SHA-256 with the one in the record",
        details={"type": artifact.type, "hash": artifact.hash},
    )


def _could(plan: Plan, before: Standing, record: Record) -> bool:
    """Whether the rules let this event lead where it led, on the evidence of its time."""
    facts = Facts(plan, before, _AsHandedIn(), record.artifacts)
    if record.author.type == "system":
        ways: Iterable[Transition] = plan.timers(before.state)
    elif record.event == OVERRIDE:
        ways = plan.leaving(before.state)
    else:
        visitor = Visitor(record.role, person=record.author.type == "human")
        ways = plan.open_to(before.state, record.event, visitor)
    return any(
        way.to == record.state
        and (record.event == OVERRIDE or way.event == record.event)
        and (record.event == OVERRIDE or not lacks(plan, way, facts))
        for way in ways
    )


class _AsHandedIn:
    """Evidence at the time it was looked at; what became of it is another question."""

    def home(self, run_id: str, folder: str) -> str:  # noqa: ARG002 - the port's signature
        """Nobody asks."""
        return ""

    def fault(self, folder: str, artifact: Artifact) -> str:  # noqa: ARG002 - the port's signature
        """It was as it was handed in."""
        return ""


def verify(audit: Audit, log: RunLog, evidence: Evidence) -> Report:
    """Read a run again from its first byte: log, records, rules and evidence.

    Raises:
        StoreError: `RUN_NOT_FOUND`.
    """
    run_id = audit.run_id
    found = list(log.faults(run_id))
    try:
        found += audit.findings(log.entries(run_id))
    except StoreError as problem:
        if problem.code == "RUN_NOT_FOUND":
            raise
        found += [] if found else [_finding(problem)]
    if audit.standing is not None:
        folder = audit.standing.opening.folder
        found += audit.changed(partial(evidence.fault, folder))
    return Report.of(found)


def _finding(problem: StoreError) -> Finding:
    return Finding(
        code=problem.code,
        message=problem.message,
        where=problem.where or Where(),
        hint=problem.hint,
    )
