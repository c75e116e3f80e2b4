"""What the user of an agent says, checked against its parameters, as variables."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from saniwa.agent.authoring.value import fault_of, taken, written
from saniwa.agent.definition import AgentDefinition, Parameter
from saniwa.agent.prompting.variable import INPUT
from saniwa.core.errors import ConfigurationValidationError
from saniwa.core.finding import Finding
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.core.where import Where


def arguments_of(
    definition: AgentDefinition, given: Mapping[str, Any]
) -> dict[str, str]:
    """The variables that arguments become: `{origin: "Tokyo"}` is `{"origin": "Tokyo"}`.

    A text is taken as a number, a truth value or a list where the parameter is one, since
    the command line has only texts. Defaults stand for what is not given; a parameter
    with neither has no variable. `input_text` may be said to every agent.

    Raises:
        ConfigurationValidationError: `ARGUMENT_UNUSABLE`, with every problem at once.
    """
    parameters = {INPUT: Parameter(), **definition.parameters}
    values = {
        name: taken(parameters[name], given[name]) if name in given else each.default
        for name, each in parameters.items()
        if name in given or each.default is not msgspec.UNSET
    }
    found = [*_problems(definition.name, parameters, given, values)]
    if found:
        raise _error(found)
    return {name: written(value) for name, value in sorted(values.items())}


def _problems(
    agent: str,
    parameters: Mapping[str, Parameter],
    given: Mapping[str, Any],
    values: Mapping[str, Any],
) -> Iterator[Finding]:
    for name in sorted(set(given) - set(parameters)):
        known = ", ".join(sorted(parameters)) or "none"
        hint = did_you_mean(name, parameters) or f"its parameters are: {known}"
        yield _finding(name, f"{agent!r} has no parameter {quoted(name)}", hint)
    for name, parameter in parameters.items():
        option = f" with {parameter.cli}" if parameter.cli else ""
        if name not in values:
            if parameter.required:
                yield _finding(
                    name, f"the parameter {name!r} is needed", f"say it{option}"
                )
            continue
        why = fault_of(parameter, values[name])
        if why:
            message = f"{quoted(values[name])} for {name!r} {why}"
            yield _finding(name, message, parameter.description)


def _finding(name: str, message: str, hint: str) -> Finding:
    return Finding(
        code="ARGUMENT_UNUSABLE", message=message, where=Where(path=name), hint=hint
    )


def _error(found: list[Finding]) -> ConfigurationValidationError:
    first, others = found[0], len(found) - 1
    more = f" (and {others} more)" if others else ""
    return ConfigurationValidationError(
        first.code,
        first.message + more,
        where=first.where,
        hint=first.hint,
        details={"findings": [each.as_document() for each in found]},
    )
