"""Steps within steps: of the right type, run by their parents, and never in a ring."""

from saniwa.agent.authoring.draft import Draft
from saniwa.agent.authoring.way import END, ways_of
from saniwa.agent.flow import AgentStep
from saniwa.core.quoted import quoted

DEEPEST = 16
"""Sub-steps within sub-steps."""


def look(draft: Draft) -> None:
    """Note parts that are none, steps that lead into others' parts, and rings."""
    flow = draft.flow
    for step in flow.steps.values():
        for nth, name in enumerate(step.sub_steps):
            part = flow.steps.get(name)
            if part is not None and part.type != "subStep":
                _unfit(
                    draft,
                    step,
                    ("subSteps", nth),
                    f"{quoted(name)} is of type {part.type!r}, and no part of a step",
                    'give it "type": "subStep"',
                )
        _intruding(draft, step)
    entry = flow.steps.get(flow.entry_step)
    if entry is not None and entry.type == "subStep":
        message = f"the flow begins with {quoted(entry.id)}, a part of another step"
        hint = "begin with the step it is a part of"
        draft.entry.error("SUBSTEP_UNFIT", message, hint=hint)
    _rings(draft)


def _intruding(draft: Draft, step: AgentStep) -> None:
    if step.type == "subStep":
        return
    for way in ways_of(step):
        target = draft.flow.steps.get(way.to) if way.to != END else None
        if way.kind != "part" and target is not None and target.type == "subStep":
            message = f"{quoted(step.id)} leads to {quoted(way.to)}, a part of a step"
            hint = "lead to the step it is a part of"
            _unfit(draft, step, way.path, message, hint)


def _rings(draft: Draft) -> None:
    """Steps that are parts of themselves; each ring is told once."""
    steps, done = draft.flow.steps, set[str]()
    for first in steps:
        way, waiting = list[str](), [(first, 0)]
        while waiting:
            name, depth = waiting.pop()
            del way[depth:]
            if name in way:
                ring = " → ".join(
                    quoted(each) for each in [*way[way.index(name) :], name]
                )
                message = f"the step {quoted(name)} is a part of itself: {ring}"
                hint = "take one of them out"
                _unfit(draft, steps[name], ("subSteps",), message, hint)
                done.add(name)
            elif name in steps and name not in done:
                way.append(name)
                if len(way) > DEEPEST:
                    message = f"parts of steps nest deeper than {DEEPEST}"
                    _unfit(draft, steps[name], ("subSteps",), message, "flatten them")
                    done.update(way)
                    continue
                waiting += [(part, depth + 1) for part in steps[name].sub_steps]
        done.add(first)


def _unfit(
    draft: Draft, step: AgentStep, path: tuple[str | int, ...], message: str, hint: str
) -> None:
    draft.at(step.id, *path).error("SUBSTEP_UNFIT", message, hint=hint)
