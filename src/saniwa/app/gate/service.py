"""The gate of a garden: one log, opened once; a door for each visitor who comes."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import Final, TypeVar

from msgspec.structs import replace

from saniwa.app.gate.access import open_gate_log
from saniwa.app.gate.adapters import (
    HttpWebhookSender,
    make_signature_verifier,
    make_signer,
    read_people_names,
)
from saniwa.app.gate.places import GatePlaces, locate_gate, read_webhook_hosts
from saniwa.app.store import PLAYS_FILE, is_address, is_memory
from saniwa.core.clock import Clock
from saniwa.core.errors import SaniwaError
from saniwa.core.ids import Ids
from saniwa.core.text import quote_value
from saniwa.process.artifact import Artifact, Claim
from saniwa.process.evidence_paths import split_folder_path
from saniwa.process.gate import Gate
from saniwa.process.library import FolderProcessLibrary, open_library
from saniwa.process.permissions import Visitor
from saniwa.process.ports import EvidenceError, GateLog, ReportLookup
from saniwa.store.gate.evidence import (
    FolderEvidenceInspection,
    FolderEvidenceReader,
    UnfitEvidenceError,
)
from saniwa.store.gate.people import GatePerson

_SQLITE_SUFFIXES: Final = ("-wal", "-shm", "-journal")


class ProtectedPaths:
    """Places that are kept from everybody who comes over HTTP."""

    def __init__(self, *places: Path) -> None:
        """These, and those that are added; they need not be there."""
        self._places = set[tuple[str, ...]]()
        self.add(*places)

    def add(self, *places: Path) -> None:
        """Keep these as well."""
        self._places |= {_split_path(each.resolve()) for each in places}

    def is_protected(self, path: Path) -> bool:
        """Whether something is one of them, or lies in one; said without links."""
        steps = _split_path(path)
        return any(steps[: len(each)] == each for each in self._places)

    def is_overlapping(self, folder: Path) -> bool:
        """The same, or whether one of them lies in it."""
        steps = _split_path(folder)
        within = any(each[: len(steps)] == steps for each in self._places)
        return within or self.is_protected(folder)


def list_gate_paths(places: GatePlaces) -> tuple[Path, ...]:
    """What a gate keeps to itself."""
    people = places.people
    return (
        places.root,
        places.runs,
        places.metadata,
        people,
        people.with_suffix(".lock"),
    )


def list_store_paths(store: str) -> tuple[Path, ...]:
    """What a store keeps to itself: nothing where it is no file."""
    if is_memory(store) or is_address(store):
        return ()
    files = (Path(store), Path(store).with_name(PLAYS_FILE))
    beside = (
        file.with_name(file.name + end) for file in files for end in _SQLITE_SUFFIXES
    )
    return (*files, *beside)


def _split_path(path: Path) -> tuple[str, ...]:
    # Some file systems take large letters for small ones.
    return tuple(part.casefold() for part in path.parts)


class ServerEvidenceReader(FolderEvidenceReader):
    """Evidence in a gate's folders, for visitors who may sit anywhere.

    What begins with a dot is kept from them, and so is what is the server's own: keys,
    credentials and stores, beside which a run may have its evidence.
    """

    def __init__(
        self, places: GatePlaces, kept: ProtectedPaths, listed: Collection[Path] = ()
    ) -> None:
        """Evidence of a gate, what is kept from everybody, and what the owner lists."""
        super().__init__(places.root / "artifacts", places.project)
        self._places = places
        self._name = places.root.name
        self._project = places.project.resolve()
        self._kept = kept
        self._listed = tuple(each.resolve() for each in listed)

    def is_usable_folder(self, folder: str) -> bool:
        """Whether a run may be given a folder of the project for its evidence from here.

        Only a folder that the owner lists, or one inside of it. The project itself is
        none, nor is anything that is hidden, or holds or lies in what is the server's own.
        """
        steps = _split_folder(folder)
        if not steps or has_hidden_part(folder) or not self.is_listed_folder(folder):
            return False
        return not self._kept.is_overlapping(self._project.joinpath(*steps))

    def is_listed_folder(self, folder: str) -> bool:
        """Whether a folder of the project is one that the owner lists, or lies in one."""
        steps = _split_folder(folder)
        if not steps:
            return False
        place = self._project.joinpath(*steps)
        return any(place == each or each in place.parents for each in self._listed)

    def list_known_names(self) -> Collection[str]:
        """The names of the gate's people.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        return read_people_names(self._places)

    def locate_folder(self, run_id: str, folder: str) -> str:
        """Where a run's paths lead from, below the project."""
        return folder or f"{self._name}/artifacts/{run_id}"

    def inspect(
        self, run_id: str, folder: str, claim: Claim, *, read: bool
    ) -> FolderEvidenceInspection:
        """Open what is claimed once, and tell what is there.

        Raises:
            EvidenceError: As at every door; also if it is hidden, or lies in a folder
                that the owner does not list.
        """
        if claim.path and self._is_protected(folder, claim.path):
            raise EvidenceError(f"{quote_value(claim.path)} is hidden, and stays so")
        if claim.path and folder and not self.is_listed_folder(folder):
            raise EvidenceError(
                f"the run's folder {quote_value(folder)} is not open over HTTP; "
                "the owner of the server opens it with: saniwa serve --evidence FOLDER"
            )
        return super().inspect(run_id, folder, claim, read=read)

    def read_content(self, folder: str, artifact: Artifact) -> bytes:
        """The bytes of an artifact, if they are still what was handed in.

        Raises:
            UnfitError: They are not, cannot be read, or are hidden.
        """
        if artifact.path and self._is_protected(folder, artifact.path):
            raise UnfitEvidenceError("is hidden, and stays so")
        return super().read_content(folder, artifact)

    def _is_protected(self, folder: str, path: str) -> bool:
        if has_hidden_part(folder, path):
            return True
        # A run's own folder lies in the gate's, and is the one place there that is open.
        return bool(folder) and self._kept.is_protected(self._project / folder / path)


