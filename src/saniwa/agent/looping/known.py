"""What an agent's prompts are made with: its parameters, its progress, its floor."""

from collections.abc import Mapping
from typing import Any

import msgspec

from saniwa.agent.definition import (
    AgentDefinition,
    CheckBudget,
    Completion,
    Composite,
    Custom,
    ExternalState,
    IterationBudget,
    KeywordSignal,
    StepMachine,
    StructuredSignal,
)
from saniwa.agent.floor import View
from saniwa.agent.progress import Progress
from saniwa.core.quoted import cut

LONGEST_CARRIED = 4000
"""Letters of a step's output, or of the last answer, that are carried on."""


def known(
    definition: AgentDefinition,
    arguments: Mapping[str, str],
    progress: Progress,
    view: View,
    *,
    checks: int,
) -> dict[str, str]:
    """Every variable by its name; what the floor says counts before what the user said."""
    keyword, most_checks = _told(definition.completion)
    limit = definition.limits.max_iterations
    return {
        **{name: _text(value) for name, value in progress.carry.accumulated.items()},
        **arguments,
        **view.variables,
        "agent_name": definition.name,
        "iteration": str(progress.iteration + 1),
        "completed_iterations": str(progress.iteration),
        "max_iterations": str(limit),
        "remaining": str(limit - progress.iteration),
        "completion_criteria": criteria_of(definition.completion),
        "completion_keyword": keyword,
        "previous_summary": progress.carry.previous_response,
        "last_results": _results(progress),
        "check_count": str(checks),
        "max_checks": most_checks,
    }


def _results(progress: Progress) -> str:
    """What came of what the agent did last: its guidance."""
    if not progress.summaries:
        return ""
    last = progress.summaries[-1]
    lines = [f"- nothing was done: {error}" for error in last.errors]
    for result in last.action_results:
        word = "done" if result.success else f"refused ({result.code})"
        said = " ".join(f"{result.message} {result.details.get('hint', '')}".split())
        lines.append(f"- {result.type}: {word}" + (f": {said}" if said else ""))
    return cut("\n".join(lines), LONGEST_CARRIED)


def outputs_of(step: str, text: str) -> dict[str, Any]:
    """The fields of an answer that is an object, as variables of its step."""
    try:
        said = msgspec.json.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return {}
    if not isinstance(said, dict):
        return {}
    place = step.replace(".", "_")
    return {
        f"{place}_{key}": cut(value, LONGEST_CARRIED)
        if isinstance(value, str)
        else value
        for key, value in sorted(said.items())[:50]
        if isinstance(value, str | int | float | bool)
    }


def criteria_of(completion: Completion) -> str:
    """When an agent is done, in a few words it can be told."""
    match completion:
        case IterationBudget(max_iterations=most):
            return f"{most} iterations"
        case CheckBudget(max_checks=most):
            return f"{most} checks"
        case KeywordSignal(completion_keyword=word):
            return f"say {word!r}"
        case StructuredSignal(signal_type=kind):
            return f"say a JSON object of type {kind!r}"
        case ExternalState(fact=fact, equals=value):
            return f"{fact} is {_text(value)}"
        case StepMachine():
            return "the end of the flow"
        case Custom(name=name):
            return f"what {name!r} says"
        case Composite(mode=mode, conditions=conditions):
            word = " or " if mode == "any" else " and "
            return word.join(criteria_of(each) for each in conditions)


def _told(completion: Completion) -> tuple[str, str]:
    """The keyword and the budget of checks, wherever they stand."""
    parts = (
        completion.conditions if isinstance(completion, Composite) else (completion,)
    )
    words = [p.completion_keyword for p in parts if isinstance(p, KeywordSignal)]
    most = [str(p.max_checks) for p in parts if isinstance(p, CheckBudget)]
    return (words or [""])[0], (most or [""])[0]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
