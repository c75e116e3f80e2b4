"""One terminal at one run: what is typed goes to the run, agents have their turns.

Story reaches the screen only out of StepResults; the rest is the terminal's own talk.
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
from saniwa.core.errors import SaniwaError, StoreError
from saniwa.core.text import escape_control_characters
from saniwa.runs.presentation import present_turn
from saniwa.runs.run import Run
from saniwa.runs.seats import PERSON
from saniwa.runs.table import GameTable
from saniwa.story.stepresult import Say, StepResult
from saniwa.turn.description import list_inventory, name_for_viewer
from saniwa.turn.narration import render_action
from saniwa.turn.preview import is_worth_suggesting
from saniwa.turn.record import RulebookEdit, RunReturn, Turn, TurnAside
from saniwa.world.model import Id
from saniwa.world.view import get_name

if TYPE_CHECKING:
    from saniwa.app.cast import Cast


def render_history(run: Run, viewer: Id, said: Mapping[str, str]) -> Iterator[str]:
    """One line for each turn that the viewer knows of, in the words of the terminal."""
    for turn in run.read_turns():
        # What somebody else has kept since is told when the run has followed it.
        if turn.number >= run.count:
            return
        for line in _render_turn(run, turn, viewer, said):
            yield f"{turn.number + 1:>4}  {line}"


def _render_turn(
    run: Run, turn: Turn, viewer: Id, said: Mapping[str, str]
) -> Iterator[str]:
    if turn.aside is not None:
        yield _describe_aside(run, turn.aside, viewer, said)
    elif turn.actor_id == viewer and turn.reply is None:
        words = " ".join(turn.raw_text.split())
        name = said["speaks"].format(name=name_for_viewer(run.world, viewer, viewer))
        yield f"{name}{words}  → {_describe_outcome(turn, said)}"
    else:
        yield from _render_presented_turn(run, turn, viewer, said)


def _render_presented_turn(
    run: Run, turn: Turn, viewer: Id, said: Mapping[str, str]
) -> Iterator[str]:
    """The turn as it was told; an agent's own words hold what it thought."""
    before, after = (
        run.find_world_after(turn.number - 1),
        run.find_world_after(turn.number),
    )
    for each in present_turn(turn, before, after, viewer).directives:
        if isinstance(each, Say):
            name = each.args.speaker
            lead = said["speaks"].format(name=name) if name else ""
            yield lead + " ".join(each.args.text.split())


def _describe_outcome(turn: Turn, said: Mapping[str, str]) -> str:
    """What came of it; without codes, which could tell what was not seen."""
    if turn.clarification is not None:
        return f"? {turn.clarification.question}"
    outcomes = ["ok" if v.success else "no" for v in turn.validation_results]
    outcomes += ["?" for _ in turn.rejections]
    return ", ".join(outcomes) or said["past_nothing"]


def _describe_aside(
    run: Run, aside: TurnAside, viewer: Id, said: Mapping[str, str]
) -> str:
    if isinstance(aside, RulebookEdit):
        return said["past_rules"].format(book=aside.book.get("id", ""))
    if isinstance(aside, RunReturn):
        point = said["past_turn"].format(turn=aside.to + 1)
        return said[f"past_{aside.why}"].format(
            point=point if aside.to >= 0 else said["past_beginning"]
        )
    seats = (
        said["past_seat"].format(
            name=name_for_viewer(run.world, Id(who), viewer),
            player=said["past_person"] if player == PERSON else player,
        )
        for who, player in sorted(aside.seats.items())
    )
    return said["past_seats"].format(seats=said["past_and"].join(seats))


class ScenarioCommands:
    """The commands of a table, obeyed one by one."""

    def __init__(
        self,
        gathering: GameTable,
        others: AgentSeats,
        screen: Screen,
        said: Mapping[str, str],
    ) -> None:
        self._gathering, self._others = gathering, others
        self._run = gathering.run
        self._screen, self._said = screen, said
        self.leaving = False
        """Whether somebody wants to leave."""

    async def execute(self, command: str, rest: str) -> None:
        """Do what the command says with the rest of its line."""
        await self._list_commands()[command](rest)

    def _list_commands(self) -> dict[str, Callable[[str], Awaitable[None]]]:
        return {
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
            "who": self._show_seats,
            "help": self._show_help,
            "quit": self._quit,
        }

    async def _undo(self, _: str) -> None:
        undo = self._gathering.undo if self._others.has_agents() else self._run.undo
        self._screen.show_step((await undo()).step)

    async def _show_hint(self, _: str) -> None:
        action = self._run.find_hint(self._gathering.viewer).action
        if action is None:
            self._screen.show_phrase("no_hint")
        else:
            self._screen.show_phrase(
                "hint", words=render_action(action, self._run.world)
            )

    async def _show_inventory(self, _: str) -> None:
        for line in list_inventory(self._run.world, self._gathering.viewer):
            self._screen.show_speech(line.speaker, line.text)

    async def _show_history(self, _: str) -> None:
        lines = list(render_history(self._run, self._gathering.viewer, self._said))
        for line in lines or [self._said["no_turns"]]:
            click.echo(escape_control_characters(line))

    async def _preview(self, words: str) -> None:
        if not words:
            self._screen.show_phrase("no_preview")
            return
        for sentence in (
            await self._run.preview(words, self._gathering.viewer)
        ).sentences:
            self._screen.show_speech("", sentence)

    async def _explain_verdict(self, _: str) -> None:
        verdict = None
        for turn in self._run.read_turns():
            if turn.actor_id == self._gathering.viewer and turn.validation_results:
                verdict = turn.validation_results[-1]
        if verdict is None:
            self._screen.show_phrase("why_none")
        elif verdict.success:
            self._screen.show_phrase("why_ok", check=verdict.check)
        else:
            self._screen.show_phrase(
                "why_no",
                check=verdict.check,
                code=verdict.reason_code,
                message=verdict.message,
            )

    async def _show_actions(self, _: str) -> None:
        for action in self._run.list_admissible(self._gathering.viewer):
            if is_worth_suggesting(action, self._run.world):
                click.echo(
                    escape_control_characters(
                        f"  {render_action(action, self._run.world)}"
                    )
                )

    async def _save(self, name: str) -> None:
        if name:
            await self._run.save(name)
            self._screen.show_phrase("saved", name=name)
            return
        names = [save.name for save in self._run.list_saves()]
        if names:
            self._screen.show_phrase("saves", names=", ".join(names))
        else:
            self._screen.show_phrase("no_saves")

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

    async def _show_seats(self, _: str) -> None:
        self._others.show_seating()

    async def _show_help(self, _: str) -> None:
        self._screen.show_phrase("help")

    async def _quit(self, _: str) -> None:
        self.leaving = True


