"""What a step's answer must be, and what of it is carried on."""

from typing import Any

import msgspec

from saniwa.agent.prompting.variable import output_variable
from saniwa.agent.spoken import said_object
from saniwa.core.quoted import cut, quoted
from saniwa.process.weighing.schema import Checker

LONGEST_CARRIED = 4000
"""Letters of a step's output, or of the last answer, that are carried on."""


class Form:
    """The form of one step's answers: a JSON Schema."""

    def __init__(self, step: str, schema: dict[str, Any]) -> None:
        self._step = step
        self._schema = schema
        self._checker = Checker(schema)

    def misfit(self, text: str) -> str:
        """Why an answer does not follow the schema; empty where it does."""
        said = said_object(text)
        if said is None:
            return "the answer is no JSON object"
        for problem in self._checker.problems(said):
            where = problem.path or "/"
            return (
                f"the answer does not follow its schema at {where}: {problem.message}"
            )
        return ""

    def outputs(self, text: str) -> dict[str, Any]:
        """The fields that the schema names, as variables of the step."""
        said, named = said_object(text), self._schema.get("properties")
        if said is None or not isinstance(named, dict):
            return {}
        return {
            output_variable(self._step, key): _carried(said[key])
            for key in sorted(named)
            if isinstance(said.get(key), str | int | float | bool)
        }


def _carried(value: Any) -> Any:
    if isinstance(value, str):
        return cut(value, LONGEST_CARRIED)
    return value if len(msgspec.json.encode(value)) < LONGEST_CARRIED else quoted(value)
