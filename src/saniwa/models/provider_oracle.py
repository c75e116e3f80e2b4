"""The oracle for models of remote providers, through one library.

It sends requests and converts responses. It does not retry, meter or record.
"""

import asyncio
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from saniwa.core.errors import SdkBridgeError
from saniwa.core.redaction import Redactor
from saniwa.core.text import replace_surrogates
from saniwa.models import describe, provider_conversion
from saniwa.models.oracle import (
    LONGEST_ANSWER_TEXT,
    OracleAnswer,
    OracleRequest,
    TextListener,
    Usage,
    check_calls_allowed,
    count_request_characters,
    make_call_usage,
)
from saniwa.models.provider_conversion import is_answer_part
from saniwa.models.providers import PROVIDERS, check_installed, open_library_model
from saniwa.models.redaction import RedactingListener, redact_calls

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters


_PART_WEIGHT: Final = 1_000
"""Characters that the start of a part counts as: the library stores every part."""


class StreamForwarder:
    """Passes the text of the library's events on, and stops an endless stream.

    Thoughts and unrequested tool calls are not passed on, but they count towards the
    limit, because the library stores them.
    """

    def __init__(self, listener: RedactingListener, *, by_tool: bool = False) -> None:
        self._listener = listener
        self._by_tool = by_tool
        self._received = 0
        self._answers = set[int]()

    def handle_event(self, event: Any) -> None:
        """Take one event of the library; most have no text.

        Raises:
            SdkBridgeError: `BRIDGE_REFUSED`: the answer is too long.
        """
        if event.event_kind == "part_start":
            self._count_heard(_PART_WEIGHT + _count_characters(event.part, ""))
            self._begin_part(event.index, event.part)
        elif event.event_kind == "part_delta":
            self._count_heard(_count_characters(event.delta, "_delta"))
            delta = event.delta
            text = getattr(delta, "content_delta", "") or getattr(delta, "args_delta", "")
            if event.index in self._answers and isinstance(text, str):
                self._listener(text)

    def _begin_part(self, index: int, part: Any) -> None:
        self._answers.discard(index)
        if part.part_kind == "text":
            self._answers.add(index)
            self._listener(part.content)
        elif is_answer_part(part, by_tool=self._by_tool):
            self._answers.add(index)
            if part.args:
                self._listener(part.args_as_json_str())

    def _count_heard(self, characters: int) -> None:
        self._received += characters
        if self._received > LONGEST_ANSWER_TEXT:
            raise describe(
                "BRIDGE_REFUSED/length", longest_answer_text=LONGEST_ANSWER_TEXT
            ).to_error(SdkBridgeError)


def _count_characters(part: Any, ending: str) -> int:
    """Count the characters of the string attributes whose names have this ending.

    They are text, thoughts and tool calls.
    """
    return sum(
        len(value)
        for name, value in vars(part).items()
        if name.endswith(ending) and isinstance(value, str)
    )


async def _send_request(
    model: "Model",
    request: OracleRequest,
    shape: "ModelRequestParameters | None",
    hear: StreamForwarder | None,
) -> "ModelResponse":
    """Send the request and return the response; a forwarder receives its pieces."""
    from pydantic_ai.direct import model_request, model_request_stream

    from saniwa.models.bounded_http_client import is_streaming

    messages = provider_conversion.to_library_messages(request)
    options: dict[str, Any] = {
        "model_settings": provider_conversion.to_library_settings(model, request),
        "model_request_parameters": shape,
        "instrument": False,
    }
    token = is_streaming.set(hear is not None)
    try:
        if hear is None:
            return await model_request(model, messages, **options)
        async with model_request_stream(model, messages, **options) as stream:
            async for event in stream:
                hear.handle_event(event)
        return stream.get()
    finally:
        is_streaming.reset(token)


