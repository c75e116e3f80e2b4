"""One person at one terminal, reading one story.

Story reaches the screen only out of StepResults; the rest is the terminal's own talk.
"""

import asyncio
import re
import shlex
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from saniwa.app.runs import RunService
from saniwa.app.stories import load_story, open_story, resume_story
from saniwa.app.story_saves import StorySaves, open_story_saves
from saniwa.cli.play.keyboard import (
    PROMPT,
    InputEvent,
    KeyboardLineInput,
    LineInput,
    ScriptedLineInput,
    echo_line,
)
from saniwa.cli.play.live_reload import (
    CheckNotice,
    StoryReloader,
    show_edit,
    show_new_position,
    show_story_errors,
)
from saniwa.cli.play.page import (
    StoryPage,
    estimate_reading_time,
    find_first_enabled,
    list_options,
    match_options,
)
from saniwa.cli.play.phrases import LANGUAGES
from saniwa.cli.play.screen import Screen
from saniwa.cli.play.story_commands import StoryCommands, save_progress
from saniwa.core.errors import SaniwaError, ScriptError, StoreError
from saniwa.core.text import escape_control_characters
from saniwa.runs.story import StoryPlaying
from saniwa.story.stepresult import Option
from saniwa.story.story import Story

MAX_AUTOMATIC_CHOICES: Final = 50
"""Choices made where nobody chooses, before the story is left alone."""
MAX_UNPROMPTED_STEPS: Final = 10_000
"""Steps in a row in which nothing is asked, before the story is left alone."""
_MAX_LISTED_OPTIONS: Final = 5
"""Options that are named where a word means several."""


