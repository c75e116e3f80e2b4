"""Opening a provider's model through the one library that knows them all."""

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from saniwa.core.errors import ConfigurationError
from saniwa.core.extras import require_packages
from saniwa.models.providers.table import OPENAI_COMPATIBLE

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.profiles import ModelProfile

OLLAMA_URL: Final = "http://127.0.0.1:11434/v1"
"""Where Ollama listens if nobody says otherwise."""
CONNECT_SECONDS: Final = 10
READ_SECONDS: Final = 120
"""The longest silence in the middle of an answer."""
_NO_KEY: Final = "no-key"


def check_installed() -> None:
    """Go on if the library is there; cheap, for it is not loaded.

    Raises:
        ConfigurationError: `EXTRA_MISSING`.
    """
    what = "a provider's model needs"
    require_packages("pydantic_ai", extra="models", what=what, kind=ConfigurationError)


def open_library_model(
    provider: str, name: str, url: str, key: str
) -> tuple["Model", Any]:
    """The model, and the connections it uses, to be closed with it.

    Nothing in it tries again by itself; whoever wants that says so once, outside.
    """
    import httpx2
    from pydantic_ai._warnings import UsageExtractionFailedWarning

    from saniwa.models.providers.http_client import make_bounded_client

    # Tokens that cannot be counted are guessed; nobody need be told on the screen.
    warnings.simplefilter("ignore", UsageExtractionFailedWarning)
    seconds = httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
    client = make_bounded_client(timeout=seconds, follow_redirects=False)
    return _MODEL_OPENERS[provider](name, url, key or _NO_KEY, client), client


def _make_strict_profile() -> "ModelProfile":
    """A stream that ends without saying so was cut; the library would call it an end."""
    from pydantic_ai.profiles.openai import OpenAIModelProfile

    return OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)


def _open_openai(name: str, url: str, key: str, client: Any) -> "Model":
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    opened = AsyncOpenAI(
        base_url=url or None, api_key=key, http_client=client, max_retries=0
    )
    provider = OpenAIProvider(openai_client=opened)
    return OpenAIChatModel(name, provider=provider, profile=_make_strict_profile())


def _open_compatible(name: str, url: str, key: str, client: Any) -> "Model":
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    opened = AsyncOpenAI(base_url=url, api_key=key, http_client=client, max_retries=0)
    # The older field is the one every such server knows.
    profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
    provider = OpenAICompatibleProvider(
        OPENAI_COMPATIBLE, openai_client=opened, profile=profile
    )
    return OpenAIChatModel(name, provider=provider, profile=_make_strict_profile())


def _open_ollama(name: str, url: str, key: str, client: Any) -> "Model":
    from openai import AsyncOpenAI
    from pydantic_ai.models.ollama import OllamaModel
    from pydantic_ai.providers.ollama import OllamaProvider

    opened = AsyncOpenAI(
        base_url=url or OLLAMA_URL, api_key=key, http_client=client, max_retries=0
    )
    provider = OllamaProvider(openai_client=opened)
    return OllamaModel(name, provider=provider, profile=_make_strict_profile())


def _open_anthropic(name: str, url: str, key: str, client: Any) -> "Model":
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    opened = AsyncAnthropic(
        base_url=url or None, api_key=key, http_client=client, max_retries=0
    )
    return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=opened))


def _open_google(name: str, url: str, key: str, client: Any) -> "Model":
    # Its source has an escape that newer Pythons warn about when they first read it.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from google.genai.types import HttpRetryOptions
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

    provider = GoogleProvider(
        api_key=key,
        base_url=url or None,
        http_client=client,
        retry_options=HttpRetryOptions(attempts=1),
    )
    return GoogleModel(name, provider=provider)


_MODEL_OPENERS: Final[dict[str, Callable[[str, str, str, Any], "Model"]]] = {
    "anthropic": _open_anthropic,
    "google": _open_google,
    "ollama": _open_ollama,
    "openai": _open_openai,
    OPENAI_COMPATIBLE: _open_compatible,
}
