"""Steps that no flow comes to, and flows that never come to their end."""

from saniwa.agent.authoring.draft import Draft
from saniwa.agent.authoring.lint.frames import Frames
from saniwa.agent.authoring.way import policies_of, ways_of
from saniwa.agent.definition import Completion, Composite, StepMachine
from saniwa.agent.flow import AgentStep
from saniwa.core.quoted import quoted


def look(draft: Draft, completion: Completion | None, frames: Frames) -> None:
    """Note lost steps, and steps from which a flow that must end cannot."""
    for name in draft.flow.steps:
        if name not in frames.outside | frames.inside:
            message = f"the flow never comes to the step {quoted(name)}"
            hint = "lead to it, or take it out"
            draft.at(name).warn("STEP_UNREACHABLE", message, hint=hint)
    for step in draft.flow.steps.values():
        if step.id in frames.outside:
            _skipped(draft, step)
    if completion is not None and must_end(completion):
        _endless(draft, frames)


def _skipped(draft: Draft, step: AgentStep) -> None:
    """A step that is skipped leads where a yes would: to a step, and to no end."""
    leads = any(way.kind == "skip" for way in ways_of(step))
    for key, policy in policies_of(step):
        if policy.on_exhausted == "skip" and not leads and step.escalation is None:
            draft.at(step.id, "check", key).warn(
                "FIELD_MISSING",
                f"skipping {quoted(step.id)} leads nowhere, and is an error then",
                hint="say with 'next' what follows, or choose another 'onExhausted'",
            )


def must_end(completion: Completion) -> bool:
    """Whether an agent is only done once its flow has come to its end."""
    if isinstance(completion, Composite):
        each = [must_end(one) for one in completion.conditions]
        return any(each) if completion.mode == "all" else bool(each) and all(each)
    return isinstance(completion, StepMachine)


def _endless(draft: Draft, frames: Frames) -> None:
    trapped = (frames.outside - frames.ending) | (frames.inside - frames.returning)
    for name in draft.flow.steps:
        if name in trapped:
            draft.at(name).error(
                "FLOW_ENDLESS",
                f"from the step {quoted(name)} the flow never comes to its end,"
                " and the agent is done only then",
                hint="lead on to a step with 'complete', or choose another completion",
            )
