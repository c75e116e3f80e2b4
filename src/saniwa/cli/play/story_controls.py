"""How a reader moves through a story in a terminal: the current step, options and commands.

Also the story's log, and saving progress.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from saniwa.app.host_command_execution import answer_host_command
from saniwa.cli.play.live_reload import show_edit
from saniwa.cli.play.terminal_input import (
    STORY_COMMANDS,
    LineInput,
    ScriptedLineInput,
    parse_command,
)
from saniwa.cli.play.terminal_output import Screen
from saniwa.cli.render import show_text
from saniwa.core.errors import SaniwaError, StoreError
from saniwa.core.text import measure_width
from saniwa.language.host_commands import HostCommand, find_host_command
from saniwa.runs.playing import PlayRequest, PlayState, list_options
from saniwa.runs.stored_story_playing import StoredStoryPlaying
from saniwa.runs.story_playing import StoryPlaying
from saniwa.store.play_records import MemoryPlayRecords
from saniwa.story import step_result

if TYPE_CHECKING:
    from saniwa.cli.play.story_plays import StoryPlays

_BASE_SECONDS: Final = 1.0
_SECONDS_PER_COLUMN: Final = 0.06
"""Seconds to read a step: a base, and for each column of text."""
_MAX_MATCH_CHARS: Final = 100
"""Longest input, in characters, that is searched for in options."""


def match_options(
    words: str, options: tuple[step_result.Option, ...], *, whole: bool = False
) -> tuple[int, ...]:
    """Return the indexes of the options that words may mean; several if ambiguous.

    A number selects its option, counted from 1. An option's full text selects it. Unless
    `whole`, other words select the enabled options that contain them; if none is
    enabled, the disabled ones.
    """
    number = words.strip().rstrip(".")
    if number.isdecimal() and len(number) < 5:
        return (int(number) - 1,) if 0 < int(number) <= len(options) else ()
    typed = _normalize_text(words)
    texts = [_normalize_text(option.text) for option in options]
    alike = tuple(i for i, text in enumerate(texts) if text == typed)
    if alike or whole or not 0 < len(typed) <= _MAX_MATCH_CHARS:
        return alike
    parts = tuple(i for i, text in enumerate(texts) if _contains_words(typed, text))
    return tuple(i for i in parts if options[i].enabled) or parts


def _normalize_text(text: str) -> str:
    return text.strip().rstrip(".。").strip().casefold()


def _contains_words(words: str, text: str) -> bool:
    """Whether a text contains words that neither begin nor end inside one of its words."""
    at = text.find(words)
    while at >= 0:
        end = at + len(words)
        if not (_is_inside_word(text, at) or _is_inside_word(text, end)):
            return True
        at = text.find(words, at + 1)
    return False


def _is_inside_word(text: str, at: int) -> bool:
    """Whether the position is between two characters of one space-separated word."""
    # Japanese, for example, does not separate words: any character may begin one.
    around = text[max(at - 1, 0) : at + 1]
    return 0 < at < len(text) and around.isalnum() and measure_width(around) == len(around)


def find_first_enabled(options: tuple[step_result.Option, ...]) -> int | None:
    """Return the index of the first enabled option; None if there is none."""
    return next((i for i, option in enumerate(options) if option.enabled), None)


def estimate_reading_time(step: step_result.StepResult) -> float:
    """Estimate the seconds a reader needs for a step."""
    lines = (each.args for each in step.directives if isinstance(each, step_result.Say))
    return _BASE_SECONDS + _SECONDS_PER_COLUMN * sum(measure_width(line.text) for line in lines)


StoryMove = Callable[[StoredStoryPlaying, PlayRequest], Coroutine[Any, Any, PlayState]]
"""Something that a reader does in a story."""
_SCENERY: Final = (step_result.ShowImage, step_result.ClearLayer, step_result.PlayBgm)
T = TypeVar("T")


class StoryPage:
    """Shows the steps of a story, and tracks whether the reader must turn the page."""

    def __init__(
        self,
        playing: StoredStoryPlaying,
        screen: Screen,
        line_input: LineInput,
        loop: asyncio.Runner,
        *,
        fast: bool,
        remarks: bool,
    ) -> None:
        """Create an empty page; with `fast` it does not wait at a [WAIT].

        With `remarks`, jumps to labels that do not exist are reported where they are.
        """
        self.screen = screen
        """The screen it is shown on."""
        self.step: step_result.StepResult | None = None
        """The step that was shown last."""
        self.open = False
        """Whether the reader has to turn the page before the story continues."""
        self.set_stage = True
        """Whether the next step is shown with the whole scenery instead of its changes."""
        self.unkept: StoreError | None = None
        """Why the story is no longer stored; None as long as it is."""
        self.overtaken = False
        """Whether the story was played on elsewhere, and is left for that reason."""
        self._line_input = line_input
        self._fast = fast
        self._remarks = remarks
        self._asked = False
        self._loop = loop
        self.open_playing(playing)

    def open_playing(self, playing: StoredStoryPlaying) -> None:
        """Show this run of the story from now on."""
        self.playing = playing
        self.revision = playing.revision

    @property
    def performance(self) -> StoryPlaying:
        """The playing of the story itself."""
        return self.playing.performance

    def run_to_end(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine of the story to its end."""
        return self._loop.run(work)

    def make_move(self, move: StoryMove) -> PlayState:
        """Make a move from what was shown last.

        If the store of a story without a world cannot be written, the story goes on in
        memory, and the error is printed.

        Raises:
            SaniwaError: The move failed; nothing was done.
        """
        request = PlayRequest(revision=self.revision)
        try:
            state = self.run_to_end(move(self.playing, request))
        except StoreError as problem:
            if problem.code != "TRACE_UNWRITABLE" or self.performance.run is not None:
                raise
            show_text(str(problem))
            if self.playing.revision > request.revision:
                # Only what is stored besides the step has failed.
                state = self.playing.read_state()
            else:
                self.unkept = make_unkept_error(problem)
                self.playing.store_in(MemoryPlayRecords())
                state = self.run_to_end(move(self.playing, request))
        self.revision = state.revision
        for jump in (state.skipped or ()) if self._remarks else ():
            self.screen.show_phrase("jump_skipped", label=jump.label, line=jump.line)
        return state

    def show_afresh(self, step: step_result.StepResult) -> None:
        """Show a step with the full scenery."""
        self.open, self.set_stage = False, True
        self.show_step(step)

    def catch_up(self) -> None:
        """Show where the story was played on to elsewhere."""
        self.run_to_end(self.playing.catch_up())
        self.revision = self.playing.revision
        self.screen.show_phrase("played_elsewhere")
        self.show_afresh(self.playing.read_state().step)

    def show_step(self, step: step_result.StepResult, *, fast: bool = False) -> None:
        """Show a step, and wait as long as its [WAIT] says, unless `fast`."""
        seen = self._add_scenery(step) if self.set_stage else step
        self.set_stage = False
        if self.step is not None and self.screen.is_visible(seen):
            click.echo()
        self.screen.show_step(seen)
        self.step = step
        waiting = self.performance.waiting
        self.open = step.next is step_result.Next.WAIT_USER and waiting == "step"
        if not isinstance(self._line_input, ScriptedLineInput):
            self._show_instructions(waiting)
        if not (fast or self._fast):
            self._pause(step)

    def show_passed(self, step: step_result.StepResult) -> None:
        """Show a step that was skipped."""
        if self.step is not None and self.screen.is_visible(step):
            click.echo()
        self.screen.show_step(step)
        self.step = step

    def is_waiting_at(self, step: step_result.StepResult) -> bool:
        """Whether the story waits at its current step until the reader acts."""
        turned_by_itself = isinstance(self._line_input, ScriptedLineInput)
        if self.performance.waiting == "step" and turned_by_itself:
            return False
        return step.next is not step_result.Next.NEXT

    def show_choices(self) -> None:
        """Show the options of the last step again."""
        if self.step is not None and list_options(self.step):
            offered = (d for d in self.step.directives if isinstance(d, step_result.Branch))
            choices = step_result.StepResult(next=self.step.next, directives=tuple(offered))
            self.screen.show_step(choices)

    def _add_scenery(self, step: step_result.StepResult) -> step_result.StepResult:
        """Return a step with the full scenery instead of its own changes to it."""
        rest = (d for d in step.directives if not isinstance(d, _SCENERY))
        scenery = self.performance.build_scenery().directives
        return step_result.StepResult(next=step.next, directives=(*scenery, *rest))

    def _show_instructions(self, waiting: str) -> None:
        """Explain how to answer, the first time; and what can be typed at the end."""
        if waiting == "answer" and not self._asked:
            self._asked = True
            self.screen.show_phrase("story_asks")
        elif waiting == "end":
            self.screen.show_phrase("story_ended")

    def _pause(self, step: step_result.StepResult) -> None:
        for directive in step.directives:
            if isinstance(directive, step_result.Wait):
                self._line_input.pause(directive.args.seconds)


