"""Steps that no flow comes to, and flows that never come to their end."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from saniwa.agent.authoring.draft import Draft
from saniwa.agent.authoring.way import END, parents_of, ways_of
from saniwa.agent.definition import Completion, Composite, StepMachine
from saniwa.agent.flow import Flow
from saniwa.core.quoted import quoted


def look(draft: Draft, completion: Completion) -> None:
    """Note lost steps, and steps from which a flow that must end cannot."""
    flow = draft.flow
    if flow.entry_step not in flow.steps or not _all_known(draft):
        return
    onward = _onward(flow)
    reached = _reached([flow.entry_step], onward)
    for name in flow.steps:
        if name not in reached:
            message = f"the flow never comes to the step {quoted(name)}"
            hint = "lead to it, or take it out"
            draft.at(name).warn("STEP_UNREACHABLE", message, hint=hint)
    if must_end(completion):
        _endless(draft, onward, reached)


def must_end(completion: Completion) -> bool:
    """Whether an agent is only done once its flow has come to its end."""
    if isinstance(completion, Composite):
        each = [must_end(one) for one in completion.conditions]
        return any(each) if completion.mode == "all" else bool(each) and all(each)
    return isinstance(completion, StepMachine)


def _all_known(draft: Draft) -> bool:
    """Whether every step could be read and every way leads to one.

    Else nothing here is certain.
    """
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
    whole = not isinstance(written, dict) or len(written) == len(draft.flow.steps)
    ways = ("next", "complete", "routes", "check", "subSteps", "escalation")
    return whole and not any(
        part.found.malformed.intersection(ways) for part in draft.parts.values()
    )


def _onward(flow: Flow) -> dict[str, list[str]]:
    """Where each step leads; a part leads back to the steps it is a part of."""
    onward = {
        name: [way.to for way in ways_of(step)] for name, step in flow.steps.items()
    }
    for part, parents in parents_of(flow).items():
        onward.setdefault(part, []).extend(parents)
    return onward


def _reached(starts: Iterable[str], ways: Mapping[str, list[str]]) -> set[str]:
    waiting = list(starts)
    reached = set(waiting)
    while waiting:
        for after in ways.get(waiting.pop(), ()):
            if after not in reached:
                reached.add(after)
                waiting.append(after)
    return reached


def _endless(draft: Draft, onward: Mapping[str, list[str]], reached: set[str]) -> None:
    back = defaultdict[str, list[str]](list)
    for name, targets in onward.items():
        for to in targets:
            back[to].append(name)
    ending = _reached([END], back)
    for name in draft.flow.steps:
        if name in reached and name not in ending:
            draft.at(name).error(
                "FLOW_ENDLESS",
                f"from the step {quoted(name)} the flow never comes to its end,"
                " and the agent is done only then",
                hint="lead on to a step with 'complete', or choose another completion",
            )
