"""The entry point of the command line: groups of commands, and errors to exit codes.

A command's module is imported only when that command runs, so `--help` stays fast.
The commands themselves are in the other modules of this package.
"""

import contextlib
import importlib
import os
import sys
from collections import namedtuple
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NoReturn, TextIO

import click

from saniwa.cli.command_definition import find_defined_command, load_command_table
from saniwa.cli.render import adapt_commands, show_command_error, show_error, show_unexpected_error
from saniwa.core.errors import SaniwaError
from saniwa.core.findings import SourceLocation


class LazyGroup(click.Group):
    """A group of commands that imports a command's module only when it is used.

    Its commands are those of `commands.json` whose path begins with its own.
    """

    def __init__(self, path: str = "", **settings: Any) -> None:
        """Create the group that is called by `path`; the empty path has every command."""
        table, lead = load_command_table().commands, f"{path} ".lstrip()
        super().__init__(path.rpartition(" ")[2] or "saniwa", **settings)
        self._path = lead
        self._table = {
            name.removeprefix(lead): entry
            for name, entry in table.items()
            if name.startswith(lead) and " " not in name.removeprefix(lead)
        }

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the command names in the order in which help shows them."""
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import and return the command of that name; None if there is none."""
        entry, path = self._table.get(cmd_name), self._path + cmd_name
        if entry is None:
            return None
        if not entry.module:
            return LazyGroup(path, help=entry.about, epilog=entry.epilog)
        importlib.import_module(f"saniwa.cli.{entry.module}")
        return find_defined_command(path)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command to run; for an unknown name, suggest the nearest one."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as problem:
            from saniwa.core.suggestions import get_nearest

            nearest = get_nearest(args[0], self._table)
            if nearest is None:
                raise
            message = f"{problem.format_message()} Did you mean {nearest!r}?"
            raise click.UsageError(message, ctx) from problem

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's signature
        formatter: click.HelpFormatter,
    ) -> None:
        """Write every command with its line of help, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, each.summary) for name, each in self._table.items()])


saniwa = click.version_option(package_name="saniwa", message="%(prog)s %(version)s")(
    LazyGroup(
        help="Keep a story world true while people and language models live in it.",
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="Start with: saniwa play",
    )
)
"""The command line."""


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit the process with its exit code.

    0 fine, 1 findings, 2 usage, 3 stopped by an error, 4 try again, 130 interrupted.
    """
    # Python sets a closed stream to None; commands should not have to check for that.
    sys.stdin = sys.stdin or _open_null_stream("r")
    sys.stdout = sys.stdout or _open_null_stream("w")
    sys.stderr = sys.stderr or _open_null_stream("w")
    try:
        code = _run(list(sys.argv[1:] if args is None else args))
    except KeyboardInterrupt:  # Ctrl-C again while the first one was handled
        code = 130
    if args is None:
        _ignore_interrupts()
    sys.exit(code)


def _export_spans(args: list[str]) -> contextlib.AbstractContextManager[None]:
    """Send spans to the collector that the environment names; `serve` does so itself."""
    if args[:1] == ["serve"] or not any(each.startswith("OTEL_EXPORTER_") for each in os.environ):
        return contextlib.nullcontext()
    from saniwa.app.trace_export import export_spans, is_collector_named

    return export_spans() if is_collector_named() else contextlib.nullcontext()


def _run(args: list[str]) -> int:
    as_json = "--json" in args
    try:
        with _export_spans(args), saniwa.make_context("saniwa", args) as ctx:
            saniwa.invoke(ctx)
        sys.stdout.flush()
        return 0
    except click.exceptions.Exit as done:
        return done.exit_code
    except SaniwaError as problem:
        return show_error(problem, as_json=as_json)
    except click.exceptions.NoArgsIsHelpError as problem:
        click.echo(adapt_commands(problem.format_message()), err=True)
        return 2
    except click.ClickException as problem:
        return show_command_error(problem)
    except (click.Abort, KeyboardInterrupt):
        if sys.stderr.isatty():
            click.echo(err=True)  # so that the shell's prompt starts on a new line
        return 130
    except BrokenPipeError:
        # The reading process has closed the pipe (`saniwa log | head`): not an error.
        _discard_output()
        return 0
    except (OSError, MemoryError) as problem:
        _discard_output()
        return show_error(_make_system_error(problem), as_json=as_json)
    except Exception as problem:  # noqa: BLE001 - the outermost handler: users never see a traceback
        return show_unexpected_error(problem, as_json=as_json)


def _ignore_interrupts() -> None:
    """Ignore further Ctrl-C: the process is exiting and its exit code is decided."""
    import signal

    with contextlib.suppress(ValueError):  # raised outside the main thread
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Python remembers a Ctrl-C that passed through code compiled from a string (a late
    # import creates its dataclasses that way) and would exit by that signal although it
    # was handled. It forgets when it next compiles such code, as for a namedtuple.
    namedtuple("Peace", ())


def _open_null_stream(mode: Literal["r", "w"]) -> TextIO:
    return Path(os.devnull).open(mode, encoding="utf-8")


def _discard_output() -> None:
    """Drop unwritten output, so that the interpreter's exit does not try to flush it."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _make_system_error(problem: OSError | MemoryError) -> SaniwaError:
    if isinstance(problem, MemoryError):
        message, hint = "there is not enough memory", "try with less input"
        return SaniwaError("SYSTEM_ERROR", message, hint=hint)
    where = SourceLocation(file=str(problem.filename)) if problem.filename else None
    message = f"the operating system refused: {problem.strerror or problem}"
    hint = "fix the cause and run the command again"
    return SaniwaError("SYSTEM_ERROR", message, where=where, hint=hint)
