"""A scenario in the terminal: lines become turns, commands, or changes of seats.

"Take over the keeper" is a command, "hand back the key" is an action of the story. A
line is a command if it names a character; in a run with seats, also if it names nothing
that the story knows.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import click

from saniwa.app.host_command_execution import perform_host_command
from saniwa.app.scenario_lookup import read_book_document
from saniwa.cli.play.terminal_input import SEAT_WORDS, parse_command
from saniwa.cli.play.terminal_output import LANGUAGES, Screen, show_while_busy
from saniwa.cli.render import show_text
from saniwa.core.errors import RunError, SaniwaError, StoreError
from saniwa.core.text import escape_control_characters
from saniwa.language.host_commands import HostCommand, find_host_command
from saniwa.runs.game_table import AgentTurn, GameTable, NoTurn, PersonTurn
from saniwa.runs.playing import PlayRequest
from saniwa.runs.scenario_playing import ScenarioPlaying
from saniwa.runs.timeline import PERSON, find_player
from saniwa.story.step_result import StepResult
from saniwa.turn.description import name_for_viewer
from saniwa.turn.narration import is_pronoun
from saniwa.world.model import Id
from saniwa.world.queries import find_room, get_name

if TYPE_CHECKING:
    from saniwa.app.agent_cast import Cast


SeatDirection = Literal["take", "hand"]
SEAT_DIRECTIONS: Final[tuple[SeatDirection, ...]] = ("take", "hand")

_BEFORE: Final = {words: way for way in SEAT_DIRECTIONS for words in SEAT_WORDS[f"{way}_before"]}
_AFTER: Final = {words: way for way in SEAT_DIRECTIONS for words in SEAT_WORDS[f"{way}_after"]}


class SeatChange(NamedTuple):
    """A request to play another character, or to give one back."""

    direction: SeatDirection
    """Whether to take the seat or to hand it back."""
    who: str
    """The character as typed; empty if none was named."""


class SeatNames(NamedTuple):
    """The names that can occur in a line."""

    people: frozenset[str]
    """All ids and names of characters."""
    things: frozenset[str] = frozenset()
    """All ids, names and aliases of other entities."""
    seated: bool = False
    """Whether the run has seats that can be changed."""

    @classmethod
    def from_names(
        cls, people: Iterable[str], things: Iterable[str] = (), *, seated: bool = False
    ) -> "SeatNames":
        """Create the sets of names, ignoring case."""
        return cls(_fold_case(people), _fold_case(things), seated)

    def is_seat_name(self, who: str) -> bool:
        """Whether words mean a character, possibly one that does not exist."""
        folded = who.casefold()
        if folded in self.people:
            return True
        story = is_pronoun(who) or "を" in who or any(t in folded for t in self.things)
        return self.seated and not story


def parse_seat_change(text: str, names: SeatNames) -> SeatChange | None:
    """Parse a line as a change of seats; None if it belongs to the story.

    With a leading slash it is a command whatever it names.
    """
    line = " ".join(text.split())
    for words, direction in _BEFORE.items():
        for lead in (words, f"/{words}"):
            who = _strip_lead(line, lead)
            if who is not None and (lead.startswith("/") or names.is_seat_name(who)):
                return SeatChange(direction, who)
    for words, direction in _AFTER.items():
        who = line.removeprefix("/").removesuffix(words)
        if line.endswith(words) and names.is_seat_name(who):
            return SeatChange(direction, who)
    return None


def _fold_case(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.casefold() for name in names if name)


def _strip_lead(line: str, lead: str) -> str | None:
    """Return what follows the words; None if the line does not begin with them.

    A leading "the" is dropped.
    """
    if line.casefold() == lead:
        return ""
    if not line.casefold().startswith(f"{lead} "):
        return None
    rest = line[len(lead) + 1 :].strip()
    return rest[4:] if rest.casefold().startswith("the ") else rest


class AgentSeats:
    """Lets agents take their turns, changes seats, and shows both on a screen."""

    def __init__(self, table: GameTable, screen: Screen, begin: str) -> None:
        self._table, self._screen, self._begin_command = table, screen, begin
        self._run = table.run

    def has_agents(self) -> bool:
        """Whether an agent plays any character."""
        return any(each != PERSON for each in self._table.list_seats().values())

    def is_agents_only(self) -> bool:
        """Whether only agents take turns, so that the user only watches."""
        order = self._run.world.turn_order
        seating = self._table.seating
        awaited = order or [Id(who) for who in seating.seats]
        return PERSON not in {find_player(seating, who) for who in awaited}

    async def play_agents(self) -> None:
        """Let agents play until it is a person's turn.

        Does nothing if only agents play: then the user asks for each turn.
        """
        while not self.is_agents_only() and await self.play_next_agent():
            pass

    async def play_next_agent(self) -> bool:
        """Let the next agent play; return False if it is not an agent's turn."""
        ended = self._run.is_finished
        with self._show_thinking():
            event = await self._table.play_next()
        match event:
            case PersonTurn():
                return False
            case NoTurn():
                self._screen.show_phrase("nobody")
                return False
            case AgentTurn():
                self._show_agent_turn(event)
                if self._run.is_finished and not ended:
                    self._screen.show_phrase("goal", command=self._begin_command)
                return True

    def _show_thinking(self) -> contextlib.AbstractContextManager[None]:
        who = self._table.find_awaited_actor()
        if who is None or find_player(self._table.seating, who) == PERSON:
            return contextlib.nullcontext()
        return show_while_busy(self._screen.format_phrase("thinking", name=self._format_name(who)))

    def _show_agent_turn(self, played: AgentTurn) -> None:
        gaps = self._build_phrase_fields(played.actor)
        self._screen.show_step(played.step)
        if played.problem is not None:
            problem = played.problem
            show_text(f"[{problem.code}] {problem.message}")
            if problem.hint:
                show_text(f"  hint: {problem.hint}")
            self._screen.show_phrase("rests" if problem.recoverable else "rests_for_good", **gaps)
        elif played.passed:
            self._screen.show_phrase("lets_wait", **gaps)
        elif not played.step.directives:
            world = self._run.world
            if find_room(world, played.actor) == find_room(world, self._table.viewer):
                self._screen.show_phrase("hesitates", **gaps)

    def _format_name(self, who: Id) -> str:
        return name_for_viewer(self._run.world, who, self._table.viewer)

    def collect_names(self) -> SeatNames:
        """Return the names in this run's world."""
        world = self._run.world
        people = (n for who in world.cast for n in (who, get_name(world, who)))
        things = (
            name
            for each in world.entities.values()
            if each.id not in world.cast
            for name in (each.id, each.name, *each.aliases)
        )
        return SeatNames.from_names(people, things, seated=self._run.seating is not None)

    def list_person_seats(self) -> list[Id]:
        """Return the characters that people play."""
        return [w for w, each in self._table.list_seats().items() if each == PERSON]

    async def change_seat(self, change: SeatChange) -> None:
        """Change who plays a character and say so, or say why it is not possible."""
        try:
            who = self._table.find_character(change.who)
        except RunError:
            names = ", ".join(map(self._format_label, self._run.world.cast))
            key = "seat_of_nobody" if change.who else "seat_of_whom"
            self._screen.show_phrase(key, who=change.who, names=names)
            return
        await (self._take_seat if change.direction == "take" else self._return_seat)(who)

    async def _take_seat(self, who: Id) -> None:
        own_seats = self.list_person_seats()
        if who in own_seats:
            self._screen.show_phrase("taken_already", name=self._format_name(who))
            return
        await self._table.take_seat(who)
        self._screen.show_phrase(
            "taken_too" if own_seats else "taken", **self._build_phrase_fields(who)
        )

    async def _return_seat(self, who: Id) -> None:
        player = find_player(self._table.seating, who)
        if player != PERSON:
            gaps = {"agent": player, **self._build_phrase_fields(who)}
            self._screen.show_phrase("handed_already", **gaps)
            return
        agent = self._table.find_last_agent(who)
        fields = {"agent": agent, **self._build_phrase_fields(who)}
        if agent is None and (who == self._run.actor or who not in self.list_person_seats()):
            self._screen.show_phrase("handed_to_nobody", **fields)
            return
        await self._table.return_seat(who)
        self._screen.show_phrase("left" if agent is None else "handed", **fields)

    def _build_phrase_fields(self, who: Id) -> dict[str, str]:
        return {"name": self._format_name(who), "id": who}

    def _format_label(self, who: Id) -> str:
        name = self._format_name(who)
        return name if name == who else f"{name} ({who})"

    def show_seating(self) -> None:
        """Print who plays whom, and whose turn it is."""
        for who, player in self._table.list_seats().items():
            key = "seat_person" if player == PERSON else "seat_agent"
            self._screen.show_phrase(key, name=self._format_label(who), agent=player)
        awaited = self._table.find_awaited_actor()
        if awaited is not None:
            self._screen.show_phrase("awaited", name=self._format_name(awaited))


class ScenarioTerminal:
    """Reads lines, passes them to the run, and shows the resulting steps."""

    def __init__(self, cast: "Cast", opening: StepResult, again: str, begin: str) -> None:
        """Create the terminal of a run that begins with the step `opening`.

        `again` is the command that resumes the run, empty if it is not stored; `begin` is
        the one that plays the scenario from the beginning.
        """
        self._cast = cast
        self._table = cast.game
        self._run = cast.game.run
        self._opening = opening
        self._resume_command = again
        self._begin_command = begin
        self._phrases = LANGUAGES[self._run.record.language]
        self._screen = Screen(self._phrases)
        self._agent_seats = AgentSeats(self._table, self._screen, begin)
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
            self._screen.show_problem(problem)
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
        if asked is not None and asked.name == "quit":
            self._is_leaving = True
            return
        if asked is not None:
            await self._perform(asked)
            return
        if self._agent_seats.is_agents_only():
            await self._watch_turn(line)
            return
        ended = self._run.is_finished
        self._screen.show_step((await self._run.say(line.rstrip("\n"), self._table.viewer)).step)
        if self._run.is_finished and not ended:
            self._screen.show_phrase("goal", command=self._begin_command)

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
