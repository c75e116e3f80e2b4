"""A flow as it was read, every part with its place; it may still be wrong."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from saniwa.agent.authoring.paper.shape import inner_of
from saniwa.agent.flow import AgentStep, Flow
from saniwa.core.document import Document, Step
from saniwa.core.page import Page
from saniwa.core.paper.fields import Fields
from saniwa.core.paper.held import Held


@dataclass(frozen=True, slots=True)
class Part:
    """A step, and where its author wrote it."""

    step: AgentStep
    """The step."""
    held: Held
    """Its place."""
    found: Fields
    """Its fields."""
    broken: bool = False
    """Whether something in it could not be read: nobody knows where it leads."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A flow that may still be wrong."""

    flow: Flow
    """What could be read of it."""
    held: Held
    """The whole document."""
    entry: Held
    """Where it is said where the flow begins."""
    parts: Mapping[str, Part] = field(default_factory=dict)
    """Every step that was read from a file; empty for a flow that never was in one."""

    def at(self, step: str, *path: Step) -> Held:
        """The place of something in a step; of the step where it is not written."""
        part = self.parts.get(step)
        if part is None:
            return self.held.inner("steps", None).inner(step, None)
        return _along(part.held, path)[0]

    @property
    def puts_out(self) -> bool:
        """Whether all that its steps put out could be read."""
        return not any(
            "outputSchema" in part.found.malformed for part in self.parts.values()
        )

    def first(self, step: str, *paths: tuple[Step, ...]) -> Held:
        """The place of the first of these that is written; of the step where none is."""
        here = self.at(step)
        found = (_along(here, path) for path in paths)
        return next((held for held, whole in found if whole), here)


def _along(held: Held, path: tuple[Step, ...]) -> tuple[Held, bool]:
    """How far a path leads, and whether that is to its end."""
    for each in path:
        inner = inner_of(held, each)
        if inner is held:
            return held, False
        held = inner
    return held, True


def bare(flow: Flow) -> Draft:
    """A flow that was made and not read: its places are paths alone."""
    held = Held({}, (), Page(Document(plain=None)))
    return Draft(flow=flow, held=held, entry=held.inner("entryStep", None))
