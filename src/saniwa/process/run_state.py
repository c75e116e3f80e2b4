"""The state of a run, computed from its records one by one. Reads no log itself."""

from collections.abc import Iterator
from typing import Any

import msgspec

from saniwa.core.clock import format_timestamp
from saniwa.core.decoder_warming import warm_decoders
from saniwa.process.artifact import Artifact
from saniwa.process.definition import DECISIONS, MIGRATED, REJECT
from saniwa.process.event_record import ChildBatch, ChildEnd, EventRecord, LogNote, RunOpening

_NO_HOOKS = 1 << 30
"""More than any event has: a migration and an imported row run none."""


class PersonDecision(msgspec.Struct, frozen=True, kw_only=True):
    """A person's last decision."""

    event: str
    """`approve`, `reject` or `override_guard`."""
    by: str
    """The person's name."""
    role: str
    """The role the person acted in."""
    reason: str
    """The person's reason; empty if none was given."""
    revision: int
    """The revision of the decision."""


RETRY_DELAYS = (60_000, 300_000, 1_800_000, 7_200_000, 43_200_000)
"""Milliseconds before each further attempt to send a webhook; then it is a dead letter."""


class PendingDelivery(msgspec.Struct, frozen=True, kw_only=True):
    """A webhook that could not be sent yet."""

    definition: str
    """The hash of the definition that has the hook."""
    source: str
    """The state that was left."""
    state: str
    """The state that was entered."""
    attempts: int
    """How often it was tried."""
    tried: int
    """When last, in milliseconds since 1970."""
    why: str
    """Why it failed."""

    @property
    def due(self) -> int | None:
        """When it is tried again; None for a dead letter."""
        if self.attempts > len(RETRY_DELAYS):
            return None
        return self.tried + RETRY_DELAYS[self.attempts - 1]


class ChildGroup(msgspec.Struct, frozen=True, kw_only=True):
    """The child runs that one entry of a state began under one name."""

    batch: ChildBatch
    """Which they are."""
    revision: int
    """The revision of the run that began them."""
    at: int
    """When, in milliseconds since 1970."""
    problem: str = ""
    """Why they could not be started."""
    ended: dict[int, ChildEnd] = {}
    """Those that have ended, by number."""


class TimerAttempts(msgspec.Struct, frozen=True, kw_only=True):
    """A timed transition that was refused."""

    attempts: int
    """How often."""
    tried: int
    """When last, in milliseconds since 1970."""
    why: str
    """What was missing."""


