"""The providers that can be named, and what each needs."""

from typing import Final, NamedTuple

COMPATIBLE: Final = "openai-compatible"
"""Any server that speaks OpenAI's format, at an address."""


class Provider(NamedTuple):
    """What is known of a provider before it is asked."""

    keys: tuple[str, ...] = ()
    """Environment variables that hold its key, the first that is set; it needs one."""
    takes_address: bool = False
    """Whether an agent may say where it is."""
    needs_address: bool = False
    """Whether somebody must."""
    is_priced: bool = False
    """Whether prices are known for it, at its own address."""


PROVIDERS: Final[dict[str, Provider]] = {
    "anthropic": Provider(keys=("ANTHROPIC_API_KEY",), is_priced=True),
    "google": Provider(keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"), is_priced=True),
    "ollama": Provider(takes_address=True),
    "openai": Provider(keys=("OPENAI_API_KEY",), takes_address=True, is_priced=True),
    COMPATIBLE: Provider(takes_address=True, needs_address=True),
}
"""Every provider by the name it has in definitions."""
