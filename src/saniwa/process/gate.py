"""The gate: decides on events, and records those that it accepts.

A gate serves exactly one visitor, fixed when it is made: the role is never an argument
of a call.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import msgspec

from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import ProcessError, StoreError
from saniwa.core.findings import Finding, Report, SourceLocation
from saniwa.core.ids import Ids, TimeOrderedIds
from saniwa.core.text import quote_value
from saniwa.core.tracing import TracedOperation
from saniwa.process import describe, variable_checks
from saniwa.process.artifact import Claim
from saniwa.process.automatic_transitions import AutomaticTransitions, FiredTimer
from saniwa.process.child_groups import list_child_ids, list_open_children
from saniwa.process.child_runs import ChildRuns
from saniwa.process.declared_checks import find_check_obstacle, repeat_checks
from saniwa.process.definition import CREATED, MIGRATED, CheckGuard, Process
from saniwa.process.definition_index import ProcessIndex, ProcessIndexCache
from saniwa.process.event_handler import EventHandler
from saniwa.process.event_record import Approval, EventRecord, LogEntry, LogNote, RunOpening
from saniwa.process.evidence_paths import split_folder_path
from saniwa.process.guards import CheckResults, GuardFacts
from saniwa.process.ports import (
    CheckRunner,
    EvidenceError,
    EvidenceReader,
    GateLog,
    Messenger,
    ProcessLibrary,
    SignatureVerifier,
    Signer,
    ToolCallLookup,
    ToolJournal,
)
from saniwa.process.review import Review, build_review, digest_review, sign_record
from saniwa.process.ruling import EventRefusal, Ruling, refuse_payload, render_ruling
from saniwa.process.run_audit import RunAudit, verify_run
from saniwa.process.run_state import ProcessRun
from saniwa.process.run_view import (
    ArtifactOrigin,
    RunState,
    SendableEvent,
    build_run_state,
    describe_origin,
    list_sendable_events,
)
from saniwa.process.state_hooks import HookRunner
from saniwa.process.submission import Submission, Visitor, build_claims
from saniwa.process.tool_call_evidence import JournalCheckedEvidence, find_tool_call
from saniwa.process.tool_permissions import (
    CallArguments,
    ToolPermission,
    check_tool_permission,
    names_tool,
)
from saniwa.process.variable_checks import build_first_variables

if TYPE_CHECKING:
    from saniwa.process.csv_run_import import ImportedRun


def _build_opening(
    index: ProcessIndex, folder: str, before: RunOpening | None = None
) -> RunOpening:
    """Build what a run stands on; after a migration, `before` is what it stood on."""
    return RunOpening(
        process_id=index.process.process_id,
        process_version=index.process.version,
        definition=index.hash,
        folder=folder,
        home=before.home if before else "",
        parent=before.parent if before else None,
    )


def _find_migration_obstacle(index: ProcessIndex, run: ProcessRun) -> str:
    """Say why a run cannot move to a definition; empty if it can."""
    process_id = run.opening.process_id
    if index.process.process_id != process_id:
        return f"it is {quote_value(index.process.process_id)}, not {quote_value(process_id)}"
    if index.map_state(run.state) not in index.states:
        return f"it has no state {quote_value(run.state)}, and 'state_map' does not map it"
    if any(list_open_children(run)) and run.state not in index.states:
        return f"its child runs wait in state {quote_value(run.state)}, which it has not"
    for problem in variable_checks.find_variable_problems(index, run.variables, "/context"):
        return f"its variables do not fit: {problem.path}: {problem.message}"
    return ""


class Gate:
    """Access to runs of processes, for one visitor."""

    def __init__(
        self,
        log: GateLog,
        library: ProcessLibrary,
        evidence: EvidenceReader,
        visitor: Visitor,
        *,
        clock: Clock | None = None,
        ids: Ids | None = None,
        messenger: Messenger | None = None,
        signer: Signer | None = None,
        witness: SignatureVerifier | None = None,
        lookup: CheckRunner | None = None,
        journal: ToolJournal | None = None,
        calls: ToolCallLookup | None = None,
    ) -> None:
        """Create a gate over a log; clock and ids default to the real ones.

        Without `messenger`, webhooks fail with a note in the log. Without `signer`,
        decisions are not signed. Without `witness`, `verify` skips signatures. Without
        `lookup`, no check passes and no artifact of a kind that requires one is
        accepted. Without `journal`, nothing is accepted as made by a tool. Without `calls`,
        what a tool has made is not looked up again.
        """
        self.log = log
        self.library = library
        self.evidence = evidence
        self.visitor = visitor
        self.clock = clock or SystemClock()
        self._ids = ids or TimeOrderedIds()
        self._indexes = ProcessIndexCache(log)
        self._calls = calls
        self._checked_evidence = JournalCheckedEvidence(evidence, calls)
        self._children = ChildRuns(log, library, self._indexes, self.clock, self._ids)
        self._hooks = HookRunner(log, self.clock, messenger, self._children)
        self._automatic = AutomaticTransitions(
            log=log,
            evidence=evidence,
            checker=self._checked_evidence,
            indexes=self._indexes,
            hooks=self._hooks,
            children=self._children,
            clock=self.clock,
            ids=self._ids,
            lookup=lookup,
        )
        self._handler = EventHandler(
            log=log,
            evidence=evidence,
            checker=self._checked_evidence,
            visitor=visitor,
            indexes=self._indexes,
            automatic=self._automatic,
            clock=self.clock,
            ids=self._ids,
            signer=signer,
            lookup=lookup,
            journal=journal,
        )
        self._signer = signer
        self._witness = witness

    def create_run(
        self,
        process_id: str | Process | Mapping[str, Any],
        variables: Mapping[str, Any] | None = None,
        *,
        folder: str = "",
        run_id: str = "",
    ) -> ProcessRun:
        """Start a run of a process in its initial state.

        The process is named by its id, or given itself, as an object or as the keys of its
        file; then it is checked as a file is. `run_id` is an id reserved for the
        run; if empty, a new one is made.

        Raises:
            ProcessError: `PROCESS_NOT_FOUND`, `INVALID_PROCESS`; `INVALID_CONTEXT` for
                variables that the process does not allow; `FILE_OUTSIDE` for a folder
                that leads out of the project.
            StoreError: It could not be stored; `RUN_EXISTS` if the id is taken.
        """
        index = self._load_current_index(process_id)
        first = build_first_variables(index, variables or {})
        _check_folder(folder)
        run_id = run_id or self._ids.create_id("run")
        record = EventRecord(
            revision=1,
            at=self.clock.now(),
            state=index.process.initial_state,
            event=CREATED,
            event_id=self._ids.create_id("evt"),
            role=self.visitor.role,
            author=self.visitor.author,
            variables=first,
            opening=_build_opening(index, folder),
        )
        self.log.create(run_id, record, index.process)
        if index.has_hooks:
            self._automatic.finish(run_id)
        return self.log.load_run(run_id)

    def _load_current_index(self, process: str | Process | Mapping[str, Any]) -> ProcessIndex:
        if isinstance(process, str):
            found = self.library.find(process)
        else:
            # Imported late, because most visitors name a process.
            from saniwa.process.library import require_process
            from saniwa.process.reader import read_process

            found = require_process(read_process(process))
        return self._indexes.add_index(ProcessIndex(found))

    def import_run(
        self,
        process_id: str | Process | Mapping[str, Any],
        table: str,
        variables: Mapping[str, Any] | None = None,
        *,
        folder: str = "",
        run_id: str = "",
    ) -> "ImportedRun":
        """Take over a run that another gate kept as a CSV table; for people.

        Its rows count as they are, and `verify` names them. No hook runs. The same table
        under the same `run_id` continues an import that was interrupted.

        Raises:
            ProcessError: `FORBIDDEN` for an agent; `IMPORT_REFUSED` for a table that the
                process does not allow; as `create_run` does.
            StoreError: It could not be stored; `RUN_EXISTS` if the id is taken.
        """
        if not self.visitor.person:
            raise describe("FORBIDDEN/import").to_error(ProcessError)
        from saniwa.process.csv_run_import import CsvRunImport  # few visitors need it

        index = self._load_current_index(process_id)
        _check_folder(folder)
        job = CsvRunImport(
            self.log, self.evidence, index, self.visitor, self._ids, lookup=self._handler.lookup
        )
        first = build_first_variables(index, variables or {})
        run_id = run_id or self._ids.create_id("run")
        return job.write(run_id, table, _build_opening(index, folder), first)

    def submit(self, sent: Submission) -> Ruling:
        """Decide on an event and, if it may happen, record it.

        An acceptance is durable. A refusal wrote nothing and did not use up the key.

        Raises:
            StoreError: The log could not be read or written.
        """
        # Not the run: who knows its id may be able to read it.
        about = {"saniwa.gate.event": sent.event_name}
        with TracedOperation(f"gate_event {sent.event_name}", about) as span:
            ruling = self._submit_to_handler(sent)
            span.note(_describe_ruling, ruling)
            return ruling

    def _submit_to_handler(self, sent: Submission) -> Ruling:
        try:
            return self._handler.submit(sent)
        except StoreError as problem:
            if problem.code != "RUN_NOT_FOUND":
                raise
            return EventRefusal(code="RUN_NOT_FOUND", message=problem.message, hint=problem.hint)

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
        """Call `submit` with the published arguments and answer in the published shape.

        Raises:
            StoreError: The log could not be read or written.
        """
        try:
            claims = build_claims(artifact_paths, artifacts)
        except msgspec.ValidationError as problem:
            return render_ruling(refuse_payload("/artifacts", str(problem)))
        sent = Submission(
            run_id=run_id,
            event_name=event_name,
            expected_revision=expected_revision,
            idempotency_key=idempotency_key,
            payload={} if payload is None else payload,  # type: ignore[arg-type]  # checked with its schema, as any JSON
            artifacts=claims,
            approval_digest=approval_digest,
        )
        return render_ruling(self.submit(sent))

    def list_runs(self, parent: str = "") -> Iterator[str]:
        """List the ids of all runs, oldest first; with `parent`, of its child runs.

        Raises:
            StoreError: `RUN_NOT_FOUND`: there is no such parent.
        """
        if not parent:
            return self.log.list_runs()
        return list_child_ids(parent, self.log.read_entries(parent))

    def read_history(self, run_id: str, after: int = 0) -> Iterator[LogEntry]:
        """Stream a run's records and notes after a revision.

        Raises:
            StoreError: `RUN_NOT_FOUND`; the log cannot be trusted.
        """
        return self.log.read_entries(run_id, after)

    def close(self) -> None:
        """Close the log; everything acknowledged is durable."""
        self.log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def get_state(self, run_id: str) -> RunState:
        """Return a run's state, what is missing, and what this visitor may send.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `DEFINITION_MISSING`; the log cannot be
                trusted.
        """
        index, run = self._load(run_id)
        facts = self._collect_facts(index, run)
        ended = index.get_state(run.state).is_final
        closed = "" if ended else self._children.explain_closed(run)
        return build_run_state(index, run, self.visitor, facts, self.clock.now(), closed)

    def _load(self, run_id: str) -> tuple[ProcessIndex, ProcessRun]:
        run = self.log.load_run(run_id)
        return self._indexes.load_index_for(run), run

    def _collect_facts(self, index: ProcessIndex, run: ProcessRun) -> GuardFacts:
        """Collect what guards may read; nothing is run just to show a run."""
        checks = CheckResults(assume_passed=True, find_obstacle=self._find_check_obstacle)
        return GuardFacts(index, run, self._checked_evidence, checks=checks)

    def _find_check_obstacle(self, check: CheckGuard) -> str:
        return find_check_obstacle(self._handler.lookup, check)

    def list_events(
        self, run_id: str, *, include_blocked: bool = False
    ) -> tuple[SendableEvent, ...]:
        """List the events that can be sent to a run now.

        Raises:
            StoreError: As `get_state` does.
        """
        index, run = self._load(run_id)
        facts = self._collect_facts(index, run)
        return list_sendable_events(
            index, run, self.visitor, facts, include_blocked=include_blocked
        )

    def review_run(self, run_id: str) -> Review:
        """Return what a reviewer has to look at, with the digest to decide on.

        Raises:
            StoreError: As `get_state` does.
        """
        index, run = self._load(run_id)
        review = build_review(index, run, self._checked_evidence)
        return msgspec.structs.replace(review, is_replaced=_is_replaced(run))

    def list_origins(self, run_id: str) -> tuple[ArtifactOrigin, ...]:
        """List a run's evidence: attested, claimed, or contradicted by its tool's journal.

        Empty for a broken run.

        Raises:
            StoreError: `RUN_NOT_FOUND`.
        """
        try:
            run = self.log.load_run(run_id)
        except StoreError as problem:
            if problem.code == "RUN_NOT_FOUND":
                raise
            return ()
        return tuple(
            describe_origin(each, find_tool_call(each, self._calls))
            for each in run.list_artifacts()
        )

    def check_tool_permission(
        self, run_id: str, tool: str, arguments: CallArguments | None = None
    ) -> ToolPermission:
        """Whether an agent may use a tool in a run's current state, with these arguments.

        Raises:
            StoreError: As `get_state` does.
        """
        # Fire due timers first: a tool that a timer has forbidden must be refused even
        # if no caller has ticked.
        self.tick(run_id)
        index, run = self._load(run_id)
        return check_tool_permission(index.get_state(run.state), tool, arguments)

    def has_tool_rule(self, run_id: str, tool: str) -> bool:
        """Whether a rule in some state of a run's process names a tool.

        Raises:
            StoreError: As `get_state` does.
        """
        states = self._load(run_id)[0].process.states
        return any(names_tool(each, tool) for each in states)

    def tick(self, run_id: str) -> tuple[FiredTimer, ...]:
        """Take the transitions of a run that are due, and finish its hooks.

        Looks at its child runs first. Webhooks that could not be sent are tried again
        when their time has come.

        Raises:
            StoreError: As `get_state` does; it could not be written.
        """
        if self.log.load_run(run_id).children:
            self._children.record_ends(run_id)
        fired = self._automatic.advance(run_id)
        self._hooks.retry_deliveries(run_id, self._indexes)
        return fired

    def retry_webhooks(self, run_id: str, webhook: str = "") -> tuple[LogNote, ...]:
        """Send the webhooks of a run again that could not be sent, or one; for people.

        Dead letters too. Returns a note for each, which the log has too.

        Raises:
            ProcessError: `FORBIDDEN` for an agent.
            StoreError: As `get_state` does; it could not be written.
        """
        self._require_webhook_person()
        return self._hooks.retry_deliveries(run_id, self._indexes, again=True, webhook=webhook)

    def drop_webhooks(self, run_id: str, reason: str, webhook: str = "") -> tuple[LogNote, ...]:
        """Give up the webhooks of a run that could not be sent, or one; for people.

        They are no longer listed; the log keeps who dropped them, and why.

        Raises:
            ProcessError: `FORBIDDEN` for an agent.
            StoreError: As `get_state` does; it could not be written.
        """
        self._require_webhook_person()
        why = f"dropped by {quote_value(self.visitor.author.id)}: {reason}"
        return self._hooks.drop_deliveries(run_id, self._indexes, why, webhook)

    def _require_webhook_person(self) -> None:
        if not self.visitor.person:
            raise describe("FORBIDDEN/webhooks").to_error(ProcessError)

    def migrate(self, run_id: str, process: Process | None = None) -> ProcessRun:
        """Move a run to its process's current definition, or to a given one.

        Its state must exist there, or `state_map` must name the one that took its place;
        no hook runs. A run already on that definition is returned unchanged.

        Raises:
            ProcessError: `MIGRATION_REFUSED`; `FORBIDDEN` for an agent;
                `PROCESS_NOT_FOUND`, `INVALID_PROCESS`.
            StoreError: As `get_state` does; it could not be written.
        """
        if not self.visitor.person:
            raise describe("FORBIDDEN").to_error(ProcessError)
        run = self.log.load_run(run_id)
        self._hooks.run_pending(run_id, self._indexes.load_index_for(run))
        index = ProcessIndex(process or self.library.find(run.opening.process_id))
        if index.hash == run.opening.definition:
            return run
        self.log.store_definition(index.process)
        with self.log.lock_run(run_id) as passage:
            run = passage.run
            why = _find_migration_obstacle(index, run)
            if why:
                raise describe(
                    "MIGRATION_REFUSED",
                    state=run.state,
                    states=sorted(index.states),
                    run_id=run_id,
                    version=index.process.version,
                    why=why,
                ).to_error(ProcessError)
            # A row of its own, in the same state or the one that took its place.
            record = EventRecord(
                revision=run.revision + 1,
                event_id=self._ids.create_id("evt"),
                at=self.clock.now(),
                state=index.map_state(run.state),
                event=MIGRATED,
                source=run.state,
                role=self.visitor.role,
                author=self.visitor.author,
                approval=Approval(run.revision, digest_review(run)),
                opening=_build_opening(index, run.opening.folder, run.opening),
            )
            passage.append(sign_record(run_id, record, self._signer))
        return self.log.load_run(run_id)

    def verify(self, run_id: str, *, rerun: bool = False) -> Report:
        """Check a run from its first byte: log, records, rules and evidence.

        With `rerun`, the checks behind its evidence are run again too, and what comes
        out differently is reported.

        Raises:
            StoreError: `RUN_NOT_FOUND`; with `rerun`, also if the run cannot be loaded.
        """
        audit = RunAudit(run_id, self._indexes.load_index, self._witness)
        report = verify_run(audit, self.log, self.evidence, self._calls)
        lookup = self._handler.lookup
        more = list[Finding]()
        if report.has_passed:
            run = self.log.load_run(run_id)
            note = describe("PROCESS_REPLACED", process=run.opening.process_id)
            where = SourceLocation(path=run_id)
            more += [note.to_finding(where)] if _is_replaced(run) else []
        if rerun and lookup is not None:
            index, run = self._load(run_id)
            more += repeat_checks(run, index, lookup, self.evidence)
        return Report.from_findings((*report.findings, *more))


def _is_replaced(run: ProcessRun) -> bool:
    """Whether a run has the name of a shipped process, and another definition."""
    from saniwa.process.library import load_shipped_hashes

    own = run.opening.definition
    return load_shipped_hashes().get(run.opening.process_id, own) != own


def _check_folder(folder: str) -> None:
    try:
        split_folder_path(folder)
    except EvidenceError as problem:
        raise describe("FILE_OUTSIDE", problem=problem).to_error(ProcessError) from problem


def _describe_ruling(ruling: Ruling) -> dict[str, Any]:
    """Return the attributes of a span about an event."""
    if isinstance(ruling, EventRefusal):
        return {"saniwa.gate.accepted": False, "saniwa.code": ruling.code}
    return {
        "saniwa.gate.accepted": True,
        "saniwa.gate.from_state": ruling.from_state,
        "saniwa.gate.to_state": ruling.to_state,
        "saniwa.gate.revision": ruling.new_revision,
    }
