"""A group of commands, each imported only when it is asked for."""

import importlib
from collections.abc import Mapping
from typing import Any

import click


class Doors(click.Group):
    """Commands that live in modules of their names: help comes in a blink."""

    def __init__(
        self, *args: Any, package: str, lines: Mapping[str, str], **more: Any
    ) -> None:
        """A group of the modules of a package; one line of help for each command."""
        super().__init__(*args, **more)
        self._package = package
        self._lines = lines

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names, in the order in which help shows them."""
        return list(self._lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The command of a name."""
        if cmd_name not in self._lines:
            return None
        name = cmd_name.replace("-", "_")
        command = getattr(importlib.import_module(f"{self._package}.{name}"), name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command somebody means; a near name is offered."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as problem:
            from saniwa.core.near import near

            nearest = near(args[0], self._lines)
            if nearest is None:
                raise
            told = f"{problem.format_message()} Did you mean {nearest!r}?"
            raise click.UsageError(told, ctx) from problem

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's signature
        formatter: click.HelpFormatter,
    ) -> None:
        """Every command and its line."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._lines.items()))
