"""The gate of a server: one log, opened once, and one `Gate` object per visitor.

Also decides which files a visitor over HTTP may never read.
"""

import asyncio
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import Final, TypeVar

from msgspec.structs import replace

from saniwa.app.gate import adapters
from saniwa.app.gate.access import open_gate_log
from saniwa.app.gate.places import GatePlaces, locate_gate, read_webhook_hosts, split_folded
from saniwa.app.run_stores import PLAYS_FILE, is_address, is_memory
from saniwa.core.clock import Clock
from saniwa.core.errors import SaniwaError
from saniwa.core.ids import Ids
from saniwa.core.text import quote_value
from saniwa.process.artifact import Artifact, Claim
from saniwa.process.evidence_paths import split_folder_path
from saniwa.process.gate import Gate
from saniwa.process.library import FolderProcessLibrary, open_library
from saniwa.process.ports import CheckRunner, EvidenceError, EvidenceInspection, GateLog
from saniwa.process.ruling import Visitor
from saniwa.store.gate.evidence_reader import FolderEvidenceReader, UnfitEvidenceError
from saniwa.store.gate.people import GatePerson

_SQLITE_SUFFIXES: Final = ("-wal", "-shm", "-journal")


class ProtectedPaths:
    """Paths that no visitor over HTTP may read."""

    def __init__(self, *places: Path) -> None:
        """Protect these paths and those that are added; they need not exist."""
        self._places = set[tuple[str, ...]]()
        self.add(*places)

    def add(self, *places: Path) -> None:
        """Protect these paths too."""
        self._places |= {split_folded(each.resolve()) for each in places}

    def is_protected(self, path: Path) -> bool:
        """Whether a path is protected, or inside a protected folder.

        The path must have its links resolved.
        """
        steps = split_folded(path)
        return any(steps[: len(each)] == each for each in self._places)

    def is_overlapping(self, folder: Path) -> bool:
        """Whether a folder is protected, or contains something that is."""
        steps = split_folded(folder)
        within = any(each[: len(steps)] == steps for each in self._places)
        return within or self.is_protected(folder)


def list_store_paths(store: str) -> tuple[Path, ...]:
    """Return the files of a store; none if the store is not a file."""
    if is_memory(store) or is_address(store):
        return ()
    files = (Path(store), Path(store).with_name(PLAYS_FILE))
    beside = (file.with_name(file.name + end) for file in files for end in _SQLITE_SUFFIXES)
    return (*files, *beside)


class ServerEvidenceReader(FolderEvidenceReader):
    """Evidence in a gate's folders, for remote visitors.

    Hidden files are refused, and so are the server's own: keys, credentials and stores,
    which may be in the same folder as a run's evidence.
    """

    def __init__(
        self, places: GatePlaces, kept: ProtectedPaths, listed: Collection[Path] = ()
    ) -> None:
        """Create a reader with protected paths and the folders listed by the owner."""
        super().__init__(places.root / "artifacts", places.project)
        self._places = places
        self._name = places.root.name
        self._project = places.project.resolve()
        self._protected = kept
        self._listed = tuple(each.resolve() for each in listed)

    def is_usable_folder(self, folder: str) -> bool:
        """Whether a run may be created with this evidence folder by a remote visitor.

        Only a folder that the owner lists, or one inside it, is allowed. The project
        itself is not, nor a hidden folder, nor one that contains protected files or is
        inside a protected folder.
        """
        steps = _split_folder(folder)
        if not steps or has_hidden_part(folder) or not self.is_listed_folder(folder):
            return False
        return not self._protected.is_overlapping(self._project.joinpath(*steps))

    def is_listed_folder(self, folder: str) -> bool:
        """Whether a folder of the project is listed by the owner, or inside one."""
        steps = _split_folder(folder)
        if not steps:
            return False
        place = self._project.joinpath(*steps)
        return any(place == each or each in place.parents for each in self._listed)

    def list_known_names(self) -> Collection[str]:
        """Return the names of the gate's people.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        return adapters.read_people_names(self._places)

    def locate_folder(self, run_id: str, folder: str) -> str:
        """Return the folder to which a run's paths are relative, below the project."""
        return folder or f"{self._name}/artifacts/{run_id}"

    def inspect(self, run_id: str, folder: str, claim: Claim, *, read: bool) -> EvidenceInspection:
        """Open the claimed file once, and return what is found.

        Raises:
            EvidenceError: As in the base class; also if it is hidden, or in a folder
                that the owner does not list.
        """
        if claim.path and self._is_protected(folder, claim.path):
            raise EvidenceError(f"{quote_value(claim.path)} is hidden and cannot be submitted")
        if claim.path and folder and not self.is_listed_folder(folder):
            raise EvidenceError(
                f"the run's folder {quote_value(folder)} is not open over HTTP; "
                "the owner of the server opens it with: saniwa serve --evidence FOLDER"
            )
        return super().inspect(run_id, folder, claim, read=read)

    def read_content(self, folder: str, artifact: Artifact) -> bytes:
        """Return the bytes of an artifact, if they are still those that were submitted.

        Raises:
            UnfitEvidenceError: They have changed, cannot be read, or are hidden.
        """
        if artifact.path and self._is_protected(folder, artifact.path):
            raise UnfitEvidenceError("is hidden and cannot be submitted")
        return super().read_content(folder, artifact)

    def _is_protected(self, folder: str, path: str) -> bool:
        if has_hidden_part(folder, path):
            return True
        # A run's own folder is inside the gate's, and is the only open place there.
        return bool(folder) and self._protected.is_protected(self._project / folder / path)


