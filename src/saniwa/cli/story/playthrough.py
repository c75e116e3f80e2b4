"""`saniwa trace` and `saniwa dump`: play a story without a user, and print its steps."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import click
import msgspec

from saniwa.cli.options import define_command
from saniwa.cli.render import EXIT_FINDINGS, EXIT_OK, exit_with
from saniwa.core.text import escape_control_characters

if TYPE_CHECKING:
    from saniwa.story.tools.trace import TraceablePlayer, TraceEnd


@define_command("dump")
def dump(file: str, output: str | None, seed: int = 0) -> None:
    """Play FILE by its first options and write every command's step as JSON.

    The form is the first engine's: `input_hash` is the MD5 of the file, `steps` are
    numbered from 0, `final_state` is Completed, or Truncated after 10,000 steps. A story
    on a world is played on a new run, of which nothing is kept.
    """
    from saniwa.story.tools.trace import dump_story

    player = _open_player(file, seed=seed, batch="command")
    made = dump_story(player, Path(file).read_bytes()).to_json()
    if output is None:
        click.echo(made)
    else:
        Path(output).write_bytes(made + b"\n")


def _open_player(file: str, **options: Any) -> "TraceablePlayer":
    """Open a story to play, on a world of which nothing is stored, if it has one."""
    from saniwa.app.runs import RunService
    from saniwa.app.stories import open_story
    from saniwa.runs.story import SynchronousStoryPlaying

    playing = open_story(file, RunService.open("memory:"), **options)
    # Without a world no step has to wait, and synchronous steps are faster.
    return playing.player if playing.run is None else SynchronousStoryPlaying(playing)


_CHOICE_SEPARATOR = re.compile(r"\s*(?:,|→|->|\s)\s*")


def _parse_choices(_: click.Context, __: click.Parameter, text: str) -> tuple[int, ...]:
    words = [word for word in _CHOICE_SEPARATOR.split(text.strip()) if word]
    if not all(word.isascii() and word.isdigit() and len(word) < 7 for word in words):
        raise click.BadParameter("write numbers with commas, such as 1,3")
    return tuple(int(word) for word in words)


ChoiceNumbers: TypeAlias = Annotated[
    tuple[int, ...], {"type": str, "multiple": False, "default": "", "callback": _parse_choices}
]


@define_command("trace")
def trace(
    *,
    file: str,
    choices: ChoiceNumbers,
    answers: tuple[str, ...],
    seed: int = 0,
    language: str | None,
    batch: Literal["step", "command"] = "step",
    annotate: bool,
    as_json: bool,
) -> None:
    """Play FILE with the given choices and print every step.

    With --json, one StepResult a line and nothing else; how it ended goes to standard
    error. Ends with 1 when a choice cannot be made. A story on a world is played on a
    new run, of which nothing is kept.
    """
    from saniwa.cli.play.screen import LANGUAGES, Screen
    from saniwa.story.tools.trace import TraceEnd, trace_story

    player = _open_player(file, language=language, seed=seed, batch=batch, annotate=annotate)
    screen = Screen(LANGUAGES["en"], stage=True)
    code = EXIT_OK
    for step in trace_story(player, choices, answers):
        if isinstance(step, TraceEnd):
            code = EXIT_FINDINGS if step.reason == "invalid_choice" else EXIT_OK
            _report_finish(step, as_json=as_json)
        elif as_json:
            click.echo(step.to_json())
        else:
            screen.show_step(step)
    exit_with(code)


def _report_finish(finish: "TraceEnd", *, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.encode({"end": finish}), err=True)
        return
    text = escape_control_characters(_describe_finish(finish))
    click.secho(f"\n{text}", dim=True, err=finish.reason == "invalid_choice")


def _describe_finish(finish: "TraceEnd") -> str:
    numbers = ", ".join(str(number) for number in finish.available)
    text = {
        "ending": f"ending: {finish.ending}",
        "end_of_file": "end of file",
        "awaiting_choice": f"awaiting a choice: {numbers}",
        "awaiting_answer": "awaiting an answer: --answers TEXT",
        "invalid_choice": f"choice {finish.given} cannot be made here; there are: {numbers}",
        "truncated": "cut short after 10,000 steps",
    }[finish.reason]
    if finish.unused:
        text += f" (not used: {', '.join(str(number) for number in finish.unused)})"
    return text
