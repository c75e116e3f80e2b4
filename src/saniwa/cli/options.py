"""Options that several commands share."""

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

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


def store_place(named: str | None) -> str:
    """The store to open: the option, else the environment, else the default."""
    return named or os.environ.get("SANIWA_STORE") or DEFAULT_STORE
