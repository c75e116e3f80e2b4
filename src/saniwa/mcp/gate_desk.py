"""What the gate's tools do: they ask one gate, and answer for machines and for people."""

from collections.abc import Callable, Iterator
from itertools import islice

import msgspec

from saniwa.core.errors import StoreError
from saniwa.mcp import gate_answers as gives
from saniwa.mcp import gate_arguments as takes
from saniwa.mcp import gate_text as text
from saniwa.mcp.tool import Reply
from saniwa.process.artifact import Claim
from saniwa.process.gate import Gate
from saniwa.process.record import Entry, Note, timestamp
from saniwa.process.standing import Standing

SCHEME = "stategate://runs/"
"""What the addresses of runs begin with."""


class GateDesk:
    """What the tools do, at one gate: the door's visitor is the gate's."""

    def __init__(self, gate: Gate, named: Callable[[], str]) -> None:
        """Tools at a gate; `named` tells the run that is meant where none is named."""
        self._gate = gate
        self._named = named

    def look(self, asked: takes.OfRun) -> Reply:
        """Where a run stands."""
        state = self._gate.state(self._current(asked))
        return Reply(state, text.state_text(state))

    def events(self, asked: takes.ListEvents) -> Reply:
        """What can be sent."""
        found = self._gate.events(
            self._current(asked), include_blocked=asked.include_blocked
        )
        return Reply(gives.Events(events=found), text.events_text(found))

    def emit(self, asked: takes.EmitEvent) -> Reply:
        """Send an event; a refusal is an answer."""
        run_id = self._current(asked)
        answer = self._gate.emit_event(
            run_id=run_id,
            event_name=asked.event_name,
            expected_revision=asked.expected_revision,
            idempotency_key=asked.idempotency_key,
            payload=asked.payload,
            artifact_paths=asked.artifact_paths,
            artifacts=tuple(_claim(each) for each in asked.artifacts),
            approval_digest=asked.approval_digest,
        )
        moved = answer["success"] and "replayed" not in answer["result"]
        changed = addresses(run_id) if moved else ()
        return Reply(answer, text.ruling_text(answer), changed=changed)

    def create(self, asked: takes.CreateRun) -> Reply:
        """Begin a run."""
        run_id = self._gate.create_run(asked.process_id, asked.variables).run_id
        state = self._gate.state(run_id)
        begun = gives.Begun(
            run_id=run_id,
            process_id=state.process_id,
            process_version=state.process_version,
            initial_state=state.current_state,
            revision=state.revision,
            current_state_prompt=state.current_state_prompt,
        )
        return Reply(begun, text.state_text(state), added=True)

    def runs(self, asked: takes.ListRuns) -> Reply:
        """The newest runs."""
        wanted = (
            run for run in self.newest() if asked.process_id in ("", run.process_id)
        )
        found = tuple(islice(wanted, asked.limit + 1))
        listed = gives.Runs(runs=found[: asked.limit], more=len(found) > asked.limit)
        return Reply(listed, text.runs_text(listed))

    def history(self, asked: takes.GetHistory) -> Reply:
        """What happened."""
        run_id = self._run(asked)
        entries = self._gate.log.entries(run_id, asked.after)
        found, more = _whole_revisions(entries, asked.limit)
        told = gives.History(
            run_id=run_id, entries=tuple(_happened(e) for e in found), more=more
        )
        return Reply(told, text.history_text(told))

    def review(self, asked: takes.OfRun) -> Reply:
        """What somebody who decides has to look at."""
        shown = self._gate.review(self._current(asked))
        return Reply(shown, text.review_text(shown))

    def verify(self, asked: takes.OfRun) -> Reply:
        """Whether everything is as it was written."""
        run_id = self._run(asked)
        report = self._gate.verify(run_id)
        told = gives.Verified(
            run_id=run_id,
            passed=report.passed,
            findings=tuple(
                gives.Fault(
                    code=str(each.code),
                    severity=each.severity,
                    message=each.message,
                    where=str(each.where),
                    hint=each.hint,
                )
                for each in report.findings
            ),
        )
        return Reply(told, text.verified_text(told))

    def newest(self, before: str = "") -> Iterator[gives.RunLine]:
        """Runs, the newest first; with `before`, only those older than that one."""
        ids = sorted(self._gate.log.runs(), reverse=True)
        for run_id in ids:
            if not before or run_id < before:
                yield self._line(run_id)

    def _line(self, run_id: str) -> gives.RunLine:
        try:
            return _line(self._gate.log.standing(run_id))
        except StoreError as problem:
            # One run that cannot be trusted must not hide the others.
            told = f"{problem.code}: {problem.message}"
            return gives.RunLine(run_id=run_id, problem=told)

    def _current(self, asked: takes.OfRun) -> str:
        """The run that is meant, as time has left it."""
        run_id = self._run(asked)
        self._gate.tick(run_id)
        return run_id

    def _run(self, asked: takes.OfRun) -> str:
        run_id = asked.run_id or self._named()
        if not run_id:
            raise StoreError(
                "RUN_NOT_FOUND",
                "no run was named, and this server was given none",
                hint="name run_id; list_runs shows the runs, create_run begins one",
            )
        return run_id


def addresses(run_id: str) -> tuple[str, ...]:
    """The addresses under which a run can be read."""
    return (f"{SCHEME}{run_id}/summary", f"{SCHEME}{run_id}/log")


def _claim(given: takes.HandedIn) -> Claim:
    return Claim(**msgspec.structs.asdict(given))


def _line(standing: Standing) -> gives.RunLine:
    return gives.RunLine(
        run_id=standing.run_id,
        process_id=standing.opening.process_id,
        current_state=standing.state,
        revision=standing.revision,
        created_at=timestamp(standing.created),
        updated_at=timestamp(standing.updated),
    )


def _whole_revisions(entries: Iterator[Entry], limit: int) -> tuple[list[Entry], bool]:
    """At most so many entries, cut between revisions so that none is lost in paging."""
    found: list[Entry] = []
    for entry in entries:
        if len(found) >= limit and entry.revision != found[-1].revision:
            return found, True
        found.append(entry)
    return found, False


def _happened(entry: Entry) -> gives.Happened:
    paths = tuple(each.place for each in entry.artifacts)
    if isinstance(entry, Note):
        return gives.Happened(
            kind="note",
            revision=entry.revision,
            timestamp=timestamp(entry.at),
            artifact_paths=paths,
            message=entry.message or entry.about,
        )
    return gives.Happened(
        kind="event",
        revision=entry.revision,
        timestamp=timestamp(entry.at),
        event=entry.event,
        from_state=entry.source,
        to_state=entry.state,
        role=entry.role,
        author=f"{entry.author.type}:{entry.author.id}",
        idempotency_key=entry.key,
        payload=entry.payload,
        artifact_paths=paths,
        overridden=entry.overridden,
    )
