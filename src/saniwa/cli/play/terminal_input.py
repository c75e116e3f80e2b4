"""The terminal's own commands, and lines of input: typed, or read from prepared lines.

While waiting for the keyboard, a condition is polled, such as a change of the story's
file.
"""

import contextlib
import os
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from time import monotonic
from typing import Final, Protocol

import click

from saniwa.core import system_calls
from saniwa.core.text import escape_control_characters

PROMPT: Final = "> "
"""The prompt before the reader's words."""
_POLL_SECONDS: Final = 0.2
"""Seconds between two polls of the condition."""
_MAX_WAIT_SECONDS: Final = 3600.0
"""Maximum of a pause, whatever an author writes."""
_CURSOR_UP: Final = "\x1b[1A"
_CLEAR_LINE: Final = "\r\x1b[2K"

TERMINAL_WORDS: Final = tomllib.loads(
    Path(__file__).with_name("phrases.toml").read_text(encoding="utf-8")
)
"""The terminal's commands, and its phrases by language."""
COMMANDS: Final[dict[str, list[str]]] = TERMINAL_WORDS["commands"]
"""The terminal's own commands in a scenario and their spellings."""
STORY_COMMANDS: Final[dict[str, list[str]]] = {
    **TERMINAL_WORDS["story_commands"],
    "quit": COMMANDS["quit"],
}
"""The terminal's own commands in a story."""
SEAT_WORDS: Final[dict[str, list[str]]] = TERMINAL_WORDS["seat_words"]
"""Words for taking a seat and handing it back, before and after a name."""
_COMMANDS_WITH_ARGUMENT: Final = frozenset({"preview", "rules"})


def parse_command(
    text: str, commands: Mapping[str, Sequence[str]] = COMMANDS
) -> tuple[str, str] | None:
    """Parse a line as a command and its argument; None if it belongs to the story."""
    first, _, rest = text.strip().removeprefix("/").partition(" ")
    first, full, more = first.partition("　")
    rest = more if full else rest
    for name, spellings in commands.items():
        if first.casefold() in spellings:
            is_command = name in _COMMANDS_WITH_ARGUMENT or not rest.strip()
            return (name, rest.strip()) if is_command else None
    return None


class InputEvent(Enum):
    """An event that ended the wait instead of a line."""

    NEWS = "news"
    """The polled condition became true."""
    TIME = "time"
    """The time to read the page is over."""


class LineInput(Protocol):
    """The source of a reader's lines."""

    def read_line(self, prompt: str, until: Callable[[], bool]) -> str | InputEvent:
        """Return the next line, or the event if `until` becomes true first.

        Raises:
            EOFError: There will be no more lines.
        """

    def wait_at_page(
        self, prompt: str, until: Callable[[], bool], patience: float | None
    ) -> str | InputEvent:
        """Wait until the reader turns the page; return what was typed, usually nothing.

        Returns an event if `until` becomes true first, or if `patience` is given and so
        many seconds have passed.

        Raises:
            EOFError: There will be no more lines.
        """

    def pause(self, seconds: float) -> None:
        """Wait for so many seconds."""


class ScriptedLineInput:
    """Prepared lines; pages turn without waiting."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self.spoke = False
        """Whether any line has been read."""

    def read_line(self, prompt: str, until: Callable[[], bool]) -> str | InputEvent:
        """Return the next line, and print it as if it were typed."""
        if until():
            return InputEvent.NEWS
        line = next(self._lines, None)
        if line is None:
            raise EOFError
        self.spoke = True
        echo_line(prompt, line)
        return line

    def wait_at_page(
        self,
        prompt: str,  # noqa: ARG002 - not shown
        until: Callable[[], bool],
        patience: float | None,  # noqa: ARG002 - no waiting
    ) -> str | InputEvent:
        """Turn the page at once: return an empty line, or the event."""
        return InputEvent.NEWS if until() else ""

    def pause(self, seconds: float) -> None:
        """Do not wait."""


class KeyboardLineInput:
    """A person at a terminal."""

    def __init__(self) -> None:
        self._edits = _enable_line_editing()
        self._erases = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"

    def read_line(self, prompt: str, until: Callable[[], bool]) -> str | InputEvent:
        """Return the typed line without its line end, or the event."""
        return self._read_typed_line(prompt, until, None)

    def wait_at_page(
        self, prompt: str, until: Callable[[], bool], patience: float | None
    ) -> str | InputEvent:
        """Return the typed line or the event; erase the prompt if only Enter was typed."""
        typed = self._read_typed_line(prompt, until, patience)
        if typed == "" and self._erases:
            click.echo(f"{_CURSOR_UP}{_CLEAR_LINE}", nl=False)
        return typed

    def pause(self, seconds: float) -> None:
        """Wait for so many seconds; any key ends the pause."""
        with system_calls.disable_echo():
            if system_calls.wait_for_input(min(seconds, _MAX_WAIT_SECONDS)):
                system_calls.discard_input()

    def _read_typed_line(
        self, prompt: str, until: Callable[[], bool], patience: float | None
    ) -> str | InputEvent:
        try:
            # Echo is turned off before the prompt appears, so that no early key is echoed.
            with system_calls.disable_echo() if self._edits else contextlib.nullcontext():
                click.echo(prompt, nl=False)
                event = wait_for_key(until, patience)
            if event is None:
                # The key is still unread: readline prints the prompt once more over
                # the first one, and then edits the line.
                click.echo("\r" * self._edits, nl=False)
                return input(prompt * self._edits)
        except (KeyboardInterrupt, EOFError):
            click.echo()
            raise
        if self._erases:
            click.echo(_CLEAR_LINE, nl=False)
        else:
            click.echo()
        return event


def echo_line(prompt: str, line: str) -> None:
    """Print a line as if it were typed."""
    click.secho(f"{prompt}{escape_control_characters(line.strip())}", bold=True)


def wait_for_key(until: Callable[[], bool], patience: float | None) -> InputEvent | None:
    """Return None when a key is pressed, or the event that came first."""
    end = None if patience is None else monotonic() + patience
    while not system_calls.wait_for_input(_POLL_SECONDS):
        if until():
            return InputEvent.NEWS
        if end is not None and monotonic() >= end:
            return InputEvent.TIME
    return None


def _enable_line_editing() -> bool:
    """Enable readline; return whether lines can be edited with the arrow keys."""
    if not sys.stdout.isatty():
        return False
    try:
        import readline  # noqa: F401 - its import gives `input` keys and history
    except ImportError:
        return False
    return True
