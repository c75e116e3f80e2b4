"""What the gate needs from outside, as protocols. Implementations are in `store`."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol

import msgspec

from saniwa.core.findings import Finding
from saniwa.process.artifact import Artifact, Claim, EvidenceStanding
from saniwa.process.definition import CheckGuard, Process
from saniwa.process.event_record import EventRecord, LogEntry, LogNote
from saniwa.process.run_state import ProcessRun


class GateRunWriter(Protocol):
    """One run, locked: no other process can write to it until it is released."""

    @property
    def run(self) -> ProcessRun:
        """The run with everything written so far; read-only."""

    def find_by_key(self, key: str) -> EventRecord | None:
        """Return the event that was accepted under an idempotency key."""

    def append(self, record: EventRecord) -> None:
        """Store the run's next event; it is durable when this returns.

        Raises:
            StoreError: It could not be stored; `LOG_UNCERTAIN` if that cannot be known.
        """

    def append_note(self, note: LogNote) -> None:
        """Store a note besides the events, durably."""


class GateLog(Protocol):
    """Stores runs of processes: one log each, and the definitions they use."""

    def create(self, run_id: str, record: EventRecord, process: Process) -> None:
        """Start a run with its first record and its definition; durable.

        Raises:
            StoreError: `RUN_EXISTS`; it could not be written.
        """

    def lock_run(self, run_id: str) -> AbstractContextManager[GateRunWriter]:
        """Lock a run; other callers wait, and fail when they have waited too long.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `LOCK_TIMEOUT`; the log cannot be trusted.
        """

    def load_run(self, run_id: str) -> ProcessRun:
        """Return a run as it is now; read-only.

        Raises:
            StoreError: `RUN_NOT_FOUND`; the log cannot be trusted.
        """

    def read_entries(self, run_id: str, after: int = 0) -> Iterator[LogEntry]:
        """Stream records and notes in the order they were written.

        Only those of revisions greater than `after`.

        Raises:
            StoreError: `RUN_NOT_FOUND`; the log cannot be trusted.
        """

    def list_runs(self) -> Iterator[str]:
        """List the ids of all runs, oldest first."""

    def find_faults(self, run_id: str) -> tuple[Finding, ...]:
        """Check how a run is stored, from its first byte to its last.

        Reads everything and repairs nothing.

        Raises:
            StoreError: `RUN_NOT_FOUND`.
        """

    def store_definition(self, process: Process) -> None:
        """Store a definition under its hash; durable."""

    def load_definition(self, hash: str) -> Process:
        """Return the definition with that hash.

        Raises:
            StoreError: `DEFINITION_MISSING`: it is not stored here, or has changed.
        """

    def close(self) -> None:
        """Release all open files and connections."""


class ProcessLibrary(Protocol):
    """Finds processes by their id."""

    def find(self, process_id: str) -> Process:
        """Return the process in its author's current version.

        Raises:
            ProcessError: `PROCESS_NOT_FOUND`; `INVALID_PROCESS` with every finding.
        """

    def list_ids(self) -> tuple[str, ...]:
        """List the ids of all processes, sorted."""


class EvidenceInspection(msgspec.Struct, frozen=True):
    """The result of inspecting submitted evidence."""

    hash: str
    """SHA-256 of the bytes, in hex."""
    size: int
    """How many bytes."""
    plain: Any = msgspec.UNSET
    """The content as JSON values; `msgspec.UNSET` if it is not a document."""
    text: str = ""
    """The content as text, up to a megabyte, if it was read."""


class EvidenceChecker(Protocol):
    """Checks whether evidence changed since it was submitted."""

    def locate_folder(self, run_id: str, folder: str) -> str:
        """Return the folder a run's paths are relative to, as a user would write it."""

    def find_evidence_change(self, folder: str, artifact: Artifact) -> str:
        """Say what happened to an artifact since submission; empty if nothing did."""


class EvidenceReader(EvidenceChecker, Protocol):
    """Reads submitted files; never leaves the run's folder."""

    def inspect(self, run_id: str, folder: str, claim: Claim, *, read: bool) -> EvidenceInspection:
        """Open the claimed content once, and report what it is.

        With `read`, also parse it, if it is JSON, YAML or Markdown with front matter.

        Raises:
            EvidenceError: It leads out of the folder, is not a regular file, is empty,
                is too large, or does not match the claim.
        """


class CheckOutcome(msgspec.Struct, frozen=True):
    """What a check that passed has shown."""

    summary: str
    """In one sentence."""
    report: Any = None
    """What is kept of it, as JSON values; None if the sentence says it all."""
    known: Any = None
    """What evidence about the same subject can be compared with; not kept."""
    claimed: bool = False
    """Whether it rests on something that only its author says."""


class CheckRunner(Protocol):
    """Finds out what is true of scenarios, stories, runs, experiments and files."""

    def run_check(self, check: CheckGuard, subject: str) -> CheckOutcome:
        """Run a check on its subject, whose placeholders are filled in.

        Raises:
            EvidenceError: It failed, or could not be run.
        """

    def find_obstacle(self, check: CheckGuard) -> str:
        """Say why a check cannot be run here, without running it; empty if it can."""

    def look_up(self, subject: str, report: object) -> str:
        """Compare a report with its subject; return what was found, in one sentence.

        `subject` is one of the values that an artifact's `lookup` may have.

        Raises:
            EvidenceError: The report names something that does not exist, or
                contradicts what was found.
        """


class ToolJournal(Protocol):
    """The journal of the agent that visits."""

    @property
    def place(self) -> str:
        """The journal's file, from the project; empty if it is outside or in memory."""

    def has_result(self, call: str, hash: str, run_id: str) -> bool:
        """Whether a call made content with this SHA-256 while the agent worked at a run."""


class CallFinding(msgspec.Struct, frozen=True):
    """What a journal says about a tool call now."""

    standing: EvidenceStanding
    """`claimed` if there is no journal to look in."""
    why: str
    """What was found, to continue the name of the evidence: `is the result of …`."""


class ToolCallLookup(Protocol):
    """Finds the tool calls behind evidence again, in the journals of a project's agents."""

    def look_up_call(self, artifact: Artifact) -> CallFinding:
        """Say what the journal of the agent that made an artifact says about it now."""


class Messenger(Protocol):
    """Sends messages to URLs."""

    def send(self, url: str, body: bytes) -> None:
        """Deliver a message.

        Raises:
            OSError: It could not be delivered.
        """


class Signer(Protocol):
    """Signs decisions as one person."""

    def sign(self, message: bytes) -> str:
        """Return a signature that only this person's secret makes for this message."""


class SignatureVerifier(Protocol):
    """Verifies signatures of the people it knows."""

    def verify_signature(self, name: str, message: bytes, mac: str) -> bool | None:
        """Whether the signature is that person's; None if the name is unknown."""


class LockedLog(Protocol):
    """A locked run's log, while submitted files are finalized."""

    def has_event(self, key: str) -> bool:
        """Whether the log has an event under a key."""

    def has_evidence(self, path: str, hash: str) -> bool:
        """Whether the log has this file, with this content, as evidence."""


LogLocker = Callable[[], AbstractContextManager[LockedLog]]
"""Locks a run's log while it is queried and submitted files are finalized."""


class EvidenceError(Exception):
    """What is wrong with a claim; becomes part of a refusal, never an error."""
