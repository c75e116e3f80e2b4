"""Any provider's model, through one library."""

import asyncio
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

from saniwa.agent.bridges.forbid import check_allowed
from saniwa.agent.bridges.provider import errors, words
from saniwa.agent.bridges.provider.asked import Asked
from saniwa.agent.bridges.provider.model import check_installed, library_model
from saniwa.agent.bridges.provider.stream import Pieces
from saniwa.agent.bridges.provider.table import PROVIDERS
from saniwa.agent.bridges.scrubbed import Scrubbed
from saniwa.agent.bridges.text import LONGEST
from saniwa.agent.oracle import Answer, Hear, Request, Usage, letters_told
from saniwa.core.errors import SdkBridgeError
from saniwa.core.redaction import Redaction
from saniwa.core.sound import sound

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model


class ProviderOracle:
    """Asks a provider's model; remembers nothing between two requests.

    It asks once: trying again is `Retrying`'s. The key is in no answer, piece or error.
    """

    def __init__(
        self,
        provider: str,
        name: str,
        *,
        url: str = "",
        key: str = "",
        redaction: Redaction | None = None,
    ) -> None:
        """Nothing is loaded or opened before the first question.

        What `redaction` knows stays out of what it says, as the key does.

        Raises:
            ConfigurationError: `EXTRA_MISSING`.
        """
        check_installed()
        self._provider = provider
        self._name = name
        self._url = url
        self._key = key
        self._redaction = (redaction or Redaction()).also(key)
        self._opened: tuple[asyncio.AbstractEventLoop, Model, _Guard] | None = None
        self._closed = False

    @property
    def label(self) -> str:
        """The model as it is named in definitions: `openai:gpt-5-mini`."""
        return f"{self._provider}:{self._name}"

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        """The model's answer.

        Raises:
            SdkConnectionError: `BRIDGE_CONNECTION`; recoverable.
            SdkRateLimitError: `BRIDGE_RATE_LIMIT`; recoverable.
            SdkBridgeError: `BRIDGE_REFUSED`, `MODEL_CALLS_FORBIDDEN`.
        """
        check_allowed(self.label)
        if self._closed:
            raise self._refused("it is closed")
        ear = Scrubbed(hear, self._redaction) if hear is not None else None
        asked = Asked(await self._model(), request)
        response = await self._response(asked, ear)
        if ear is not None:
            ear.finish()
        if errors.has_no_answer(response, in_pieces=hear is not None):
            raise errors.broken(self.label, "the answer has no end", {})
        return self._said(request, response, by_tool=asked.by_tool)

    async def _response(self, asked: Asked, ear: Scrubbed | None) -> "ModelResponse":
        # Raised outside of `except`: the library's error would come along and be shown.
        try:
            pieces = None if ear is None else Pieces(ear, by_tool=asked.by_tool)
            return await asked.response(pieces)
        except SdkBridgeError:
            raise
        except Exception as met:  # noqa: BLE001 - five libraries share no family of errors, and each throws others too
            if ear is not None and ear.failed is not None:
                raise ear.failed from None
            problem = errors.said(met, self.label, self._redaction)
        raise problem

    async def close(self) -> None:
        """Let go of the connections; more than once is no mistake."""
        self._closed = True
        opened, self._opened = self._opened, None
        if opened is not None and opened[0] is asyncio.get_running_loop():
            await opened[2].aclose()

    def price(self, told: int, said: int) -> int | None:
        """Millionths of a dollar for that many tokens; None where nobody knows."""
        if not self._is_priced:
            return None
        from genai_prices import Usage as Tokens
        from genai_prices import calc_price

        tokens = Tokens(input_tokens=told, output_tokens=said)
        try:
            found = calc_price(tokens, self._name, provider_id=self._provider)
        except LookupError:
            return None
        return words.millionths(found.total_price)

    def unsent(self) -> tuple[str, ...]:
        """The settings of a request that this model is not given; nothing is sent."""
        model, _ = library_model(self._provider, self._name, self._url, self._key)
        return self._unsent(model)

    def _unsent(self, model: "Model") -> tuple[str, ...]:
        taken = {
            "seed": PROVIDERS[self._provider].takes_seed,
            "temperature": words.takes_temperature(model),
        }
        return tuple(name for name, takes in taken.items() if not takes)

    @property
    def _is_priced(self) -> bool:
        return PROVIDERS[self._provider].is_priced and not self._url

    async def _model(self) -> "Model":
        """The model; opened anew for another event loop, as connections belong to one."""
        loop = asyncio.get_running_loop()
        if self._opened is None or self._opened[0] is not loop:
            model, client = library_model(
                self._provider, self._name, self._url, self._key
            )
            guard = _guard(client)
            await anext(guard)
            self._opened = (loop, model, guard)
        return self._opened[1]

    def _said(
        self, request: Request, response: "ModelResponse", *, by_tool: bool
    ) -> Answer:
        text = words.text_of(response, by_tool=by_tool)
        if len(text) > LONGEST:
            raise self._refused(f"it said {len(text)} letters")
        finish, reason = words.end_of(response, by_tool=by_tool)
        return Answer(
            text=self._redaction.text(sound(text)),
            finish=finish,
            reason=self._redaction.text(reason),
            usage=self._usage(request, response, text),
            unsent=self._unsent(self._opened[1]) if self._opened else (),
            model=self._redaction.text(sound(response.model_name or self._name)),
        )

    def _usage(self, request: Request, response: "ModelResponse", text: str) -> Usage:
        counted = (response.usage.input_tokens, response.usage.output_tokens)
        told, said = words.tokens(counted, (letters_told(request), len(text)))
        cost = self._cost(response) if (told, said) == counted else None
        if cost is None:
            cost = self.price(told, said)
        return Usage(
            calls=1,
            input_tokens=told,
            output_tokens=said,
            cost=cost or 0,
            unpriced=int(cost is None),
        )

    def _cost(self, response: "ModelResponse") -> int | None:
        """What the library says that the response costs; it knows of cheaper tokens."""
        if not self._is_priced:
            return None
        try:
            return words.millionths(response.cost().total_price)
        except (LookupError, ValueError, AssertionError):
            # It asserts that the response names its model, which not every one does.
            return None

    def _refused(self, why: str) -> SdkBridgeError:
        return SdkBridgeError(
            "BRIDGE_REFUSED",
            f"{self.label!r} gives no answer: {why}",
            hint="open another one, or ask for less",
        )


_Guard = AsyncGenerator[None, None]


async def _guard(client: Any) -> _Guard:
    """Closes the connections when told to, or else when the loop they belong to ends.

    A loop that ends closes the generators it has begun; nobody else would know.
    """
    try:
        yield
    finally:
        await client.aclose()
