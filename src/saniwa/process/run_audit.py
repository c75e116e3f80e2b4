"""Check a run from its first record: do the rules allow it, and is it complete?

Says nothing about how bytes are stored: each log checks its own storage.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial

import msgspec

from saniwa.core.errors import StoreError
from saniwa.core.findings import Finding, Report, SourceLocation
from saniwa.core.text import quote_value
from saniwa.process import describe
from saniwa.process.artifact import Artifact
from saniwa.process.automatic_transitions import list_due_transitions, name_timer
from saniwa.process.child_groups import ANY_CHILDREN, derive_child_id, make_link, report_children
from saniwa.process.declared_checks import CHECK_AUTHOR
from saniwa.process.definition import (
    CREATED,
    DECISIONS,
    MIGRATED,
    OVERRIDE,
    CheckGuard,
    ChildDefinition,
    ChildrenGuard,
    LaneDefinition,
    NotifyHook,
    SetVariableHook,
    TransitionDefinition,
    WriteArtifactHook,
    build_lane_process,
    hash_process,
)
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.event_decision import list_missing_guards
from saniwa.process.event_record import (
    Approval,
    ChildEnd,
    EventRecord,
    LogEntry,
    LogNote,
    RunOpening,
)
from saniwa.process.evidence_intake import FrontMatterError, list_fields, read_inline_evidence
from saniwa.process.guards import CheckResults, GuardFacts
from saniwa.process.ports import (
    CallFinding,
    EvidenceReader,
    GateLog,
    SignatureVerifier,
    ToolCallLookup,
)
from saniwa.process.review import build_signature_message, digest_review
from saniwa.process.run_state import ChildGroup, ProcessRun
from saniwa.process.submission import Visitor
from saniwa.process.tool_call_evidence import find_tool_call
from saniwa.process.variable_checks import find_opening_problems, find_variable_problems


def find_first_record_faults(index: ProcessIndex, record: EventRecord) -> Iterator[str]:
    """Yield what is wrong with a run's first record."""
    if record.state != index.process.initial_state:
        yield f"a run begins in state {quote_value(index.process.initial_state)}"
    begun = index.process.initial_variables
    given = {k: v for k, v in record.variables.items() if begun.get(k) != v}
    # A lane begins with the variables of its parent, which that run's rules allowed.
    is_lane = record.opening is not None and bool(record.opening.home)
    wrong = (
        *(() if is_lane else find_opening_problems(index, given)),
        *find_variable_problems(index, record.variables, ""),
    )
    for problem in wrong[:1]:
        yield f"the process does not allow these initial variables: {problem.path}"


def find_event_faults(
    index: ProcessIndex, before: ProcessRun, record: EventRecord
) -> Iterator[str]:
    """Yield what is wrong with an event, by the definition valid at the time."""
    quiet = record.event in DECISIONS or record.author.type == "system"
    if record.variables != ({} if quiet else record.payload):
        yield "it set variables that its payload did not contain"
    for artifact in record.artifacts:
        if _is_misread(index, artifact):
            yield f"{quote_value(artifact.place)} differs from its record"
        yield from _find_origin_faults(index, artifact)
        yield from _find_join_faults(index, before, artifact)
    if not _is_possible(index, before, record):
        sent = f"{quote_value(record.event)} as {quote_value(record.role)}"
        yield f"{sent} does not lead there from {quote_value(before.state)} on this evidence"


def _find_origin_faults(index: ProcessIndex, artifact: Artifact) -> Iterator[str]:
    """Yield what is wrong with what an artifact's record says of its origin."""
    place = quote_value(artifact.place)
    if artifact.check:
        guard = index.process.guards.get(artifact.check)
        known = isinstance(guard, CheckGuard | ChildrenGuard) or artifact.check == "children"
        if not known or artifact.created_by != CHECK_AUTHOR or not artifact.checked:
            yield f"{place} is not the result of a check of the gate"
    elif artifact.made_by == "gate":
        yield f"{place} is attributed to the gate, but no check produced it"
    elif bool(index.get_kind(artifact.type).lookup) != bool(artifact.checked):
        yield f"{place} was not verified as its kind requires"


