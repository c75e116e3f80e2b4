"""What an agent's prompts are made with: its parameters, its progress, its floor."""

from collections.abc import Mapping

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
from saniwa.agent.looping.answer import LONGEST_CARRIED
from saniwa.agent.progress import Progress
from saniwa.agent.quotation import quote_lines
from saniwa.agent.walking.route import as_text
from saniwa.core.quoted import cut

LONGEST_REPEATED = 2_000
"""Letters of a refused submission that its agent is shown again."""


def known(
    definition: AgentDefinition,
    arguments: Mapping[str, str],
    progress: Progress,
    view: View,
    *,
    checks: int,
    most: int,
) -> dict[str, str]:
    """Every variable by its name; what the floor says counts before what the user said."""
    told = _Told(definition.completion)
    limit = min([most, *told.rounds])
    return {
        **{name: as_text(value) for name, value in progress.carry.accumulated.items()},
        **arguments,
        **view.variables,
        "agent_name": definition.name,
        "iteration": str(progress.iteration + 1),
        "completed_iterations": str(progress.iteration),
        "max_iterations": str(limit),
        "remaining": str(limit - progress.iteration),
        "completion_criteria": criteria_of(definition.completion),
        "completion_keyword": told.keyword,
        "previous_summary": progress.carry.previous_response,
        "last_results": _results(progress),
        "check_count": str(checks),
        "max_checks": told.checks,
    }


def _results(progress: Progress) -> str:
    """What came of what the agent did last: its guidance."""
    if not progress.summaries:
        return ""
    last = progress.summaries[-1]
    lines = [f"- nothing was done: {error}" for error in last.errors]
    for result in last.action_results:
        # In a world the code would tell what is hidden from what is not there at all.
        code = f" ({result.code})" if result.type == "submit" else ""
        word = "done" if result.success else f"refused{code}"
        said = " ".join(f"{result.message} {result.details.get('hint', '')}".split())
        lines.append(f"- {result.type}: {word}" + (f": {said}" if said else ""))
    guidance = cut("\n".join(lines), LONGEST_CARRIED)
    refused = any(r.type == "submit" and not r.success for r in last.action_results)
    if not refused or not progress.carry.previous_response:
        return guidance
    # Nothing of a refused event is kept at the gate: here is all there is of it.
    said = quote_lines(progress.carry.previous_response.strip(), LONGEST_REPEATED)
    return f"{guidance}\nWhat you sent then:\n{said}"


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
            return f"{fact} is {as_text(value)}"
        case StepMachine():
            return "the end of the flow"
        case Custom(name=name):
            return f"what {name!r} says"
        case Composite(mode=mode, conditions=conditions):
            word = " or " if mode == "any" else " and "
            return word.join(criteria_of(each) for each in conditions)


class _Told:
    """What a completion says that a prompt may want to know, wherever it stands."""

    def __init__(self, completion: Completion) -> None:
        parts = (
            completion.conditions
            if isinstance(completion, Composite)
            else (completion,)
        )
        words = [p.completion_keyword for p in parts if isinstance(p, KeywordSignal)]
        checks = [str(p.max_checks) for p in parts if isinstance(p, CheckBudget)]
        self.keyword = (words or [""])[0]
        self.checks = (checks or [""])[0]
        self.rounds = [
            p.max_iterations for p in parts if isinstance(p, IterationBudget)
        ]
