"""Play a story in a terminal: turn pages, make choices, reload the story when saved.

Story content is shown only from StepResults; everything else is the terminal's own
phrases.
"""

import asyncio
import shlex
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, NamedTuple

import click

from saniwa.app.run_service import RunService
from saniwa.app.story_opening import load_story
from saniwa.cli.play import live_reload, terminal_input
from saniwa.cli.play.story_controls import (
    StoryCommands,
    StoryMove,
    StoryPage,
    estimate_reading_time,
    find_first_enabled,
    make_unkept_error,
    match_options,
    save_progress,
)
from saniwa.cli.play.story_plays import StoryPlays
from saniwa.cli.play.terminal_output import LANGUAGES, Screen
from saniwa.cli.render import show_text
from saniwa.core.errors import SaniwaError, StoreError
from saniwa.core.suggestions import find_nearest, find_typo_correction
from saniwa.runs.playing import PlayRequest, list_options
from saniwa.runs.stored_story_playing import StoredStoryPlaying, detect_story_language
from saniwa.story.player import Waiting
from saniwa.story.step_result import Option
from saniwa.story.story import Story

MAX_AUTOMATIC_CHOICES: Final = 50
"""Automatic choices, without a terminal and lines, before playing stops."""
MAX_UNPROMPTED_STEPS: Final = 10_000
"""Steps in a row without input before playing stops."""
_REFUSED_MOVES: Final = frozenset(
    {
        *("CHOICE_NOT_AWAITED", "CHOICE_OUT_OF_RANGE", "CHOICE_DISABLED"),
        *("ANSWER_NOT_AWAITED", "TEXT_UNREADABLE"),
    }
)
"""Errors of a move that the story does not accept; another may be made."""
_MAX_LISTED_OPTIONS: Final = 5
"""Options that are listed at most if a word is ambiguous."""


