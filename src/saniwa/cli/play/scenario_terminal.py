"""Play a scenario in a terminal: typed lines go to the run, agents take their turns.

Story content is shown only from StepResults; everything else is the terminal's own
phrases.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from saniwa.app.scenarios import read_book_document
from saniwa.cli.play.phrases import LANGUAGES, parse_command
from saniwa.cli.play.screen import Screen
from saniwa.cli.play.seats import AgentSeats, parse_seat_change
from saniwa.cli.render import show_text
from saniwa.core.errors import SaniwaError, StoreError
from saniwa.core.text import escape_control_characters
from saniwa.runs.presentation import present_turn
from saniwa.runs.run import Run
from saniwa.runs.seats import PERSON
from saniwa.story.step_result import Say, StepResult
from saniwa.turn.answers import is_worth_suggesting
from saniwa.turn.description import list_inventory, name_for_viewer
from saniwa.turn.narration import render_action
from saniwa.turn.record import RulebookEdit, RunReturn, Turn, TurnAside
from saniwa.world.model import Id
from saniwa.world.view import get_name

if TYPE_CHECKING:
    from saniwa.app.cast import Cast


def render_history(run: Run, viewer: Id, phrases: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of the history as the viewer experienced it."""
    for turn in run.read_turns():
        # Turns stored by another process are shown once this run has caught up.
        if turn.number >= run.count:
            return
        for line in _render_turn(run, turn, viewer, phrases):
            yield f"{turn.number + 1:>4}  {line}"


def _render_turn(run: Run, turn: Turn, viewer: Id, phrases: Mapping[str, str]) -> Iterator[str]:
    if turn.aside is not None:
        yield _describe_aside(run, turn.aside, viewer, phrases)
    elif turn.actor_id == viewer and turn.reply is None:
        words = " ".join(turn.raw_text.split())
        name = phrases["speaks"].format(name=name_for_viewer(run.world, viewer, viewer))
        yield f"{name}{words}  → {_describe_outcome(turn, phrases)}"
    else:
        yield from _render_presented_turn(run, turn, viewer, phrases)


def _render_presented_turn(
    run: Run, turn: Turn, viewer: Id, phrases: Mapping[str, str]
) -> Iterator[str]:
    """Render a turn as it was shown; an agent's raw text may contain its thoughts."""
    before, after = (run.find_world_after(turn.number - 1), run.find_world_after(turn.number))
    for each in present_turn(turn, before, after, viewer).directives:
        if isinstance(each, Say):
            name = each.args.speaker
            lead = phrases["speaks"].format(name=name) if name else ""
            yield lead + " ".join(each.args.text.split())


def _describe_outcome(turn: Turn, phrases: Mapping[str, str]) -> str:
    """Describe the outcome without codes, which could reveal what was not seen."""
    if turn.clarification is not None:
        return f"? {turn.clarification.question}"
    outcomes = ["ok" if v.success else "no" for v in turn.validation_results]
    outcomes += ["?" for _ in turn.rejections]
    return ", ".join(outcomes) or phrases["past_nothing"]


def _describe_aside(run: Run, aside: TurnAside, viewer: Id, phrases: Mapping[str, str]) -> str:
    if isinstance(aside, RulebookEdit):
        return phrases["past_rules"].format(book=aside.book.get("id", ""))
    if isinstance(aside, RunReturn):
        point = phrases["past_turn"].format(turn=aside.to + 1)
        return phrases[f"past_{aside.why}"].format(
            point=point if aside.to >= 0 else phrases["past_beginning"]
        )
    seats = (
        phrases["past_seat"].format(
            name=name_for_viewer(run.world, Id(who), viewer),
            player=phrases["past_person"] if player == PERSON else player,
        )
        for who, player in sorted(aside.seats.items())
    )
    return phrases["past_seats"].format(seats=phrases["past_and"].join(seats))


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
            "undo": self._undo,
            "hint": self._show_hint,
            "inventory": self._show_inventory,
            "history": self._show_history,
            "preview": self._preview,
            "why": self._explain_verdict,
            "actions": self._show_actions,
            "save": self._save,
            "load": self._load,
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
        elif command == "help":
            self._screen.show_phrase("help")
        elif command == "quit":
            self._is_leaving = True
        else:
            await self._commands[command](rest)

    async def _undo(self, _: str) -> None:
        undo = self._table.undo if self._agent_seats.has_agents() else self._run.undo
        self._screen.show_step((await undo()).step)

    async def _show_hint(self, _: str) -> None:
        action = self._run.find_hint(self._table.viewer).action
        words = "" if action is None else render_action(action, self._run.world)
        self._screen.show_phrase("hint" if words else "no_hint", words=words)

    async def _show_inventory(self, _: str) -> None:
        for line in list_inventory(self._run.world, self._table.viewer):
            self._screen.show_speech(line.speaker, line.text)

    async def _show_history(self, _: str) -> None:
        lines = list(render_history(self._run, self._table.viewer, self._phrases))
        for line in lines or [self._phrases["no_turns"]]:
            show_text(line)

    async def _preview(self, words: str) -> None:
        if not words:
            self._screen.show_phrase("no_preview")
            return
        for sentence in (await self._run.preview(words, self._table.viewer)).sentences:
            self._screen.show_speech("", sentence)

    async def _explain_verdict(self, _: str) -> None:
        verdict = None
        for turn in self._run.read_turns():
            if turn.actor_id == self._table.viewer and turn.validation_results:
                verdict = turn.validation_results[-1]
        if verdict is None:
            self._screen.show_phrase("why_none")
            return
        self._screen.show_phrase(
            "why_ok" if verdict.success else "why_no",
            check=verdict.check,
            code=verdict.reason_code,
            message=verdict.message,
        )

    async def _show_actions(self, _: str) -> None:
        for action in self._run.list_admissible(self._table.viewer):
            if is_worth_suggesting(action, self._run.world):
                show_text(f"  {render_action(action, self._run.world)}")

    async def _save(self, name: str) -> None:
        if name:
            await self._run.save(name)
            self._screen.show_phrase("saved", name=name)
            return
        names = ", ".join(save.name for save in self._run.list_saves())
        self._screen.show_phrase("saves" if names else "no_saves", names=names)

    async def _load(self, name: str) -> None:
        if not name:
            await self._save("")
            return
        self._screen.show_step((await self._run.load(name)).step)

    async def _edit_rules(self, file: str) -> None:
        if not file:
            self._screen.show_phrase("no_rules")
            return
        await self._run.edit_rulebook(read_book_document(Path(file)))
        self._screen.show_phrase("edited")
