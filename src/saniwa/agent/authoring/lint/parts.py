"""Steps within steps: of the right type, run by their parents, and never in a ring."""

from collections.abc import Mapping

from saniwa.agent.authoring.draft import Draft
from saniwa.agent.authoring.lint.frames import Frames
from saniwa.agent.authoring.way import END, Way, ways_of
from saniwa.agent.flow import AgentStep
from saniwa.core.quoted import quoted

DEEPEST = 16
"""Sub-steps within sub-steps."""
_MOST_SHOWN = 10


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


def look_inside(draft: Draft, frames: Frames) -> None:
    """Note ends that are none, and parts that lead out of their step."""
    steps = draft.flow.steps
    for step in steps.values():
        if step.id not in frames.inside or step.id in frames.outside:
            continue
        for way in ways_of(step):
            if way.to == END:
                _warn(
                    draft,
                    step,
                    way,
                    f"'complete' in {quoted(step.id)} ends only what it is run for, not"
                    " the flow",
                    "leave it out: a step that leads nowhere ends it too",
                )
            elif way.kind == "next" and _leads_out(step, steps[way.to]):
                message = f"the part {quoted(step.id)} leads to {quoted(way.to)}"
                message += ", which is run as a part then"
                _warn(draft, step, way, message, "lead there from the whole step")


def _leads_out(step: AgentStep, target: AgentStep) -> bool:
    return step.type == "subStep" and target.type != "subStep"


def _warn(draft: Draft, step: AgentStep, way: Way, message: str, hint: str) -> None:
    draft.at(step.id, *way.path).warn("SUBSTEP_UNFIT", message, hint=hint)


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
    """Steps that are parts of themselves, or nest too deep; each step is entered once."""
    steps, heights = draft.flow.steps, dict[str, int]()
    for first in steps:
        way = {} if first in heights else {first: iter(steps[first].sub_steps)}
        while way:
            name = next(reversed(way))
            part = next(way[name], None)
            if part is None:
                del way[name]
                heights[name] = _height(draft, steps[name], heights)
            elif part in way:
                _ring(draft, steps[part], list(way))
            elif part in steps and part not in heights:
                way[part] = iter(steps[part].sub_steps)


def _height(draft: Draft, step: AgentStep, heights: Mapping[str, int]) -> int:
    height = 1 + max((heights.get(part, 0) for part in step.sub_steps), default=0)
    if height == DEEPEST + 1:
        message = f"parts of {quoted(step.id)} nest deeper than {DEEPEST}"
        _unfit(draft, step, ("subSteps",), message, "flatten them")
    return height


def _ring(draft: Draft, step: AgentStep, way: list[str]) -> None:
    names = [*way[way.index(step.id) :], step.id]
    shown = " → ".join(quoted(name) for name in names[:_MOST_SHOWN])
    more = " → …" if len(names) > _MOST_SHOWN else ""
    message = f"the step {quoted(step.id)} is a part of itself: {shown}{more}"
    _unfit(draft, step, ("subSteps",), message, "take one of them out")


def _unfit(
    draft: Draft, step: AgentStep, path: tuple[str | int, ...], message: str, hint: str
) -> None:
    draft.at(step.id, *path).error("SUBSTEP_UNFIT", message, hint=hint)