class ProcessRun(msgspec.Struct, kw_only=True):
    """A run at one revision. Only the log changes it; others read it."""

    run_id: str
    """The run."""
    opening: RunOpening
    """The process and the definition it is on."""
    state: str
    """The state."""
    revision: int
    """How many events there were, the first included."""
    created: int
    """When the run started, in milliseconds since 1970."""
    updated: int
    """When the last event happened."""
    entered: int
    """When the current state was entered; an event that stays in it does not count."""
    variables: dict[str, Any] = {}
    """The run's variables."""
    artifacts: dict[str, dict[str, Artifact]] = {}
    """The evidence, by kind and identity; a new submission replaces the older one."""
    handed: dict[str, int] = {}
    """The revision at which each artifact was submitted, by kind and identity."""
    entered_at: int = 1
    """The revision at which the current state was entered."""
    decided: PersonDecision | None = None
    """The last decision of a person."""
    source: str = ""
    """The state before the last event."""
    hooks_done: int = 0
    """How many hooks of this revision have run."""
    undelivered: dict[str, PendingDelivery] = {}
    """Webhooks that could not be sent, by `REVISION:HOOK`."""
    children: dict[str, ChildGroup] = {}
    """The child runs that were begun last under each name."""
    timers: dict[str, TimerAttempts] = {}
    """The timed transitions of this state that were refused."""

    @property
    def home(self) -> str:
        """The run in whose own folder the evidence is: its own, or that of its parent."""
        return self.opening.home or self.run_id

    def list_current_children(self) -> dict[str, ChildGroup]:
        """Return the child runs that the current state has begun, by name."""
        return {k: each for k, each in self.children.items() if each.revision == self.entered_at}

    def list_artifacts(self) -> Iterator[Artifact]:
        """Yield every artifact, by kind, then in the order of submission."""
        for kind in sorted(self.artifacts):
            yield from self.artifacts[kind].values()

    @classmethod
    def from_first_record(cls, run_id: str, record: EventRecord) -> "ProcessRun":
        """Create a run from its first record."""
        assert record.opening is not None, "a run's first record must name its definition"
        begun = cls(
            run_id=run_id,
            opening=record.opening,
            state=record.state,
            revision=0,
            created=record.at,
            updated=record.at,
            entered=record.at,
            variables={},
            artifacts={},
            handed={},
        )
        begun.apply_record(record)
        return begun

    def apply_record(self, record: EventRecord) -> None:
        """Apply the next record."""
        if record.state != self.state:
            self.state = record.state
            self.entered = record.at
            self.entered_at = record.revision
            self.timers = {}
        if record.approval is not None and record.event in DECISIONS:
            self.decided = _build_decision(record)
        self.revision = record.revision
        self.updated = record.at
        unhooked = record.event == MIGRATED or record.imported
        self.hooks_done = _NO_HOOKS if unhooked else 0
        if record.opening is not None:
            self.opening = record.opening
        if record.variables:
            self.variables = self.variables | record.variables
        self.source = record.source
        if record.artifacts:
            self._add_artifacts(record.artifacts, record.revision)

    def apply_note(self, note: LogNote) -> None:
        """Apply a note."""
        if note.delivery:
            self._apply_delivery(note)
        if note.children is not None:
            why = note.message if note.failed else ""
            group = ChildGroup(batch=note.children, revision=note.revision, at=note.at, problem=why)
            self.children = {**self.children, group.batch.name: group}
        if note.ended is not None:
            self._apply_end(note.ended)
        if note.timer:
            before = self.timers.get(note.timer)
            tried = TimerAttempts(
                attempts=before.attempts + 1 if before else 1, tried=note.at, why=note.message
            )
            self.timers = {**self.timers, note.timer: tried}
        if note.about == "hook" and note.hook >= 0 and note.revision == self.revision:
            self.hooks_done = max(self.hooks_done, note.hook + 1)
        if note.variables:
            self.variables = self.variables | note.variables
        if note.artifacts:
            # Revision plus one: the hook ran after the state was entered, so its
            # artifact counts as fresh.
            self._add_artifacts(note.artifacts, note.revision + 1)

    def _apply_end(self, end: ChildEnd) -> None:
        group = self.children.get(end.name)
        if group is not None:
            ended = {**group.ended, end.number: end}
            self.children = {**self.children, end.name: msgspec.structs.replace(group, ended=ended)}

    def _apply_delivery(self, note: LogNote) -> None:
        rest = {key: each for key, each in self.undelivered.items() if key != note.delivery}
        before = self.undelivered.get(note.delivery)
        if note.failed:
            rest[note.delivery] = PendingDelivery(
                definition=before.definition if before else self.opening.definition,
                source=before.source if before else self.source,
                state=before.state if before else self.state,
                attempts=before.attempts + 1 if before else 1,
                tried=note.at,
                why=note.message,
            )
        self.undelivered = rest

    def is_fresh(self, artifact: Artifact) -> bool:
        """Whether it was submitted since the current state was entered."""
        return self.handed.get(f"{artifact.type}:{artifact.identity}", 0) > self.entered_at

    def is_sent_back(self, artifact: Artifact) -> bool:
        """Whether it existed already when a person last sent the run back."""
        if self.decided is None or self.decided.event != REJECT:
            return False
        handed = self.handed.get(f"{artifact.type}:{artifact.identity}", 0)
        return handed <= self.decided.revision

    def _add_artifacts(self, artifacts: tuple[Artifact, ...], revision: int) -> None:
        for artifact in artifacts:
            identity = artifact.identity
            self.artifacts.setdefault(artifact.type, {})[identity] = artifact
            self.handed[f"{artifact.type}:{identity}"] = revision


def _build_decision(record: EventRecord) -> PersonDecision:
    reason = record.payload.get("reason", "")
    return PersonDecision(
        event=record.event,
        by=record.author.id,
        role=record.role,
        reason=reason if isinstance(reason, str) else "",
        revision=record.revision,
    )


warm_decoders(ProcessRun)


class ProcessRunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A run in one line, under the published names."""

    run_id: str
    """The run."""
    process_id: str
    """Its process."""
    current_state: str
    """Its current state."""
    revision: int
    """The number of events so far."""
    created_at: str
    """When it started."""
    updated_at: str
    """When the last event happened."""
    parent: str = ""
    """The run that began it; empty if a caller did."""


def summarize_run(run: ProcessRun) -> ProcessRunSummary:
    """Summarize a run."""
    return ProcessRunSummary(
        run_id=run.run_id,
        process_id=run.opening.process_id,
        current_state=run.state,
        revision=run.revision,
        created_at=format_timestamp(run.created),
        updated_at=format_timestamp(run.updated),
        parent=run.opening.parent.run_id if run.opening.parent else "",
    )
