"""Options that several commands share."""

import os
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, TypeVar

import click


class Utf8TextType(click.ParamType[str]):
    """A text that can be kept and shown."""

    name = "text"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """The text; what was typed in another encoding is refused."""
        try:
            value.encode()
        except UnicodeEncodeError:
            self.fail(f"{value!r} is no UTF-8 text", param, ctx)
        return value


UTF8_TEXT = Utf8TextType()
"""The kind of everything that goes into a log."""


F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_STORE = ".saniwa/saniwa.sqlite"
"""Where runs are kept unless somebody says otherwise."""


def store_option(command: F) -> F:
    """Where runs are kept."""
    return click.option(
        "--store",
        metavar="WHERE",
        help=f"A SQLite file or postgresql:// address (else $SANIWA_STORE, else {DEFAULT_STORE}).",
    )(command)


def registry_option(command: F) -> F:
    """Where scenario ids are found."""
    return click.option(
        "--registry",
        metavar="PATH",
        help="The registry that scenario ids are found in.",
    )(command)


def json_option(command: F) -> F:
    """For machines."""
    return click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")(
        command
    )


def pack_options(
    command: F,
    options: Sequence[Callable[..., Any]],
    names: Iterable[str],
    pack: Callable[[dict[str, Any]], dict[str, Any]],
) -> F:
    """The command with more options, which come to it as fewer arguments.

    Args:
        command: What is decorated.
        options: The options, in the order of the help.
        names: What click calls their values.
        pack: Makes arguments of the values.
    """

    @wraps(command)
    def unpacked(*args: Any, **given: Any) -> Any:
        mine = {name: given.pop(name) for name in names}
        return command(*args, **pack(mine), **given)

    decorated: Any = unpacked
    for option in reversed(options):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


def resolve_store(named: str | None) -> str:
    """The store to open: the option, else the environment, else the default."""
    return named or os.environ.get("SANIWA_STORE") or DEFAULT_STORE
