"""Where lines come from: a person at a keyboard, or lines written down before.

While a person is waited for, something else can be watched: a file that its author may
save at any moment.
"""

import contextlib
import os
import select
import sys
import termios
from collections.abc import Callable, Iterator
from enum import Enum
from time import monotonic
from typing import Final, Protocol

import click

from saniwa.core.text import escape_control_characters

PROMPT: Final = "> "
"""What stands before the words of a reader."""
_POLL_SECONDS: Final = 0.2
"""Seconds between two looks at what is watched."""
_MAX_WAIT_SECONDS: Final = 3600.0
"""Seconds that are waited at most, whatever an author asks for."""
_CURSOR_UP: Final = "\x1b[1A"
_CLEAR_LINE: Final = "\r\x1b[2K"


class InputEvent(Enum):
    """What came instead of a line."""

    NEWS = "news"
    """What is watched has changed."""
    TIME = "time"
    """The time for the page is over."""


class LineInput(Protocol):
    """Whoever decides how a story goes on."""

    def read_line(self, prompt: str, until: Callable[[], bool]) -> str | InputEvent:
        """The next line, or the news that came before it.

        Raises:
            EOFError: There will be no more lines.
        """
        ...

    def wait_at_page(
        self, prompt: str, until: Callable[[], bool], patience: float | None
    ) -> str | InputEvent:
        """What is typed before the page is turned, mostly nothing; or what came first.

        With patience, the page turns by itself after so many seconds.

        Raises:
            EOFError: There will be no more lines.
        """
        ...

    def pause(self, seconds: float) -> None:
        """Let time pass."""
        ...


class ScriptedLineInput:
    """Lines that were written down before; pages turn by themselves."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self.spoke = False
        """Whether there was any line at all."""

    def read_line(self, prompt: str, until: Callable[[], bool]) -> str | InputEvent:
        """The next line, shown as if it were typed."""
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
        prompt: str,  # noqa: ARG002 - nobody sees it
        until: Callable[[], bool],
        patience: float | None,  # noqa: ARG002 - nobody waits
    ) -> str | InputEvent:
        """Nothing: the page is turned."""
        return InputEvent.NEWS if until() else ""

    def pause(self, seconds: float) -> None:
        """Nobody waits."""


class KeyboardLineInput:
    """A person at a terminal."""

    def __init__(self) -> None:
        self._edits = _enable_line_editing()
        self._erases = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"

    def read_line(self, prompt: str, until: Callable[[], bool]) -> str | InputEvent:
        """What is typed, without the end of its line."""
        return self._read_typed_line(prompt, until, None)

    def wait_at_page(
        self, prompt: str, until: Callable[[], bool], patience: float | None
    ) -> str | InputEvent:
        """What is typed; a page that was only turned leaves no trace of its prompt."""
        typed = self._read_typed_line(prompt, until, patience)
        if typed == "" and self._erases:
            click.echo(f"{_CURSOR_UP}{_CLEAR_LINE}", nl=False)
        return typed

    def pause(self, seconds: float) -> None:
        """Wait so long; any key ends it."""
        with _disable_echo():
            if _has_input(min(seconds, _MAX_WAIT_SECONDS)):
                termios.tcflush(sys.stdin, termios.TCIFLUSH)

    def _read_typed_line(
        self, prompt: str, until: Callable[[], bool], patience: float | None
    ) -> str | InputEvent:
        try:
            # Quiet before anybody can see that something may be typed.
            with _disable_echo() if self._edits else contextlib.nullcontext():
                click.echo(prompt, nl=False)
                came = _wait_for_key(until, patience)
            if came is None:
                # What was pressed still waits to be read: the prompt is written once
                # more in its place, now by whoever edits the line.
                click.echo("\r" * self._edits, nl=False)
                return input(prompt * self._edits)
        except (KeyboardInterrupt, EOFError):
            click.echo()
            raise
        if self._erases:
            click.echo(_CLEAR_LINE, nl=False)
        else:
            click.echo()
        return came


def echo_line(prompt: str, line: str) -> None:
    """Show a line as if it were typed."""
    click.secho(f"{prompt}{escape_control_characters(line.strip())}", bold=True)


def _wait_for_key(
    until: Callable[[], bool], patience: float | None
) -> InputEvent | None:
    """None as soon as a key is pressed, else what came before."""
    end = None if patience is None else monotonic() + patience
    while not _has_input(_POLL_SECONDS):
        if until():
            return InputEvent.NEWS
        if end is not None and monotonic() >= end:
            return InputEvent.TIME
    return None


def _has_input(seconds: float) -> bool:
    return bool(select.select([sys.stdin], [], [], seconds)[0])


def _enable_line_editing() -> bool:
    """Whether lines can be edited with arrows: then each key is seen as it is pressed."""
    if not sys.stdout.isatty():
        return False
    try:
        import readline  # noqa: F401 - its import gives `input` keys and history
    except ImportError:
        return False
    return True


@contextlib.contextmanager
def _disable_echo() -> Iterator[None]:
    """A terminal that gives every key at once and shows none; Ctrl-C still works."""
    before = termios.tcgetattr(sys.stdin)
    quiet = [*before]
    quiet[3] = before[3] & ~(termios.ICANON | termios.ECHO)
    try:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, quiet)
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
