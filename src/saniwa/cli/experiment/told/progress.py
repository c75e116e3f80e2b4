"""How far an experiment has come: a bar on a terminal, a line now and then elsewhere."""

import sys
from typing import Final

import click

from saniwa.cli.tally import counted
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.quoted import printable
from saniwa.experiment.ports import Done

_WIDTH: Final = 30
_REDRAW_MS: Final = 100
_SAID_MS: Final = 30_000
_APART_MS: Final = 2_000
_PARTS: Final = 10
_MOST_TOLD: Final = 5
"""Cells that failed are told of one by one, up to so many."""


class Progress:
    """Tells standard error how many cells are done, how fast, and how long it will take."""

    def __init__(
        self, total: int, before: int, *, quiet: bool, clock: Clock | None = None
    ) -> None:
        """Begin with so many of all cells done before."""
        self._total, self._before = total, before
        self._quiet = quiet
        self._clock = clock or SystemClock()
        self._began = self._shown = self._clock.now()
        self._lively = sys.stderr.isatty() and not quiet
        self._drawn = False
        self._part = before * _PARTS // max(total, 1)
        self.done = 0
        """Cells done since."""
        self.failed = 0
        """Cells that could not be done now."""

    def tick(self) -> None:
        """Show on a terminal that something goes on, though no cell is done."""
        if self._lively:
            click.echo(f"\r{self._bar(self._clock.now())}", err=True, nl=False)
            self._drawn = True

    def hear(self, done: Done) -> None:
        """Count a cell, and show it if it is time to."""
        self.done += not done.error
        if done.error:
            self._tell_failed(done)
        now = self._clock.now()
        if self._lively:
            if now - self._shown >= _REDRAW_MS or self._all:
                self._shown = now
                self._drawn = True
                click.echo(f"\r{self._bar(now)}", err=True, nl=False)
        elif not self._quiet:
            self._line(now)

    def end(self) -> None:
        """Leave the bar's line."""
        if self._drawn:
            click.echo(err=True)

    @property
    def _all(self) -> bool:
        return self._before + self.done >= self._total

    def _bar(self, now: int) -> str:
        whole = self._before + self.done
        filled = _WIDTH * whole // max(self._total, 1)
        bar = "█" * filled + "░" * (_WIDTH - filled)
        # Spaces behind, over whatever a longer line left there.
        return f"{bar} {self._words(now):<48}"

    def _line(self, now: int) -> None:
        part = (self._before + self.done) * _PARTS // max(self._total, 1)
        passed = now - self._shown
        timely = passed >= _SAID_MS or (part > self._part and passed >= _APART_MS)
        if timely or self._all:
            self._part, self._shown = part, now
            click.echo(self._words(now), err=True)

    def _words(self, now: int) -> str:
        whole = self._before + self.done
        seconds = max(now - self._began, 1) / 1000
        rate = self.done / seconds
        said = f"{whole}/{self._total} cells, "
        said += f"{rate:.1f} a second" if self.done else lasting(seconds)
        if rate and not self._all:
            said += f", {lasting((self._total - whole) / rate)} left"
        return said

    def _tell_failed(self, done: Done) -> None:
        self.failed += 1
        if self._quiet or self.failed > _MOST_TOLD:
            return
        lead = "\n" if self._lively else ""
        told = f"{lead}{done.key}: [{done.error}] {done.message}; it can be resumed"
        if self.failed == _MOST_TOLD:
            told += f" (after {counted(_MOST_TOLD, 'such cell')} no more are told of)"
        click.echo(printable(told), err=True)


def lasting(seconds: float) -> str:
    """A stretch of time as people say it: `4 s`, `3 min 20 s`, `2 h 5 min`."""
    whole = max(round(seconds), 1)
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {left} s" if minutes else f"{left} s"
