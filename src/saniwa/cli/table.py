"""One terminal at one run: what is typed goes to the run, agents have their turns.

Story reaches the screen only out of StepResults; the rest is the terminal's own talk.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Iterator
from typing import TYPE_CHECKING

import click

from saniwa.cli.beside import Beside
from saniwa.cli.others import Others
from saniwa.cli.phrases import LANGUAGES, command_in
from saniwa.cli.seats import seat_change_in
from saniwa.cli.showing import Screen
from saniwa.core.errors import SaniwaError, StoreError
from saniwa.core.quoted import printable
from saniwa.script.directive import StepResult
from saniwa.world.model import Id
from saniwa.world.view import name_of

if TYPE_CHECKING:
    from saniwa.wiring.cast import Company


class Table:
    """Reads lines, gives them to the run, shows what the run presents."""

    def __init__(self, company: "Company", opening: StepResult, again: str) -> None:
        """A table round a run, which opens with this step.

        `again` is the command that goes on with it another day; empty where none can.
        """
        self._company = company
        self._gathering = company.gathering
        self._run = company.gathering.run
        self._opening = opening
        self._again = again
        self._said = LANGUAGES[self._run.record.language]
        self._screen = Screen(self._said)
        self._others = Others(self._gathering, self._screen)
        self._beside = Beside(self._gathering, self._others, self._screen, self._said)

    def play(
        self,
        lines: Iterator[str] | None,
        greeting: str = "welcome",
        twin: str | None = None,
    ) -> None:
        """Play until somebody leaves or the lines run out.

        `twin` is the same scenario as written in the language that was asked for.
        """
        if lines is None:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 - its import gives `input` keys and history
        self._screen.show(self._opening)
        self._screen.tell(greeting)
        if twin is not None:
            self._screen.tell("other_language", twin=twin)
        # Lines are read outside the event loop: inside it, the first Ctrl-C would only
        # ask a task to stop that is waiting for the keyboard.
        with asyncio.Runner() as loop:
            try:
                self._evening(loop, lines)
            finally:
                try:
                    loop.run(self._company.close())
                finally:
                    self._tell_end()

    def _evening(self, loop: asyncio.Runner, lines: Iterator[str] | None) -> None:
        if self._others.present():
            self._others.tell()
        if self._others.alone():
            self._screen.tell("watching")
        while not self._beside.leaving:
            loop.run(self._guarded(self._others.play()))
            line = self._next(lines)
            if line is None:
                return
            loop.run(self._guarded(self._take(line)))

    def _tell_end(self) -> None:
        spent = self._company.usage
        if spent.calls:
            dollars = f"{spent.cost / 1_000_000:.4f}"
            cost = self._said["spent_cost"].format(dollars=dollars)
            self._screen.tell(
                "spent",
                calls=spent.calls,
                tokens=spent.input_tokens + spent.output_tokens,
                cost=cost if spent.cost else "",
            )
        if self._again:
            self._screen.tell("kept", run=self._run.id, command=self._again)
        else:
            self._screen.tell("unkept")

    @property
    def _seat(self) -> Id:
        """Whose words are typed now: the person's who is awaited."""
        return self._gathering.viewer

    @property
    def _prompt(self) -> str:
        if self._others.alone():
            return self._said["watch"]
        seat = self._seat
        # Who plays nobody but their own character knows whose line it is.
        mine = self._others.held() in ([], [self._run.actor])
        name = "" if mine else name_of(self._run.world, seat)
        return printable(name) + self._said["prompt"]

    def _next(self, lines: Iterator[str] | None) -> str | None:
        if lines is None:
            click.echo()
            try:
                return input(self._prompt)
            except EOFError:
                click.echo()
                return None
            except KeyboardInterrupt:
                click.echo()
                raise
        line = next(lines, None)
        if line is not None:
            click.secho(f"\n{self._prompt}{printable(line.strip())}", bold=True)
        return line

    async def _guarded(self, doing: Awaitable[None]) -> None:
        try:
            await doing
        except SaniwaError as problem:
            # A misspelt save or a broken rule file is no reason to leave the table, nor
            # is somebody else's turn in the same run; a store that cannot keep is.
            if isinstance(problem, StoreError) and not problem.recoverable:
                raise
            click.echo(printable(str(problem)))
            if problem.code == "REVISION_CONFLICT":
                self._screen.show(self._run.opening())

    async def _take(self, line: str) -> None:
        change = seat_change_in(line, self._others.names())
        if change is not None:
            await self._others.change(change)
            return
        command = command_in(line)
        if command is not None:
            await self._beside.obey(*command)
            return
        if self._others.alone():
            await self._watched(line)
            return
        ended = self._run.finished
        self._screen.show((await self._run.say(line.rstrip("\n"), self._seat)).step)
        if self._run.finished and not ended:
            self._screen.tell("goal")

    async def _watched(self, line: str) -> None:
        if line.strip():
            self._screen.tell("watching")
            return
        await self._others.play_one()