class StoryTerminal:
    """Turns pages, makes the reader's moves, and reloads the story when it changes."""

    def __init__(
        self,
        page: StoryPage,
        line_input: terminal_input.LineInput,
        reloader: live_reload.StoryReloader,
        plays: StoryPlays,
        notice: live_reload.CheckNotice,
        phrases: Mapping[str, str],
    ) -> None:
        """Create the terminal of the story on a page."""
        self._page = page
        self._line_input = line_input
        self._reloader = reloader
        self._notice = notice
        self._phrases = phrases
        self._screen = page.screen
        self._commands = StoryCommands(page, plays)
        self._automatic_choices = 0
        self._steps_without_input = 0
        self._confirms_empty_answer = False

    def play(self, command: str | None) -> None:
        """Play until the reader quits or the lines run out, then save the progress.

        `command` resumes the story and is printed at the end; None prints nothing.

        Raises:
            SaniwaError: The story cannot continue, or progress cannot be saved.
        """
        try:
            if self._page.revision:
                self._page.show_step(self._page.playing.read_state().step)
            with suppress(EOFError):
                while not self._commands.leaving:
                    self._advance()
        except BaseException as problem:
            self._page.overtaken = getattr(problem, "code", "") == "REVISION_CONFLICT"
            # Raise what stopped the story; errors in saving were already printed.
            save_progress(self._page, command)
            raise
        for unsaved in save_progress(self._page, command):
            raise unsaved

    @property
    def _waiting(self) -> Waiting:
        return self._page.performance.waiting

    def _advance(self) -> None:
        if self._page.open:
            self._turn_page()
        elif self._waiting in ("step", "world"):
            self._take_step()
        else:
            self._read_input()

    def _take_step(self) -> None:
        if self._steps_without_input == MAX_UNPROMPTED_STEPS:
            self._screen.show_phrase("steps_enough", count=MAX_UNPROMPTED_STEPS)
            self._commands.leaving = True
            return
        self._steps_without_input += 1
        try:
            state = self._page.make_move(lambda playing, request: playing.step(request))
        except SaniwaError as problem:
            if self._is_final_error(problem):
                raise
            if self._follow_conflict(problem):
                return
            self._show_stuck(problem)
        else:
            self._page.show_step(state.step)

    def _show_stuck(self, problem: SaniwaError) -> None:
        # The author may be fixing the line right now; turning the page tries again.
        self._screen.show_phrase("step_wrong")
        show_text(str(problem))
        self._page.open = True

    def _follow_conflict(self, problem: SaniwaError) -> bool:
        """Show where the story is now, if it was played on elsewhere; return whether it was."""
        if problem.code != "REVISION_CONFLICT":
            return False
        self._page.catch_up()
        return True

    def _is_final_error(self, problem: SaniwaError) -> bool:
        """Whether retrying is useless: no person is typing, or the store has failed."""
        store_failed = isinstance(problem, StoreError) and not problem.recoverable
        return store_failed or isinstance(self._line_input, terminal_input.ScriptedLineInput)

    def _turn_page(self) -> None:
        if not isinstance(self._line_input, terminal_input.ScriptedLineInput):
            self._steps_without_input = 0
        step, auto = self._page.step, self._commands.auto
        patience = estimate_reading_time(step) if auto and step is not None else None
        typed = self._line_input.wait_at_page(self._phrases["go_on"], self._reloader.poll, patience)
        if typed is terminal_input.InputEvent.NEWS:
            self._apply_update()
        elif typed is terminal_input.InputEvent.TIME or not typed.strip():
            if auto and typed is not terminal_input.InputEvent.TIME:
                self._commands.set_auto(on=False)
            self._page.open = False
        elif not self._commands.execute(typed):
            self._screen.show_phrase("only_enter")

    def _read_input(self) -> None:
        self._steps_without_input = 0
        try:
            typed = self._line_input.read_line(terminal_input.PROMPT, self._reloader.poll)
        except EOFError:
            if not isinstance(self._line_input, terminal_input.ScriptedLineInput):
                raise
            self._handle_end_of_lines(self._line_input)
            return
        was_asked, self._confirms_empty_answer = self._confirms_empty_answer, False
        if isinstance(typed, terminal_input.InputEvent):
            self._apply_update()
        elif not self._commands.execute(typed):
            self._handle_words(typed.rstrip("\n"), sure=was_asked)

    def _handle_words(self, words: str, *, sure: bool) -> None:
        """Use typed words as a choice, else as an answer."""
        waiting, options = self._waiting, self._list_options()
        asked = "answer" in waiting
        found = match_options(words, options, whole=asked) if "choice" in waiting else ()
        if len(found) == 1:
            self._choose(found[0], options)
        elif asked:
            self._submit_answer(
                words, sure=sure or isinstance(self._line_input, terminal_input.ScriptedLineInput)
            )
        elif waiting == "end":
            self._screen.show_phrase("story_ended")
        else:
            self._ask_again(words, found, options)

    def _choose(self, index: int, options: tuple[Option, ...]) -> None:
        if options[index].enabled:
            self._make_move(lambda playing, request: playing.choose(request, index))
        else:
            self._screen.show_phrase("choice_closed", text=options[index].text)

    def _ask_again(self, words: str, found: tuple[int, ...], options: tuple[Option, ...]) -> None:
        """Say which choices there are, after words that match none or several."""
        if found:
            some = [f"{i + 1}. {options[i].text}" for i in found[:_MAX_LISTED_OPTIONS]]
            some += ["…"] if len(found) > _MAX_LISTED_OPTIONS else []
            self._screen.show_phrase("could_be", words=words.strip(), options=", ".join(some))
        elif len(options) == 1:
            self._screen.show_phrase("only_choice")
        else:
            if near := _suggest_option_words(words, options):
                self._screen.show_phrase("near_choice", near=near)
            self._screen.show_phrase("which_choice", last=len(options))

    def _submit_answer(self, words: str, *, sure: bool) -> None:
        """Answer the story; an empty answer must be repeated, as it may be a stray Enter."""
        if not (words.strip() or sure):
            self._confirms_empty_answer = True
            self._screen.show_phrase("say_nothing")
            return
        self._make_move(lambda playing, request: playing.say(request, words))

    def _make_move(self, move: StoryMove) -> None:
        """Make a move and show what follows.

        An error in it is printed, after which another move can be made.
        """
        try:
            state = self._page.make_move(move)
        except SaniwaError as problem:
            refused = problem.code in _REFUSED_MOVES
            if not refused and self._is_final_error(problem):
                raise
            if not self._follow_conflict(problem):
                show_text(str(problem))
        else:
            self._page.show_step(state.step)

    def _list_options(self) -> tuple[Option, ...]:
        return () if self._page.step is None else list_options(self._page.step)

    def _handle_end_of_lines(self, lines: terminal_input.ScriptedLineInput) -> None:
        """Quit at the end of the lines; if there were none at all, choose the first option."""
        enough = self._automatic_choices == MAX_AUTOMATIC_CHOICES
        if self._waiting != "end" and not lines.spoke and not enough:
            self._pick_first_option()
            return
        if self._waiting != "end":
            key = "lines_out" if lines.spoke else "picked_enough"
            self._screen.show_phrase(key, count=MAX_AUTOMATIC_CHOICES)
        self._commands.leaving = True

    def _pick_first_option(self) -> None:
        if not self._automatic_choices:
            self._screen.show_phrase("by_itself")
        self._automatic_choices += 1
        index = find_first_enabled(self._list_options())
        terminal_input.echo_line(terminal_input.PROMPT, "" if index is None else str(index + 1))
        if index is None:
            self._submit_answer("", sure=True)
        else:
            self._choose(index, self._list_options())

    def _apply_update(self) -> None:
        update, playing = self._reloader.take_update(), self._page.playing
        try:
            if isinstance(update, SaniwaError):
                raise update
            state = self._page.make_move(lambda _, request: playing.reload(request, update))
        except SaniwaError as problem:
            if playing.performance.story is update:
                self._show_new_text()
                self._show_stuck(problem)
            elif not self._follow_conflict(problem):
                self._screen.show_phrase("reread_wrong")
                live_reload.show_story_errors(problem)
                self._page.show_choices()
        else:
            self._show_new_text()
            self._page.show_afresh(state.step)

    def _show_new_text(self) -> None:
        playing = self._page.playing
        assert playing.resumption is not None, "the story was read again"
        live_reload.show_new_position(self._screen, playing.performance, playing.resumption)
        self._notice.show_counts(playing.performance.story)


