"""The page of a story in a terminal: the current step, its options, and the reader's commands.

Also the story's log, and saving progress.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import click
import msgspec
from msgspec import UNSET

from saniwa.app.story_saves import StorySaves
from saniwa.cli.play.keyboard import PROMPT, LineInput, ScriptedLineInput, echo_line
from saniwa.cli.play.live_reload import show_edit
from saniwa.cli.play.phrases import STORY_COMMANDS, parse_command
from saniwa.cli.play.screen import Screen
from saniwa.cli.render import measure_width, show_text
from saniwa.core.errors import SaniwaError
from saniwa.runs.story import StoryPlaying, decode_playing_state
from saniwa.story.saves import Resumption
from saniwa.story.step_result import (
    Ask,
    Branch,
    ClearLayer,
    Next,
    Option,
    PlayBgm,
    Say,
    ShowImage,
    StepResult,
    Wait,
)

_BASE_SECONDS: Final = 1.0
_SECONDS_PER_COLUMN: Final = 0.06
"""Seconds to read a step: a base, and for each column of text."""
_MAX_MATCH_CHARS: Final = 100
"""Longest input, in characters, that is searched for in options."""


def list_options(step: StepResult) -> tuple[Option, ...]:
    """Return all options of a step, including disabled ones."""
    for directive in step.directives:
        if isinstance(directive, Branch):
            branch = directive.args
            if branch.options is UNSET:
                return tuple(Option.build(text) for text in branch.choices)
            return branch.options
    return ()


def match_options(
    words: str, options: tuple[Option, ...], *, whole: bool = False
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


def find_first_enabled(options: tuple[Option, ...]) -> int | None:
    """Return the index of the first enabled option; None if there is none."""
    return next((i for i, option in enumerate(options) if option.enabled), None)


def estimate_reading_time(step: StepResult) -> float:
    """Estimate the seconds a reader needs for a step."""
    lines = (each.args for each in step.directives if isinstance(each, Say))
    return _BASE_SECONDS + _SECONDS_PER_COLUMN * sum(measure_width(line.text) for line in lines)


_SCENERY: Final = (ShowImage, ClearLayer, PlayBgm)
T = TypeVar("T")


class StoryPage:
    """Shows the steps of a story, and tracks whether the reader must turn the page."""

    def __init__(
        self, performance: StoryPlaying, screen: Screen, line_input: LineInput, *, fast: bool
    ) -> None:
        """Create an empty page; with `fast` it does not wait at a [WAIT]."""
        self.performance = performance
        """The story being played."""
        self.screen = screen
        """The screen it is shown on."""
        self.step: StepResult | None = None
        """The step that was shown last."""
        self.open = False
        """Whether the reader has to turn the page before the story continues."""
        self.set_stage = True
        """Whether the next step is shown with the whole scenery instead of its changes."""
        self._line_input = line_input
        self._fast = fast
        self._asked = False
        self._loop = asyncio.Runner()

    def close(self) -> None:
        """Close the event loop."""
        self._loop.close()

    def run_to_end(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine of the story to its end."""
        return self._loop.run(work)

    def show_step(self, step: StepResult, *, fast: bool = False) -> None:
        """Show a step, and wait as long as its [WAIT] says, unless `fast`."""
        seen = self._add_scenery(step) if self.set_stage else step
        self.set_stage = False
        if self.step is not None and self.screen.is_visible(seen):
            click.echo()
        self.screen.show_step(seen)
        self.step = step
        waiting = self.performance.waiting
        self.open = step.next is Next.WAIT_USER and waiting == "step"
        if not isinstance(self._line_input, ScriptedLineInput):
            self._show_instructions(waiting)
        if not (fast or self._fast):
            self._pause(step)

    def is_waiting_at(self, step: StepResult) -> bool:
        """Whether the story waits at its current step until the reader acts."""
        turned_by_itself = isinstance(self._line_input, ScriptedLineInput)
        if self.performance.waiting == "step" and turned_by_itself:
            return False
        return step.next is not Next.NEXT

    def show_choices(self) -> None:
        """Show the options of the last step again."""
        if self.step is not None and list_options(self.step):
            offered = (d for d in self.step.directives if isinstance(d, Branch))
            choices = StepResult(next=self.step.next, directives=tuple(offered))
            self.screen.show_step(choices)

    def load_state(self, state: bytes) -> Resumption:
        """Continue from a saved state; the next step shows the full scenery again.

        Raises:
            SaniwaError: As `StoryPlaying.load`; then nothing has changed.
        """
        found = self.run_to_end(self.performance.load(state))
        self.reset_view()
        return found

    def reset_view(self) -> None:
        """Let the next step be shown with the full scenery."""
        self.open, self.set_stage = False, True

    def _add_scenery(self, step: StepResult) -> StepResult:
        """Return a step with the full scenery instead of its own changes to it."""
        rest = (d for d in step.directives if not isinstance(d, _SCENERY))
        scenery = self.performance.build_scenery().directives
        return StepResult(next=step.next, directives=(*scenery, *rest))

    def _show_instructions(self, waiting: str) -> None:
        """Explain how to answer, the first time; and what can be typed at the end."""
        if waiting == "answer" and not self._asked:
            self._asked = True
            self.screen.show_phrase("story_asks")
        elif waiting == "end":
            self.screen.show_phrase("story_ended")

    def _pause(self, step: StepResult) -> None:
        for directive in step.directives:
            if isinstance(directive, Wait):
                self._line_input.pause(directive.args.seconds)