def make_unkept_error(problem: StoreError) -> StoreError:
    """Return the error for a story that went on without being stored; it can be repeated."""
    return StoreError(
        problem.code,
        problem.message,
        where=problem.where,
        hint=problem.hint,
        recoverable=True,
        details=problem.details,
    )


def save_progress(page: StoryPage, command: str | None) -> tuple[SaniwaError, ...]:
    """Store which run was played last, then the steps read; print and return the errors.

    Both are tried, even if the other fails. `command` resumes the story; with None it
    is not printed.
    """
    playing, screen = page.playing, page.screen
    place, seen = list[SaniwaError]([page.unkept] if page.unkept else []), list[SaniwaError]()
    phrase = ""
    with _collect_errors(place):
        phrase = "" if place else _save_position(page)
    with _collect_errors(seen):
        playing.store_seen()
    # Printed last: if printing fails, everything has already been saved.
    if phrase and command is not None:
        screen.show_phrase(phrase, command=command)
    if place and playing.performance.waiting != "end":
        screen.show_phrase("place_unkept", why=place[0].message)
    if seen:
        screen.show_phrase("seen_unkept", why=seen[0].message)
    return (*place, *seen)


def _save_position(page: StoryPage) -> str:
    """Let this run be the last of the story; return the key of the phrase that says so.

    After the end there is none. If another process has played on, its later position
    stays.
    """
    playing = page.playing
    if page.overtaken or playing.is_overtaken():
        return "place_elsewhere"
    playing.store_place()
    return "" if playing.performance.waiting == "end" or not playing.revision else "story_kept"


