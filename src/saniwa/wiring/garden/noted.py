"""Which model the agents at a table ask; noted, so that they can go on after a restart."""

from typing import Final

from saniwa.store.plays.port import Plays

_PREFIX: Final = "model-"


class NotedModel:
    """The model of one run's agents, as somebody named it last."""

    def __init__(self, plays: Plays, run_id: str) -> None:
        """The note for a run."""
        self._plays = plays
        self._id = _PREFIX + run_id

    def read(self) -> str:
        """The model; empty where nobody has named one.

        Raises:
            StoreError: It cannot be read.
        """
        kept = self._plays.get(self._id)
        return "" if kept is None else kept.content.decode("utf-8", "replace")

    def write(self, model: str) -> None:
        """Note another.

        Raises:
            StoreError: It cannot be kept, or somebody else has named one just now.
        """
        kept = self._plays.get(self._id)
        if kept is None:
            self._plays.create(self._id, model.encode())
        else:
            self._plays.put(self._id, model.encode(), after=kept.revision)