def _split_folder(folder: str) -> tuple[str, ...]:
    try:
        return tuple(split_folder_path(folder))
    except EvidenceError:
        return ()


def has_hidden_part(*paths: str) -> bool:
    """Whether any step of some paths begins with a dot, `.` itself aside."""
    steps = (step for path in paths for step in PurePosixPath(path).parts)
    return any(step.startswith(".") for step in steps)


MOST_GATES: Final = 64
"""Visitors whose doors are kept; the one that was not used longest is taken down."""
THREADS: Final = 8
"""Requests the gate looks at together. Its own threads: a file that is held, or an
address that does not answer, keeps nobody from playing."""
Given = TypeVar("Given")


class GateService:
    """Opens the gate for whoever stands before it; a role is never asked for."""

    def __init__(
        self,
        place: str,
        *,
        clock: Clock,
        ids: Ids,
        kept: ProtectedPaths,
        evidence: Collection[Path] = (),
        lookup: ReportLookup | None = None,
    ) -> None:
        """The gate at a place; empty for the usual one. Nothing is opened yet.

        What it keeps to itself is added to what is kept. `evidence` are the folders of
        the project from which evidence is taken.

        Raises:
            StoreError: `STORE_UNKNOWN`.
        """
        self._places = locate_gate(place or None)
        self._lookup = lookup
        self._clock = clock
        self._ids = ids
        self._lock = Lock()
        self._log: GateLog | None = None
        self._doors = OrderedDict[tuple[Visitor, GatePerson | None], Gate]()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="gate")
        kept.add(*list_gate_paths(self._places))
        self.evidence: Final = ServerEvidenceReader(self._places, kept, evidence)
        """What was handed in."""

    @property
    def library(self) -> FolderProcessLibrary:
        """The processes of this gate, and those that come with Saniwa."""
        return open_library(self._places.processes)

    async def ask(
        self,
        visitor: Visitor,
        person: GatePerson | None,
        asked: Callable[[Gate], Given],
    ) -> Given:
        """What the gate says to a visitor; the person signs what they decide.

        Raises:
            SaniwaError: Whatever the gate raises; places are told by their last name.
        """
        loop, here = asyncio.get_running_loop(), copy_context()
        return await loop.run_in_executor(
            self._threads, here.run, self._ask_redacted, visitor, person, asked
        )

    def close(self) -> None:
        """Let go of everything; what was acknowledged lasts."""
        self._threads.shutdown(wait=True)
        if self._log is not None:
            self._log.close()

    def _ask_redacted(
        self,
        visitor: Visitor,
        person: GatePerson | None,
        asked: Callable[[Gate], Given],
    ) -> Given:
        try:
            return asked(self._find_gate(visitor, person))
        except SaniwaError as problem:
            raise _redact_paths(problem, self._places.processes) from problem.__cause__

    def _find_gate(self, visitor: Visitor, person: GatePerson | None) -> Gate:
        with self._lock:
            gate = self._doors.get((visitor, person)) or self._open_gate(
                visitor, person
            )
            self._doors[(visitor, person)] = gate
            self._doors.move_to_end((visitor, person))
            while len(self._doors) > MOST_GATES:
                self._doors.popitem(last=False)
            return gate

    def _open_gate(self, visitor: Visitor, person: GatePerson | None) -> Gate:
        self._log = self._log or open_gate_log(self._places)
        return Gate(
            self._log,
            self.library,
            self.evidence,
            visitor,
            clock=self._clock,
            ids=self._ids,
            messenger=HttpWebhookSender(
                hosts=partial(read_webhook_hosts, self._places)
            ),
            signer=make_signer(person),
            witness=make_signature_verifier(self._places),
            lookup=self._lookup,
        )


def _redact_paths(problem: SaniwaError, processes: Path) -> SaniwaError:
    """The error, without the folders of this machine."""
    if problem.where is not None and problem.where.file:
        name = Path(problem.where.file).name
        problem.where = replace(problem.where, file=name)
    problem.hint = problem.hint.replace(f"{processes}/", "")
    for finding in problem.details.get("findings", ()):
        finding["file"] = Path(finding["file"]).name
    return problem
