"""Where a run stands: what its records come to, kept up record by record."""

from collections.abc import Iterator
from typing import Any

import msgspec

from saniwa.process.artifact import Artifact
from saniwa.process.record import Note, Opening, Record


class Standing(msgspec.Struct, kw_only=True):
    """A run at one revision. Whoever keeps the log moves it on; others only read."""

    run_id: str
    """The run."""
    opening: Opening
    """The process and the definition it stands on."""
    state: str
    """The state."""
    revision: int
    """How many events there were, the first included."""
    created: int
    """When the run began, in milliseconds since 1970."""
    updated: int
    """When the last event was."""
    entered: int
    """When the present state was entered; staying in it does not count."""
    variables: dict[str, Any] = {}
    """The run's variables."""
    artifacts: dict[str, dict[str, Artifact]] = {}
    """The evidence, by kind and identity; handed in again, it replaces the older."""
    source: str = ""
    """The state before the last event."""
    hooks_done: int = 0
    """How many hooks of this revision have run."""

    def evidence(self) -> Iterator[Artifact]:
        """Every artifact, by kind, then in the order they were handed in."""
        for kind in sorted(self.artifacts):
            yield from self.artifacts[kind].values()

    @classmethod
    def first(cls, run_id: str, record: Record) -> "Standing":
        """Where a run stands after its first record."""
        assert record.opening is not None, "a run's first record says what it stands on"
        begun = cls(
            run_id=run_id,
            opening=record.opening,
            state=record.state,
            revision=0,
            created=record.at,
            updated=record.at,
            entered=record.at,
            variables={},
            artifacts={},
        )
        begun.advance(record)
        return begun

    def advance(self, record: Record) -> None:
        """Take in the next record."""
        if record.state != self.state:
            self.state = record.state
            self.entered = record.at
        self.revision = record.revision
        self.updated = record.at
        self.hooks_done = 0
        if record.opening is not None:
            self.opening = record.opening
        if record.variables:
            self.variables = self.variables | record.variables
        self.source = record.source
        if record.artifacts:
            self._take(record.artifacts)

    def notice(self, note: Note) -> None:
        """Take in what happened beside the log."""
        if note.hook >= 0 and note.revision == self.revision:
            self.hooks_done = max(self.hooks_done, note.hook + 1)
        if note.variables:
            self.variables = self.variables | note.variables
        if note.artifacts:
            self._take(note.artifacts)

    def _take(self, artifacts: tuple[Artifact, ...]) -> None:
        for artifact in artifacts:
            identity = artifact.identity
            for others in self.artifacts.values():
                others.pop(identity, None)
            self.artifacts.setdefault(artifact.type, {})[identity] = artifact
