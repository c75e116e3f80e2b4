"""Evidence for visitors over HTTP, and the files that they may never read."""

from collections.abc import Collection
from pathlib import Path, PurePosixPath
from typing import Final

from saniwa.app.gate import port_adapters
from saniwa.app.gate.configuration import GatePlaces, split_folded
from saniwa.app.run_stores import PLAYS_FILE, is_address, is_memory
from saniwa.core.text import quote_value
from saniwa.process.artifact import Artifact, Claim
from saniwa.process.evidence_paths import split_folder_path
from saniwa.process.ports import EvidenceError, EvidenceInspection
from saniwa.store.gate.evidence_reader import FolderEvidenceReader, UnfitEvidenceError

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


class RemoteEvidenceReader(FolderEvidenceReader):
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
        return port_adapters.read_people_names(self._places)

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
