"""Our stand-in as a model of inspect-ai's: `saniwa/standin`, which costs nothing.

Needs the extra `inspect`. It plays a character from its prompt alone and errs as its
arguments say, such as `-M invent=0`; for anything but our prompts it is of no use.
"""

from typing import Any

import msgspec
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    StopReason,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from saniwa.agent.oracle import Answer, Message, Request
from saniwa.experiment.plan import Faults
from saniwa.experiment.standin.oracle import StandIn


@modelapi(name="saniwa")
class StandInModel(ModelAPI):
    """A stand-in that inspect-ai can ask."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - as the library has it
        **faults: Any,
    ) -> None:
        """Err as `faults` say, in the words of a plan's.

        Raises:
            msgspec.ValidationError: There is no such fault, or it is no number.
        """
        super().__init__(model_name, base_url, api_key, [], config)
        self._standin = StandIn(msgspec.convert(faults, Faults))

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """The stand-in's answer."""
        del tools, tool_choice
        answer = await self._standin.answer(request_of(input, config))
        return output_of(answer)


def request_of(told: list[ChatMessage], config: GenerateConfig) -> Request:
    """What inspect-ai asks, in our words."""
    system = "\n\n".join(each.text for each in told if each.role == "system")
    said = tuple(
        Message(
            role="assistant" if each.role == "assistant" else "user", text=each.text
        )
        for each in told
        if each.role != "system"
    )
    usual = Request(messages=said, system=system)
    return msgspec.structs.replace(
        usual,
        max_tokens=config.max_tokens or usual.max_tokens,
        temperature=config.temperature or usual.temperature,
        seed=config.seed,
    )


def output_of(answer: Answer) -> ModelOutput:
    """An answer in inspect-ai's words, with what it would have cost."""
    ended: StopReason = "max_tokens" if answer.finish == "length" else "stop"
    output = ModelOutput.from_content(answer.model, answer.text, ended)
    told, said = answer.usage.input_tokens, answer.usage.output_tokens
    output.usage = ModelUsage(
        input_tokens=told, output_tokens=said, total_tokens=told + said
    )
    return output
