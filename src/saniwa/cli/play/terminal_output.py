"""How the terminal shows StepResults and its own phrases."""

import contextlib
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final, assert_never

import click
from msgspec import UNSET

from saniwa.app.host_command_execution import HOST_PHRASES
from saniwa.cli.play.terminal_input import TERMINAL_WORDS
from saniwa.cli.render import adapt_commands, show_text, wrap_text
from saniwa.core.errors import SaniwaError
from saniwa.core.text import escape_control_characters, measure_width
from saniwa.story import step_result

LANGUAGES: Final[dict[str, dict[str, str]]] = {
    language: phrases | TERMINAL_WORDS[language] for language, phrases in HOST_PHRASES.items()
}
"""The phrases by language, with those of every host; every language has the same keys."""


_MAX_COLUMNS: Final = 88
_MIN_COLUMNS: Final = 8


class Screen:
    """Prints steps, and the terminal's own phrases."""

    def __init__(self, phrases: Mapping[str, str], *, stage: bool = False) -> None:
        """Create a screen with these phrases; with `stage` it names pictures and sounds."""
        self._phrases = phrases
        self._stage = stage

    def show_phrase(self, key: str, **gaps: object) -> None:
        """Print one of the terminal's phrases.

        Indented lines are commands to type and are not wrapped.
        """
        for line in escape_control_characters(self.format_phrase(key, **gaps)).split("\n"):
            is_unwrapped = line.startswith(" ") or not sys.stdout.isatty()
            for piece in [line] if is_unwrapped else _wrap_to_screen(line):
                click.secho(piece, dim=True)

    def format_phrase(self, key: str, **gaps: object) -> str:
        """Return one of the terminal's phrases, with its fields filled in."""
        return adapt_commands(self._phrases[key].format(**gaps))

    def show_problem(self, problem: SaniwaError) -> None:
        """Print an error; one that a player's words can cause in the language of the game."""
        if problem.code == "SAVE_NOT_FOUND" and "saves" in problem.details:
            names = ", ".join(problem.details["saves"]) or "–"
            self.show_phrase("no_such_save", name=problem.details["save"], names=names)
        else:
            show_text(str(problem))

    def is_visible(self, step: step_result.StepResult) -> bool:
        """Whether anything of a step is printed."""
        cues = map(_describe_cue, step.directives)
        return any(cue is None or (cue and self._stage) for cue in cues)

    def show_step(self, step: step_result.StepResult) -> None:
        """Print everything in a step, in order."""
        cues = list[str]()
        for number, directive in enumerate(step.directives):
            if (cue := _describe_cue(directive)) is not None:
                cues += [cue] if cue else []
                continue
            self._show_cues(cues)
            above = step_result.StepResult(next=step.next, directives=step.directives[:number])
            if isinstance(directive, step_result.Ending) and self.is_visible(above):
                click.echo()
            self._show_words(directive)
        self._show_cues(cues)

    def show_speech(self, speaker: str, text: str) -> None:
        """Print a text with its speaker's name, if there is one."""
        name = escape_control_characters(speaker)
        lead = self._phrases["speaks"].format(name=name) if name else ""
        paragraphs = f"{lead}{escape_control_characters(text)}".split("\n")
        lines = [line for each in paragraphs for line in _wrap_to_screen(each)]
        if name and lines[0].startswith(name):
            lines[0] = click.style(name, bold=True) + lines[0][len(name) :]
        click.echo("\n".join(lines))

    def _show_cues(self, cues: list[str]) -> None:
        """Print pictures and sounds on one dimmed line."""
        if cues and self._stage:
            show_text("  ".join(cues), dim=True)
        cues.clear()

    def _show_words(self, directive: step_result.Directive) -> None:
        match directive:
            case step_result.Say(args=said):
                self.show_speech(said.speaker, said.text)
            case step_result.Branch(args=branch):
                self._show_options(branch)
            case step_result.Ask(args=asked):
                if asked.prompt:
                    self.show_speech("", asked.prompt)
            case step_result.Ending(args=ending):
                self._show_ending(ending)
            case _:
                raise AssertionError(directive)

    def _show_ending(self, ending: step_result.EndingArgs) -> None:
        """Print the ending by its name; without a name, its id is dimmed."""
        if ending.name is UNSET:
            click.secho(self._phrases["the_end"], bold=True, nl=False)
            show_text(f" ({ending.id})", dim=True)
        else:
            text = self._phrases["ending"].format(name=ending.name)
            show_text(text, bold=True)

    def _show_options(self, branch: step_result.BranchArgs) -> None:
        options = () if branch.options is UNSET else branch.options
        for index, text in enumerate(branch.choices):
            number = f"{index + 1:>3}. "
            enabled = not options or options[index].enabled
            words = escape_control_characters(text) + ("" if enabled else self._phrases["not_now"])
            lines = [
                line
                for paragraph in words.split("\n")
                for line in _wrap_to_screen(paragraph, len(number))
            ]
            shown = f"\n{' ' * len(number)}".join(lines)
            click.secho(f"{number}{shown}", dim=not enabled or None)


@contextlib.contextmanager
def show_while_busy(text: str) -> Iterator[None]:
    """Show a text on a terminal during the block, and erase it afterwards."""
    if not sys.stdout.isatty():
        yield
        return
    shown = _wrap_to_screen(escape_control_characters(text))[0]
    click.secho(shown, dim=True, nl=False)
    try:
        yield
    finally:
        click.echo(f"\r{' ' * measure_width(shown)}\r", nl=False)


def _describe_cue(directive: step_result.Directive) -> str | None:
    """Describe a picture or a sound; None for a directive with words.

    Empty if there is nothing to show, as for a missing file, which is a finding.
    """
    match directive:
        case step_result.ShowImage(args=image):
            return _format_asset(f"▦ {image.layer}: ", image.path)
        case step_result.ClearLayer(args=cleared):
            return f"▢ {cleared.layer}"
        case step_result.PlayBgm(args=music):
            return _format_asset("♫ ", music.path)
        case step_result.PlaySe(args=sound):
            return _format_asset("♪ ", sound.path)
        case step_result.PlayMovie(args=film):
            return _format_asset("▶ ", film.path)
        case step_result.Event(args=event):
            return f"✦ {event.name}"
        case step_result.Wait() | step_result.ReachedLabel() | step_result.JumpTo():
            return ""
        case step_result.Say() | step_result.Branch() | step_result.Ask() | step_result.Ending():
            return None
        case _:
            assert_never(directive)


def _format_asset(sign: str, path: str | None) -> str:
    """Format an asset as its author writes it: without its kind's folder and suffix."""
    if path is None:
        return ""
    _, _, inside = path.partition("/")
    return sign + str(PurePosixPath(inside or path).with_suffix(""))


def _wrap_to_screen(paragraph: str, indent: int = 0) -> list[str]:
    """Wrap a paragraph to the width of the screen minus an indent."""
    columns = max(_MIN_COLUMNS, min(_MAX_COLUMNS, shutil.get_terminal_size().columns) - indent)
    # Without a terminal, such as in a pipe, Japanese is not wrapped: a program that
    # joins lines with spaces would break it.
    if not sys.stdout.isatty() and measure_width(paragraph) != len(paragraph):
        return [paragraph]
    return wrap_text(paragraph, columns)
