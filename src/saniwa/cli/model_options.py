"""Options that say which model is asked, shared by every command that asks one."""

from collections.abc import Callable, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import click

from saniwa.cli.options import pack_options

if TYPE_CHECKING:
    from saniwa.agent.definition import AgentLimits

F = TypeVar("F", bound=Callable[..., Any])


class ModelChoice(NamedTuple):
    """Which model somebody wants to be asked, and how far."""

    model: str | None = None
    """Which model is asked."""
    model_url: str | None = None
    """Where it is asked."""
    record: str | None = None
    """The file that keeps every question and answer."""
    replay: str | None = None
    """The file that answers in the model's place."""
    max_calls: int | None = None
    """Questions that may be asked."""
    max_tokens: int | None = None
    """Tokens that may be told and said."""
    max_cost: float | None = None
    """US dollars that may be spent."""

    def check(self) -> None:
        """See that the options fit together.

        Raises:
            click.UsageError: A recording answers without a model.
        """
        if self.replay and (self.record or self.model or self.model_url):
            raise click.UsageError(
                "--replay answers without a model; drop --model, --model-url and "
                "--record"
            )

    @property
    def recorded_options(self) -> dict[str, object]:
        """What a journal keeps of it, so that the same counts when one goes on.

        No address that may hold a secret.
        """
        said = {
            name: value for name, value in self._asdict().items() if value is not None
        }
        url = str(said.get("model_url", ""))
        if "@" in url or "?" in url:
            del said["model_url"]
        return said

    def merge_recorded(self, kept: Mapping[str, Any]) -> "ModelChoice":
        """This choice, with what was kept for whatever it does not say.

        Another model or recording takes the place of the one that was asked.
        """
        anew = bool(self.model or self.model_url or self.replay)
        told: dict[str, Any] = {
            name: value
            for name, value in kept.items()
            if name in self._fields
            and isinstance(value, str | int | float)
            and getattr(self, name) is None
            and not (anew and not name.startswith("max_"))
        }
        return self._replace(**told)

    def lower_limits(self, limits: "AgentLimits") -> "AgentLimits":
        """The ceilings of a definition, lowered by those that were named."""
        from msgspec.structs import replace

        named = {
            name: getattr(self, name)
            for name in ("max_calls", "max_tokens", "max_cost")
            if getattr(self, name) is not None
        }
        lowest = {
            name: min(value, old)
            if (old := getattr(limits, name)) is not None
            else value
            for name, value in named.items()
        }
        return replace(limits, **lowest)


def model_options(command: F) -> F:
    """Which model; it comes to the command as `choice`."""
    return pack_options(
        command,
        _OPTIONS,
        ModelChoice._fields,
        lambda mine: {"choice": ModelChoice(**mine)},
    )


def _check_finite(
    ctx: click.Context, parameter: click.Parameter, value: float | None
) -> float | None:
    """The number, if it is one and has an end: nothing is above any other."""
    if value is not None and not isfinite(value):
        raise click.BadParameter("it must be a number with an end.", ctx, parameter)
    return value


LIMIT_OPTIONS: Final = (
    click.option(
        "--max-calls", type=click.IntRange(min=0), help="Ask models no oftener."
    ),
    click.option(
        "--max-tokens", type=click.IntRange(min=0), help="Spend no more tokens."
    ),
    click.option(
        "--max-cost",
        type=click.FloatRange(min=0),
        callback=_check_finite,
        metavar="DOLLARS",
        help="Spend no more US dollars.",
    ),
)
"""Options that say how much may be spent on models."""
_OPTIONS = (
    click.option(
        "--model",
        metavar="SPEC",
        help="Ask this model: openai:NAME, ollama:NAME, local:smollm2, canned:FILE.",
    ),
    click.option(
        "--model-url", metavar="URL", help="Ask this OpenAI-compatible server."
    ),
    click.option("--record", metavar="FILE", help="Keep what models answer."),
    click.option("--replay", metavar="FILE", help="Answer from such a file."),
    *LIMIT_OPTIONS,
)
