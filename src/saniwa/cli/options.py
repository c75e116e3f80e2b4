"""Options that several commands share, those that choose a model among them."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import click

if TYPE_CHECKING:
    from saniwa.agent.definition import AgentLimits


class Utf8TextType(click.ParamType[str]):
    """A text option that must be valid Unicode, so that it can be stored and printed."""

    name = "text"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text; reject bytes that are not UTF-8."""
        try:
            value.encode()
        except UnicodeEncodeError:
            self.fail(f"{value!r} is no UTF-8 text", param, ctx)
        return value


UTF8_TEXT = Utf8TextType()
"""The type of every option whose text is written to a log."""


F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_STORE = ".saniwa/saniwa.sqlite"
"""Where runs are stored without an option or an environment variable."""


def add_option(
    usage: str, help: str, *names: str, choices: Sequence[str] = (), usual: Any = None, **more: Any
) -> Callable[[F], F]:
    """Declare an option as its help shows it, such as `-o, --output FILE`.

    Without a placeholder and a type it is a flag. `names` is the parameter's name, where
    it differs from the option's; `usual` is a default that the help shows.
    """
    if choices:
        more["type"] = click.Choice(choices)
    if usual is not None:
        more |= {"default": usual, "show_default": True}
    words = usage.split()
    flags = [word.rstrip(",") for word in words if word.startswith("-")]
    if len(flags) < len(words):
        more["metavar"] = words[-1]
    elif "type" not in more:
        more["is_flag"] = True
    return click.option(*flags, *names, help=help, **more)


store_option = add_option(
    "--store WHERE",
    f"A SQLite file or postgresql:// address (else $SANIWA_STORE, else {DEFAULT_STORE}).",
)
"""The option `--store`: where runs are stored."""
registry_option = add_option("--registry PATH", "The registry that scenario ids are found in.")
"""The option `--registry`: where scenario ids are looked up."""
json_option = add_option("--json", "Answer in JSON.", "as_json")
"""The flag `--json`, which the command receives as `as_json`."""


def pack_options(
    command: F,
    options: Sequence[Callable[..., Any]],
    names: Iterable[str],
    pack: Callable[[dict[str, Any]], dict[str, Any]],
) -> F:
    """Add options to a command that receives their values as fewer arguments.

    Args:
        command: The command to decorate.
        options: The options, in the order of the help.
        names: The parameter names click uses for their values.
        pack: Converts the values by name into the command's arguments.
    """

    @wraps(command)
    def run_command(*args: Any, **given: Any) -> Any:
        mine = {name: given.pop(name) for name in names}
        return command(*args, **pack(mine), **given)

    decorated: Any = run_command
    for option in reversed(options):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


def resolve_store(named: str | None) -> str:
    """Return the store to open: the option, else $SANIWA_STORE, else the default."""
    return named or os.environ.get("SANIWA_STORE") or DEFAULT_STORE


class ModelChoice(NamedTuple):
    """The model options of a command: which model to call, and its limits."""

    model: str | None = None
    """The model's specification, such as `ollama:llama3.2`."""
    model_url: str | None = None
    """The URL of an OpenAI-compatible server."""
    record: str | None = None
    """The file in which every request and answer is saved."""
    replay: str | None = None
    """The recording that answers instead of a model."""
    max_calls: int | None = None
    """Maximum number of model calls."""
    max_tokens: int | None = None
    """Maximum number of input and output tokens together."""
    max_cost: float | None = None
    """Maximum cost in US dollars."""

    def check(self) -> None:
        """Check that the options can be combined.

        Raises:
            click.UsageError: `--replay` is combined with a model or a recording.
        """
        if self.replay and (self.record or self.model or self.model_url):
            raise click.UsageError(
                "--replay answers without a model; drop --model, --model-url and --record"
            )

    @property
    def recorded_options(self) -> dict[str, object]:
        """The options to save in a journal, so that a resumed run uses them again.

        A URL that may contain a secret is left out.
        """
        options = {name: value for name, value in self._asdict().items() if value is not None}
        url = str(options.get("model_url", ""))
        if "@" in url or "?" in url:
            del options["model_url"]
        return options

    def merge_recorded(self, recorded: Mapping[str, Any]) -> "ModelChoice":
        """Return this choice, with missing options filled in from recorded ones.

        If this choice names a model, URL or recording, only limits are filled in.
        """
        replaces_model = bool(self.model or self.model_url or self.replay)
        missing: dict[str, Any] = {
            name: value
            for name, value in recorded.items()
            if name in self._fields
            and isinstance(value, str | int | float)
            and getattr(self, name) is None
            and not (replaces_model and not name.startswith("max_"))
        }
        return self._replace(**missing)

    def lower_limits(self, limits: "AgentLimits") -> "AgentLimits":
        """Return a definition's limits, lowered by those of the command line.

        An option never raises a limit.
        """
        from msgspec.structs import replace

        lowest = {}
        for name in ("max_calls", "max_tokens", "max_cost"):
            both = [
                each for each in (getattr(self, name), getattr(limits, name)) if each is not None
            ]
            lowest[name] = min(both, default=None)
        return replace(limits, **lowest)


def model_options(command: F) -> F:
    """Add the model options; the command receives them as `choice`, a `ModelChoice`."""
    return pack_options(
        command, _OPTIONS, ModelChoice._fields, lambda mine: {"choice": ModelChoice(**mine)}
    )


def _check_finite(
    ctx: click.Context, parameter: click.Parameter, value: float | None
) -> float | None:
    """Reject NaN and infinity: no spending could ever exceed such a limit."""
    if value is not None and not isfinite(value):
        raise click.BadParameter("it must be a number with an end.", ctx, parameter)
    return value


LIMIT_OPTIONS: Final = (
    add_option("--max-calls", "Ask models no oftener.", type=click.IntRange(min=0)),
    add_option("--max-tokens", "Spend no more tokens.", type=click.IntRange(min=0)),
    add_option(
        "--max-cost DOLLARS",
        "Spend no more US dollars.",
        type=click.FloatRange(min=0),
        callback=_check_finite,
    ),
)
"""Options for the spending limits of model calls."""
_OPTIONS = (
    add_option(
        "--model SPEC", "Ask this model: openai:NAME, ollama:NAME, local:smollm2, canned:FILE."
    ),
    add_option("--model-url URL", "Ask this OpenAI-compatible server."),
    add_option("--record FILE", "Keep what models answer."),
    add_option("--replay FILE", "Answer from such a file."),
    *LIMIT_OPTIONS,
)
