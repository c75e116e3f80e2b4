"""Where a flow comes by itself, and where it comes only to go back again.

Parts of a step and the steps of an escalation are run inside it: their end, and a
`complete` in them, leads back and is no end of the flow.
"""

from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass

from saniwa.agent.authoring.draft import Draft
from saniwa.agent.authoring.way import END, ONWARD, passes_on, ways_of
from saniwa.agent.flow import AgentStep, Flow
from saniwa.core.reach import reached


@dataclass(frozen=True, slots=True)
class Frames:
    """The steps of a flow by where they are run, and from where they come to an end."""

    outside: frozenset[str]
    """Steps the flow itself comes to."""
    inside: frozenset[str]
    """Steps that are run as a part, or because another escalated."""
    ending: frozenset[str]
    """Steps from which the flow can come to its end, where they are run outside."""
    returning: frozenset[str]
    """Steps from which a part or an escalation can end, where they are run inside."""


def frames_of(draft: Draft) -> Frames | None:
    """The frames of a flow; None where it is not known where every step leads."""
    flow = draft.flow
    if flow.entry_step not in flow.steps or not _all_known(draft):
        return None
    onward = {name: _onward(step) for name, step in flow.steps.items()}
    within = {
        name: [way.to for way in ways_of(step) if way.kind not in ONWARD]
        for name, step in flow.steps.items()
    }
    outside = reached([flow.entry_step], onward) - {END}
    entered = [to for name in outside for to in within[name]]
    both = {name: [*onward[name], *within[name]] for name in onward}
    inside = reached(entered, both) - {END}
    anew = {
        name: [*onward[name], *_anew(step, flow)] for name, step in flow.steps.items()
    }
    ending = _leading(flow, anew, _aborts)
    returning = _leading(
        flow, onward, lambda step: not passes_on(step) or _leaves(step, flow, ending)
    )
    return Frames(*map(frozenset, (outside, inside, ending, returning)))


def last_of(flow: Flow, first: str) -> tuple[str, ...]:
    """The steps whose end is the end of what begins with `first`, in their order."""
    found = reached([first], {name: _onward(step) for name, step in flow.steps.items()})
    return tuple(
        name
        for name, step in flow.steps.items()
        if name in found and (not passes_on(step) or END in _onward(step))
    )


def _leading(
    flow: Flow, onward: dict[str, list[str]], ends: Callable[[AgentStep], bool]
) -> set[str]:
    """Steps from which some way leads to the end, or to a step that is one."""
    back = defaultdict[str, list[str]](list)
    for name, targets in onward.items():
        for to in targets:
            back[to].append(name)
    last = [name for name, step in flow.steps.items() if ends(step)]
    return reached([END, *last], back) - {END}


def _onward(step: AgentStep) -> list[str]:
    return [way.to for way in ways_of(step) if way.kind in ONWARD]


def _aborts(step: AgentStep) -> bool:
    escalation = step.escalation
    return escalation is not None and escalation.return_flow == "abort"


def _anew(step: AgentStep, flow: Flow) -> list[str]:
    escalation = step.escalation
    again = escalation is not None and escalation.return_flow == "restart"
    return [flow.entry_step] if again else []


def _leaves(step: AgentStep, flow: Flow, ending: Collection[str]) -> bool:
    """Whether a step's escalation leads out of whatever it is run inside."""
    return _aborts(step) or any(first in ending for first in _anew(step, flow))


def _all_known(draft: Draft) -> bool:
    """Whether every step could be read and every way leads to one."""
    steps = draft.flow.steps
    if any(
        way.to not in steps
        for step in steps.values()
        for way in ways_of(step)
        if way.to != END
    ):
        return False
    value = draft.held.value
    written = value.get("steps") if isinstance(value, dict) else None
    whole = not isinstance(written, dict) or len(written) == len(steps)
    return whole and not any(part.broken for part in draft.parts.values())