def _find_join_faults(index: ProcessIndex, before: ProcessRun, artifact: Artifact) -> Iterator[str]:
    """Yield what is wrong with what a guard on child runs is said to have found."""
    guard = index.process.guards.get(artifact.check)
    guard = guard or (ANY_CHILDREN if artifact.check == "children" else None)
    if isinstance(guard, ChildrenGuard):
        expected = {"check": artifact.check, "kind": "children"} | report_children(before, guard)
        if artifact.content != expected:
            yield f"{quote_value(artifact.place)} differs from the run's child runs"


def find_migration_faults(
    before: ProcessRun, after: ProcessIndex | None, record: EventRecord
) -> Iterator[str]:
    """Yield what is wrong with a migration to another definition."""
    assert record.event == MIGRATED, "only a migration is looked at so"
    if after is not None and record.state != after.map_state(before.state):
        yield "a migration must keep a state that the new definition has"
    if record.variables or record.artifacts:
        yield "a migration must not change anything else"
    if after is not None and record.state not in after.states:
        yield f"the new definition has no state {quote_value(record.state)}"


def find_note_faults(index: ProcessIndex, run: ProcessRun, note: LogNote) -> Iterator[str]:
    """Yield what is wrong with a note: it may only add what one of its hooks adds."""
    hooks = index.list_hooks(run.source, run.state)
    known = note.about == "hook" and 0 <= note.hook < len(hooks)
    hook = hooks[note.hook] if known and note.revision == run.revision else None
    sets = {hook.variable: hook.value} if isinstance(hook, SetVariableHook) else {}
    if note.variables not in ({}, sets):
        yield "a note sets variables that no hook of the state sets"
    writes = [hook.content] if isinstance(hook, WriteArtifactHook) else []
    if [each.content for each in note.artifacts] not in ([], writes):
        yield "a note adds evidence that no hook of the state writes"
    sends = isinstance(hook, NotifyHook) and note.delivery == f"{note.revision}:{note.hook}"
    if note.delivery and not sends and note.delivery not in run.undelivered:
        yield "a note is about a webhook that was never sent"
    yield from _find_child_note_faults(index, run, note)


def _find_child_note_faults(index: ProcessIndex, run: ProcessRun, note: LogNote) -> Iterator[str]:
    """Yield what is wrong with a note about child runs or a timed transition."""
    batch, end = note.children, note.ended
    if batch is not None:
        state = index.get_state(run.state)
        parts: dict[str, ChildDefinition | LaneDefinition] = {}
        parts |= {each.name: each for each in state.children}
        parts |= {each.name: each for each in state.lanes}
        part = parts.get(batch.name)
        lane = isinstance(part, LaneDefinition) and build_lane_process(index.process, part)
        if part is None or batch.is_lane != bool(lane) or note.revision != run.entered_at:
            yield "a note starts child runs that the state does not define"
        elif lane and batch.definition not in ("", hash_process(lane)):
            yield f"the lane {quote_value(batch.name)} uses another definition"
        elif isinstance(part, ChildDefinition) and not part.each and batch.count > part.count:
            yield f"it starts more child runs {quote_value(batch.name)} than the state defines"
    if end is not None:
        group = run.children.get(end.name)
        if group is None or not 0 <= end.number < group.batch.count or end.number in group.ended:
            yield "a note ends a child run that the run does not have"
    names = {name_timer(way) for way in index.list_automatic(run.state) if way.retry}
    if note.timer and note.timer not in names:
        yield "a note is about a timed transition without retry"


def _is_possible(index: ProcessIndex, before: ProcessRun, record: EventRecord) -> bool:
    """Whether the rules allow this event to lead here, on the evidence of its time."""
    checks = CheckResults({each.check: "" for each in record.artifacts if each.check})
    facts = GuardFacts(index, before, _UnchangedEvidence(), record.artifacts, checks)
    if record.event == OVERRIDE:
        named = record.payload.get("event", OVERRIDE)
        ways: Iterable[TransitionDefinition] = index.find_transitions(before.state, str(named))[:1]
        return any(way.to == record.state for way in ways)
    if record.author.type == "system":
        ways = list_due_transitions(index, before, record.at)
    else:
        visitor = Visitor(record.role, person=record.author.type == "human")
        ways = index.find_open_transitions(before.state, record.event, visitor)
    return any(
        (way.to, way.event) == (record.state, record.event)
        and not list_missing_guards(index, way, facts)
        for way in ways
    )