_RESTART_ANSWERS: Final = frozenset(
    {"new", "n", "no", "新しく", "最初から", "はじめから", "いいえ"}
)


class StoryPlayRequest(NamedTuple):
    """Which story to play, and how."""

    file: str
    """The file it begins in."""
    language: str | None = None
    """The language to play it in; None for its own."""
    seed: int = 0
    """The seed of the random numbers."""
    resume: bool = False
    """Whether to continue at the saved position."""
    save: str | None = None
    """The save to begin from."""
    fast: bool = False
    """Whether not to wait at a [WAIT]."""
    store: str | None = None
    """The store that `--store` names."""
    id: str = ""
    """The id it was named by; empty if it was named by its file."""
    run: str = ""
    """The run to resume; empty for the last."""

    @property
    def is_continuation(self) -> bool:
        """Whether it continues from a saved position or a save."""
        return self.resume or self.save is not None

    @property
    def resume_command(self) -> str:
        """The command that resumes the story."""
        words = ["saniwa", "play", self.id or self.file, "--resume"]
        words += ["--language", self.language] if self.language else []
        words += ["--store", self.store] if self.store else []
        return shlex.join(words)


def play_story(request: StoryPlayRequest, parts: RunService, lines: Iterator[str] | None) -> None:
    """Play a story with the given lines; if None, with the line_input.

    Raises:
        SaniwaError: It cannot be read, started, resumed or saved.
    """
    line_input: terminal_input.LineInput = (
        terminal_input.KeyboardLineInput()
        if lines is None
        else terminal_input.ScriptedLineInput(lines)
    )
    story = load_story(request.file, parts.registry, language=request.language)
    phrases = LANGUAGES[detect_story_language(story, request.language)]
    screen = Screen(phrases, stage=True)
    aside = lines is not None and not request.is_continuation
    show_text(story.title, bold=True)
    with (
        closing(StoryPlays(request.file, parts, request.language, aside=aside)) as plays,
        asyncio.Runner() as loop,
    ):
        playing = _open_playing(request, plays, story, line_input, screen, loop)
        notice = live_reload.CheckNotice(screen, request.file, request.language)
        notice.show_counts(playing.performance.story)
        if lines is None:
            screen.show_phrase("story_welcome")
        click.echo()
        page = StoryPage(
            playing, screen, line_input, loop, fast=request.fast, remarks=not request.id
        )
        page.unkept = plays.unkept and make_unkept_error(plays.unkept)
        reloader = _watch_files(request, parts, playing, patient=lines is None)
        terminal = StoryTerminal(page, line_input, reloader, plays, notice, phrases)
        terminal.play(request.resume_command if lines is None or request.is_continuation else None)


