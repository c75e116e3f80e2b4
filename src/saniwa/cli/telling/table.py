"""One person at one terminal, reading one story.

Story reaches the screen only out of StepResults; the rest is the terminal's own talk.
"""

from collections.abc import Coroutine, Mapping
from contextlib import closing, suppress
from typing import Any, Final

import click

from saniwa.cli.showing import Screen
from saniwa.cli.telling.choosing import first_open, meant, options_of, reading_time
from saniwa.cli.telling.commands import StoryCommands
from saniwa.cli.telling.edition import Editions
from saniwa.cli.telling.keyboard import PROMPT, Came, Hand, Written, show_typed
from saniwa.cli.telling.leaving import put_down
from saniwa.cli.telling.news import show_mistakes, tell_found
from saniwa.cli.telling.notice import Notice
from saniwa.cli.telling.page import Page
from saniwa.core.errors import SaniwaError, ScriptError, StoreError
from saniwa.core.quoted import printable
from saniwa.run.performance import Performance
from saniwa.script.directive import Option
from saniwa.wiring.keeping import StoryKeeping

MOST_PICKED: Final = 50
"""Choices made where nobody chooses, before the story is left alone."""
MOST_BY_ITSELF: Final = 10_000
"""Steps in a row in which nothing is asked, before the story is left alone."""
_MOST_NAMED: Final = 5
"""Options that are named where a word means several."""