def save_progress(
    playing: StoryPlaying, saves: StorySaves, screen: Screen, command: str | None
) -> tuple[SaniwaError, ...]:
    """Save the position, then the steps read; print the outcome, return the errors.

    Both are tried, even if the other fails. `command` resumes the story; with None it
    is not printed.
    """
    place, seen = list[SaniwaError](), list[SaniwaError]()
    phrase = ""
    with _collect_errors(place):
        phrase = _save_position(playing, saves)
    with _collect_errors(seen):
        # Another process may have read further in the same story meanwhile.
        playing.player.mark_seen(saves.load_seen())
        saves.save_seen(playing.player.list_seen_ids())
    # Printed last: if printing fails, everything has already been saved.
    if phrase and command is not None:
        screen.show_phrase(phrase, command=command)
    if place and playing.waiting != "end":
        screen.show_phrase("place_unkept", why=place[0].message)
    if seen:
        screen.show_phrase("seen_unkept", why=seen[0].message)
    return (*place, *seen)


def _save_position(playing: StoryPlaying, saves: StorySaves) -> str:
    """Save the position; return the key of the phrase that says so, or an empty text.

    After the end the position is cleared. If another process has played on, its later
    position stays.
    """
    if playing.is_overtaken():
        return "place_elsewhere"
    if playing.waiting == "end":
        saves.clear_place()
        return ""
    saves.save_place(playing.encode_state())
    return "story_kept"


@contextmanager
def _collect_errors(problems: list[SaniwaError]) -> Iterator[None]:
    try:
        yield
    except SaniwaError as problem:
        problems.append(problem)


def list_log_entries(playing: StoryPlaying) -> Iterator[tuple[StepResult, str | None]]:
    """Yield the words of every step, oldest first, with the choice or answer there.

    The answer is None if nothing was asked, or if it has not been answered yet.
    """
    steps = playing.backlog
    asking = [
        number
        for number, step in enumerate(steps)
        if any(isinstance(each, Branch | Ask) for each in step.directives)
    ]
    if "choice" in playing.waiting or "answer" in playing.waiting:
        del asking[-1:]
    # Aligned at the end: older choices may belong to steps no longer in the backlog.
    moves = playing.player.choices[-len(asking) :] if asking else ()
    made = dict(zip(asking, moves, strict=True))
    for number, step in enumerate(steps):
        words = tuple(d for d in step.directives if isinstance(d, Say | Ask))
        move = made.get(number)
        answer = list_options(step)[move].text if isinstance(move, int) else move
        yield StepResult(next=step.next, directives=words), answer


