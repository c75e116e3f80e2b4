"""The known providers, and how to open their models through pydantic-ai.

The library is imported only when a model is opened.
"""

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from saniwa.core.errors import ConfigurationError
from saniwa.core.extras import require_packages

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.profiles import ModelProfile


OPENAI_COMPATIBLE: Final = "openai-compatible"
"""Any server that speaks OpenAI's format, at a given address."""


class ModelProvider(NamedTuple):
    """The fixed properties of a provider."""

    owners: tuple[str, ...] = ()
    """Prefixes of the environment variables that may hold its key; empty if it needs
    none."""
    takes_address: bool = False
    """Whether an agent may give its address."""
    needs_address: bool = False
    """Whether an agent must give its address."""
    is_priced: bool = False
    """Whether its prices are known, at its own address."""

    takes_seed: bool = True
    """Whether it accepts a seed."""

    @property
    def key_variables(self) -> tuple[str, ...]:
        """The environment variables for its key; the first that is set is used."""
        return tuple(f"{owner}_API_KEY" for owner in self.owners)


PROVIDERS: Final[dict[str, ModelProvider]] = {
    "anthropic": ModelProvider(owners=("ANTHROPIC",), is_priced=True, takes_seed=False),
    "google": ModelProvider(owners=("GOOGLE", "GEMINI"), is_priced=True),
    "ollama": ModelProvider(takes_address=True),
    "openai": ModelProvider(owners=("OPENAI",), takes_address=True, is_priced=True),
    OPENAI_COMPATIBLE: ModelProvider(takes_address=True, needs_address=True),
}
"""Every provider by its name in definitions."""


OLLAMA_URL: Final = "http://127.0.0.1:11434/v1"
"""Where Ollama listens by default."""
CONNECT_SECONDS: Final = 10
READ_SECONDS: Final = 120
"""The longest silence while an answer arrives."""
_NO_KEY: Final = "no-key"


def check_installed() -> None:
    """Check that the library is installed; cheap, because it is not imported.

    Raises:
        ConfigurationError: `EXTRA_MISSING`.
    """
    what = "a provider's model needs"
    require_packages("pydantic_ai", extra="models", what=what, kind=ConfigurationError)


def find_missing_extra() -> ConfigurationError | None:
    """Return the error of `check_installed`; None if the library is installed."""
    try:
        check_installed()
    except ConfigurationError as problem:
        return problem
    return None


def open_library_model(provider: str, name: str, url: str, key: str) -> tuple["Model", Any]:
    """Open the model; return it and its HTTP client, which the caller closes.

    Retries of the libraries are off: `RetryingOracle` does them.

    Raises:
        ConfigurationError: `EXTRA_MISSING`.
    """
    check_installed()
    import httpx2
    from pydantic_ai._warnings import UsageExtractionFailedWarning

    from saniwa.models.bounded_http_client import make_bounded_client

    # Tokens that cannot be counted are estimated; the warning would only clutter the
    # screen.
    warnings.simplefilter("ignore", UsageExtractionFailedWarning)
    seconds = httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
    client = make_bounded_client(timeout=seconds, follow_redirects=False)
    return _MODEL_OPENERS[provider](name, url, key or _NO_KEY, client), client


def _open_openai(name: str, url: str, key: str, client: Any) -> "Model":
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(openai_client=_make_openai_client(url, key, client))
    return OpenAIChatModel(name, provider=provider, profile=_make_strict_profile())


def _make_openai_client(url: str, key: str, client: Any) -> Any:
    from openai import AsyncOpenAI

    return AsyncOpenAI(base_url=url or None, api_key=key, http_client=client, max_retries=0)


def _make_strict_profile() -> "ModelProfile":
    """Treat a stream without a finish reason as cut off.

    The library would call it complete.
    """
    from pydantic_ai.profiles.openai import OpenAIModelProfile

    return OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)


def _open_compatible(name: str, url: str, key: str, client: Any) -> "Model":
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    opened = _make_openai_client(url, key, client)
    # Every compatible server knows the older field.
    profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
    provider = OpenAICompatibleProvider(OPENAI_COMPATIBLE, openai_client=opened, profile=profile)
    return OpenAIChatModel(name, provider=provider, profile=_make_strict_profile())


def _open_ollama(name: str, url: str, key: str, client: Any) -> "Model":
    from pydantic_ai.models.ollama import OllamaModel
    from pydantic_ai.providers.ollama import OllamaProvider

    provider = OllamaProvider(openai_client=_make_openai_client(url or OLLAMA_URL, key, client))
    return OllamaModel(name, provider=provider, profile=_make_strict_profile())


def _open_anthropic(name: str, url: str, key: str, client: Any) -> "Model":
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    opened = AsyncAnthropic(base_url=url or None, api_key=key, http_client=client, max_retries=0)
    return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=opened))


def _open_google(name: str, url: str, key: str, client: Any) -> "Model":
    # Its source has an escape sequence that newer Pythons warn about at the first
    # import.
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
