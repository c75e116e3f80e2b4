"""Limits that stop an agent before it can be done."""

from collections.abc import Iterator

from saniwa.agent.authoring.draft import Draft
from saniwa.agent.authoring.way import ways_of
from saniwa.agent.definition import Completion, Composite, IterationBudget, Limits
from saniwa.agent.flow import AgentStep
from saniwa.core.quoted import quoted


def look(draft: Draft, completion: Completion, stops: Limits) -> None:
    """Note a budget of iterations that a hard stop or a loop limit comes before."""
    # So many runs are allowed; the one after them is not.
    budget = max(_budgets(completion), default=0)
    if budget > stops.max_iterations:
        draft.entry.warn(
            "LIMIT_BEFORE_END",
            f"the agent is done after {budget} iterations,"
            f" and stopped after {stops.max_iterations}",
            hint="raise 'maxIterations' under 'limits'",
        )
    flow = draft.flow
    for step in flow.steps.values():
        most = step.max_iterations or flow.step_loop_limit
        if _rests(step) and step.id == flow.entry_step and budget > most:
            draft.at(step.id).warn(
                "LIMIT_BEFORE_END",
                f"the agent is done after {budget} iterations, and may stay in"
                f" {quoted(step.id)} for {most} in a row",
                hint="raise its 'iterations.max', or 'stepLoopLimit'",
            )


def _budgets(completion: Completion) -> Iterator[int]:
    if isinstance(completion, IterationBudget):
        yield completion.max_iterations
    elif isinstance(completion, Composite):
        for each in completion.conditions:
            yield from _budgets(each)


def _rests(step: AgentStep) -> bool:
    """Whether nothing leads out of a step, so that it is run again and again."""
    return next(ways_of(step), None) is None
