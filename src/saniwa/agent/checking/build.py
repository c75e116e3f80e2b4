"""From what a step says about its check to the check itself."""

from typing import assert_never

from saniwa.agent.checking.action import ActionCheck
from saniwa.agent.checking.keyword import KeywordCheck
from saniwa.agent.checking.prompt import PromptCheck
from saniwa.agent.contract import PromptResolver, SdkBridge, StepChecker
from saniwa.agent.flow import AgentStep


def checker_of(
    step: AgentStep, bridge: SdkBridge, resolver: PromptResolver
) -> StepChecker | None:
    """The step's check; None where it has none."""
    if step.check is None:
        return None
    match step.check.type:
        case "keyword":
            return KeywordCheck(step.check)
        case "action":
            return ActionCheck(step.check)
        case "prompt":
            return PromptCheck(step.check, bridge, resolver)
        case _:
            assert_never(step.check.type)
