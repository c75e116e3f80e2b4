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
from saniwa.process.definition import CREATED, DECISIONS, MIGRATED
from saniwa.process.mark import message_of
from saniwa.process.passing.recheck import (
    event_faults,
    first_faults,
    migration_faults,
    note_faults,
)
from saniwa.process.ports import Evidence, RunLog, Witness
from saniwa.process.record import Approval, Entry, Note, Record
from saniwa.process.standing import Standing
from saniwa.process.weighing.plan import Plan
from saniwa.process.weighing.review import digest

_MOST_NAMED = 5
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
                yield from self._noticed(entry)
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

    def claimed(self) -> Iterator[Finding]:
        """One note that lists the evidence of which nothing was checked."""
        pieces = [] if self.standing is None else list(self.standing.evidence())
        for maker in ("agent", "person"):
            claims = [p for p in pieces if p.is_claim and p.made_by == maker]
            if claims:
                yield _claimed(claims, maker, self.run_id)

    def _first(self, record: Record) -> Iterator[Finding]:
        if record.opening is None or record.revision != 1 or record.event != CREATED:
            yield self._wrong(record, "a run begins with `created` as revision 1")
            return
        plan = self._plan(record)
        if plan is not None:
            yield from self._each(record, first_faults(plan, record))
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
        if record.event in DECISIONS or record.event == MIGRATED:
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
            faults = migration_faults(before, self._plan(record), record)
        else:
            faults = event_faults(plan, before, record)
        yield from self._each(record, faults)

    def _noticed(self, note: Note) -> Iterator[Finding]:
        standing = self.standing
        if standing is None:
            return
        try:
            plan = self._plans(standing.opening.definition)
        except StoreError:
            # Told with the record that follows.
            standing.notice(note)
            return
        for why in note_faults(plan, standing, note):
            yield self._impossible(
                note.revision, f"a note of revision {note.revision}", why
            )
        standing.notice(note)

    def _each(self, record: Record, faults: Iterable[str]) -> Iterator[Finding]:
        for why in faults:
            yield self._wrong(record, why)

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
            yield from self._asked(self._witness, record, approval)

    def _asked(
        self, witness: Witness, record: Record, approval: Approval
    ) -> Iterator[Finding]:
        """What those who know the people say of the mark."""
        name = record.author.id
        try:
            message = message_of(self.run_id, record)
            known = witness.confirms(name, message, approval.mac)
        except StoreError as problem:
            yield _finding(problem)
            return
        if known is None:
            yield self._unproven(record)
        elif not known:
            yield self._wrong(record, f"the mark under it is not that of {name!r}")

    def _unproven(self, record: Record) -> Finding:
        return Finding(
            code="DECISION_UNPROVEN",
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
        what = f"revision {record.revision} ({record.event} → {quoted(record.state)})"
        return self._impossible(record.revision, what, why)

    def _impossible(self, revision: int, what: str, why: str) -> Finding:
        return Finding(
            code="RECORD_IMPOSSIBLE",
            message=f"{what} cannot have come about: {why}",
            where=Where(file=f"{self.run_id}.csv", line=revision + 1),
            hint="the run was changed by something that is not this gate",
            details={"revision": revision},
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


def _claimed(claims: list[Artifact], maker: str, run_id: str) -> Finding:
    places = [each.place for each in claims]
    named = ", ".join(quoted(place) for place in places[:_MOST_NAMED])
    more = f" and {len(places) - _MOST_NAMED} more" * (len(places) > _MOST_NAMED)
    who = {"agent": "the agent", "person": "a person"}[maker]
    return Finding(
        code="EVIDENCE_CLAIMED",
        severity="note",
        message=f"claimed by {who}; nothing it says was checked: {named}{more}",
        where=Where(path=run_id),
        hint="the bytes are those that were handed in; read them before you rely on them",
        details={"made_by": maker, "places": places},
    )


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
        told = {each.code for each in found}
        found += [] if problem.code in told else [_finding(problem)]
    if audit.standing is not None:
        found += _otherwise(audit.standing, log)
        folder = audit.standing.opening.folder
        found += audit.changed(partial(evidence.fault, folder))
        found += audit.claimed()
    return Report.of(found)


def _otherwise(read: Standing, log: RunLog) -> Iterator[Finding]:
    """Whether doors are told of a run what its records come to."""
    try:
        shown = log.standing(read.run_id)
    except StoreError:
        return
    # A run that went on meanwhile is no contradiction.
    if shown.revision == read.revision and not same_run(shown, read):
        yield Finding(
            code="LOG_DIVERGED",
            message=f"{read.run_id} is shown otherwise than its records say",
            where=Where(path=read.run_id),
            hint="remove the run's index: it is made again from the record",
        )


def same_run(one: Standing, other: Standing) -> bool:
    """Whether two readings of a run come to the same."""
    parts = ("state", "variables", "artifacts", "opening", "entered", "handed")
    return all(getattr(one, part) == getattr(other, part) for part in parts)


def _finding(problem: StoreError) -> Finding:
    return Finding(
        code=problem.code,
        message=problem.message,
        where=problem.where or Where(),
        hint=problem.hint,
    )
