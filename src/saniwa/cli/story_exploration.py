"""Stories played without a player: `saniwa trace`, `dump`, `routes` and `test`.

The work is done in `saniwa.story.tools`; this opens the story and prints.
"""

import re
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

import click
import msgspec

from saniwa.cli import render
from saniwa.cli.command_definition import StoryPath, define_command
from saniwa.cli.render import EXIT_FINDINGS, EXIT_OK, exit_with
from saniwa.core.errors import ScriptError
from saniwa.core.text import escape_control_characters, measure_width, truncate

if TYPE_CHECKING:
    from saniwa.runs.rehearsal import WorldTrial
    from saniwa.story.program import Program
    from saniwa.story.tools.random_tests import RandomTestReport, ShrunkFailure
    from saniwa.story.tools.routes import MissedPart, RouteEnd, RouteReport, StoryRoute
    from saniwa.story.tools.trace import TraceablePlayer, TraceEnd


@define_command("dump")
def dump(file: StoryPath, output: str | None, seed: int = 0) -> None:
    """Play FILE, always choosing the first option, and write all steps as JSON.

    `input_hash` is the MD5 of the file, `steps` are numbered from 0, and `final_state` is
    Completed, or Truncated after 10,000 steps. A story set in a world runs on a copy that
    is not saved.
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
    from saniwa.app.run_service import RunService
    from saniwa.app.story_opening import open_story
    from saniwa.runs.story_playing import SynchronousStoryPlaying

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
    file: StoryPath,
    choices: ChoiceNumbers,
    answers: tuple[str, ...],
    seed: int = 0,
    language: str | None,
    batch: Literal["step", "command"] = "step",
    annotate: bool,
    as_json: bool,
) -> None:
    """Play FILE with the given choices and print every step.

    With --json, prints one StepResult per line; how the story ended goes to standard
    error. Exits with status 1 if a choice cannot be made. A story set in a world runs on
    a copy that is not saved.
    """
    from saniwa.cli.play.terminal_output import LANGUAGES, Screen
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


_SCENARIO_MISSING_CODES: Final = frozenset({"REGISTRY_MISSING", "SCENARIO_FILE_NOT_FOUND"})
"""The error codes for a scenario that does not exist."""


def open_for_exploration(file: str) -> "tuple[Program, WorldTrial | None]":
    """Open the story in a file, on a world that is not stored; None if it has no world.

    If its only error is that its scenario cannot be found, it is returned without a
    world, and the exploration guesses the answers of the world.

    Raises:
        ScriptError: As `load_story` does.
        SaniwaError: The world cannot be created.
    """
    from saniwa.app.run_service import RunService
    from saniwa.app.story_opening import inspect_story, open_story
    from saniwa.runs.rehearsal import WorldTrial

    try:
        opened = open_story(file, RunService.open("memory:"))
    except ScriptError as problem:
        if problem.code not in _SCENARIO_MISSING_CODES:
            raise
        story = inspect_story(file)
        if any(each.code not in _SCENARIO_MISSING_CODES for each in story.report.errors):
            raise
        return story.program, None
    terrain = None if opened.run is None else WorldTrial.from_run(opened.run)
    return opened.player.program, terrain


_MAX_NAME_CHARS = 60
_MAX_MISSED_IN_TEST = 20


@define_command("test")
def play_walks(
    *,
    file: StoryPath,
    walks: Annotated[int, click.IntRange(1, 1_000_000)] = 200,
    seed: int = 0,
    steps: Annotated[int, click.IntRange(1, 1_000_000)] = 1000,
    as_json: bool,
) -> None:
    """Play FILE many times with random choices and report what was never reached.

    The same seed makes the same choices. A walk that fails is shortened to the fewest
    choices that still fail and printed as a `saniwa trace` command. Exits with status 1
    if a walk fails, if no walk reaches an end of the story, or if it has endings and no
    walk reaches any of them.
    """
    from saniwa.story.tools.random_tests import run_random_tests

    program, terrain = open_for_exploration(file)
    result = run_random_tests(
        program, walks=walks, seed=seed, most=steps, terrain=terrain, tell=_show_progress
    )
    document = {"ok": result.is_sound, "file": file, **msgspec.to_builtins(result)}
    for made, failure in zip(document["failures"], result.failures, strict=True):
        made["command"] = _format_failure_command(file, failure)
    render.print_result(as_json, document, _format_result(file, result, steps))
    render.exit_passed(result.is_sound)


def _show_progress(done: int, walks: int) -> None:
    if sys.stderr.isatty() and (done % 20 == 0 or done == walks):
        end = "\r\x1b[K" if done == walks else ""
        click.echo(f"\r{done} of {walks} walks{end}", nl=False, err=True)


def _format_result(file: str, result: "RandomTestReport", most: int) -> Iterator[str]:
    for failure in result.failures:
        yield f"walk {failure.walk} failed[{failure.code}]: {failure.message}"
        yield f"  at {failure.where}"
        yield f"  again with: {_format_failure_command(file, failure)}"
    steps = render.format_count(result.steps, "step")
    yield f"{result.walks} walks, {steps}, {result.ended} reached an ending (seed {result.seed})."
    parts = {
        name: getattr(result.reach, name) for name in ("lines", "options", "sections", "endings")
    }
    for name, part in parts.items():
        yield f"  {name:<9} {part.reached} of {part.total}"
    for name, part in parts.items():
        if part.missed:
            yield f"{name.capitalize()} never reached:"
        for each in part.missed[:_MAX_MISSED_IN_TEST]:
            words = truncate(each.name.replace("\n", " "), _MAX_NAME_CHARS)
            yield f"  {each.where}  {words}"
        if len(part.missed) > _MAX_MISSED_IN_TEST:
            yield f"  and {len(part.missed) - _MAX_MISSED_IN_TEST} more"
    for note in result.notes:
        yield f"Note: {note}."
    if not result.is_sound and not result.failures:
        yield _describe_unsound(file, result, most)


def _describe_unsound(file: str, result: "RandomTestReport", most: int) -> str:
    if result.is_unfinished:
        return (
            f"No walk reached an end: each was stopped after {most:,} steps. To see where the "
            f"story goes in circles: saniwa routes {shlex.quote(file)}"
        )
    return (
        "No walk reached any of the story's endings. To see what leads to them: "
        f"saniwa routes {shlex.quote(file)}"
    )


def _format_failure_command(file: str, failure: "ShrunkFailure") -> str:
    return _format_trace_command(file, failure.seed, failure.choices, failure.answers)


def _format_trace_command(
    file: str, seed: int, choices: Sequence[int], answers: Sequence[str] = ()
) -> str:
    words = ["saniwa", "trace", shlex.quote(file)]
    if choices:
        words += ["--choices", _join_choices(choices)]
    for text in answers:
        words += ["--answers", _quote_for_shell(text)]
    if seed:
        words += ["--seed", str(seed)]
    return " ".join(words)


def _quote_for_shell(text: str) -> str:
    """Quote an answer for a shell; non-printable characters become escapes."""
    if text.isprintable():
        return shlex.quote(text)
    escaped = text.encode("unicode_escape").decode("ascii").replace("'", "\\'")
    return f"$'{escaped}'"


MAX_SHOWN_ROUTES: Final = 20
"""Routes that are shown without `--all`."""
_AT_BEGINNING = "from the beginning"
_MAX_MISSED_ON_ROUTES = 50
_MAX_COLUMNS = 100


def show_routes(found: "RouteReport", format_command: Callable[..., str], *, every: bool) -> None:
    """Print a summary of the routes, then the shortest of them, or every one.

    `format_command` returns the command that plays given choices and answers.
    """
    for line in _format_summary(found, format_command):
        render.show_text(line)
    shown = found.routes if every else select_routes(found.routes)
    click.echo("\nAll routes:" if every else "\nRoutes, the shortest first:")
    for route in shown:
        _show_route(route)
    if len(shown) < len(found.routes):
        more = len(found.routes) - len(shown)
        click.echo(f"  and {more:,} more; --all shows them")


def select_routes(routes: "Sequence[StoryRoute]") -> "list[StoryRoute]":
    """Return the shortest routes, including one to every ending."""
    by_length = sorted(routes, key=lambda route: len(route.choices))
    first: dict[tuple[str, str], StoryRoute] = {}
    for route in by_length:
        first.setdefault((route.end, route.ending), route)
    wanted = [*first.values(), *(r for r in by_length if r not in first.values())]
    return sorted(wanted[:MAX_SHOWN_ROUTES], key=lambda route: len(route.choices))


def _format_summary(found: "RouteReport", format_command: Callable[..., str]) -> Iterator[str]:
    yield from _format_counts(found)
    yield from _format_endings(found, format_command)
    yield from _format_missed("Endings", found.endings_missed)
    yield from _format_missed("Sections", found.sections_missed)
    yield from _format_missed("Options", found.options_missed)
    yield from _format_loops(found)
    for trap in found.traps:
        lines = ", ".join(trap.lines[:12])
        way = f"by: {format_command(trap.choices)}" if trap.choices else _AT_BEGINNING
        yield f"Dead end: there is no exit from line {lines}; entered {way}"
    for stuck in found.stuck:
        command = format_command(stuck.choices, stuck.answers)
        way = f"by: {command}" if stuck.choices else _AT_BEGINNING
        yield f"Dead end: {stuck.problem}; stuck {way}"
    for bound in found.bounded:
        looked = "" if bound == "routes" else f" after {found.moments:,} moments"
        yield f"Stopped at the limit on {bound}{looked}; there may be more."
    for note in found.notes:
        yield f"Note: {note}."


def _format_counts(found: "RouteReport") -> Iterator[str]:
    ends = Counter(route.end for route in found.routes)
    labels: dict[RouteEnd, str] = {
        "ending": "to an ending",
        "end_of_file": "to the end of the file",
        "loop": "back to where they were",
        "stuck": "stuck",
        "truncated": "cut short",
    }
    number = _format_route_count(len(found.routes))
    more = " or more" if found.bounded else ""
    parts = ", ".join(f"{ends[end]:,} {labels[end]}" for end in labels if ends[end])
    yield f"{number}{more}: {parts}."


def _format_endings(found: "RouteReport", format_command: Callable[..., str]) -> Iterator[str]:
    if not found.endings:
        return
    count = Counter(route.ending for route in found.routes if route.end == "ending")
    names = max(map(measure_width, found.endings))
    more = " or more" if found.bounded else ""
    numbers = {e: _format_route_count(count[e]) + more for e in found.endings}
    widest = max(map(len, numbers.values()))
    way = "way" if "steps" in found.bounded else "shortest way"
    yield f"Endings, with a {way} to each:"
    for route in found.ended:
        ending = route.ending
        name = ending + " " * (names - measure_width(ending))
        command = format_command(route.choices, route.answers)
        yield f"  {name}  {numbers[ending]:<{widest}}  {command}"


def _format_route_count(number: int) -> str:
    return f"{number:,} route" + ("" if number == 1 else "s")


def _format_loops(found: "RouteReport") -> Iterator[str]:
    lines = dict.fromkeys(
        line for route in found.routes if route.end == "loop" for line in route.lines
    )
    if lines:
        some = ", ".join(list(lines)[:12]) + (", …" if len(lines) > 12 else "")
        yield f"Loops run through line {some}."


def _join_choices(choices: Sequence[int]) -> str:
    return ",".join(str(number) for number in choices)


def _format_missed(what: str, missed: "tuple[MissedPart, ...]") -> Iterator[str]:
    if not missed:
        return
    yield f"{what} never reached:"
    for each in missed[:_MAX_MISSED_ON_ROUTES]:
        yield f"  {' '.join(each.name.split())} (line {each.line})"
    if len(missed) > _MAX_MISSED_ON_ROUTES:
        yield f"  and {len(missed) - _MAX_MISSED_ON_ROUTES} more"


def _show_route(route: "StoryRoute") -> None:
    """Print a route: its choices and its end, and below the texts of the choices."""
    columns = min(_MAX_COLUMNS, shutil.get_terminal_size().columns)
    numbers = _join_choices(route.choices) or "(no choice)"
    # Never wrapped, so that the numbers can be copied into `saniwa trace`.
    render.show_text(f"  {numbers}  {_format_end(route)}")
    texts = " → ".join(" ".join(text.split()) for text in route.texts)
    for line in render.wrap_text(escape_control_characters(texts), columns - 6) if texts else ():
        click.secho(f"      {line}", dim=True)


def _format_end(route: "StoryRoute") -> str:
    lines = ", ".join(route.lines)
    ends: dict[RouteEnd, str] = {
        "ending": f"ending: {route.ending}",
        "end_of_file": "end of file",
        "loop": f"loop: line {lines} again",
        "stuck": f"stuck at line {lines}: {route.problem}",
        "truncated": "cut short",
    }
    return ends[route.end]


@define_command("routes")
def routes(
    *,
    file: StoryPath,
    limit: Annotated[int, click.IntRange(1, 1_000_000)] = 1000,
    depth: Annotated[int, click.IntRange(1, 10_000)] = 200,
    steps: Annotated[int, click.IntRange(1, 100_000_000)] = 200000,
    seed: int = 0,
    every: bool,
    as_json: bool,
) -> None:
    """List the routes through FILE with the choices that lead along them.

    Shows the 20 shortest, with at least one to every ending. A route stops at an ending,
    at the end of the file, when it repeats an earlier situation, or when the story is
    stuck. Pass its numbers to `saniwa trace FILE --choices`. A story set in a world runs
    on a copy that is not saved. Exits with status 1 if an ending cannot be reached, a
    part has no way out, or the story gets stuck.
    """
    from saniwa.story.tools.routes import find_routes

    program, terrain = open_for_exploration(file)
    found = find_routes(
        program, seed=seed, limit=limit, deepest=depth, most_steps=steps, terrain=terrain
    )
    if as_json:
        render.print_json({"ok": found.is_sound, "file": file, **msgspec.to_builtins(found)})
    else:
        show_routes(found, partial(_format_trace_command, file, seed), every=every)
    render.exit_passed(found.is_sound)
