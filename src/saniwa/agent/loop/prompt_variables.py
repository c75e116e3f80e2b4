"""The variables of an agent's prompts: from its arguments, progress and port."""

from collections.abc import Mapping
from typing import Any

import msgspec

from saniwa.agent.definition import (
    AgentDefinition,
    CheckBudget,
    CompletionDefinition,
    CompositeCompletion,
    CustomCompletion,
    ExternalState,
    IterationBudget,
    KeywordSignal,
    StepMachine,
    StructuredSignal,
)
from saniwa.agent.flow_navigator import to_variable_text
from saniwa.agent.layer_contracts import Progress
from saniwa.agent.port import AgentView
from saniwa.agent.prompt_quoting import quote_lines
from saniwa.agent.prompt_resolver import list_output_fields, name_output_variable
from saniwa.agent.reply_extraction import extract_object
from saniwa.core.text import quote_value, truncate
from saniwa.process.schema_checker import SchemaChecker

LONGEST_CARRIED = 4000
"""The most characters of a step's output, or of the last answer, that are carried on.
"""


def shorten_value(value: Any, longest: int, largest: int) -> Any:
    """Cut a text to `longest` characters, and quote another value of `largest` bytes."""
    if isinstance(value, str):
        return truncate(value, longest)
    return value if len(msgspec.json.encode(value)) < largest else quote_value(value)


class AnswerSchema:
    """The JSON Schema of one step's answers."""

    def __init__(self, step: str, schema: dict[str, Any]) -> None:
        self._step = step
        self._fields = list_output_fields(schema)
        self._checker = SchemaChecker(schema)

    def find_mismatch(self, text: str) -> str:
        """Say why an answer does not follow the schema; empty if it does."""
        answer = extract_object(text)
        if answer is None:
            return "the answer is not a JSON object"
        for problem in self._checker.find_problems(answer):
            where = problem.path or "/"
            return f"the answer does not follow its schema at {where}: {problem.message}"
        return ""

    def extract_outputs(self, text: str) -> dict[str, Any]:
        """Return the fields that the schema names, as variables of the step."""
        answer, outputs = extract_object(text), dict[str, Any]()
        for name, path in sorted(self._fields.items()):
            value: Any = answer
            for key in path:
                value = value.get(key) if isinstance(value, dict) else None
            if isinstance(value, str | int | float | bool):
                variable = name_output_variable(self._step, name)
                outputs[variable] = shorten_value(value, LONGEST_CARRIED, LONGEST_CARRIED)
        return outputs


LONGEST_QUOTED_SUBMISSION = 2_000
"""The most characters of a refused submission that its agent is shown again."""


def collect_variables(
    definition: AgentDefinition,
    arguments: Mapping[str, str],
    progress: Progress,
    view: AgentView,
    *,
    checks: int,
    most: int,
) -> dict[str, str]:
    """Collect every variable by name; the port's take precedence over the user's."""
    completion = definition.completion
    parts = completion.conditions if isinstance(completion, CompositeCompletion) else (completion,)
    words = (p.completion_keyword for p in parts if isinstance(p, KeywordSignal))
    budgets = (str(p.max_checks) for p in parts if isinstance(p, CheckBudget))
    limit = min([most, *(p.max_iterations for p in parts if isinstance(p, IterationBudget))])
    return {
        **{name: to_variable_text(value) for name, value in progress.carry.accumulated.items()},
        **arguments,
        **view.variables,
        "agent_name": definition.name,
        "iteration": str(progress.iteration + 1),
        "completed_iterations": str(progress.iteration),
        "max_iterations": str(limit),
        "remaining": str(limit - progress.iteration),
        "completion_criteria": describe_completion(completion),
        "completion_keyword": next(words, ""),
        "previous_summary": progress.carry.previous_response,
        "last_results": _render_results(progress),
        "check_count": str(checks),
        "max_checks": next(budgets, ""),
    }


def _render_results(progress: Progress) -> str:
    """Render the results of the agent's last actions as guidance."""
    if not progress.summaries:
        return ""
    last = progress.summaries[-1]
    lines = [f"- nothing was done: {error}" for error in last.errors]
    for result in last.action_results:
        # In a world, the code would reveal whether a thing is hidden or does not exist.
        code = f" ({result.code})" if result.type == "submit" else ""
        word = "done" if result.success else f"refused{code}"
        said = " ".join(f"{result.message} {result.details.get('hint', '')}".split())
        lines.append(f"- {result.type}: {word}" + (f": {said}" if said else ""))
    guidance = truncate("\n".join(lines), LONGEST_CARRIED)
    refused = any(r.type == "submit" and not r.success for r in last.action_results)
    if not refused or not progress.carry.previous_response:
        return guidance
    # The gate stores nothing of a refused event: this is the only copy.
    said = quote_lines(progress.carry.previous_response.strip(), LONGEST_QUOTED_SUBMISSION)
    return f"{guidance}\nWhat you sent then:\n{said}"


def describe_completion(completion: CompletionDefinition) -> str:
    """Describe when an agent is done, in a few words for its prompt."""
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
            return f"{fact} is {to_variable_text(value)}"
        case StepMachine():
            return "the end of the flow"
        case CustomCompletion(name=name):
            return f"what {name!r} says"
        case CompositeCompletion(mode=mode, conditions=conditions):
            word = " or " if mode == "any" else " and "
            return word.join(describe_completion(each) for each in conditions)
