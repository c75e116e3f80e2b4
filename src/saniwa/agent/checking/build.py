"""From what a step says about its check to the check itself."""

from typing import assert_never

from saniwa.agent.checking.action import ActionCheck
from saniwa.agent.checking.keyword import KeywordCheck
from saniwa.agent.checking.prompt import PromptCheck
from saniwa.agent.contract import PromptResolver, SdkBridge, StepChecker
from saniwa.agent.definition import Asking
from saniwa.agent.flow import AgentStep
from saniwa.core.errors import ConfigurationError
from saniwa.core.quoted import quoted


def checker_of(
    step: AgentStep,
    bridge: SdkBridge,
    resolver: PromptResolver,
    asking: Asking | None = None,
) -> StepChecker | None:
    """The step's check; None where it has none. `asking` is how its agent asks.

    Raises:
        ConfigurationError: `PROMPT_EMPTY`: it is to ask, and has nothing to.
    """
    if step.check is None:
        return None
    match step.check.type:
        case "keyword":
            return KeywordCheck(step.check)
        case "action":
            return ActionCheck(step.check)
        case "prompt":
            if step.check.prompt is None:
                raise _silent(step.id)
            return PromptCheck(step.check.prompt, bridge, resolver, asking)
        case _:
            assert_never(step.check.type)


def _silent(step: str) -> ConfigurationError:
    return ConfigurationError(
        "PROMPT_EMPTY",
        f"the check of step {quoted(step)} asks a model, and has no prompt",
        hint="give the check a prompt",
    )