class ProviderOracle:
    """Asks a provider's model; keeps no state between two requests.

    It asks once: `RetryingOracle` tries again. The key is in no answer, piece or error.
    """

    def __init__(
        self,
        provider: str,
        name: str,
        *,
        url: str = "",
        key: str = "",
        redaction: Redactor | None = None,
    ) -> None:
        """Store the settings; nothing is loaded or opened before the first question.

        Secrets that `redaction` knows are removed from answers, as the key is.
        """
        self._provider = provider
        self._name = name
        self._url = url
        self._key = key
        self._redaction = (redaction or Redactor()).add_secrets(key)
        self._opened: tuple[asyncio.AbstractEventLoop, Model, _ClientGuard] | None = None
        self._closed = False

    @property
    def label(self) -> str:
        """The model's name in definitions: `openai:gpt-5-mini`."""
        return f"{self._provider}:{self._name}"

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """Return the model's answer.

        Raises:
            ConfigurationError: `EXTRA_MISSING`.
            SdkConnectionError: `BRIDGE_CONNECTION`; recoverable.
            SdkRateLimitError: `BRIDGE_RATE_LIMIT`; recoverable.
            SdkBridgeError: `BRIDGE_REFUSED`, `MODEL_CALLS_FORBIDDEN`.
        """
        check_calls_allowed(self.label)
        if self._closed:
            raise self._make_refusal_error("it is closed")
        listener = RedactingListener(hear, self._redaction) if hear is not None else None
        model = await self._open_model()
        shape = provider_conversion.to_output_parameters(model, request)
        by_tool = shape is not None and shape.output_mode == "tool"
        pieces = None if listener is None else StreamForwarder(listener, by_tool=by_tool)
        try:
            response = await _send_request(model, request, shape, pieces)
            problem = None
        except SdkBridgeError:
            raise
        except Exception as met:  # noqa: BLE001 - five libraries share no family of errors, and each throws others too
            if listener is not None and listener.failed is not None:
                raise listener.failed from None
            problem = provider_conversion.to_bridge_error(met, self.label, self._redaction)
        # Raised outside of `except`: otherwise the library's error would be attached
        # and shown.
        if problem is not None:
            raise problem
        if listener is not None:
            listener.finish()
        provider_conversion.check_complete(response, self.label, in_pieces=hear is not None)
        return self._to_answer(request, response, by_tool=by_tool)

    async def close(self) -> None:
        """Close the connections. May be called more than once."""
        self._closed = True
        opened, self._opened = self._opened, None
        if opened is not None and opened[0] is asyncio.get_running_loop():
            await opened[2].aclose()

    def price(self, told: int, said: int) -> int | None:
        """Price that many tokens in millionths of a US dollar; None if unknown.

        Raises:
            ConfigurationError: `EXTRA_MISSING`.
        """
        if not self._is_priced:
            return None
        check_installed()
        from genai_prices import Usage as Tokens
        from genai_prices import calc_price

        tokens = Tokens(input_tokens=told, output_tokens=said)
        try:
            found = calc_price(tokens, self._name, provider_id=self._provider)
        except LookupError:
            return None
        return provider_conversion.to_millionths(found.total_price)

    def find_unsent_settings(self) -> tuple[str, ...]:
        """List the request settings that this model is not given; nothing is sent.

        Raises:
            ConfigurationError: `EXTRA_MISSING`.
        """
        model, _ = open_library_model(self._provider, self._name, self._url, self._key)
        return self._list_unsent_settings(model)

    def _list_unsent_settings(self, model: "Model") -> tuple[str, ...]:
        taken = {
            "seed": PROVIDERS[self._provider].takes_seed,
            "temperature": provider_conversion.accepts_temperature(model),
        }
        return tuple(name for name, takes in taken.items() if not takes)

    @property
    def _is_priced(self) -> bool:
        return PROVIDERS[self._provider].is_priced and not self._url

    async def _open_model(self) -> "Model":
        """Return the model.

        Reopened for another event loop, as connections belong to one.
        """
        loop = asyncio.get_running_loop()
        if self._opened is None or self._opened[0] is not loop:
            model, client = open_library_model(self._provider, self._name, self._url, self._key)
            guard = _guard_client(client)
            await anext(guard)
            self._opened = (loop, model, guard)
        return self._opened[1]

    def _to_answer(
        self, request: OracleRequest, response: "ModelResponse", *, by_tool: bool
    ) -> OracleAnswer:
        text = provider_conversion.extract_text(response, by_tool=by_tool)
        if len(text) > LONGEST_ANSWER_TEXT:
            raise self._make_refusal_error(f"it answered with {len(text)} characters")
        finish, reason = provider_conversion.extract_finish(response, by_tool=by_tool)
        calls = (
            provider_conversion.extract_calls(response, by_tool=by_tool) if request.tools else ()
        )
        answer = OracleAnswer(
            text=self._redaction.redact_text(replace_surrogates(text)),
            finish=finish,
            reason=self._redaction.redact_text(reason),
            usage=self._compute_usage(request, response, text),
            unsent=self._list_unsent_settings(self._opened[1]) if self._opened else (),
            model=self._redaction.redact_text(
                replace_surrogates(response.model_name or self._name)
            ),
            calls=calls,
        )
        return replace(answer, calls=redact_calls(answer, self._redaction))

    def _compute_usage(self, request: OracleRequest, response: "ModelResponse", text: str) -> Usage:
        counted = (response.usage.input_tokens, response.usage.output_tokens)
        input_tokens, output_tokens = provider_conversion.count_tokens(
            counted, (count_request_characters(request), len(text))
        )
        cost = self._compute_cost(response) if (input_tokens, output_tokens) == counted else None
        if cost is None:
            cost = self.price(input_tokens, output_tokens)
        return make_call_usage(input_tokens, output_tokens, cost)

    def _compute_cost(self, response: "ModelResponse") -> int | None:
        """Return the cost that the library computes.

        It knows about discounted tokens.
        """
        if not self._is_priced:
            return None
        try:
            return provider_conversion.to_millionths(response.cost().total_price)
        except (LookupError, ValueError, AssertionError):
            # The library asserts that the response names its model; not every response
            # does.
            return None

    def _make_refusal_error(self, why: str) -> SdkBridgeError:
        return describe("BRIDGE_REFUSED/provider", label=self.label, why=why).to_error(
            SdkBridgeError
        )


_ClientGuard = AsyncGenerator[None, None]


async def _guard_client(client: Any) -> _ClientGuard:
    """Closes the connections when asked to, or when their event loop ends.

    A loop that ends closes the async generators it has started; there is no other
    notice.
    """
    try:
        yield
    finally:
        await client.aclose()