def _is_misread(index: ProcessIndex, artifact: Artifact) -> bool:
    if artifact.content is msgspec.UNSET:
        return False
    required = index.list_required_fields(artifact.type)
    if not required:
        return artifact.fields != ()
    try:
        return artifact.fields != list_fields(read_inline_evidence(artifact.content), required)
    except FrontMatterError:
        # Intake refuses such a text, so the gate did not write this record.
        return True


class _UnchangedEvidence:
    """Treats all evidence as unchanged; later changes are checked separately."""

    def locate_folder(self, *_: object) -> str:
        """Return an empty string: the audit does not use the folder."""
        return ""

    def find_evidence_change(self, *_: object) -> str:
        """Return no fault: evidence counts as it was submitted."""
        return ""


_MOST_NAMED = 5
IndexLoader = Callable[[str], ProcessIndex]
"""Loads the index of the definition with a given hash."""


class RunAudit:
    """One audit of one run."""

    def __init__(
        self, run_id: str, indexes: IndexLoader, witness: SignatureVerifier | None = None
    ) -> None:
        """Start before the run's first record; without `witness`, skip signatures."""
        self.run_id = run_id
        self._indexes = indexes
        self._witness = witness
        self.run: ProcessRun | None = None
        self._imported: list[EventRecord] = []

    def check_records(self, entries: Iterable[LogEntry]) -> Iterator[Finding]:
        """Yield a finding for every record that the rules could not have produced."""
        for entry in entries:
            if not isinstance(entry, EventRecord):
                yield from self._check_note(entry)
            elif self.run is None:
                yield from self._check_first_record(entry)
            else:
                yield from self._check_next_record(self.run, entry)

    def find_changed_evidence(self, fault: Callable[[Artifact], str]) -> Iterator[Finding]:
        """Yield a finding for every piece of evidence that changed since submission."""
        if self.run is None:
            return
        for artifact in self.run.list_artifacts():
            if artifact.url:
                yield describe(
                    "ARTIFACT_UNCHECKED", type=artifact.type, hash=artifact.hash, url=artifact.url
                ).to_finding(SourceLocation(path=self.run_id))
            why = fault(artifact)
            if why:
                yield describe(
                    "ARTIFACT_CHANGED",
                    type=artifact.type,
                    hash=artifact.hash,
                    place=artifact.place,
                    why=why,
                ).to_finding(SourceLocation(file=artifact.path, path=self.run_id))

    def find_unchecked_evidence(self, calls: ToolCallLookup | None) -> Iterator[Finding]:
        """Yield what the journals of tool calls contradict, then one note for each maker.

        A note lists the maker's evidence that was not checked; a tool's is not if there is
        no journal to look in.
        """
        pieces = [] if self.run is None else list(self.run.list_artifacts())
        claims: dict[str, list[Artifact]] = {"agent": [], "person": [], "tool": [], "gate": []}
        for piece in pieces:
            found = find_tool_call(piece, calls)
            if found is not None and found.standing == "contradicted":
                yield _make_contradicted_finding(piece, found, self.run_id)
            elif piece.is_claim or (found is not None and found.standing == "claimed"):
                claims[piece.made_by].append(piece)
        for maker, listed in claims.items():
            if listed:
                yield _make_claimed_finding(listed, maker, self.run_id)

    def _check_first_record(self, record: EventRecord) -> Iterator[Finding]:
        if record.opening is None or record.revision != 1 or record.event != CREATED:
            yield self._reject_record(record, "a run must start with `created` as revision 1")
            return
        index = self._load_plan(record.opening)
        if index is not None:
            for why in find_first_record_faults(index, record):
                yield self._reject_record(record, why)
        self.run = ProcessRun.from_first_record(self.run_id, record)

    def _check_next_record(self, before: ProcessRun, record: EventRecord) -> Iterator[Finding]:
        if record.revision != before.revision + 1:
            yield self._reject_record(record, f"revision {before.revision + 1} was expected")
        if record.source != before.state:
            state, source = quote_value(before.state), quote_value(record.source)
            yield self._reject_record(record, f"the run was in {state}, not {source}")
        if record.at < before.updated:
            yield describe(
                "CLOCK_STEPPED_BACK", revision=record.revision, number=before.updated - record.at
            ).to_finding(self._locate(record.revision))
        decided = record.event in DECISIONS and not record.imported
        if decided or record.event == MIGRATED:
            yield from self._check_decision(before, record)
        yield from self._check_transition(before, record)
        before.apply_record(record)

    def _check_transition(self, before: ProcessRun, record: EventRecord) -> Iterator[Finding]:
        try:
            index = self._indexes(before.opening.definition)
        except StoreError as problem:
            yield self._reject_record(record, problem.message)
            return
        if record.event == MIGRATED:
            faults = find_migration_faults(before, self._load_plan(record.opening), record)
        elif record.imported:
            faults = self._find_import_faults(index, before, record)
        else:
            faults = find_event_faults(index, before, record)
        for why in faults:
            yield self._reject_record(record, why)

    def _find_import_faults(
        self, index: ProcessIndex, before: ProcessRun, record: EventRecord
    ) -> Iterator[str]:
        """Yield what is wrong with a row that was taken over, and count it."""
        self._imported.append(record)
        if record.author.type != "human":
            yield "it was not imported by a person"
        if before.revision != len(self._imported):
            yield "rows can be imported only at the start of a run"
        ways = index.find_transitions(before.state, record.event)
        if record.state not in {way.to for way in ways}:
            yield f"{quote_value(record.event)} does not lead there"

    def find_imported_rows(self) -> Iterator[Finding]:
        """Yield one note if rows were taken over: this gate did not decide them."""
        if self._imported:
            last = self._imported[-1]
            yield describe(
                "ROWS_IMPORTED",
                count=len(self._imported) + 1,
                author=last.author.id,
                table=last.imported,
            ).to_finding(self._locate(last.revision))

    def _check_note(self, note: LogNote) -> Iterator[Finding]:
        run = self.run
        if run is None:
            return
        # A definition that cannot be loaded is reported with the record that follows.
        index = self._load_plan(run.opening)
        for why in () if index is None else find_note_faults(index, run, note):
            yield self._reject(note.revision, f"a note of revision {note.revision}", why)
        run.apply_note(note)

    def _check_decision(self, before: ProcessRun, record: EventRecord) -> Iterator[Finding]:
        """Yield what is wrong with a decision: author, digest, signature."""
        if record.author.type != "human":
            yield self._reject_record(
                record, f"{quote_value(record.event)} was not sent by a person"
            )
        approval = record.approval
        if approval is None or approval.digest != digest_review(before):
            yield self._reject_record(
                record, "the decision was not based on the evidence at that time"
            )
        elif self._witness is not None:
            yield from self._check_signature(self._witness, record, approval)

    def _check_signature(
        self, witness: SignatureVerifier, record: EventRecord, approval: Approval
    ) -> Iterator[Finding]:
        """Yield what the verifier reports about the signature."""
        name = record.author.id
        try:
            message = build_signature_message(self.run_id, record)
            known = witness.verify_signature(name, message, approval.mac)
        except StoreError as problem:
            yield problem.to_finding()
            return
        if known is None:
            yield describe("DECISION_UNPROVEN", record=record).to_finding(
                self._locate(record.revision)
            )
        elif not known:
            yield self._reject_record(record, f"its signature is not that of {name!r}")

    def _load_plan(self, opening: RunOpening | None) -> ProcessIndex | None:
        with suppress(StoreError):
            return None if opening is None else self._indexes(opening.definition)
        return None

    def _reject_record(self, record: EventRecord, why: str) -> Finding:
        what = f"revision {record.revision} ({record.event} → {quote_value(record.state)})"
        return self._reject(record.revision, what, why)

    def _reject(self, revision: int, what: str, why: str) -> Finding:
        return describe("RECORD_IMPOSSIBLE", revision=revision, what=what, why=why).to_finding(
            self._locate(revision)
        )

    def _locate(self, revision: int) -> SourceLocation:
        return SourceLocation(file=f"{self.run_id}.csv", line=revision + 1)


