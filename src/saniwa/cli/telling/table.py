"""One person at one terminal, reading one story.

Story reaches the screen only out of StepResults; the rest is the terminal's own talk.
"""

from collections.abc import Mapping
from contextlib import closing, suppress
from typing import Any, Final

import click

from saniwa.cli.render import printable, show_finding, text_of
from saniwa.cli.showing import Screen
from saniwa.cli.telling.choosing import first_open, meant, options_of, reading_time
from saniwa.cli.telling.commands import StoryCommands
from saniwa.cli.telling.edition import Editions
from saniwa.cli.telling.keyboard import Came, Hand, Written, show_typed
from saniwa.cli.telling.page import Page
from saniwa.core.errors import SaniwaError, ScriptError, StoreError
from saniwa.core.finding import Finding
from saniwa.core.where import Where
from saniwa.run.performance import Performance
from saniwa.script.directive import Option
from saniwa.wiring.keeping import StoryKeeping

MOST_PICKED: Final = 50
"""Choices made where nobody chooses, before the story is left alone."""
_MOST_FINDINGS: Final = 5
_PROMPT: Final = "> "


class StoryTable:
    """Turns pages, hears choices, and notices when the author saves."""

    def __init__(
        self,
        performance: Performance,
        hand: Hand,
        editions: Editions,
        keeping: StoryKeeping,
        said: Mapping[str, str],
        *,
        fast: bool = False,
    ) -> None:
        """A table; where it is fast, nobody waits for a [WAIT]."""
        self._playing = performance
        self._hand = hand
        self._editions = editions
        self._keeping = keeping
        self._said = said
        self._screen = Screen(said, stage=True)
        self._page = Page(performance, self._screen, hand, fast=fast)
        self._beside = StoryCommands(self._page, keeping)
        self._picked = 0

    def play(self, command: str) -> None:
        """Play until somebody leaves or the lines run out; `command` leads back here."""
        self._playing.player.mark_seen(self._keeping.seen())
        with closing(self._page):
            try:
                with suppress(EOFError):
                    while not self._beside.leaving:
                        self._go_on()
            finally:
                self._put_down(command)

    def _put_down(self, command: str) -> None:
        """Keep where the story stands; after its end there is nothing to go on with."""
        self._keeping.keep_seen(self._playing.player.seen_ids())
        if self._playing.waiting == "end":
            self._keeping.forget()
        else:
            self._keeping.keep(self._playing.state())
            self._screen.tell("story_kept", command=command)

    # How the story goes on.

    def _go_on(self) -> None:
        if self._page.open:
            self._turn_page()
        elif self._playing.waiting in ("step", "world"):
            self._step()
        else:
            self._hear()

    def _step(self) -> None:
        try:
            step = self._page.done(self._playing.step())
        except SaniwaError as problem:
            if isinstance(self._hand, Written) or _lasting(problem):
                raise
            # Its author may be mending the line right now; turning the page tries again.
            click.echo(printable(str(problem)))
            self._page.open = True
        else:
            self._page.show(step)

    def _turn_page(self) -> None:
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
        try:
            typed = self._hand.line(_PROMPT, self._editions.look)
        except EOFError:
            if not isinstance(self._hand, Written):
                raise
            self._end_of_lines(self._hand)
            return
        if isinstance(typed, Came):
            self._take_news()
        elif not self._beside.do(typed):
            self._answer(typed.rstrip("\n"))

    def _answer(self, words: str) -> None:
        """Take typed words as a choice, else as an answer."""
        waiting, options = self._playing.waiting, self._options()
        index = meant(words, options) if "choice" in waiting else None
        if index is not None and not options[index].enabled:
            self._screen.tell("choice_closed", text=options[index].text)
        elif index is not None:
            self._page.done(self._playing.choose(index))
        elif "answer" in waiting:
            self._say(words)
        elif waiting == "end":
            self._screen.tell("story_ended")
        else:
            self._screen.tell("which_choice", last=len(options))

    def _say(self, words: str) -> None:
        try:
            self._page.done(self._playing.answer(words))
        except ScriptError as problem:
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
        show_typed(_PROMPT, "" if index is None else str(index + 1))
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
            _show_mistakes(problem)
            self._screen.tell("reread_wrong")
            self._page.show_choices()
        else:
            self._screen.tell(f"found_{found.found}", line=found.line)
            self._page.open = False


def _show_mistakes(problem: SaniwaError) -> None:
    """Show what is wrong with a story, as `saniwa check` does."""
    told = problem.details.get("findings", ())
    errors = [_finding(each) for each in told if each["severity"] == "error"]
    if not errors:
        click.echo(printable(str(problem)))
    for finding in errors[:_MOST_FINDINGS]:
        show_finding(finding, text_of(finding.where.file))


def _finding(told: Mapping[str, Any]) -> Finding:
    place = {key: told[key] for key in ("file", "line", "column", "path")}
    return Finding(
        code=told["code"],
        message=told["message"],
        where=Where(**place),
        hint=told["hint"],
    )


def _lasting(problem: SaniwaError) -> bool:
    """Whether trying again is no use: what must last cannot be kept."""
    return isinstance(problem, StoreError) and not problem.recoverable
