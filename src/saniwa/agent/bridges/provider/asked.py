"""One question to a provider, in the library's words."""

from typing import TYPE_CHECKING

from saniwa.agent.bridges.provider import words
from saniwa.agent.bridges.provider.stream import Pieces
from saniwa.agent.oracle import Request

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model


class Asked:
    """One request in the library's words."""

    def __init__(self, model: "Model", request: Request) -> None:
        self._model = model
        self._messages = words.messages(request)
        self._settings = words.settings(model, request)
        self._shape = words.shape(model, request)

    @property
    def by_tool(self) -> bool:
        """Whether the answer is asked for as the input of a tool."""
        return self._shape is not None and self._shape.output_mode == "tool"

    async def response(self, hear: Pieces | None) -> "ModelResponse":
        """The response; whoever hears its pieces is told them while they come."""
        from saniwa.agent.bridges.provider.bounded import streamed

        token = streamed.set(hear is not None)
        try:
            return await (self._whole() if hear is None else self._streamed(hear))
        finally:
            streamed.reset(token)

    async def _whole(self) -> "ModelResponse":
        """The response at once."""
        from pydantic_ai.direct import model_request

        return await model_request(
            self._model,
            self._messages,
            model_settings=self._settings,
            model_request_parameters=self._shape,
            instrument=False,
        )

    async def _streamed(self, hear: Pieces) -> "ModelResponse":
        """The response after all its pieces."""
        from pydantic_ai.direct import model_request_stream

        async with model_request_stream(
            self._model,
            self._messages,
            model_settings=self._settings,
            model_request_parameters=self._shape,
            instrument=False,
        ) as stream:
            async for event in stream:
                hear.event(event)
        return stream.get()
