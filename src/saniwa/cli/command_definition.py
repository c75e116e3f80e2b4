"""How a command is made of a function, and options that several commands share.

`commands.json` has the words: which commands there are, and what help says of each and
of its options. A function's parameters say which options it has, and of which type.
"""

import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from inspect import Parameter, cleandoc, signature
from math import isfinite
from pathlib import Path
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeAlias,
    Union,
    get_args,
    get_origin,
)

import click
import msgspec

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
            self.fail(f"{value!r} is not UTF-8 text", param, ctx)
        return value


class StoryPathType(click.ParamType[str]):
    """The file of a story; the file of a scenario is refused, with the command that reads it."""

    name = "path"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the path; reject one whose suffix is that of a JSON or YAML file."""
        # Imported late: other commands read no documents.
        from saniwa.documents.document import FORMATS

        if Path(value).suffix.lower() in FORMATS:
            self.fail(
                f"{value!r} is not a story; if it is a scenario, try: "
                f"saniwa scenario check {shlex.quote(value)}",
                param,
                ctx,
            )
        return value


StoryPath: TypeAlias = Annotated[str, StoryPathType()]
"""The type of every argument that names the file of a story."""

Utf8Text: TypeAlias = Annotated[str, Utf8TextType()]
"""The type of every option whose text is written to a log."""

RunToResume: TypeAlias = Annotated[str | None, {"is_flag": False, "flag_value": "last"}]
"""The type of `--resume`; without a name it is the newest run."""

DEFAULT_STORE = ".saniwa/saniwa.sqlite"
"""Where runs are stored without an option or an environment variable."""


class CommandEntry(msgspec.Struct, frozen=True, kw_only=True):
    """The words of one command, or of a group of commands."""

    module: str = ""
    """The module that defines it, below this package; empty for a group."""
    summary: str
    """One line for the list of commands."""
    about: str = ""
    """The help of a group; that of a command is its docstring."""
    examples: list[str] = []
    """Lines at the end of its help."""
    options: dict[str, tuple[str, str]] = {}
    """Its own options by parameter: the usage, such as `-o, --output FILE`, and the help.

    A usage without dashes is an argument; in brackets it may be left out. A help that ends
    with `{default}` shows the default.
    """

    @property
    def epilog(self) -> str | None:
        """The examples, as click shows them after the options."""
        if not self.examples:
            return None
        title = "Examples:" if len(self.examples) > 1 else "Example:"
        return "\n  ".join([f"\b\n{title}", *self.examples])


class CommandTable(msgspec.Struct, frozen=True):
    """All commands of the command line."""

    options: dict[str, tuple[str, str]]
    """Options that mean the same in several commands, by parameter."""
    commands: dict[str, CommandEntry]
    """By what is typed, such as `gate create-run`; in the order of the help."""


_TABLE_DECODER = msgspec.json.Decoder(CommandTable)


@cache
def load_command_table() -> CommandTable:
    """Return the words of all commands."""
    return _TABLE_DECODER.decode(Path(__file__).with_name("commands.json").read_bytes())


_DEFINED = dict[str, click.Command]()


def find_defined_command(path: str) -> click.Command:
    """Return a command whose module is imported."""
    return _DEFINED[path]


def define_command(
    path: str, kind: type[click.Command] = click.Command, **settings: Any
) -> Callable[[Callable[..., None]], click.Command]:
    """Make a command of a function, whose parameters become options and arguments.

    A `bool` is a flag, a tuple a repeated option, a `Literal` a choice; what may be None
    may be left out. In `Annotated`, a click type or further settings may be added. A named
    tuple stands for one option for each of its fields.

    Args:
        path: What is typed to call it, such as `gate create-run`.
        kind: The class of the command.
        settings: Further settings of the command.
    """
    table = load_command_table()
    entry = table.commands[path]
    words = table.options | entry.options

    def make_command(function: Callable[..., None]) -> click.Command:
        _DEFINED[path] = command = kind(
            path.rpartition(" ")[2],
            callback=lambda **given: function(**_pack_values(function, given)),
            params=[*_list_parameters(function, words)],
            help=cleandoc(function.__doc__ or ""),
            epilog=entry.epilog,
            **settings,
        )
        return command

    return make_command


def _pack_values(owner: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a function or named tuple, from the values of all options."""
    return {
        name: kind(**_pack_values(kind, given)) if _is_packed(kind) else given[name]
        for name, kind in _list_annotations(owner)
    }


