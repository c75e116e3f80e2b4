"""The providers that can be named, and what each needs."""

from typing import Final, NamedTuple

OPENAI_COMPATIBLE: Final = "openai-compatible"
"""Any server that speaks OpenAI's format, at an address."""


class ModelProvider(NamedTuple):
    """What is known of a provider before it is asked."""

    owners: tuple[str, ...] = ()
    """Whose keys open it, as environment variables name them; it needs one."""
    takes_address: bool = False
    """Whether an agent may say where it is."""
    needs_address: bool = False
    """Whether somebody must."""
    is_priced: bool = False
    """Whether prices are known for it, at its own address."""

    takes_seed: bool = True
    """Whether it can be told where its chance starts."""

    @property
    def key_variables(self) -> tuple[str, ...]:
        """The environment variables that may hold its key: the first that is set does."""
        return tuple(f"{owner}_API_KEY" for owner in self.owners)


PROVIDERS: Final[dict[str, ModelProvider]] = {
    "anthropic": ModelProvider(owners=("ANTHROPIC",), is_priced=True, takes_seed=False),
    "google": ModelProvider(owners=("GOOGLE", "GEMINI"), is_priced=True),
    "ollama": ModelProvider(takes_address=True),
    "openai": ModelProvider(owners=("OPENAI",), takes_address=True, is_priced=True),
    OPENAI_COMPATIBLE: ModelProvider(takes_address=True, needs_address=True),
}
"""Every provider by the name it has in definitions."""
