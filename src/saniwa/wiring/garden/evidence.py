"""Evidence as it is met over HTTP: nothing hidden is opened, no folder of ours is named."""

from pathlib import PurePosixPath

from saniwa.core.quoted import quoted
from saniwa.process.artifact import Artifact, Claim
from saniwa.process.ports import EvidenceError
from saniwa.store.gate.evidence.folder import FolderEvidence, Seen
from saniwa.store.gate.evidence.walk import UnfitError
from saniwa.wiring.gate_places import GatePlaces


class GardenEvidence(FolderEvidence):
    """Evidence in a gate's folders, for visitors who may sit anywhere.

    What begins with a dot is kept from them: keys, credentials and our own stores lie in
    such folders, and a run may have its evidence beside them.
    """

    def __init__(self, places: GatePlaces) -> None:
        super().__init__(places.root / "artifacts", places.project)
        self._name = places.root.name

    def home(self, run_id: str, folder: str) -> str:
        """Where a run's paths lead from, below the project."""
        return folder or f"{self._name}/artifacts/{run_id}"

    def look(self, run_id: str, folder: str, claim: Claim, *, read: bool) -> Seen:
        """Open what is claimed once, and tell what is there.

        Raises:
            EvidenceError: As at every door; also if it is hidden.
        """
        if claim.path and hidden(folder, claim.path):
            raise EvidenceError(f"{quoted(claim.path)} is hidden, and stays so")
        return super().look(run_id, folder, claim, read=read)

    def content(self, folder: str, artifact: Artifact) -> bytes:
        """The bytes of an artifact, if they are still what was handed in.

        Raises:
            UnfitError: They are not, cannot be read, or are hidden.
        """
        if artifact.path and hidden(folder, artifact.path):
            raise UnfitError("is hidden, and stays so")
        return super().content(folder, artifact)


def hidden(*paths: str) -> bool:
    """Whether any step of some paths begins with a dot, `.` itself aside."""
    steps = (step for path in paths for step in PurePosixPath(path).parts)
    return any(step.startswith(".") for step in steps)
