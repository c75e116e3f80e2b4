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
from saniwa.process.definition import CREATED, DECISIONS, MIGRATED, OVERRIDE
from saniwa.process.ports import Evidence, RunLog
from saniwa.process.record import Entry, Record
from saniwa.process.standing import Standing
from saniwa.process.weighing.plan import Plan

Plans = Callable[[str], Plan]
"""Gives the definition with a hash."""


class Audit:
    """One reading of one run."""

    def __init__(self, run_id: str, plans: Plans) -> None:
        """Stand before a run's first record."""
        self._run_id = run_id
        self._plans = plans
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
                yield _unchecked(artifact, self._run_id)
            why = fault(artifact)
            if why:
                yield Finding(
                    code="ARTIFACT_CHANGED",
                    message=f"{quoted(artifact.place)} {why}",
                    where=Where(file=artifact.path, path=self._run_id),
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
        self.standing = Standing.first(self._run_id, record)

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
        if record.event in DECISIONS and record.author.type != "human":
            yield self._wrong(
                record, f"{quoted(record.event)} was not sent by a person"
            )
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
        ways = {way.to for way in plan.ways(before.state, record.event)}
        ways |= {w.to for w in plan.timers(before.state) if w.event == record.event}
        if record.event == OVERRIDE:
            ways |= {way.to for way in plan.leaving(before.state)}
        if record.state not in ways:
            told = f"{quoted(record.event)} does not lead there from"
            yield self._wrong(record, f"{told} {quoted(before.state)}")

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
        return Where(file=f"{self._run_id}.csv", line=record.revision + 1)


def _unchecked(artifact: Artifact, run_id: str) -> Finding:
    return Finding(
        code="ARTIFACT_UNCHECKED",
        severity="note",
        message=f"{quoted(artifact.url)} was not fetched: its hash is what was said",
        where=Where(path=run_id),
        hint="fetch it and compare its SHA-256 with the one in the record",
        details={"type": artifact.type, "hash": artifact.hash},
    )


def verify(run_id: str, log: RunLog, evidence: Evidence, plans: Plans) -> Report:
    """Read a run again from its first byte: log, records, rules and evidence.

    Raises:
        StoreError: `RUN_NOT_FOUND`.
    """
    found = list(log.faults(run_id))
    audit = Audit(run_id, plans)
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
