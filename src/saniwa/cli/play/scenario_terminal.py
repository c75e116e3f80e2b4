"""Play a scenario in a terminal: typed lines go to the run, agents take their turns.

Story content is shown only from StepResults; everything else is the terminal's own
phrases.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from saniwa.app.host_commands import perform_host_command
from saniwa.app.scenarios import read_book_document
from saniwa.cli.play.screen import LANGUAGES, Screen, parse_command
from saniwa.cli.play.seats import AgentSeats, parse_seat_change
from saniwa.cli.render import show_text
from saniwa.core.errors import SaniwaError, StoreError
from saniwa.core.text import escape_control_characters
from saniwa.language.host_words import HostCommand, find_host_command
from saniwa.runs.playing import PlayRequest
from saniwa.runs.playing_scenario import ScenarioPlaying
from saniwa.story.step_result import StepResult
from saniwa.world.view import get_name

if TYPE_CHECKING:
    from saniwa.app.cast import Cast


class ScenarioTerminal:
    """Reads lines, passes them to the run, and shows the resulting steps."""

    def __init__(self, cast: "Cast", opening: StepResult, again: str) -> None:
        """Create the terminal of a run that begins with the step `opening`.

        `again` is the command that resumes the run; empty if it is not stored.
        """
        self._cast = cast
        self._table = cast.game
        self._run = cast.game.run
        self._opening = opening
        self._resume_command = again
        self._phrases = LANGUAGES[self._run.record.language]
        self._screen = Screen(self._phrases)
        self._agent_seats = AgentSeats(self._table, self._screen)
        self._is_leaving = False
        self._commands: dict[str, Callable[[str], Awaitable[None]]] = {
            "preview": self._preview,
            "rules": self._edit_rules,
        }

    def play(
        self, lines: Iterator[str] | None, greeting: str = "welcome", twin: str | None = None
    ) -> None:
        """Play until the player quits or the lines run out.

        Args:
            lines: The lines to play; None to read them from the terminal.
            greeting: The key of the first phrase.
            twin: The id of the same scenario in the requested language.
        """
        if lines is None:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 - its import gives `input` keys and history
        self._screen.show_step(self._opening)
        self._screen.show_phrase(greeting)
        if twin is not None:
            self._screen.show_phrase("other_language", twin=twin)
        # Lines are read outside the event loop: inside it, the first Ctrl-C would only
        # cancel a task that is blocked on the keyboard.
        with asyncio.Runner() as loop:
            try:
                self._play_turns(loop, lines)
            finally:
                try:
                    loop.run(self._cast.close())
                finally:
                    self._show_summary()

    def _play_turns(self, loop: asyncio.Runner, lines: Iterator[str] | None) -> None:
        if self._agent_seats.has_agents():
            self._agent_seats.show_seating()
        if self._agent_seats.is_agents_only():
            self._screen.show_phrase("watching")
        while not self._is_leaving:
            loop.run(self._report_errors(self._agent_seats.play_agents()))
            line = self._read_line(lines)
            if line is None:
                return
            loop.run(self._report_errors(self._handle_line(line)))

    def _show_summary(self) -> None:
        spent = self._cast.usage
        if spent.calls:
            dollars = f"{spent.cost / 1_000_000:.4f}"
            cost = self._phrases["spent_cost"].format(dollars=dollars)
            self._screen.show_phrase(
                "spent",
                calls=spent.calls,
                tokens=spent.input_tokens + spent.output_tokens,
                cost=cost if spent.cost else "",
            )
        if self._resume_command:
            self._screen.show_phrase("kept", run=self._run.id, command=self._resume_command)
        else:
            self._screen.show_phrase("unkept")

    @property
    def _prompt(self) -> str:
        if self._agent_seats.is_agents_only():
            return self._phrases["watch"]
        seat = self._table.viewer
        # A player with only their own character needs no name in the prompt.
        mine = self._agent_seats.list_person_seats() in ([], [self._run.actor])
        name = "" if mine else get_name(self._run.world, seat)
        return escape_control_characters(name) + self._phrases["prompt"]

    def _read_line(self, lines: Iterator[str] | None) -> str | None:
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
            click.secho(f"\n{self._prompt}{escape_control_characters(line.strip())}", bold=True)
        return line

    async def _report_errors(self, doing: Awaitable[None]) -> None:
        try:
            await doing
        except SaniwaError as problem:
            # A misspelt save, a broken rule file or a turn by another process does not
            # end the game; a store that cannot write does.
            if isinstance(problem, StoreError) and not problem.recoverable:
                raise
            show_text(str(problem))
            if problem.code == "REVISION_CONFLICT":
                self._screen.show_step(self._run.present_opening())

    async def _handle_line(self, line: str) -> None:
        change = parse_seat_change(line, self._agent_seats.collect_names())
        if change is not None:
            await self._agent_seats.change_seat(change)
            return
        command = parse_command(line)
        if command is not None:
            await self._execute(*command)
            return
        asked = find_host_command(line)
        if asked is not None:
            await self._perform(asked)
            return
        if self._agent_seats.is_agents_only():
            await self._watch_turn(line)
            return
        ended = self._run.is_finished
        self._screen.show_step((await self._run.say(line.rstrip("\n"), self._table.viewer)).step)
        if self._run.is_finished and not ended:
            self._screen.show_phrase("goal")

    async def _watch_turn(self, line: str) -> None:
        if line.strip():
            self._screen.show_phrase("watching")
        else:
            await self._agent_seats.play_next_agent()

    async def _execute(self, command: str, rest: str) -> None:
        """Execute one of the commands that a player types besides the story."""
        if command == "who":
            self._agent_seats.show_seating()
        elif command == "quit":
            self._is_leaving = True
        else:
            await self._commands[command](rest)

    async def _perform(self, command: HostCommand) -> None:
        """Carry out a word for the host."""
        if command.name == "undo" and self._agent_seats.has_agents():
            self._screen.show_step((await self._table.undo()).step)
            return
        playing, request = ScenarioPlaying(self._run), PlayRequest(revision=self._run.count)
        state = await perform_host_command(command, playing, request, self._table.viewer)
        self._screen.show_step(state.step)
        if command.name == "help":
            self._screen.show_phrase("terminal_help")

    async def _preview(self, words: str) -> None:
        if not words:
            self._screen.show_phrase("no_preview")
            return
        for sentence in (await self._run.preview(words, self._table.viewer)).sentences:
            self._screen.show_speech("", sentence)

    async def _edit_rules(self, file: str) -> None:
        if not file:
            self._screen.show_phrase("no_rules")
            return
        await self._run.edit_rulebook(read_book_document(Path(file)))
        self._screen.show_phrase("edited")
