"""The page that lies open: the step a reader sees, and whether it still waits."""

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
from saniwa.story.stepresult import (
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
"""Seconds to look up, and to read one column of text."""
_MAX_MATCH_CHARS: Final = 100
"""Letters of words that are looked for in options."""


def list_options(step: StepResult) -> tuple[Option, ...]:
    """Everything a step offers to choose, also what is only shown."""
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
    """The options that words may mean, from 0: one if it is clear, several if it is not.

    A number means its option, an option's own words mean it, and a word means those open
    ones that it is part of, unless the words must be whole.
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
    """Whether words stand in a text, and do not begin or end within one of its words."""
    at = text.find(words)
    while at >= 0:
        end = at + len(words)
        if not (_is_inside_word(text, at) or _is_inside_word(text, end)):
            return True
        at = text.find(words, at + 1)
    return False


def _is_inside_word(text: str, at: int) -> bool:
    """Whether two letters meet there that are parted by blanks where words are."""
    # Japanese and its neighbours part no words: there, any letter may begin one.
    around = text[max(at - 1, 0) : at + 1]
    return (
        0 < at < len(text) and around.isalnum() and measure_width(around) == len(around)
    )


def find_first_enabled(options: tuple[Option, ...]) -> int | None:
    """The first option that can be taken."""
    return next((i for i, option in enumerate(options) if option.enabled), None)


def estimate_reading_time(step: StepResult) -> float:
    """Seconds somebody needs to read a step."""
    said = (each.args for each in step.directives if isinstance(each, Say))
    return _BASE_SECONDS + _SECONDS_PER_COLUMN * sum(
        measure_width(line.text) for line in said
    )


_SCENERY: Final = (ShowImage, ClearLayer, PlayBgm)
T = TypeVar("T")


class StoryPage:
    """Shows the steps of one performance, one after the other."""

    def __init__(
        self, performance: StoryPlaying, screen: Screen, hand: LineInput, *, fast: bool
    ) -> None:
        """A page before anything stands on it; a fast one never waits for a [WAIT]."""
        self.performance = performance
        """The playing."""
        self.screen = screen
        """Where it is shown."""
        self.step: StepResult | None = None
        """What was shown last."""
        self.open = False
        """Whether the reader has to turn it before the story goes on."""
        self.set_stage = True
        """Whether the next step is seen on a stage that nobody has seen being set."""
        self._hand = hand
        self._fast = fast
        self._asked = False
        self._loop = asyncio.Runner()

    def close(self) -> None:
        """Let go of the event loop."""
        self._loop.close()

    def run_to_end(self, work: Coroutine[Any, Any, T]) -> T:
        """Do some work of the performance to its end."""
        return self._loop.run(work)

    def show_step(self, step: StepResult, *, fast: bool = False) -> None:
        """Show a step, and let the time pass that it asks for."""
        seen = self._add_scenery(step) if self.set_stage else step
        self.set_stage = False
        if self.step is not None and self.screen.is_visible(seen):
            click.echo()
        self.screen.show_step(seen)
        self.step = step
        waiting = self.performance.waiting
        self.open = step.next is Next.WAIT_USER and waiting == "step"
        if not isinstance(self._hand, ScriptedLineInput):
            self._show_instructions(waiting)
        if not (fast or self._fast):
            self._pause(step)

    def is_waiting_at(self, step: StepResult) -> bool:
        """Whether the story stays at a step, which is where it stands, till somebody acts."""
        turned_by_itself = isinstance(self._hand, ScriptedLineInput)
        if self.performance.waiting == "step" and turned_by_itself:
            return False
        return step.next is not Next.NEXT

    def show_choices(self) -> None:
        """Show once more what can be chosen."""
        if self.step is not None and list_options(self.step):
            offered = (d for d in self.step.directives if isinstance(d, Branch))
            choices = StepResult(next=self.step.next, directives=tuple(offered))
            self.screen.show_step(choices)

    def load_state(self, state: bytes) -> Resumption:
        """Go on from a kept state; the next step shows what was shown then.

        Raises:
            SaniwaError: As for `StoryPlaying.load`; nothing has changed.
        """
        found = self.run_to_end(self.performance.load(state))
        self.reset_view()
        return found

    def reset_view(self) -> None:
        """Let the next step show the story where it stands, with all there is to see."""
        self.open, self.set_stage = False, True

    def _add_scenery(self, step: StepResult) -> StepResult:
        """A step with everything that stands on the stage in place of its own changes."""
        rest = (d for d in step.directives if not isinstance(d, _SCENERY))
        scenery = self.performance.build_scenery().directives
        return StepResult(next=step.next, directives=(*scenery, *rest))

    def _show_instructions(self, waiting: str) -> None:
        """Tell a person what can be done where it is not plain to see."""
        if waiting == "answer" and not self._asked:
            self._asked = True
            self.screen.show_phrase("story_asks")
        elif waiting == "end":
            self.screen.show_phrase("story_ended")

    def _pause(self, step: StepResult) -> None:
        for directive in step.directives:
            if isinstance(directive, Wait):
                self._hand.pause(directive.args.seconds)