class StoryTerminal:
    """Turns pages, hears choices, and notices when the author saves."""

    def __init__(
        self,
        performance: StoryPlaying,
        hand: LineInput,
        editions: StoryReloader,
        keeping: StorySaves,
        notice: CheckNotice,
        said: Mapping[str, str],
        *,
        fast: bool = False,
    ) -> None:
        """A table; where it is fast, nobody waits for a [WAIT]."""
        self._playing = performance
        self._hand = hand
        self._editions = editions
        self._keeping = keeping
        self._notice = notice
        self._said = said
        self._screen = Screen(said, stage=True)
        self._page = StoryPage(performance, self._screen, hand, fast=fast)
        self._beside = StoryCommands(self._page, keeping)
        self._picked = 0
        self._unasked = 0
        self._hushed = False

    def play(self, command: str | None) -> None:
        """Play until somebody leaves or the lines run out.

        `command` leads back here; None where nobody is to come back.
        """
        self._playing.player.mark_seen(self._keeping.load_seen())
        with closing(self._page):
            try:
                with suppress(EOFError):
                    while not self._beside.leaving:
                        self._advance()
            except BaseException:
                # What stopped the story is what matters; the rest was told in passing.
                self._save_progress(command)
                raise
            for problem in self._save_progress(command):
                raise problem

    def _save_progress(self, command: str | None) -> tuple[SaniwaError, ...]:
        return save_progress(self._playing, self._keeping, self._screen, command)

    # How the story goes on.

    def _advance(self) -> None:
        if self._page.open:
            self._turn_page()
        elif self._playing.waiting in ("step", "world"):
            self._take_step()
        else:
            self._read_input()

    def _take_step(self) -> None:
        if self._unasked == MAX_UNPROMPTED_STEPS:
            self._screen.show_phrase("steps_enough", count=MAX_UNPROMPTED_STEPS)
            self._beside.leaving = True
            return
        self._unasked += 1
        try:
            step = self._page.run_to_end(self._playing.step())
        except SaniwaError as problem:
            if self._is_final_error(problem):
                raise
            # Its author may be mending the line right now; turning the page tries again.
            self._screen.show_phrase("step_wrong")
            click.echo(escape_control_characters(str(problem)))
            self._page.open = True
        else:
            self._page.show_step(step)

    def _is_final_error(self, problem: SaniwaError) -> bool:
        """Whether trying again is no use: nobody sits here, or it cannot be kept."""
        lasting = isinstance(problem, StoreError) and not problem.recoverable
        return lasting or isinstance(self._hand, ScriptedLineInput)

    def _turn_page(self) -> None:
        if not isinstance(self._hand, ScriptedLineInput):
            self._unasked = 0
        step, auto = self._page.step, self._beside.auto
        patience = estimate_reading_time(step) if auto and step is not None else None
        typed = self._hand.wait_at_page(
            self._said["go_on"], self._editions.poll, patience
        )
        if typed is InputEvent.NEWS:
            self._apply_update()
        elif typed is InputEvent.TIME or not typed.strip():
            if auto and typed is not InputEvent.TIME:
                self._beside.set_auto(on=False)
            self._page.open = False
        elif not self._beside.execute(typed):
            self._screen.show_phrase("only_enter")

    def _read_input(self) -> None:
        self._unasked = 0
        try:
            typed = self._hand.read_line(PROMPT, self._editions.poll)
        except EOFError:
            if not isinstance(self._hand, ScriptedLineInput):
                raise
            self._handle_end_of_lines(self._hand)
            return
        hushed, self._hushed = self._hushed, False
        if isinstance(typed, InputEvent):
            self._apply_update()
        elif not self._beside.execute(typed):
            self._handle_words(typed.rstrip("\n"), sure=hushed)

    def _handle_words(self, words: str, *, sure: bool) -> None:
        """Take typed words as a choice, else as an answer."""
        waiting, options = self._playing.waiting, self._list_options()
        asked = "answer" in waiting
        found = (
            match_options(words, options, whole=asked) if "choice" in waiting else ()
        )
        if len(found) == 1:
            self._choose(found[0], options)
        elif asked:
            self._submit_answer(
                words, sure=sure or isinstance(self._hand, ScriptedLineInput)
            )
        elif waiting == "end":
            self._screen.show_phrase("story_ended")
        else:
            self._ask_again(words, found, options)

    def _choose(self, index: int, options: tuple[Option, ...]) -> None:
        if options[index].enabled:
            self._make_move(self._playing.choose(index))
        else:
            self._screen.show_phrase("choice_closed", text=options[index].text)

    def _ask_again(
        self, words: str, found: tuple[int, ...], options: tuple[Option, ...]
    ) -> None:
        """Say which choices there are for words that mean none of them, or several."""
        if found:
            some = [f"{i + 1}. {options[i].text}" for i in found[:_MAX_LISTED_OPTIONS]]
            some += ["…"] if len(found) > _MAX_LISTED_OPTIONS else []
            self._screen.show_phrase(
                "could_be", words=words.strip(), options=", ".join(some)
            )
        elif len(options) == 1:
            self._screen.show_phrase("only_choice")
        else:
            self._screen.show_phrase("which_choice", last=len(options))

    def _submit_answer(self, words: str, *, sure: bool) -> None:
        """Answer; but an Enter too many, meant to turn a page, is no answer yet."""
        if not (words.strip() or sure):
            self._hushed = True
            self._screen.show_phrase("say_nothing")
            return
        self._make_move(self._playing.answer(words))

    def _make_move(self, move: Coroutine[Any, Any, None]) -> None:
        """Make a move; what is wrong with it is told, and another may be made."""
        try:
            self._page.run_to_end(move)
        except SaniwaError as problem:
            if not isinstance(problem, ScriptError) and self._is_final_error(problem):
                raise
            click.echo(escape_control_characters(str(problem)))

    def _list_options(self) -> tuple[Option, ...]:
        return () if self._page.step is None else list_options(self._page.step)

    # Where nobody chooses.

    def _handle_end_of_lines(self, lines: ScriptedLineInput) -> None:
        """Leave; but where there never was a line, take what stands first."""
        if self._playing.waiting == "end":
            self._beside.leaving = True
        elif lines.spoke:
            self._screen.show_phrase("lines_out")
            self._beside.leaving = True
        elif self._picked == MAX_AUTOMATIC_CHOICES:
            self._screen.show_phrase("picked_enough", count=MAX_AUTOMATIC_CHOICES)
            self._beside.leaving = True
        else:
            self._pick_first_option()

    def _pick_first_option(self) -> None:
        if not self._picked:
            self._screen.show_phrase("by_itself")
        self._picked += 1
        index = find_first_enabled(self._list_options())
        echo_line(PROMPT, "" if index is None else str(index + 1))
        if index is None:
            self._page.run_to_end(self._playing.answer(""))
        else:
            self._page.run_to_end(self._playing.choose(index))

    # What the author has saved.

    def _apply_update(self) -> None:
        news = self._editions.take_update()
        try:
            if isinstance(news, SaniwaError):
                raise news
            found = self._page.run_to_end(self._playing.reload(news))
        except SaniwaError as problem:
            self._screen.show_phrase("reread_wrong")
            show_story_errors(problem)
            self._page.show_choices()
        else:
            show_new_position(self._screen, self._playing, found)
            self._notice.show_counts(self._playing.story)
            self._page.reset_view()


