"""Evidence as it is met over HTTP: nothing hidden is opened, no folder of ours is named."""

from pathlib import PurePosixPath

from saniwa.core.quoted import quoted
from saniwa.process.artifact import Artifact, Claim
from saniwa.process.ports import EvidenceError
from saniwa.process.weighing.place import folder_steps
from saniwa.store.gate.evidence.folder import FolderEvidence, Seen
from saniwa.store.gate.evidence.walk import UnfitError
from saniwa.wiring.garden.kept import Kept
from saniwa.wiring.gate_places import GatePlaces


class GardenEvidence(FolderEvidence):
    """Evidence in a gate's folders, for visitors who may sit anywhere.

    What begins with a dot is kept from them, and so is what is the server's own: keys,
    credentials and stores, beside which a run may have its evidence.
    """

    def __init__(self, places: GatePlaces, kept: Kept) -> None:
        """Evidence of a gate, and what is kept from everybody."""
        super().__init__(places.root / "artifacts", places.project)
        self._name = places.root.name
        self._project = places.project.resolve()
        self._kept = kept

    def is_fit(self, folder: str) -> bool:
        """Whether a run may be given a folder of the project for its evidence from here.

        The project itself is none, nor is anything that is hidden, or holds or lies in
        what is the server's own.
        """
        try:
            steps = folder_steps(folder)
        except EvidenceError:
            return False
        if not steps or hidden(folder):
            return False
        return not self._kept.touches(self._project.joinpath(*steps))

    def home(self, run_id: str, folder: str) -> str:
        """Where a run's paths lead from, below the project."""
        return folder or f"{self._name}/artifacts/{run_id}"

    def look(self, run_id: str, folder: str, claim: Claim, *, read: bool) -> Seen:
        """Open what is claimed once, and tell what is there.

        Raises:
            EvidenceError: As at every door; also if it is hidden.
        """
        if claim.path and self._is_kept(folder, claim.path):
            raise EvidenceError(f"{quoted(claim.path)} is hidden, and stays so")
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


def hidden(*paths: str) -> bool:
    """Whether any step of some paths begins with a dot, `.` itself aside."""
    steps = (step for path in paths for step in PurePosixPath(path).parts)
    return any(step.startswith(".") for step in steps)
