"""The page that lies open: the step a reader sees, and whether it still waits."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

import click

from saniwa.cli.showing import Screen
from saniwa.cli.telling.choosing import options_of
from saniwa.cli.telling.keyboard import Hand, Written
from saniwa.run.performance import Performance
from saniwa.script.directive import (
    Branch,
    ClearLayer,
    Next,
    PlayBgm,
    ShowImage,
    StepResult,
    Wait,
)
from saniwa.script.playing.state import Resumption

_SCENERY: Final = (ShowImage, ClearLayer, PlayBgm)
T = TypeVar("T")


class Page:
    """Shows the steps of one performance, one after the other."""

    def __init__(
        self, performance: Performance, screen: Screen, hand: Hand, *, fast: bool
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

    def done(self, work: Coroutine[Any, Any, T]) -> T:
        """Do some work of the performance to its end."""
        return self._loop.run(work)

    def show(self, step: StepResult, *, fast: bool = False) -> None:
        """Show a step, and let the time pass that it asks for."""
        seen = self._on_stage(step) if self.set_stage else step
        self.set_stage = False
        if self.step is not None and self.screen.shows(seen):
            click.echo()
        self.screen.show(seen)
        self.step = step
        waiting = self.performance.waiting
        self.open = step.next is Next.WAIT_USER and waiting == "step"
        if not isinstance(self._hand, Written):
            self._explain(waiting)
        if not (fast or self._fast):
            self._pause(step)

    def would_wait(self, step: StepResult) -> bool:
        """Whether the story stays at a step, which is where it stands, till somebody acts."""
        turned_by_itself = isinstance(self._hand, Written)
        if self.performance.waiting == "step" and turned_by_itself:
            return False
        return step.next is not Next.NEXT

    def show_choices(self) -> None:
        """Show once more what can be chosen."""
        if self.step is not None and options_of(self.step):
            offered = (d for d in self.step.directives if isinstance(d, Branch))
            choices = StepResult(next=self.step.next, directives=tuple(offered))
            self.screen.show(choices)

    def take_up(self, state: bytes) -> Resumption:
        """Go on from a kept state; the next step shows what was shown then.

        Raises:
            SaniwaError: As for `Performance.load`; nothing has changed.
        """
        found = self.done(self.performance.load(state))
        self.come_in()
        return found

    def come_in(self) -> None:
        """Let the next step show the story where it stands, with all there is to see."""
        self.open, self.set_stage = False, True

    def _on_stage(self, step: StepResult) -> StepResult:
        """A step with everything that stands on the stage in place of its own changes."""
        rest = (d for d in step.directives if not isinstance(d, _SCENERY))
        scenery = self.performance.scenery().directives
        return StepResult(next=step.next, directives=(*scenery, *rest))

    def _explain(self, waiting: str) -> None:
        """Tell a person what can be done where it is not plain to see."""
        if waiting == "answer" and not self._asked:
            self._asked = True
            self.screen.tell("story_asks")
        elif waiting == "end":
            self.screen.tell("story_ended")

    def _pause(self, step: StepResult) -> None:
        for directive in step.directives:
            if isinstance(directive, Wait):
                self._hand.pause(directive.args.seconds)
