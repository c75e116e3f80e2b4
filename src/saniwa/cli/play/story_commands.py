"""The commands a reader types besides a story, its log, and saving progress."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import msgspec

from saniwa.app.story_saves import StorySaves
from saniwa.cli.play.keyboard import PROMPT, echo_line
from saniwa.cli.play.live_reload import show_edit
from saniwa.cli.play.page import StoryPage, list_options
from saniwa.cli.play.phrases import STORY_COMMANDS, parse_command
from saniwa.cli.play.screen import Screen
from saniwa.cli.render import show_text
from saniwa.core.errors import SaniwaError
from saniwa.runs.story import StoryPlaying, decode_playing_state
from saniwa.story.step_result import Ask, Branch, Say, StepResult


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