_RESTART_ANSWERS: Final = frozenset(
    {"new", "n", "no", "新しく", "最初から", "はじめから", "いいえ"}
)
_KANA: Final = re.compile("[ぁ-ヿ]")


class StoryPlayRequest(NamedTuple):
    """How somebody wants to play a story."""

    file: str
    """The file it begins in."""
    language: str | None = None
    """The language to tell it in; None for its own."""
    seed: int = 0
    """Where chance starts."""
    resume: bool = False
    """Whether to go on where it was left."""
    save: str | None = None
    """The save to begin from."""
    fast: bool = False
    """Whether nobody waits for a [WAIT]."""
    store: str | None = None
    """Where the store is, if somebody said so."""
    id: str = ""
    """The id it was named by; empty where it was named by its file."""

    @property
    def is_continuation(self) -> bool:
        """Whether it goes on from somewhere."""
        return self.resume or self.save is not None

    @property
    def resume_command(self) -> str:
        """What to type to go on."""
        words = ["saniwa", "play", self.id or self.file, "--resume"]
        words += ["--language", self.language] if self.language else []
        words += ["--store", self.store] if self.store else []
        return shlex.join(words)


def play_story(
    seat: StoryPlayRequest, parts: RunService, lines: Iterator[str] | None
) -> None:
    """Play a story by lines or, where there are none, by hand.

    Raises:
        SaniwaError: It cannot be read, begun, gone on with or kept.
    """
    hand: LineInput = KeyboardLineInput() if lines is None else ScriptedLineInput(lines)
    story = load_story(seat.file, parts.registry, language=seat.language)
    keeping = open_story_saves(seat.file, parts.place)
    if lines is not None and not seat.is_continuation:
        keeping = keeping.to_temporary()
    left = None if seat.save is None else keeping.saves.get(seat.save)
    said = LANGUAGES[_detect_language(story, seat.language)]
    screen = Screen(said)
    click.secho(escape_control_characters(story.title), bold=True)
    if left or seat.resume or _ask_to_resume(seat, keeping, hand, screen):
        taken_up = resume_story(
            seat.file, parts, language=seat.language, content=left, keeping=keeping
        )
        performance, found = asyncio.run(taken_up)
        screen.show_phrase("story_loaded" if left else "story_taken_up", name=seat.save)
        if performance.taken_back and not left:
            screen.show_phrase("world_taken_back")
        show_edit(screen, performance, found)
    else:
        performance = open_story(
            seat.file, parts, language=seat.language, seed=seat.seed, keeping=keeping
        )
    notice = CheckNotice(screen, seat.file, seat.language)
    notice.show_counts(performance.story)
    if lines is None:
        screen.show_phrase("story_welcome")
    click.echo()
    translation = Path(seat.file).with_suffix(f".{seat.language}.csv")
    editions = StoryReloader(
        lambda: load_story(seat.file, parts.registry, language=seat.language),
        performance.story,
        *([translation] if seat.language else []),
        patient=lines is None,
    )
    sitting = StoryTerminal(
        performance, hand, editions, keeping, notice, said, fast=seat.fast
    )
    sitting.play(seat.resume_command if lines is None or seat.is_continuation else None)


def _ask_to_resume(
    seat: StoryPlayRequest, keeping: StorySaves, hand: LineInput, screen: Screen
) -> bool:
    """Whether somebody wants to go on where the story was left."""
    if isinstance(hand, ScriptedLineInput) or seat.seed or keeping.load_place() is None:
        return False
    screen.show_phrase("take_up")
    try:
        typed = hand.read_line("> ", lambda: False)
    except EOFError:
        raise click.exceptions.Exit from None
    return str(typed).strip().casefold() not in _RESTART_ANSWERS


def _detect_language(story: Story, language: str | None) -> str:
    """The language the terminal speaks: the story's, as far as it can."""
    named = language or story.scenes[0].front.language
    if not named:
        return "ja" if _KANA.search(story.scenes[0].text) else "en"
    return "ja" if named.casefold().split("-")[0] == "ja" else "en"
