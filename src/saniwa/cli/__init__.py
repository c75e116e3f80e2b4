"""The command line: one door among several, and no decisions of its own.

Commands are loaded only when they are asked for, so that help comes in a blink.
"""

import contextlib
import os
import sys
from collections import namedtuple
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, TextIO

import click

from saniwa.cli.doors import Doors
from saniwa.cli.render import show_error, show_surprise
from saniwa.core.errors import SaniwaError
from saniwa.core.where import Where

_COMMANDS = {
    "serve": "Open the garden in a browser: play, watch, decide, compare, write.",
    "play": "Play a scenario or a story in the terminal.",
    "check": "Check stories and tell every mistake, with its place and cure.",
    "fmt": "Rewrite old notation in stories; they play as before.",
    "routes": "List every route through a story, and what none comes to.",
    "trace": "Play a story along given choices; one StepResult a line.",
    "test": "Play a story by chance, many times, and tell what was never reached.",
    "graph": "Draw a story's sections and choices, in Mermaid or SVG.",
    "dump": "Play a story by its first options, into one JSON document.",
    "story": "Count a story's words, and keep its translations.",
    "replay": "Play a recorded run again and compare every turn.",
    "log": "Read what happened in a run.",
    "scenario": "List, check, make and hash scenarios.",
    "rulebook": "Show, check and edit the rules of a world.",
    "gate": "Processes that only evidence moves: runs, events, approvals.",
    "agent": "Agents: check, list, run and draw them.",
    "experiment": "Experiments: plans, conditions, results, reports.",
    "mcp": "Serve the gate and the world to agents: the MCP server.",
    "host": "Stories for other engines: JSON lines in, JSON lines out.",
    "world": "The truth without a story: JSON lines in, JSON lines out.",
    "lsp": "Help an editor with stories: the language server.",
    "schema": "Print the JSON Schemas of what Saniwa reads and writes.",
}
"""Every command and its one line of help; each lives in a module of its name."""


@click.command(
    cls=Doors,
    package="saniwa.cli",
    lines=_COMMANDS,
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
    # A closed stream is None in Python; nobody below should have to know.
    sys.stdin = sys.stdin or _nothing("r")
    sys.stdout = sys.stdout or _nothing("w")
    sys.stderr = sys.stderr or _nothing("w")
    try:
        code = _run(list(sys.argv[1:] if args is None else args))
    except KeyboardInterrupt:  # pressed again while the first was being answered
        code = 130
    if args is None:
        _leave_in_peace()
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
            click.echo(err=True)  # so that the shell's prompt has a line of its own
        return 130
    except BrokenPipeError:
        # The reader has gone (`saniwa log | head`); there is nobody left to tell.
        _forget_output()
        return 0
    except (OSError, MemoryError) as problem:
        _forget_output()
        return show_error(_of_the_machine(problem), as_json=as_json)
    except Exception as problem:  # noqa: BLE001 - the door: nobody should meet a traceback
        return show_surprise(problem, as_json=as_json)


def _leave_in_peace() -> None:
    """Let another Ctrl-C change nothing: the end is under way, and its code is known."""
    import signal

    with contextlib.suppress(ValueError):  # not in the main thread, where it is heard
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Python remembers a Ctrl-C that passed through code made from text (a late import makes
    # its dataclasses so) and would end by that signal, though it was answered. It forgets
    # when the next such code is made, as for a tuple with names.
    namedtuple("Peace", ())


def _nothing(mode: str) -> TextIO:
    return Path(os.devnull).open(mode, encoding="utf-8")  # type: ignore[return-value]


def _forget_output() -> None:
    """Throw away what could not be written, so that leaving does not try again."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _of_the_machine(problem: OSError | MemoryError) -> SaniwaError:
    if isinstance(problem, MemoryError):
        return SaniwaError(
            "SYSTEM_ERROR", "there is not enough memory", hint="try something smaller"
        )
    where = Where(file=str(problem.filename)) if problem.filename else None
    return SaniwaError(
        "SYSTEM_ERROR",
        f"the system says no: {problem.strerror or problem}",
        where=where,
        hint="mend what it names and run the command again",
    )
