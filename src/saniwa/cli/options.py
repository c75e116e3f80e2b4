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


def store_option(command: F) -> F:
    """Add the option `--store`: where runs are stored."""
    return click.option(
        "--store",
        metavar="WHERE",
        help=f"A SQLite file or postgresql:// address (else $SANIWA_STORE, else {DEFAULT_STORE}).",
    )(command)


def registry_option(command: F) -> F:
    """Add the option `--registry`: where scenario ids are looked up."""
    return click.option(
        "--registry", metavar="PATH", help="The registry that scenario ids are found in."
    )(command)


def json_option(command: F) -> F:
    """Add the flag `--json`, which the command receives as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")(command)


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
