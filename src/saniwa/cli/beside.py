"""What can be typed beside the story: undo, hint, history and the like.

Nothing of it is a line of the story; what of it must be kept, the run keeps.
"""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import click

from saniwa.cli.history import history
from saniwa.cli.others import Others
from saniwa.cli.showing import Screen
from saniwa.core.quoted import printable
from saniwa.run.table.gathering import Gathering
from saniwa.turn.narrate import tell_action
from saniwa.turn.sight import list_inventory
from saniwa.turn.suggestion import is_worth_suggesting
from saniwa.wiring import book_document


class Beside:
    """The commands of a table, obeyed one by one."""

    def __init__(
        self,
        gathering: Gathering,
        others: Others,
        screen: Screen,
        said: Mapping[str, str],
    ) -> None:
        self._gathering, self._others = gathering, others
        self._run = gathering.run
        self._screen, self._said = screen, said
        self.leaving = False
        """Whether somebody wants to leave."""

    async def obey(self, command: str, rest: str) -> None:
        """Do what the command says with the rest of its line."""
        await self._commands()[command](rest)

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
            "who": self._who,
            "help": self._help,
            "quit": self._quit,
        }

    async def _undo(self, _: str) -> None:
        undo = self._gathering.undo if self._others.present() else self._run.undo
        self._screen.show((await undo()).step)

    async def _hint(self, _: str) -> None:
        action = self._run.hint(self._gathering.viewer).action
        if action is None:
            self._screen.tell("no_hint")
        else:
            self._screen.tell("hint", words=tell_action(action, self._run.world))

    async def _inventory(self, _: str) -> None:
        for line in list_inventory(self._run.world, self._gathering.viewer):
            self._screen.say(line.speaker, line.text)

    async def _history(self, _: str) -> None:
        lines = list(history(self._run, self._gathering.viewer, self._said))
        for line in lines or [self._said["no_turns"]]:
            click.echo(printable(line))

    async def _preview(self, words: str) -> None:
        if not words:
            self._screen.tell("no_preview")
            return
        for sentence in (
            await self._run.preview(words, self._gathering.viewer)
        ).sentences:
            self._screen.say("", sentence)

    async def _why(self, _: str) -> None:
        verdict = None
        for turn in self._run.turns():
            if turn.actor_id == self._gathering.viewer and turn.validation_results:
                verdict = turn.validation_results[-1]
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
        for action in self._run.admissible(self._gathering.viewer):
            if is_worth_suggesting(action, self._run.world):
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

    async def _who(self, _: str) -> None:
        self._others.tell()

    async def _help(self, _: str) -> None:
        self._screen.tell("help")

    async def _quit(self, _: str) -> None:
        self.leaving = True
