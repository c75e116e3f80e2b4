"""A flow as it was read: what could be read of it, and where its parts are written.

It may still be invalid; `lint` reports the mistakes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from saniwa.agent import describe
from saniwa.agent.definition import AgentFlow, AgentStep
from saniwa.agent.field_kinds import NOTATION
from saniwa.documents.document import Document, PathStep
from saniwa.documents.finding_collector import Findings, Located
from saniwa.documents.record_reader import LocatedFields


@dataclass(frozen=True, slots=True)
class StepDraft:
    """A step, and where its author wrote it."""

    step: AgentStep
    """The step."""
    held: Located
    """Its location."""
    found: LocatedFields
    """Its fields."""
    broken: bool = False
    """Whether a part of it could not be read, so that it is unknown where it leads."""


@dataclass(frozen=True, slots=True)
class FlowDraft:
    """A flow that may still be invalid."""

    flow: AgentFlow
    """What could be read of it."""
    held: Located
    """The whole document."""
    entry: Located
    """Where the entry step is named."""
    parts: Mapping[str, StepDraft] = field(default_factory=dict)
    """Every step that was read from a file; empty for a flow that was built in code."""

    def find_place(self, step: str, *path: PathStep) -> Located:
        """Return the location of a part of a step.

        Of the step itself if the part is missing.
        """
        part = self.parts.get(step)
        if part is None:
            return self.held.make_inner("steps", None).make_inner(step, None)
        return _follow_path(part.held, path)[0]

    @property
    def has_known_outputs(self) -> bool:
        """Whether the outputs of all steps could be read."""
        return not any("outputSchema" in part.found.malformed for part in self.parts.values())

    def find_first_place(self, step: str, *paths: tuple[PathStep, ...]) -> Located:
        """Return the location of the first of these that exists; else of the step."""
        here = self.find_place(step)
        found = (_follow_path(here, path) for path in paths)
        return next((held for held, complete in found if complete), here)


def _follow_path(held: Located, path: tuple[PathStep, ...]) -> tuple[Located, bool]:
    """Return how far a path leads, and whether it was followed to its end."""
    for each in path:
        inner = NOTATION.find_inner(held, each)
        if inner is held:
            return held, False
        held = inner
    return held, True


def make_bare_draft(flow: AgentFlow) -> FlowDraft:
    """Make a draft of a flow that is not from a file: locations are only paths."""
    held = Located({}, (), Findings(Document(plain=None), describe=describe))
    return FlowDraft(flow=flow, held=held, entry=held.make_inner("entryStep", None))
