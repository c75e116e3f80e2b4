"""An agent's own parameters on the command line: `--origin Tokyo`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from saniwa.core.near import did_you_mean

if TYPE_CHECKING:
    from saniwa.agent.definition import AgentDefinition


def arguments_in(words: Sequence[str], definition: "AgentDefinition") -> dict[str, Any]:
    """Values by parameter; both `--origin Tokyo` and `--origin=Tokyo` are understood.

    Raises:
        click.UsageError: An option is none of the agent's, or lacks its value.
    """
    from saniwa.agent.authoring.option import option_of

    every = definition.parameters.items()
    options = {option_of(name, each): (name, each) for name, each in every}
    given: dict[str, Any] = {}
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        option, equals, value = word.partition("=")
        if option not in options:
            raise _unknown(word, options, definition.name)
        name, parameter = options[option]
        if parameter.type == "boolean" and not equals:
            given[name] = True
            continue
        if not equals:
            if not waiting:
                raise click.UsageError(f"{option} needs a value")
            value = waiting.pop(0)
        given[name] = (
            [*given.get(name, []), value] if parameter.type == "array" else value
        )
    return given


def _unknown(word: str, options: dict[str, Any], agent: str) -> click.UsageError:
    option = word.partition("=")[0]
    hint = did_you_mean(option, options) or (
        f"it has: {', '.join(sorted(options))}" if options else "it has no parameters"
    )
    return click.UsageError(f"agent {agent!r} knows no {option!r}; {hint}")
