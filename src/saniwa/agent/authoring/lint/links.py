"""Names of steps that no step has."""

from saniwa.agent.authoring.draft import Draft
from saniwa.agent.authoring.page import Held
from saniwa.agent.authoring.way import END, ways_of
from saniwa.core.quoted import quoted


def look(draft: Draft) -> None:
    """Note every reference to a step that does not exist."""
    flow = draft.flow
    if flow.entry_step and flow.entry_step not in flow.steps:
        _missing(draft, flow.entry_step, "the flow begins with", draft.entry)
    for step in flow.steps.values():
        for way in ways_of(step):
            if way.to != END and way.to not in flow.steps:
                said = f"the step {quoted(step.id)} leads to"
                if way.kind == "part":
                    said = f"the step {quoted(step.id)} has as its part"
                _missing(draft, way.to, said, draft.at(step.id, *way.path))


def _missing(draft: Draft, name: str, said: str, held: Held) -> None:
    if name in _unread(draft):
        return  # It is there, and what is wrong with it has been told.
    known = draft.flow.steps
    held.error(
        "NEXT_STEP_UNKNOWN",
        f"{said} {quoted(name)}, and there is no such step",
        hint=held.page.near(name, known) or f"there are: {', '.join(list(known)[:20])}",
    )


def _unread(draft: Draft) -> set[str]:
    value = draft.held.value
    written = value.get("steps") if isinstance(value, dict) else None
    return set(written) - set(draft.flow.steps) if isinstance(written, dict) else set()