def _split_folder(folder: str) -> tuple[str, ...]:
    try:
        return tuple(split_folder_path(folder))
    except EvidenceError:
        return ()


def has_hidden_part(*paths: str) -> bool:
    """Whether any part of the paths starts with a dot, except `.` itself."""
    steps = (step for path in paths for step in PurePosixPath(path).parts)
    return any(step.startswith(".") for step in steps)


MOST_GATES: Final = 64
"""Visitors whose `Gate` is cached; the least recently used is evicted."""
THREADS: Final = 8
"""Requests that the gate handles at once.

It has its own threads, so that a locked file or an address that does not answer delays
no player.
"""
Given = TypeVar("Given")


class GateService:
    """Opens the gate for the visitor of each request; no request names its own role."""

    def __init__(
        self,
        place: str,
        *,
        clock: Clock,
        ids: Ids,
        kept: ProtectedPaths,
        evidence: Collection[Path] = (),
        lookup: CheckRunner | None = None,
    ) -> None:
        """Use the gate at a place; empty for the default. Nothing is opened yet.

        The gate's own paths are added to `kept`. `evidence` are the folders of the
        project from which evidence is accepted.

        Raises:
            StoreError: `STORE_UNKNOWN`.
        """
        self._places = locate_gate(place or None)
        self._lookup = lookup
        self._clock = clock
        self._ids = ids
        self._lock = Lock()
        self._log: GateLog | None = None
        self._find_gate = lru_cache(MOST_GATES)(self._open_gate)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="gate")
        own, people = self._places, self._places.people
        kept.add(own.root, own.runs, own.metadata, people, people.with_suffix(".lock"))
        self.evidence: Final = ServerEvidenceReader(self._places, kept, evidence)
        """The submitted evidence."""

    @property
    def library(self) -> FolderProcessLibrary:
        """The processes of this gate, and those shipped with Saniwa."""
        return open_library(self._places.processes)

    async def ask(
        self, visitor: Visitor, person: GatePerson | None, operation: Callable[[Gate], Given]
    ) -> Given:
        """Call the gate for a visitor, in a thread; the person signs their decisions.

        Raises:
            SaniwaError: Any error of the gate; paths are reduced to file names.
        """
        loop, here = asyncio.get_running_loop(), copy_context()
        return await loop.run_in_executor(
            self._threads, here.run, self._ask_redacted, visitor, person, operation
        )

    def close(self) -> None:
        """Close everything; acknowledged changes are durable."""
        self._threads.shutdown(wait=True)
        if self._log is not None:
            self._log.close()

    def _ask_redacted(
        self, visitor: Visitor, person: GatePerson | None, operation: Callable[[Gate], Given]
    ) -> Given:
        try:
            with self._lock:
                gate = self._find_gate(visitor, person)
            return operation(gate)
        except SaniwaError as problem:
            raise _redact_paths(problem, self._places.processes) from problem.__cause__

    def _open_gate(self, visitor: Visitor, person: GatePerson | None) -> Gate:
        self._log = self._log or open_gate_log(self._places)
        return Gate(
            self._log,
            self.library,
            self.evidence,
            visitor,
            clock=self._clock,
            ids=self._ids,
            messenger=adapters.HttpWebhookSender(hosts=partial(read_webhook_hosts, self._places)),
            signer=adapters.make_signer(person),
            witness=adapters.make_signature_verifier(self._places),
            lookup=self._lookup,
            calls=adapters.ProjectJournals(self._places.project),
        )


def _redact_paths(problem: SaniwaError, processes: Path) -> SaniwaError:
    """Return the error without the folders of this machine."""
    if problem.where is not None and problem.where.file:
        name = Path(problem.where.file).name
        problem.where = replace(problem.where, file=name)
    problem.hint = problem.hint.replace(f"{processes}/", "")
    for finding in problem.details.get("findings", ()):
        finding["file"] = Path(finding["file"]).name
    return problem