def _list_annotations(owner: Callable[..., Any]) -> list[tuple[str, Any]]:
    return [(name, each.annotation) for name, each in signature(owner).parameters.items()]


def _is_packed(kind: Any) -> bool:
    return hasattr(kind, "_fields")


def _list_parameters(
    owner: Callable[..., Any], words: Mapping[str, tuple[str, str]]
) -> Iterator[click.Parameter]:
    for name, each in signature(owner).parameters.items():
        if _is_packed(each.annotation):
            yield from _list_parameters(each.annotation, words)
        else:
            settings = _read_type(each.annotation)
            if each.default not in (Parameter.empty, None, ()):
                settings |= {"required": False, "default": each.default}
            yield _make_parameter(name, settings, *words[name])


def _read_type(kind: Any) -> dict[str, Any]:
    """Return the settings of an option of this type."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        settings = _read_type(parts[0])
        for each in parts[1:]:
            settings |= each if isinstance(each, dict) else {"type": each}
        return settings
    if origin is tuple:
        return _read_type(parts[0]) | {"multiple": True, "required": False}
    if origin in (Union, UnionType):
        return _read_type(parts[0]) | {"required": False}
    if origin is Literal:
        return {"type": click.Choice(parts), "required": True}
    return {"is_flag": True} if kind is bool else {"type": kind, "required": True}


_FLAG = re.compile(r"(?:^|, )(--?[\w-]+)")


def _make_parameter(name: str, settings: dict[str, Any], usage: str, help: str) -> click.Parameter:
    flags = _FLAG.findall(usage)
    placeholder = usage.partition(flags[-1])[2].strip() if flags else usage
    if not flags:
        repeated = {"nargs": -1} if settings.pop("multiple", False) else {}
        optional = usage.startswith("[") and usage.rstrip(".…").endswith("]")
        needed = {"required": not optional}
        return click.Argument([name], metavar=usage, **(settings | needed | repeated))
    if isinstance(settings.get("type"), click.IntRange | click.FloatRange):
        # Otherwise an error says that '80a' is not a valid integer range.
        settings["type"].name = "number"
    if placeholder:
        settings["metavar"] = placeholder
    shown = {"show_default": True} if help.endswith("{default}") else {}
    return click.Option([*flags, name], help=help.removesuffix(" {default}"), **settings, **shown)


def resolve_store(named: str | None) -> str:
    """Return the store to open: the option, else $SANIWA_STORE, else the default."""
    return named or os.environ.get("SANIWA_STORE") or DEFAULT_STORE


def _check_finite(
    ctx: click.Context, parameter: click.Parameter, value: float | None
) -> float | None:
    """Reject NaN and infinity: no spending could ever exceed such a limit."""
    if value is not None and not isfinite(value):
        raise click.BadParameter("it must be a finite number.", ctx, parameter)
    return value


CountLimit: TypeAlias = Annotated[int | None, click.IntRange(min=0)]
"""The largest number of something; None for no limit."""
CostLimit: TypeAlias = Annotated[float | None, click.FloatRange(min=0), {"callback": _check_finite}]
"""The most to spend, in US dollars; None for no limit."""


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
    max_calls: CountLimit = None
    """Maximum number of model calls."""
    max_tokens: CountLimit = None
    """Maximum number of input and output tokens together."""
    max_cost: CostLimit = None
    """Maximum cost in US dollars."""

    def check(self) -> None:
        """Check that the options can be combined.

        Raises:
            click.UsageError: `--replay` is combined with a model or a recording.
        """
        if self.replay and (self.record or self.model or self.model_url):
            raise click.UsageError(
                "--replay replaces the model; remove --model, --model-url and --record"
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
