"""Options that several commands share."""

import os
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, TypeVar

import click


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
