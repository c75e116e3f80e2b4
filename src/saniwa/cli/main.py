"""The entry point of the command line: the command tables, and errors to exit codes.

A command's module is imported only when that command runs, so `--help` stays fast.
The commands themselves are in the other modules of this package.
"""

import contextlib
import importlib
import os
import sys
from collections import namedtuple
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, TextIO

import click

from saniwa.cli.render import show_error, show_unexpected_error
from saniwa.core.errors import SaniwaError
from saniwa.core.findings import SourceLocation


class LazyGroup(click.Group):
    """A click group that imports a command's module only when the command is used."""

    def __init__(
        self, *args: Any, package: str, table: Mapping[str, tuple[str, str]], **more: Any
    ) -> None:
        """Create a group of the commands in `table`: name to (module, line of help).

        Module names are relative to `package`.
        """
        super().__init__(*args, **more)
        self._package = package
        self._table = table

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the command names in the order in which help shows them."""
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import and return the command of that name; None if there is none."""
        if cmd_name not in self._table:
            return None
        home = importlib.import_module(f"{self._package}.{self._table[cmd_name][0]}")
        command = getattr(home, cmd_name.replace("-", "_"))
        assert isinstance(command, click.Command)
        return command

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
            lines = [(name, line) for name, (_, line) in self._table.items()]
            formatter.write_dl(lines)


_COMMANDS = {
    "serve": ("serve", "Open the garden in a browser: play, watch, decide, compare, write."),
    "play": ("play.command", "Play a scenario or a story in the terminal."),
    "check": ("story.check", "Check stories and tell every mistake, with its place and cure."),
    "fmt": ("story.fmt", "Rewrite old notation in stories; they play as before."),
    "routes": ("story.exploration", "List every route through a story, and what none comes to."),
    "trace": ("story.playthrough", "Play a story along given choices; one StepResult a line."),
    "test": (
        "story.exploration",
        "Play a story by chance, many times, and tell what was never reached.",
    ),
    "graph": ("story.contents", "Draw a story's sections and choices, in Mermaid or SVG."),
    "dump": ("story.playthrough", "Play a story by its first options, into one JSON document."),
    "story": ("story.contents", "Count a story's words, and keep its translations."),
    "replay": ("runs", "Play a recorded run again and compare every turn."),
    "log": ("runs", "Read what happened in a run."),
    "scenario": ("scenario", "List, check, make and hash scenarios."),
    "rulebook": ("rulebook", "Show, check and edit the rules of a world."),
    "gate": ("main", "Processes that only evidence moves: runs, events, approvals."),
    "agent": ("main", "Agents: check, list, run and draw them."),
    "experiment": ("main", "Experiments: plans, conditions, results, reports."),
    "mcp": ("protocols", "Serve the gate and the world to agents: the MCP server."),
    "host": ("protocols", "Stories for other engines: JSON lines in, JSON lines out."),
    "world": ("protocols", "The truth without a story: JSON lines in, JSON lines out."),
    "lsp": ("protocols", "Help an editor with stories: the language server."),
    "schema": ("protocols", "Print the JSON Schemas of what Saniwa reads and writes."),
}


@click.command(
    cls=LazyGroup,
    package="saniwa.cli",
    table=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with: saniwa play",
)
@click.version_option(package_name="saniwa", message="%(prog)s %(version)s")
def saniwa() -> None:
    """Keep a story world true while people and language models live in it."""


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


def _run(args: list[str]) -> int:
    as_json = "--json" in args
    try:
        with saniwa.make_context("saniwa", args) as ctx:
            saniwa.invoke(ctx)
        sys.stdout.flush()
        return 0
    except click.exceptions.Exit as done:
        return done.exit_code
    except SaniwaError as problem:
        return show_error(problem, as_json=as_json)
    except click.ClickException as problem:
        problem.show()
        return 2
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


def _open_null_stream(mode: str) -> TextIO:
    return Path(os.devnull).open(mode, encoding="utf-8")  # type: ignore[return-value]


