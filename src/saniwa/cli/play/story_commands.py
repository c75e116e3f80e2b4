"""What a reader may type beside a story, and what comes of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import click
import msgspec

from saniwa.app.story_saves import StorySaves
from saniwa.cli.play.keyboard import PROMPT, echo_line
from saniwa.cli.play.live_reload import show_edit
from saniwa.cli.play.page import StoryPage, list_options
from saniwa.cli.play.phrases import STORY_COMMANDS, parse_command
from saniwa.cli.play.screen import Screen
from saniwa.core.errors import SaniwaError
from saniwa.core.text import escape_control_characters
from saniwa.runs.story import StoryPlaying, decode_playing_state
from saniwa.story.stepresult import Ask, Branch, Say, StepResult


def save_progress(
    playing: StoryPlaying, keeping: StorySaves, screen: Screen, command: str | None
) -> tuple[SaniwaError, ...]:
    """Keep the place, then what was read; tell what was kept, and give what was not.

    `command` leads back; None where nobody is to come back. Each is tried, whatever
    became of the other.
    """
    place, seen = list[SaniwaError](), list[SaniwaError]()
    kept = ""
    with _collect_errors(place):
        kept = _save_position(playing, keeping)
    with _collect_errors(seen):
        _save_seen_steps(playing, keeping)
    # Told last: where nobody can be told any more, what matters is done.
    if kept and command is not None:
        screen.show_phrase(kept, command=command)
    if place and playing.waiting != "end":
        screen.show_phrase("place_unkept", why=place[0].message)
    if seen:
        screen.show_phrase("seen_unkept", why=seen[0].message)
    return (*place, *seen)


def _save_position(playing: StoryPlaying, keeping: StorySaves) -> str:
    """Keep where the story stands, and give the phrase that says so.

    After its end there is nothing to go on with. Whoever has played on elsewhere has
    kept a later place.
    """
    if playing.is_overtaken():
        return "place_elsewhere"
    if playing.waiting == "end":
        keeping.clear_place()
        return ""
    keeping.save_place(playing.encode_state())
    return "story_kept"


def _save_seen_steps(playing: StoryPlaying, keeping: StorySaves) -> None:
    # Somebody else may have read on in the same story meanwhile.
    playing.player.mark_seen(keeping.load_seen())
    keeping.save_seen(playing.player.list_seen_ids())


@contextmanager
def _collect_errors(problems: list[SaniwaError]) -> Iterator[None]:
    try:
        yield
    except SaniwaError as problem:
        problems.append(problem)


def list_log_entries(playing: StoryPlaying) -> Iterator[tuple[StepResult, str | None]]:
    """The words of every step, oldest first, and what was chosen or answered there.

    None stands where nothing was asked, or nobody has answered yet.
    """
    steps = playing.backlog
    asking = [number for number, step in enumerate(steps) if _is_question(step)]
    if "choice" in playing.waiting or "answer" in playing.waiting:
        del asking[-1:]
    # Older choices may belong to steps that are not kept: the two end together.
    moves = playing.player.choices[-len(asking) :] if asking else ()
    made = dict(zip(asking, moves, strict=True))
    for number, step in enumerate(steps):
        said = tuple(d for d in step.directives if isinstance(d, Say | Ask))
        yield (
            StepResult(next=step.next, directives=said),
            _format_move(step, made.get(number)),
        )


def _is_question(step: StepResult) -> bool:
    return any(isinstance(each, Branch | Ask) for each in step.directives)


def _format_move(step: StepResult, move: int | str | None) -> str | None:
    return list_options(step)[move].text if isinstance(move, int) else move


_MAX_LOG_STEPS: Final = 40
"""Steps that the log shows."""


class StoryCommands:
    """Does what stands beside the story: back, log, skip, saves and the like."""

    def __init__(self, page: StoryPage, keeping: StorySaves) -> None:
        self._page = page
        self._playing = page.performance
        self._saves = keeping.saves
        self._tell = page.screen.show_phrase
        self.auto = False
        """Whether pages turn by themselves."""
        self.leaving = False
        """Whether the reader wants to go."""
        self._commands: dict[str, Callable[[str], None]] = {
            "back": self._go_back,
            "log": self._show_log,
            "skip": self._skip,
            "auto": lambda _: self.set_auto(on=not self.auto),
            "save": self._save,
            "load": self._load,
            "saves": self._list_saves,
            "restart": self._restart,
            "help": lambda _: self._tell("story_help"),
            "quit": self._quit,
        }

    def execute(self, line: str) -> bool:
        """Whether a line was a command; if so, it is done.

        Where the story asks for words, a command has a slash: nobody's answer is lost.
        """
        if self._playing.waiting == "answer" and not line.lstrip().startswith("/"):
            return False
        command = parse_command(line, STORY_COMMANDS)
        if command is None:
            return False
        try:
            self._commands[command[0]](command[1])
        except SaniwaError as problem:
            click.echo(escape_control_characters(str(problem)))
        return True

    def set_auto(self, *, on: bool) -> None:
        """Let pages turn by themselves, or not."""
        self.auto = on
        self._tell("auto_on" if on else "auto_off")

    def _go_back(self, _: str) -> None:
        step = self._page.run_to_end(self._playing.back())
        # A step that waits for nobody would only lead back here.
        while step is not None and not self._page.is_waiting_at(step):
            step = self._page.run_to_end(self._playing.back())
        if step is None:
            self._tell("first_step")
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
            self._tell("no_skip")

    async def _skip_seen(self) -> None:
        async for step in self._playing.skip():
            self._page.show_step(step, fast=True)

    def _save(self, name: str) -> None:
        if not name:
            self._tell("no_name")
            return
        self._saves.put(name, self._playing.encode_state())
        self._tell("saved", name=name)

    def _load(self, name: str) -> None:
        if not name:
            self._list_saves(name)
            return
        found = self._page.load_state(self._saves.get(name))
        self._tell("story_loaded", name=name)
        show_edit(self._page.screen, self._playing, found)

    def _list_saves(self, _: str) -> None:
        names = self._saves.list_names()
        if names:
            self._tell("saves", names=", ".join(names))
        else:
            self._tell("story_no_saves")

    def _restart(self, _: str) -> None:
        playing = self._playing
        fresh = StoryPlaying(playing.story, playing.run, seed=playing.player.seed)
        begun = msgspec.structs.replace(
            decode_playing_state(fresh.encode_state()), turn=0
        )
        self._page.load_state(msgspec.json.encode(begun))
        self._tell("story_restarted")

    def _quit(self, _: str) -> None:
        self.leaving = True
