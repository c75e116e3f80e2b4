"""One person at one terminal, playing one run.

Story reaches the screen only out of StepResults; the rest is the terminal's own talk.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import click

from saniwa.cli.log import line_of
from saniwa.cli.phrases import LANGUAGES, command_in
from saniwa.cli.render import printable
from saniwa.cli.showing import Screen
from saniwa.core.errors import SaniwaError, StoreError
from saniwa.run.conductor import Run
from saniwa.turn.narrate import tell_action
from saniwa.turn.sight import list_inventory
from saniwa.wiring import book_document
from saniwa.world.action import Action, Take, Use
from saniwa.world.model import Id, World
from saniwa.world.view import name_of, whose_turn


class Table:
    """Reads lines, gives them to the run, shows what the run presents."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._said = LANGUAGES[run.record.language]
        self._screen = Screen(self._said)
        self._leaving = False

    def play(self, lines: Iterator[str] | None, greeting: str = "welcome") -> None:
        """Play until somebody leaves or the lines run out."""
        if lines is None:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 - its import gives `input` keys and history
        self._screen.show(self._run.opening())
        self._screen.tell(greeting)
        # Lines are read outside the event loop: inside it, the first Ctrl-C would only
        # ask a task to stop that is waiting for the keyboard.
        with asyncio.Runner() as loop:
            try:
                while not self._leaving and (line := self._next(lines)) is not None:
                    loop.run(self._take(line))
            finally:
                self._screen.tell("kept", run=self._run.id)

    @property
    def _seat(self) -> Id:
        """Who acts next: where the scenario has an order, everybody in turn."""
        return whose_turn(self._run.world) or self._run.actor

    @property
    def _prompt(self) -> str:
        seat = self._seat
        name = "" if seat == self._run.actor else name_of(self._run.world, seat)
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

    async def _take(self, line: str) -> None:
        command = command_in(line)
        try:
            if command is not None:
                await self._commands()[command[0]](command[1])
                return
            ended = self._run.finished
            self._screen.show((await self._run.say(line.rstrip("\n"), self._seat)).step)
            if self._run.finished and not ended:
                self._screen.tell("goal")
        except SaniwaError as problem:
            # A misspelt save or a broken rule file is no reason to leave the table, nor
            # is somebody else's turn in the same run; a store that cannot keep is.
            if isinstance(problem, StoreError) and not problem.recoverable:
                raise
            click.echo(printable(str(problem)))
            if problem.code == "REVISION_CONFLICT":
                self._screen.show(self._run.opening())

    def _commands(self) -> dict[str, Callable[[str], Awaitable[None]]]:
        return {
            "undo": self._undo,
            "hint": self._hint,
            "inventory": self._inventory,
            "history": self._history,
            "preview": self._preview,
            "why": self._why,
            "actions": self._actions,
            "save": self._save,
            "load": self._load,
            "rules": self._rules,
            "help": self._help,
            "quit": self._quit,
        }

    async def _undo(self, _: str) -> None:
        self._screen.show((await self._run.undo()).step)

    async def _hint(self, _: str) -> None:
        action = self._run.hint(self._seat).action
        if action is None:
            self._screen.tell("no_hint")
        else:
            self._screen.tell("hint", words=tell_action(action, self._run.world))

    async def _inventory(self, _: str) -> None:
        for line in list_inventory(self._run.world, self._seat):
            self._screen.say(line.speaker, line.text)

    async def _history(self, _: str) -> None:
        lines = [line_of(turn, codes=False) for turn in self._run.turns()]
        for line in lines or [self._said["no_turns"]]:
            click.echo(printable(line))

    async def _preview(self, words: str) -> None:
        if not words:
            self._screen.tell("no_preview")
            return
        for sentence in (await self._run.preview(words, self._seat)).sentences:
            self._screen.say("", sentence)

    async def _why(self, _: str) -> None:
        verdict = None
        for turn in self._run.turns():
            verdict = (
                turn.validation_results[-1] if turn.validation_results else verdict
            )
        if verdict is None:
            self._screen.tell("why_none")
        elif verdict.success:
            self._screen.tell("why_ok", check=verdict.check)
        else:
            self._screen.tell(
                "why_no",
                check=verdict.check,
                code=verdict.reason_code,
                message=verdict.message,
            )

    async def _actions(self, _: str) -> None:
        for action in self._run.admissible(self._seat):
            if _worth_telling(action, self._run.world):
                click.echo(printable(f"  {tell_action(action, self._run.world)}"))

    async def _save(self, name: str) -> None:
        if name:
            await self._run.save(name)
            self._screen.tell("saved", name=name)
            return
        names = [save.name for save in self._run.saves()]
        if names:
            self._screen.tell("saves", names=", ".join(names))
        else:
            self._screen.tell("no_saves")

    async def _load(self, name: str) -> None:
        if not name:
            await self._save("")
            return
        self._screen.show((await self._run.load(name)).step)

    async def _rules(self, file: str) -> None:
        if not file:
            self._screen.tell("no_rules")
            return
        await self._run.edit(book_document(Path(file)))
        self._screen.tell("edited")

    async def _help(self, _: str) -> None:
        self._screen.tell("help")

    async def _quit(self, _: str) -> None:
        self._leaving = True


def _worth_telling(action: Action, world: World) -> bool:
    """Whether a player would miss it: not one more spelling, nor a use without effect."""
    match action:
        case Take(source_id=source):
            return source is None
        case Use(target_id=target):
            thing = world.entities.get(target)
            return thing is not None and "use" in thing.attributes
        case _:
            return True