def _make_claimed_finding(claims: list[Artifact], maker: str, run_id: str) -> Finding:
    places = [each.place for each in claims]
    named = ", ".join(quote_value(place) for place in places[:_MOST_NAMED])
    more = f" and {len(places) - _MOST_NAMED} more" * (len(places) > _MOST_NAMED)
    who = {
        "agent": "the agent",
        "person": "a person",
        "tool": "a tool of the agent, whose journal is missing",
        "gate": "the author of what a check found",
    }[maker]
    return describe(
        "EVIDENCE_CLAIMED", made_by=maker, places=places, who=who, named=named, more=more
    ).to_finding(SourceLocation(path=run_id))


def _make_contradicted_finding(piece: Artifact, found: CallFinding, run_id: str) -> Finding:
    return describe(
        "TOOL_CALL_CONTRADICTED",
        type=piece.type,
        hash=piece.hash,
        call=piece.call,
        place=piece.place,
        why=found.why,
    ).to_finding(SourceLocation(file=piece.journal, path=run_id))


def verify_run(
    audit: RunAudit, log: GateLog, evidence: EvidenceReader, calls: ToolCallLookup | None = None
) -> Report:
    """Check a run from its first byte: log, records, rules, evidence and its tool calls.

    Raises:
        StoreError: `RUN_NOT_FOUND`.
    """
    run_id = audit.run_id
    found = list(log.find_faults(run_id))
    try:
        found += audit.check_records(log.read_entries(run_id))
    except StoreError as problem:
        if problem.code == "RUN_NOT_FOUND":
            raise
        codes = {each.code for each in found}
        found += [] if problem.code in codes else [problem.to_finding()]
    if audit.run is not None:
        found += _find_divergence(audit.run, log)
        folder = audit.run.opening.folder
        found += audit.find_changed_evidence(partial(evidence.find_evidence_change, folder))
        found += audit.find_unchecked_evidence(calls)
        found += find_child_differences(audit.run, log)
        found += audit.find_imported_rows()
    return Report.from_findings(found)


