"""The command line: one door among several, and no decisions of its own.

Commands are loaded only when they are asked for, so that help comes in a blink.
"""

import importlib
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from saniwa.cli.render import show_error, show_surprise
from saniwa.core.errors import SaniwaError

_COMMANDS = {
    "play": "Play a scenario in the terminal.",
    "replay": "Play a recorded run again and compare every turn.",
    "log": "Read what happened in a run.",
    "scenario": "List, check, make and hash scenarios.",
    "rulebook": "Show, check and edit the rules of a world.",
    "world": "The truth without a story: JSON lines in, JSON lines out.",
    "schema": "Print the JSON Schemas of what Saniwa reads and writes.",
}
"""Every command and its one line of help; each lives in a module of its name."""


class _Doors(click.Group):
    """A group that imports a command only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"saniwa.cli.{cmd_name}")
        command = getattr(module, cmd_name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as problem:
            from saniwa.core.near import near

            nearest = near(args[0], _COMMANDS)
            if nearest is None:
                raise
            told = f"{problem.format_message()} Did you mean {nearest!r}?"
            raise click.UsageError(told, ctx) from problem

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's signature
        formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.command(
    cls=_Doors,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with: saniwa play",
)
@click.version_option(package_name="saniwa", message="%(prog)s %(version)s")
def saniwa() -> None:
    """Keep a story world true while people and language models live in it."""


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code.

    0 fine, 1 findings, 2 usage, 3 stopped by an error, 4 try again, 130 interrupted.
    """
    sys.exit(_run(list(sys.argv[1:] if args is None else args)))


def _run(args: list[str]) -> int:
    as_json = "--json" in args
    try:
        code: Any = saniwa.main(args, prog_name="saniwa", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except SaniwaError as problem:
        return show_error(problem, as_json=as_json)
    except click.ClickException as problem:
        problem.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:
        # The reader has gone (`saniwa log | head`); there is nobody left to tell.
        sys.stderr.close()
        return 0
    except Exception as problem:  # noqa: BLE001 - the door: nobody should meet a traceback
        return show_surprise(problem, as_json=as_json)