class ScenarioTerminal:
    """Reads lines, gives them to the run, shows what the run presents."""

    def __init__(self, company: "Cast", opening: StepResult, again: str) -> None:
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
        self._others = AgentSeats(self._gathering, self._screen)
        self._beside = ScenarioCommands(
            self._gathering, self._others, self._screen, self._said
        )

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
        self._screen.show_step(self._opening)
        self._screen.show_phrase(greeting)
        if twin is not None:
            self._screen.show_phrase("other_language", twin=twin)
        # Lines are read outside the event loop: inside it, the first Ctrl-C would only
        # ask a task to stop that is waiting for the keyboard.
        with asyncio.Runner() as loop:
            try:
                self._play_turns(loop, lines)
            finally:
                try:
                    loop.run(self._company.close())
                finally:
                    self._show_summary()

    def _play_turns(self, loop: asyncio.Runner, lines: Iterator[str] | None) -> None:
        if self._others.has_agents():
            self._others.show_seating()
        if self._others.is_agents_only():
            self._screen.show_phrase("watching")
        while not self._beside.leaving:
            loop.run(self._report_errors(self._others.play_agents()))
            line = self._read_line(lines)
            if line is None:
                return
            loop.run(self._report_errors(self._handle_line(line)))

    def _show_summary(self) -> None:
        spent = self._company.usage
        if spent.calls:
            dollars = f"{spent.cost / 1_000_000:.4f}"
            cost = self._said["spent_cost"].format(dollars=dollars)
            self._screen.show_phrase(
                "spent",
                calls=spent.calls,
                tokens=spent.input_tokens + spent.output_tokens,
                cost=cost if spent.cost else "",
            )
        if self._again:
            self._screen.show_phrase("kept", run=self._run.id, command=self._again)
        else:
            self._screen.show_phrase("unkept")

    @property
    def _current_actor(self) -> Id:
        """Whose words are typed now: the person's who is awaited."""
        return self._gathering.viewer

    @property
    def _prompt(self) -> str:
        if self._others.is_agents_only():
            return self._said["watch"]
        seat = self._current_actor
        # Who plays nobody but their own character knows whose line it is.
        mine = self._others.list_person_seats() in ([], [self._run.actor])
        name = "" if mine else get_name(self._run.world, seat)
        return escape_control_characters(name) + self._said["prompt"]

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
            click.secho(
                f"\n{self._prompt}{escape_control_characters(line.strip())}", bold=True
            )
        return line

    async def _report_errors(self, doing: Awaitable[None]) -> None:
        try:
            await doing
        except SaniwaError as problem:
            # A misspelt save or a broken rule file is no reason to leave the table, nor
            # is somebody else's turn in the same run; a store that cannot keep is.
            if isinstance(problem, StoreError) and not problem.recoverable:
                raise
            click.echo(escape_control_characters(str(problem)))
            if problem.code == "REVISION_CONFLICT":
                self._screen.show_step(self._run.present_opening())

    async def _handle_line(self, line: str) -> None:
        change = parse_seat_change(line, self._others.collect_names())
        if change is not None:
            await self._others.change_seat(change)
            return
        command = parse_command(line)
        if command is not None:
            await self._beside.execute(*command)
            return
        if self._others.is_agents_only():
            await self._watch_turn(line)
            return
        ended = self._run.is_finished
        self._screen.show_step(
            (await self._run.say(line.rstrip("\n"), self._current_actor)).step
        )
        if self._run.is_finished and not ended:
            self._screen.show_phrase("goal")

    async def _watch_turn(self, line: str) -> None:
        if line.strip():
            self._screen.show_phrase("watching")
            return
        await self._others.play_next_agent()
