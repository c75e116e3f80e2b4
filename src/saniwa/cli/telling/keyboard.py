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

from saniwa.core.quoted import printable

PROMPT: Final = "> "
"""What stands before the words of a reader."""
_GLANCE: Final = 0.2
"""Seconds between two looks at what is watched."""
_LONGEST: Final = 3600.0
"""Seconds that are waited at most, whatever an author asks for."""
_UP: Final = "\x1b[1A"
_EMPTY_LINE: Final = "\r\x1b[2K"


class Came(Enum):
    """What came instead of a line."""

    NEWS = "news"
    """What is watched has changed."""
    TIME = "time"
    """The time for the page is over."""


class Hand(Protocol):
    """Whoever decides how a story goes on."""

    def line(self, prompt: str, until: Callable[[], bool]) -> str | Came:
        """The next line, or the news that came before it.

        Raises:
            EOFError: There will be no more lines.
        """
        ...

    def page(
        self, prompt: str, until: Callable[[], bool], patience: float | None
    ) -> str | Came:
        """What is typed before the page is turned, mostly nothing; or what came first.

        With patience, the page turns by itself after so many seconds.

        Raises:
            EOFError: There will be no more lines.
        """
        ...

    def pause(self, seconds: float) -> None:
        """Let time pass."""
        ...


class Written:
    """Lines that were written down before; pages turn by themselves."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self.spoke = False
        """Whether there was any line at all."""

    def line(self, prompt: str, until: Callable[[], bool]) -> str | Came:
        """The next line, shown as if it were typed."""
        if until():
            return Came.NEWS
        line = next(self._lines, None)
        if line is None:
            raise EOFError
        self.spoke = True
        show_typed(prompt, line)
        return line

    def page(
        self,
        prompt: str,  # noqa: ARG002 - nobody sees it
        until: Callable[[], bool],
        patience: float | None,  # noqa: ARG002 - nobody waits
    ) -> str | Came:
        """Nothing: the page is turned."""
        return Came.NEWS if until() else ""

    def pause(self, seconds: float) -> None:
        """Nobody waits."""


class Keyboard:
    """A person at a terminal."""

    def __init__(self) -> None:
        self._edits = _line_editing()
        self._erases = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"

    def line(self, prompt: str, until: Callable[[], bool]) -> str | Came:
        """What is typed, without the end of its line."""
        return self._typed(prompt, until, None)

    def page(
        self, prompt: str, until: Callable[[], bool], patience: float | None
    ) -> str | Came:
        """What is typed; a page that was only turned leaves no trace of its prompt."""
        typed = self._typed(prompt, until, patience)
        if typed == "" and self._erases:
            click.echo(f"{_UP}{_EMPTY_LINE}", nl=False)
        return typed

    def pause(self, seconds: float) -> None:
        """Wait so long; any key ends it."""
        with _quiet():
            if _ready(min(seconds, _LONGEST)):
                termios.tcflush(sys.stdin, termios.TCIFLUSH)

    def _typed(
        self, prompt: str, until: Callable[[], bool], patience: float | None
    ) -> str | Came:
        try:
            # Quiet before anybody can see that something may be typed.
            with _quiet() if self._edits else contextlib.nullcontext():
                click.echo(prompt, nl=False)
                came = _awaited(until, patience)
            if came is None:
                # What was pressed still waits to be read: the prompt is written once
                # more in its place, now by whoever edits the line.
                click.echo("\r" * self._edits, nl=False)
                return input(prompt * self._edits)
        except (KeyboardInterrupt, EOFError):
            click.echo()
            raise
        if self._erases:
            click.echo(_EMPTY_LINE, nl=False)
        else:
            click.echo()
        return came


def show_typed(prompt: str, line: str) -> None:
    """Show a line as if it were typed."""
    click.secho(f"{prompt}{printable(line.strip())}", bold=True)


def _awaited(until: Callable[[], bool], patience: float | None) -> Came | None:
    """None as soon as a key is pressed, else what came before."""
    end = None if patience is None else monotonic() + patience
    while not _ready(_GLANCE):
        if until():
            return Came.NEWS
        if end is not None and monotonic() >= end:
            return Came.TIME
    return None


def _ready(seconds: float) -> bool:
    return bool(select.select([sys.stdin], [], [], seconds)[0])


def _line_editing() -> bool:
    """Whether lines can be edited with arrows: then each key is seen as it is pressed."""
    if not sys.stdout.isatty():
        return False
    try:
        import readline  # noqa: F401 - its import gives `input` keys and history
    except ImportError:
        return False
    return True


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """A terminal that gives every key at once and shows none; Ctrl-C still works."""
    before = termios.tcgetattr(sys.stdin)
    quiet = [*before]
    quiet[3] = before[3] & ~(termios.ICANON | termios.ECHO)
    try:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, quiet)
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
