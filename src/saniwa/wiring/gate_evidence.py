"""A gate's evidence: looked at where it is, shown as its place was written."""

from collections.abc import Collection

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

    def known_names(self) -> Collection[str]:
        """The names of the gate's people.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        return names_of_people(self._places_written)


def names_of_people(places: GatePlaces) -> frozenset[str]:
    """The names of everyone who may come to a gate with a secret.

    Raises:
        StoreError: `STORE_UNREADABLE`.
    """
    from saniwa.store.gate.people.file import read

    return frozenset(each.name for each in read(places.people).people)