class StoryTable:
    """Turns pages, hears choices, and notices when the author saves."""

    def __init__(
        self,
        performance: Performance,
        hand: Hand,
        editions: Editions,
        keeping: StoryKeeping,
        notice: Notice,
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
        self._page = Page(performance, self._screen, hand, fast=fast)
        self._beside = StoryCommands(self._page, keeping)
        self._picked = 0
        self._unasked = 0
        self._hushed = False

    def play(self, command: str | None) -> None:
        """Play until somebody leaves or the lines run out.

        `command` leads back here; None where nobody is to come back.
        """
        self._playing.player.mark_seen(self._keeping.seen())
        with closing(self._page):
            try:
                with suppress(EOFError):
                    while not self._beside.leaving:
                        self._go_on()
            except BaseException:
                # What stopped the story is what matters; the rest was told in passing.
                self._put_down(command)
                raise
            for problem in self._put_down(command):
                raise problem

    def _put_down(self, command: str | None) -> tuple[SaniwaError, ...]:
        return put_down(self._playing, self._keeping, self._screen, command)

    # How the story goes on.

    def _go_on(self) -> None:
        if self._page.open:
            self._turn_page()
        elif self._playing.waiting in ("step", "world"):
            self._step()
        else:
            self._hear()

    def _step(self) -> None:
        if self._unasked == MOST_BY_ITSELF:
            self._screen.tell("steps_enough", count=MOST_BY_ITSELF)
            self._beside.leaving = True
            return
        self._unasked += 1
        try:
            step = self._page.done(self._playing.step())
        except SaniwaError as problem:
            if self._ends(problem):
                raise
            # Its author may be mending the line right now; turning the page tries again.
            self._screen.tell("step_wrong")
            click.echo(printable(str(problem)))
            self._page.open = True
        else:
            self._page.show(step)

    def _ends(self, problem: SaniwaError) -> bool:
        """Whether trying again is no use: nobody sits here, or it cannot be kept."""
        lasting = isinstance(problem, StoreError) and not problem.recoverable
        return lasting or isinstance(self._hand, Written)

    def _turn_page(self) -> None:
        if not isinstance(self._hand, Written):
            self._unasked = 0
        step, auto = self._page.step, self._beside.auto
        patience = reading_time(step) if auto and step is not None else None
        typed = self._hand.page(self._said["go_on"], self._editions.look, patience)
        if typed is Came.NEWS:
            self._take_news()
        elif typed is Came.TIME or not typed.strip():
            if auto and typed is not Came.TIME:
                self._beside.turn_auto(on=False)
            self._page.open = False
        elif not self._beside.do(typed):
            self._screen.tell("only_enter")

    def _hear(self) -> None:
        self._unasked = 0
        try:
            typed = self._hand.line(PROMPT, self._editions.look)
        except EOFError:
            if not isinstance(self._hand, Written):
                raise
            self._end_of_lines(self._hand)
            return
        hushed, self._hushed = self._hushed, False
        if isinstance(typed, Came):
            self._take_news()
        elif not self._beside.do(typed):
            self._answer(typed.rstrip("\n"), sure=hushed)

    def _answer(self, words: str, *, sure: bool) -> None:
        """Take typed words as a choice, else as an answer."""
        waiting, options = self._playing.waiting, self._options()
        asked = "answer" in waiting
        found = meant(words, options, whole=asked) if "choice" in waiting else ()
        if len(found) == 1:
            self._choose(found[0], options)
        elif asked:
            self._say(words, sure=sure or isinstance(self._hand, Written))
        elif waiting == "end":
            self._screen.tell("story_ended")
        else:
            self._ask_again(words, found, options)

    def _choose(self, index: int, options: tuple[Option, ...]) -> None:
        if options[index].enabled:
            self._try(self._playing.choose(index))
        else:
            self._screen.tell("choice_closed", text=options[index].text)

    def _ask_again(
        self, words: str, found: tuple[int, ...], options: tuple[Option, ...]
    ) -> None:
        """Say which choices there are for words that mean none of them, or several."""
        if found:
            some = [f"{i + 1}. {options[i].text}" for i in found[:_MOST_NAMED]]
            some += ["…"] if len(found) > _MOST_NAMED else []
            self._screen.tell("could_be", words=words.strip(), options=", ".join(some))
        elif len(options) == 1:
            self._screen.tell("only_choice")
        else:
            self._screen.tell("which_choice", last=len(options))

    def _say(self, words: str, *, sure: bool) -> None:
        """Answer; but an Enter too many, meant to turn a page, is no answer yet."""
        if not (words.strip() or sure):
            self._hushed = True
            self._screen.tell("say_nothing")
            return
        self._try(self._playing.answer(words))

    def _try(self, move: Coroutine[Any, Any, None]) -> None:
        """Make a move; what is wrong with it is told, and another may be made."""
        try:
            self._page.done(move)
        except SaniwaError as problem:
            if not isinstance(problem, ScriptError) and self._ends(problem):
                raise
            click.echo(printable(str(problem)))

    def _options(self) -> tuple[Option, ...]:
        return () if self._page.step is None else options_of(self._page.step)

    # Where nobody chooses.

    def _end_of_lines(self, lines: Written) -> None:
        """Leave; but where there never was a line, take what stands first."""
        if self._playing.waiting == "end":
            self._beside.leaving = True
        elif lines.spoke:
            self._screen.tell("lines_out")
            self._beside.leaving = True
        elif self._picked == MOST_PICKED:
            self._screen.tell("picked_enough", count=MOST_PICKED)
            self._beside.leaving = True
        else:
            self._pick()

    def _pick(self) -> None:
        if not self._picked:
            self._screen.tell("by_itself")
        self._picked += 1
        index = first_open(self._options())
        show_typed(PROMPT, "" if index is None else str(index + 1))
        if index is None:
            self._page.done(self._playing.answer(""))
        else:
            self._page.done(self._playing.choose(index))

    # What the author has saved.

    def _take_news(self) -> None:
        news = self._editions.take()
        try:
            if isinstance(news, SaniwaError):
                raise news
            found = self._page.done(self._playing.reload(news))
        except SaniwaError as problem:
            self._screen.tell("reread_wrong")
            show_mistakes(problem)
            self._page.show_choices()
        else:
            tell_found(self._screen, self._playing, found)
            self._notice.tell(self._playing.story)
            self._page.come_in()
