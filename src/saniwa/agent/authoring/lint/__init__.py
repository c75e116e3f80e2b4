"""What is wrong with an agent as a whole, found all at once.

Every look takes about as long as the agent is large; none stops at the first mistake.
"""

from saniwa.agent.authoring.draft import Draft
from saniwa.agent.authoring.lint import (
    calls,
    frames,
    limits,
    links,
    parts,
    reach,
    steps,
)
from saniwa.agent.definition import AgentDefinition, Completion


def check_flow(
    draft: Draft, completion: Completion | None, definition: AgentDefinition
) -> None:
    """Note everything that is wrong with a flow and with how it is to end.

    `completion` is None where that could not be read: what depends on it is not told.
    """
    steps.look(draft)
    links.look(draft)
    before = draft.held.page.errors
    parts.look(draft)
    # Where parts are misused, nobody knows what is run inside what.
    found = frames.frames_of(draft) if draft.held.page.errors == before else None
    if found is not None:
        reach.look(draft, completion, found)
        parts.look_inside(draft, found)
    if completion is not None:
        limits.look(draft, completion, definition.limits)
    if definition.speaks:
        calls.look(draft)