def _discard_output() -> None:
    """Drop unwritten output, so that the interpreter's exit does not try to flush it."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _make_system_error(problem: OSError | MemoryError) -> SaniwaError:
    if isinstance(problem, MemoryError):
        message, hint = "there is not enough memory", "try something smaller"
        return SaniwaError("SYSTEM_ERROR", message, hint=hint)
    where = SourceLocation(file=str(problem.filename)) if problem.filename else None
    message = f"the system says no: {problem.strerror or problem}"
    hint = "mend what it names and run the command again"
    return SaniwaError("SYSTEM_ERROR", message, where=where, hint=hint)


_AGENT_COMMANDS = {
    "check": ("agent", "Check agents and tell every mistake, with its place and cure."),
    "list": ("agent", "List the agents."),
    "run": ("agent", "Run an agent, by itself or at a gate."),
    "runs": ("agent", "List the runs of an agent."),
    "graph": ("agent", "Draw an agent's flow."),
    "new": ("agent", "Write an agent of your own, to begin from."),
}


@click.command(
    cls=LazyGroup,
    package="saniwa.cli",
    table=_AGENT_COMMANDS,
    epilog="""\b
Examples:
  saniwa agent new guide
  saniwa agent check guide
  saniwa agent graph guide --format svg -o guide.svg
""",
)
def agent() -> None:
    """Agents: configured, driven by a model, and checked before any model is asked.

    Wherever NAME is asked for, give a folder with an `agent.json`, or the name of a
    folder below `.agent`, or of an agent that comes with Saniwa.
    """


_EXPERIMENT_COMMANDS = {
    "run": ("run", "Carry out a plan, and write its results and report."),
    "resume": ("run", "Go on with an experiment that was stopped."),
    "report": ("results", "Write the report again, from what is kept."),
    "compare": ("results", "Compare two experiments, condition by condition."),
    "list": ("results", "List the experiments."),
    "show": ("show", "Show an experiment, a cell, or one turn of it as it passed."),
    "replay": ("execution", "Play every cell again from its answers, and compare."),
    "export": ("results", "Write all turns as a table, for other programs."),
}


@click.command(
    cls=LazyGroup,
    package="saniwa.cli.experiment",
    table=_EXPERIMENT_COMMANDS,
    epilog="""\b
Examples:
  saniwa experiment run --scenario coffee_trap --profile full
  saniwa experiment run plan.yaml --dry-run
  saniwa experiment resume
  saniwa experiment show last
""",
)
def experiment() -> None:
    """Experiments: conditions crossed, runs repeated, every turn judged by one book.

    Wherever EXPERIMENT is asked for, give its folder, the folder's name, its id, or
    `last` for the newest.
    """


_GATE_COMMANDS = {
    "create-run": ("runs", "Begin a run of a process."),
    "state": ("history", "Show where a run stands, and what is missing."),
    "events": ("events", "List what can be sent now."),
    "emit": ("events", "Send an event, with its evidence."),
    "review": ("events", "Show what a decision is made on."),
    "approve": ("events", "Approve what was reviewed; for people."),
    "reject": ("events", "Send it back; for people."),
    "override": ("events", "Put a guard aside, with a reason; for people."),
    "runs": ("runs", "List the runs."),
    "history": ("history", "Tell who did what, when and on which evidence."),
    "verify": ("history", "Read runs again from the first byte, evidence included."),
    "watch": ("history", "Follow a run."),
    "tick": ("runs", "Take the transitions whose time has come."),
    "migrate": ("runs", "Move a run to its process as it is now; for people."),
    "export": ("history", "Write a run as the published CSV."),
    "processes": ("processes", "List the processes."),
    "new": ("processes", "Write a process of your own, to begin from."),
    "check": ("processes", "Check definitions and tell every mistake."),
    "graph": ("processes", "Draw a process."),
    "people": ("people", "Say who may come as a person."),
    "hook": ("hook", "Answer a tool's hook from the state's permissions."),
}


@click.command(
    cls=LazyGroup,
    package="saniwa.cli.gate",
    table=_GATE_COMMANDS,
    epilog="""\b
Examples:
  saniwa gate create-run --process exploration --write-config
  saniwa gate state
  saniwa gate emit submit_hypothesis --expected-revision 1 --key hyp-001 \\
      --artifact hypothesis.md
  saniwa gate history last
""",
)
def gate() -> None:
    """Processes that nobody can talk their way past.

    A run stands in a state, and only events with their evidence move it. Wherever RUN
    is asked for, give its id, the beginning or end of it, or `last`; it may be left out
    where `create-run --write-config` has named one.
    """
