"""Names of steps that no step has."""

from itertools import islice

from saniwa.agent.authoring.draft import Draft
from saniwa.agent.authoring.way import END, Way, ways_of
from saniwa.agent.flow import AgentStep
from saniwa.core.paper.held import Held
from saniwa.core.quoted import quoted


def look(draft: Draft) -> None:
    """Note every reference to a step that does not exist."""
    flow = draft.flow
    # What could not be read is there, and what is wrong with it has been told.
    there = {*flow.steps, *_written(draft)}
    if flow.entry_step and flow.entry_step not in there:
        _missing(draft, flow.entry_step, "the flow begins with", draft.entry)
    for step in flow.steps.values():
        for way in ways_of(step):
            # Where a skip leads is written as what follows a yes, and told there.
            if way.kind != "skip" and way.to != END and way.to not in there:
                said = f"the step {quoted(step.id)} leads to"
                if way.kind == "part":
                    said = f"the step {quoted(step.id)} has as its part"
                _missing(draft, way.to, said, place_of(draft, step, way))


def place_of(draft: Draft, step: AgentStep, way: Way) -> Held:
    """Where the name of the step is written that a way leads to."""
    if way.kind != "fallback":
        return draft.at(step.id, *way.path)
    return draft.first(
        step.id,
        (*way.path, "fallbackStep"),
        (*way.path, "retry", "fallbackStep"),
        (*way.path, "fallback"),
        ("retry", "fallbackStep"),
    )


def _missing(draft: Draft, name: str, said: str, held: Held) -> None:
    known = draft.flow.steps
    held.error(
        "NEXT_STEP_UNKNOWN",
        f"{said} {quoted(name)}, and there is no such step",
        hint=held.page.near(name, known)
        or f"there are: {', '.join(islice(known, 20))}",
    )


def _written(draft: Draft) -> set[str]:
    value = draft.held.value
    written = value.get("steps") if isinstance(value, dict) else None
    return set(written) if isinstance(written, dict) else set()
