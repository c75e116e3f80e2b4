"""Evidence as it is met over HTTP: only from folders that the server's owner lists.

Nothing hidden is opened, and nothing of the server's own.
"""

from collections.abc import Collection
from pathlib import Path, PurePosixPath

from saniwa.core.quoted import quoted
from saniwa.process.artifact import Artifact, Claim
from saniwa.process.ports import EvidenceError
from saniwa.process.weighing.place import folder_steps
from saniwa.store.gate.evidence.folder import FolderEvidence, Seen
from saniwa.store.gate.evidence.walk import UnfitError
from saniwa.wiring.garden.kept import Kept
from saniwa.wiring.gate_evidence import names_of_people
from saniwa.wiring.gate_places import GatePlaces


class GardenEvidence(FolderEvidence):
    """Evidence in a gate's folders, for visitors who may sit anywhere.

    What begins with a dot is kept from them, and so is what is the server's own: keys,
    credentials and stores, beside which a run may have its evidence.
    """

    def __init__(
        self, places: GatePlaces, kept: Kept, listed: Collection[Path] = ()
    ) -> None:
        """Evidence of a gate, what is kept from everybody, and what the owner lists."""
        super().__init__(places.root / "artifacts", places.project)
        self._places = places
        self._name = places.root.name
        self._project = places.project.resolve()
        self._kept = kept
        self._listed = tuple(each.resolve() for each in listed)

    def is_fit(self, folder: str) -> bool:
        """Whether a run may be given a folder of the project for its evidence from here.

        Only a folder that the owner lists, or one inside of it. The project itself is
        none, nor is anything that is hidden, or holds or lies in what is the server's own.
        """
        steps = _steps_of(folder)
        if not steps or hidden(folder) or not self.is_listed(folder):
            return False
        return not self._kept.touches(self._project.joinpath(*steps))

    def is_listed(self, folder: str) -> bool:
        """Whether a folder of the project is one that the owner lists, or lies in one."""
        steps = _steps_of(folder)
        if not steps:
            return False
        place = self._project.joinpath(*steps)
        return any(place == each or each in place.parents for each in self._listed)

    def known_names(self) -> Collection[str]:
        """The names of the gate's people.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        return names_of_people(self._places)

    def home(self, run_id: str, folder: str) -> str:
        """Where a run's paths lead from, below the project."""
        return folder or f"{self._name}/artifacts/{run_id}"

    def look(self, run_id: str, folder: str, claim: Claim, *, read: bool) -> Seen:
        """Open what is claimed once, and tell what is there.

        Raises:
            EvidenceError: As at every door; also if it is hidden, or lies in a folder
                that the owner does not list.
        """
        if claim.path and self._is_kept(folder, claim.path):
            raise EvidenceError(f"{quoted(claim.path)} is hidden, and stays so")
        if claim.path and folder and not self.is_listed(folder):
            raise EvidenceError(
                f"the run's folder {quoted(folder)} is not open over HTTP; "
                "the owner of the server opens it with: saniwa serve --evidence FOLDER"
            )
        return super().look(run_id, folder, claim, read=read)

    def content(self, folder: str, artifact: Artifact) -> bytes:
        """The bytes of an artifact, if they are still what was handed in.

        Raises:
            UnfitError: They are not, cannot be read, or are hidden.
        """
        if artifact.path and self._is_kept(folder, artifact.path):
            raise UnfitError("is hidden, and stays so")
        return super().content(folder, artifact)

    def _is_kept(self, folder: str, path: str) -> bool:
        if hidden(folder, path):
            return True
        # A run's own folder lies in the gate's, and is the one place there that is open.
        return bool(folder) and self._kept.holds(self._project / folder / path)


def _steps_of(folder: str) -> tuple[str, ...]:
    try:
        return tuple(folder_steps(folder))
    except EvidenceError:
        return ()


def hidden(*paths: str) -> bool:
    """Whether any step of some paths begins with a dot, `.` itself aside."""
    steps = (step for path in paths for step in PurePosixPath(path).parts)
    return any(step.startswith(".") for step in steps)