def _watch_files(
    request: StoryPlayRequest, parts: RunService, playing: StoredStoryPlaying, *, patient: bool
) -> live_reload.StoryReloader:
    language = request.language or playing.origin.language or None
    translation = Path(request.file).with_suffix(f".{language}.csv")
    return live_reload.StoryReloader(
        lambda: load_story(request.file, parts.registry, language=language),
        playing.performance.story,
        *([translation] if language else []),
        patient=patient,
    )


def _open_playing(
    request: StoryPlayRequest,
    plays: StoryPlays,
    story: Story,
    line_input: terminal_input.LineInput,
    screen: Screen,
    loop: asyncio.Runner,
) -> StoredStoryPlaying:
    """Begin the story, or open it where it was left or saved, as the reader wants it."""
    for problem in filter(None, (plays.unreadable, plays.unkept)):
        show_text(str(problem))
    save = request.save
    if save is None and not (request.resume or _ask_to_resume(request, plays, line_input, screen)):
        return plays.begin(story, request.seed)
    run_id = request.run if save is None else plays.find_save(save)
    playing = loop.run(plays.open_run(run_id or plays.find_last() or ""))
    if save is not None:
        loop.run(playing.load(PlayRequest(revision=playing.revision), save))
    screen.show_phrase("story_taken_up" if save is None else "story_loaded", name=save)
    if playing.performance.taken_back and save is None:
        screen.show_phrase("world_taken_back")
    live_reload.show_edit(screen, playing)
    return playing


def _ask_to_resume(
    request: StoryPlayRequest,
    plays: StoryPlays,
    line_input: terminal_input.LineInput,
    screen: Screen,
) -> bool:
    """Ask whether to continue where the story was left, if it was.

    Nothing is asked with prepared lines or a seed.
    """
    if (
        isinstance(line_input, terminal_input.ScriptedLineInput)
        or request.seed
        or plays.find_last() is None
    ):
        return False
    screen.show_phrase("take_up")
    try:
        typed = line_input.read_line("> ", lambda: False)
    except EOFError:
        raise click.exceptions.Exit from None
    return str(typed).strip().casefold() not in _RESTART_ANSWERS


def _suggest_option_words(words: str, options: tuple[Option, ...]) -> str:
    """Return the option, or the word of one, that is most like the typed words; else nothing."""
    texts = [each.text for each in options]
    parts = {part.strip(".,!?") for text in texts for part in text.split()}
    return find_typo_correction(words.strip(), parts) or find_nearest(words.strip(), texts)
