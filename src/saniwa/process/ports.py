"""What the gate needs from outside, as roles."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from saniwa.core.findings import Finding
from saniwa.process.artifact import Artifact, Claim
from saniwa.process.definition import Process
from saniwa.process.record import EventRecord, LogEntry, LogNote
from saniwa.process.run import ProcessRun


class GateRunWriter(Protocol):
    """One run, held alone: until it is let go, nobody else can write to it."""

    @property
    def run(self) -> ProcessRun:
        """Where the run stands, everything written so far included; only to be read."""
        ...

    def find_by_key(self, key: str) -> EventRecord | None:
        """The event that was accepted under an idempotency key."""
        ...

    def append(self, record: EventRecord) -> None:
        """Keep the run's next event; when this returns, it would survive a power cut.

        Raises:
            StoreError: It could not be kept; `LOG_UNCERTAIN` if nobody can know.
        """
        ...

    def append_note(self, note: LogNote) -> None:
        """Keep a note beside the log, durably."""
        ...


class GateLog(Protocol):
    """Keeps runs of processes: one log each, and the definitions they stand on."""

    def create(self, run_id: str, record: EventRecord, process: Process) -> None:
        """Begin a run: its first record, and the definition it stands on; durable.

        Raises:
            StoreError: `RUN_EXISTS`; it could not be written.
        """
        ...

    def lock_run(self, run_id: str) -> AbstractContextManager[GateRunWriter]:
        """Hold a run alone; others wait, and those who wait too long are told.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `LOCK_TIMEOUT`; the log cannot be trusted.
        """
        ...

    def load_run(self, run_id: str) -> ProcessRun:
        """Where a run stands now; only to be read.

        Raises:
            StoreError: `RUN_NOT_FOUND`; the log cannot be trusted.
        """
        ...

    def read_entries(self, run_id: str, after: int = 0) -> Iterator[LogEntry]:
        """Records and notes in the order they were written, as a stream.

        Only those of revisions beyond `after`.

        Raises:
            StoreError: `RUN_NOT_FOUND`; the log cannot be trusted.
        """
        ...

    def list_runs(self) -> Iterator[str]:
        """The ids of all runs, oldest first."""
        ...

    def find_faults(self, run_id: str) -> tuple[Finding, ...]:
        """What is wrong with how a run is kept, from its first byte to its last.

        Reads everything and mends nothing.

        Raises:
            StoreError: `RUN_NOT_FOUND`.
        """
        ...

    def store_definition(self, process: Process) -> None:
        """Keep a definition under its hash; durable."""
        ...

    def load_definition(self, hash: str) -> Process:
        """The definition with that hash.

        Raises:
            StoreError: `DEFINITION_MISSING`: it is not kept here, or not as it was.
        """
        ...

    def close(self) -> None:
        """Let go of whatever is held open."""
        ...


class ProcessLibrary(Protocol):
    """Where processes are found by their id."""

    def find(self, process_id: str) -> Process:
        """The process as its author has it now.

        Raises:
            ProcessError: `PROCESS_NOT_FOUND`; `INVALID_PROCESS` with every finding.
        """
        ...

    def list_ids(self) -> tuple[str, ...]:
        """The ids of all processes, in order."""
        ...


class EvidenceInspection(Protocol):
    """What somebody saw in a thing that was handed in."""

    @property
    def hash(self) -> str:
        """SHA-256 of the bytes, in hex."""
        ...

    @property
    def size(self) -> int:
        """How many bytes."""
        ...

    @property
    def plain(self) -> object:
        """What it says, as JSON values; `msgspec.UNSET` where it is no document."""
        ...


class EvidenceChecker(Protocol):
    """Knows what has become of evidence since it was handed in."""

    def locate_folder(self, run_id: str, folder: str) -> str:
        """Where a run's paths lead from, as somebody here would write it."""
        ...

    def find_fault(self, folder: str, artifact: Artifact) -> str:
        """What has happened to an artifact since it was handed in; empty if nothing has."""
        ...


class EvidenceReader(EvidenceChecker, Protocol):
    """Reads the files that are handed in; never leaves the run's folder."""

    def inspect(
        self, run_id: str, folder: str, claim: Claim, *, read: bool
    ) -> EvidenceInspection:
        """Open what is claimed once, and tell what is there.

        With `read`, also what it says, if it is JSON, YAML or Markdown with front matter.

        Raises:
            EvidenceError: It leads out of the folder, is no regular file, is empty, is too
                large, or is not what the claim says.
        """
        ...


class ReportLookup(Protocol):
    """Looks up what reports say about scenarios and runs."""

    def look_up(self, subject: str, report: object) -> str:
        """Compare a report with what it is about; what was found, in one sentence.

        `subject` is one of the words that `lookup` of an artifact may be.

        Raises:
            EvidenceError: The report names something that does not exist, or says
                something else than what was found.
        """
        ...


class Messenger(Protocol):
    """Carries a message to an address."""

    def send(self, url: str, body: bytes) -> None:
        """Deliver it, or say why not.

        Raises:
            OSError: It could not be delivered.
        """
        ...


class Signer(Protocol):
    """A person at the door, who can put a mark under a decision."""

    def sign(self, message: bytes) -> str:
        """A mark that only this person's secret makes for this message."""
        ...


class SignatureVerifier(Protocol):
    """Knows the people, and whose mark is whose."""

    def verify_signature(self, name: str, message: bytes, mac: str) -> bool | None:
        """Whether the mark is that person's; None if nobody of that name is known."""
        ...


class LockedLog(Protocol):
    """A run's log, held alone while files are settled."""

    def has_event(self, key: str) -> bool:
        """Whether the log has an event under a key."""
        ...

    def has_evidence(self, path: str, hash: str) -> bool:
        """Whether the log has this file, with this content, as evidence."""
        ...


LogLocker = Callable[[], AbstractContextManager[LockedLog]]
"""Holds a run's log alone, while it is asked and files are settled."""


class EvidenceError(Exception):
    """What is wrong with a claim; becomes part of a refusal, never shown as an error."""
