"""A gate's evidence: looked at where it is, shown as its place was written."""

from saniwa.store.gate.evidence import FolderEvidence
from saniwa.wiring.gate_places import GatePlaces, as_written


def evidence_at(written: GatePlaces, fixed: GatePlaces) -> "PlacedEvidence":
    """The evidence of a gate whose places are written so, and lie there."""
    return PlacedEvidence(written, fixed)


class PlacedEvidence(FolderEvidence):
    """Evidence in a gate's folders."""

    def __init__(self, written: GatePlaces, fixed: GatePlaces) -> None:
        super().__init__(fixed.root / "artifacts", fixed.project)
        self._places_written = written
        self._places_fixed = fixed

    def home(self, run_id: str, folder: str) -> str:
        """Where a run's paths lead from, as somebody here would write it."""
        fixed = self._places_fixed.artifacts(run_id, folder)
        return str(as_written(self._places_written.artifacts(run_id, folder), fixed))
