"""The page of a story in a terminal: the current step, and matching words to options."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

import click
from msgspec import UNSET

from saniwa.cli.play.keyboard import LineInput, ScriptedLineInput
from saniwa.cli.play.screen import Screen
from saniwa.cli.render import measure_width
from saniwa.runs.story import StoryPlaying
from saniwa.story.saves import Resumption
from saniwa.story.step_result import (
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
