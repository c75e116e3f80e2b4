"""The known providers, and what each needs."""

from typing import Final, NamedTuple

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
