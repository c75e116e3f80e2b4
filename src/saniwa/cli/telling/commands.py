"""What a reader may type beside a story, and what comes of it."""

from collections.abc import Callable
from typing import Final

import click
import msgspec

from saniwa.cli.phrases import STORY_COMMANDS, command_in
from saniwa.cli.telling.keyboard import PROMPT, show_typed
from saniwa.cli.telling.log import logged
from saniwa.cli.telling.news import tell_edited
from saniwa.cli.telling.page import Page
from saniwa.core.errors import SaniwaError
from saniwa.core.quoted import printable
from saniwa.run.kept import read_kept
from saniwa.run.performance import Performance
from saniwa.wiring.keeping import StoryKeeping

_MOST_LOGGED: Final = 40
"""Steps that the log shows."""


class StoryCommands:
    """Does what stands beside the story: back, log, skip, saves and the like."""

    def __init__(self, page: Page, keeping: StoryKeeping) -> None:
        self._page = page
        self._playing = page.performance
        self._saves = keeping.saves
        self._tell = page.screen.tell
        self.auto = False
        """Whether pages turn by themselves."""
        self.leaving = False
        """Whether the reader wants to go."""
        self._commands: dict[str, Callable[[str], None]] = {
            "back": self._back,
            "log": self._log,
            "skip": self._skip,
            "auto": lambda _: self.turn_auto(on=not self.auto),
            "save": self._save,
            "load": self._load,
            "saves": self._list_saves,
            "restart": self._restart,
            "help": lambda _: self._tell("story_help"),
            "quit": self._quit,
        }

    def do(self, line: str) -> bool:
        """Whether a line was a command; if so, it is done.

        Where the story asks for words, a command has a slash: nobody's answer is lost.
        """
        if self._playing.waiting == "answer" and not line.lstrip().startswith("/"):
            return False
        command = command_in(line, STORY_COMMANDS)
        if command is None:
            return False
        try:
            self._commands[command[0]](command[1])
        except SaniwaError as problem:
            click.echo(printable(str(problem)))
        return True

    def turn_auto(self, *, on: bool) -> None:
        """Let pages turn by themselves, or not."""
        self.auto = on
        self._tell("auto_on" if on else "auto_off")

    def _back(self, _: str) -> None:
        step = self._page.done(self._playing.back())
        # A step that waits for nobody would only lead back here.
        while step is not None and not self._page.would_wait(step):
            step = self._page.done(self._playing.back())
        if step is None:
            self._tell("first_step")
        else:
            self._page.set_stage = True
            self._page.show(step)

    def _log(self, _: str) -> None:
        for step, move in list(logged(self._playing))[-_MOST_LOGGED:]:
            self._page.screen.show(step)
            if move is not None:
                show_typed(PROMPT, move)
        self._page.show_choices()

    def _skip(self, _: str) -> None:
        if self._playing.waiting == "step":
            self._page.done(self._skip_seen())
        else:
            self._tell("no_skip")

    async def _skip_seen(self) -> None:
        async for step in self._playing.skip():
            self._page.show(step, fast=True)

    def _save(self, name: str) -> None:
        if not name:
            self._tell("no_name")
            return
        self._saves.put(name, self._playing.state())
        self._tell("saved", name=name)

    def _load(self, name: str) -> None:
        if not name:
            self._list_saves(name)
            return
        found = self._page.take_up(self._saves.get(name))
        self._tell("story_loaded", name=name)
        tell_edited(self._page.screen, self._playing, found)

    def _list_saves(self, _: str) -> None:
        names = self._saves.names()
        if names:
            self._tell("saves", names=", ".join(names))
        else:
            self._tell("story_no_saves")

    def _restart(self, _: str) -> None:
        playing = self._playing
        fresh = Performance(playing.story, playing.run, seed=playing.player.seed)
        begun = msgspec.structs.replace(read_kept(fresh.state()), turn=0)
        self._page.take_up(msgspec.json.encode(begun))
        self._tell("story_restarted")

    def _quit(self, _: str) -> None:
        self.leaving = True
