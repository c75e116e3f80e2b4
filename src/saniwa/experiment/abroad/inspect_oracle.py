"""A model of inspect-ai's as our oracle: whatever it can reach can play a character.

Needs the extra `inspect`. Retries, limits and caches are inspect-ai's; its errors pass
through, so that a sample fails there as samples fail.
"""

from typing import Final

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
)

from saniwa.agent.oracle import Answer, Finish, Hear, Request, Usage

_FINISH: Final[dict[str, Finish]] = {
    "stop": "stop",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "filtered",
    "tool_calls": "tool_call",
}


class InspectOracle:
    """Asks a model of inspect-ai's, and remembers what it was asked."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.asked: list[Request] = []
        """Every request that was answered, in order."""

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        """The model's answer; the request's own settings come before the evaluation's."""
        config = GenerateConfig(
            max_tokens=request.max_tokens,
            temperature=request.temperature,
            seed=request.seed,
        )
        output = await self._model.generate(messages_of(request), config=config)
        self.asked.append(request)
        if hear is not None:
            hear(output.completion)
        return answer_of(output)

    async def close(self) -> None:
        """The model is inspect-ai's to close."""


def messages_of(request: Request) -> list[ChatMessage]:
    """A request as inspect-ai's messages."""
    told: list[ChatMessage] = []
    if request.system:
        told.append(ChatMessageSystem(content=request.system))
    for message in request.messages:
        kind = ChatMessageUser if message.role == "user" else ChatMessageAssistant
        told.append(kind(content=message.text))
    return told


def answer_of(output: ModelOutput) -> Answer:
    """What a model said, in our words; what it cost is inspect-ai's to reckon."""
    used = output.usage
    told = (
        used.input_tokens
        + (used.input_tokens_cache_read or 0)
        + (used.input_tokens_cache_write or 0)
        if used
        else 0
    )
    return Answer(
        text=output.completion,
        finish=_FINISH.get(output.stop_reason, "other"),
        usage=Usage(
            calls=1,
            input_tokens=told,
            output_tokens=used.output_tokens if used else 0,
            unpriced=1,
        ),
        model=output.model,
        took_ms=round((output.time or 0) * 1000),
    )