def find_child_differences(run: ProcessRun, log: GateLog) -> Iterator[Finding]:
    """Yield a finding for every recorded end that the child run's own log contradicts."""
    for group in run.children.values():
        for number, end in sorted(group.ended.items()):
            run_id = derive_child_id(run.run_id, group, number)
            why = _explain_child_difference(run, group, end, run_id, log)
            if why:
                yield describe(
                    "CHILD_DIFFERS", child=run_id, name=end.name, state=end.state, why=why
                ).to_finding(SourceLocation(path=run.run_id))


def _explain_child_difference(
    run: ProcessRun, group: ChildGroup, end: ChildEnd, run_id: str, log: GateLog
) -> str:
    try:
        child = log.load_run(run_id)
    except StoreError as problem:
        return f"{problem.code}: {problem.message}"
    if child.opening.parent != make_link(run, group, end.number):
        return "it was not started by this run"
    if child.revision < end.revision:
        return f"its log ends at revision {child.revision}, before {end.revision}"
    same = (child.state, digest_review(child)) == (end.state, end.digest)
    if child.revision == end.revision and not same:
        return f"its log says {quote_value(child.state)}, or other evidence"
    return ""


def _find_divergence(read: ProcessRun, log: GateLog) -> Iterator[Finding]:
    """Report when the stored summary of a run differs from what its records say."""
    try:
        shown = log.load_run(read.run_id)
    except StoreError:
        return
    # A run that has advanced in the meantime is not a contradiction.
    parts = ("state", "variables", "artifacts", "opening", "entered", "handed")
    same = all(getattr(shown, part) == getattr(read, part) for part in parts)
    if shown.revision == read.revision and not same:
        yield describe("LOG_DIVERGED", run_id=read.run_id).to_finding(
            SourceLocation(path=read.run_id)
        )