_MAX_LOG_STEPS: Final = 40
"""Steps that the log shows at most."""


class StoryCommands:
    """Executes the reader's commands: back, log, skip, auto, saves, restart, quit."""

    def __init__(self, page: StoryPage, saves: StorySaves) -> None:
        self._page = page
        self._playing = page.performance
        self._saves = saves.saves
        self._show_phrase = page.screen.show_phrase
        self.auto = False
        """Whether pages turn automatically."""
        self.leaving = False
        """Whether the reader wants to quit."""
        self._commands: dict[str, Callable[[str], None]] = {
            "back": self._go_back,
            "log": self._show_log,
            "skip": self._skip,
            "auto": lambda _: self.set_auto(on=not self.auto),
            "save": self._save,
            "load": self._load,
            "saves": self._list_saves,
            "restart": self._restart,
            "help": lambda _: self._show_phrase("story_help"),
            "quit": self._quit,
        }

    def execute(self, line: str) -> bool:
        """Execute a line if it is a command; return whether it was one.

        Where the story asks for words, a command needs a slash, so that no answer is
        mistaken for a command.
        """
        if self._playing.waiting == "answer" and not line.lstrip().startswith("/"):
            return False
        command = parse_command(line, STORY_COMMANDS)
        if command is None:
            return False
        try:
            self._commands[command[0]](command[1])
        except SaniwaError as problem:
            show_text(str(problem))
        return True

    def set_auto(self, *, on: bool) -> None:
        """Switch automatic page turning on or off, and say so."""
        self.auto = on
        self._show_phrase("auto_on" if on else "auto_off")

    def _go_back(self, _: str) -> None:
        step = self._page.run_to_end(self._playing.back())
        # A step that does not wait would only lead forward to here again.
        while step is not None and not self._page.is_waiting_at(step):
            step = self._page.run_to_end(self._playing.back())
        if step is None:
            self._show_phrase("first_step")
        else:
            self._page.set_stage = True
            self._page.show_step(step)

    def _show_log(self, _: str) -> None:
        for step, move in list(list_log_entries(self._playing))[-_MAX_LOG_STEPS:]:
            self._page.screen.show_step(step)
            if move is not None:
                echo_line(PROMPT, move)
        self._page.show_choices()

    def _skip(self, _: str) -> None:
        if self._playing.waiting == "step":
            self._page.run_to_end(self._skip_seen())
        else:
            self._show_phrase("no_skip")

    async def _skip_seen(self) -> None:
        async for step in self._playing.skip():
            self._page.show_step(step, fast=True)

    def _save(self, name: str) -> None:
        if not name:
            self._show_phrase("no_name")
            return
        self._saves.put(name, self._playing.encode_state())
        self._show_phrase("saved", name=name)

    def _load(self, name: str) -> None:
        if not name:
            self._list_saves(name)
            return
        found = self._page.load_state(self._saves.get(name))
        self._show_phrase("story_loaded", name=name)
        show_edit(self._page.screen, self._playing, found)

    def _list_saves(self, _: str) -> None:
        names = ", ".join(self._saves.list_names())
        self._show_phrase("saves" if names else "story_no_saves", names=names)

    def _restart(self, _: str) -> None:
        playing = self._playing
        fresh = StoryPlaying(playing.story, playing.run, seed=playing.player.seed)
        begun = msgspec.structs.replace(decode_playing_state(fresh.encode_state()), turn=0)
        self._page.load_state(msgspec.json.encode(begun))
        self._show_phrase("story_restarted")

    def _quit(self, _: str) -> None:
        self.leaving = True