@contextmanager
def _collect_errors(problems: list[SaniwaError]) -> Iterator[None]:
    try:
        yield
    except SaniwaError as problem:
        problems.append(problem)


class StoryCommands:
    """Executes the reader's commands: back, log, skip, auto, saves, restart, quit."""

    def __init__(self, page: StoryPage, plays: "StoryPlays") -> None:
        """Execute commands on the story of a page, with the saves of all its runs."""
        self._page = page
        self._plays = plays
        self._show_phrase = page.screen.show_phrase
        self.auto = False
        """Whether pages turn automatically."""
        self.leaving = False
        """Whether the reader wants to quit."""
        self._commands: dict[str, Callable[[str], None]] = {
            "back": self._go_back,
            "undo": self._go_back,
            "skip": self._skip,
            "auto": lambda _: self.set_auto(on=not self.auto),
            "save": self._save,
            "load": self._load,
            "saves": self._list_saves,
            "restart": self._restart,
            "quit": self._quit,
        }

    def execute(self, line: str) -> bool:
        """Execute a line if it is a command; return whether it was one.

        Where the story asks for words, a command needs a slash, so that no answer is
        mistaken for a command; so does a command that is the text of an option.
        """
        if not line.lstrip().startswith("/") and self._is_about_story(line):
            return False
        own, asked = parse_command(line, STORY_COMMANDS), find_host_command(line)
        name, rest = own or asked or ("", "")
        try:
            if name in self._commands:
                self._commands[name](rest)
            elif asked is not None:
                self._answer(asked)
            else:
                return False
        except SaniwaError as problem:
            self._page.screen.show_problem(problem)
        return True

    def _is_about_story(self, line: str) -> bool:
        waiting, step = self._page.performance.waiting, self._page.step
        if waiting == "answer" or step is None or "choice" not in waiting:
            return waiting == "answer"
        return bool(match_options(line, list_options(step), whole=True))

    def set_auto(self, *, on: bool) -> None:
        """Switch automatic page turning on or off, and say so."""
        self.auto = on
        self._show_phrase("auto_on" if on else "auto_off")

    def _answer(self, command: HostCommand) -> None:
        """Show the answer to a word for the host, and again what can be chosen."""
        lines = self._page.run_to_end(answer_host_command(command, self._page.playing))
        for line in lines:
            self._page.screen.show_speech("", line)
        if command.name == "help":
            self._show_phrase("story_terminal_help")
        self._page.show_choices()

    def _go_back(self, _: str) -> None:
        while True:
            before = self._page.revision
            state = self._page.make_move(lambda playing, request: playing.back(request))
            if state.revision == before:
                self._show_phrase("first_step")
                return
            # A step that does not wait would only lead forward to here again.
            if self._page.is_waiting_at(state.step):
                self._page.set_stage = True
                self._page.show_step(state.step)
                return

    def _skip(self, _: str) -> None:
        if self._page.performance.waiting != "step":
            self._show_phrase("no_skip")
            return
        passed = list[step_result.StepResult]()

        async def skip_seen(playing: StoredStoryPlaying, request: PlayRequest) -> PlayState:
            state, skipped = await playing.skip(request)
            passed[:] = skipped
            return state

        state = self._page.make_move(skip_seen)
        for step in passed:
            self._page.show_passed(step)
        self._page.show_step(state.step, fast=True)

    def _save(self, name: str) -> None:
        if not name:
            self._list_saves(name)
            return
        self._plays.store_playing(self._page.playing)
        self._page.run_to_end(self._page.playing.save(name))
        self._show_phrase("saved", name=name)

    def _load(self, name: str) -> None:
        if not name:
            self._list_saves(name)
            return
        playing = self._page.run_to_end(self._plays.open_save(name, self._page.playing))
        if playing is not self._page.playing:
            self._page.open_playing(playing)
        state = self._page.make_move(lambda playing, request: playing.load(request, name))
        self._show_phrase("story_loaded", name=name)
        show_edit(self._page.screen, playing)
        self._page.show_afresh(state.step)

    def _list_saves(self, _: str) -> None:
        names = ", ".join(self._plays.list_save_names(self._page.playing))
        self._show_phrase("saves" if names else "no_saves", names=names)

    def _restart(self, _: str) -> None:
        state = self._page.make_move(lambda playing, request: playing.restart(request))
        self._show_phrase("story_restarted")
        self._page.show_afresh(state.step)

    def _quit(self, _: str) -> None:
        self.leaving = True
