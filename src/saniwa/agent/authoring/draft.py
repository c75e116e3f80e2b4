"""A flow as it was read, every part with its place; it may still be wrong."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from saniwa.agent.authoring.page import Held, Page
from saniwa.agent.authoring.shape import Fields
from saniwa.agent.flow import AgentStep, Flow
from saniwa.core.document import Document, Step


@dataclass(frozen=True, slots=True)
class Part:
    """A step, and where its author wrote it."""

    step: AgentStep
    """The step."""
    held: Held
    """Its place."""
    found: Fields
    """Its fields."""


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
        here = part.held
        if path:
            here = part.found.get(str(path[0]), here)
            for each in path[1:] if here is not part.held else ():
                here = here.inner(each, None)
        return here


def bare(flow: Flow) -> Draft:
    """A flow that was made and not read: its places are paths alone."""
    held = Held({}, (), Page(Document(plain=None)))
    return Draft(flow=flow, held=held, entry=held.inner("entryStep", None))
