"""`saniwa play`: parse the options, then play a scenario or a story in the terminal.

The two terminals are in `scenario_terminal` and `story_terminal`.
"""

import locale
import os
import re
import sys
from collections.abc import Iterator
from contextlib import closing
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO

import click

from saniwa.cli.options import add_option, registry_option, resolve_store, store_option
from saniwa.cli.play.agents import (
    AgentOptions,
    agent_options,
    build_listener_and_narrator,
    check_seats,
    open_models,
    seat_agents,
)

if TYPE_CHECKING:
    from saniwa.app.cast import LazyModels
    from saniwa.app.runs import RunService
    from saniwa.cli.play.story_terminal import StoryPlayRequest
    from saniwa.runs.run import Run


_MAX_LINE_CHARS = 100_000
"""Characters of one input line that are read; more than any parser accepts."""


def read_lines(source: TextIO) -> Iterator[str]:
    """Yield the lines of a file; only the beginning of an overlong line."""
    while line := source.readline(_MAX_LINE_CHARS):
        rest = line
        while not rest.endswith("\n") and (rest := source.readline(_MAX_LINE_CHARS)):
            pass
        yield line


def select_lines(parts: "RunService", run: "Run", source: TextIO | None) -> Iterator[str] | None:
    """Return the lines to play automatically; None if a person types them.

    Without `--input` and without a terminal, the scenario's walkthrough is played.

    Raises:
        click.UsageError: There is neither a terminal nor a walkthrough.
    """
    if source is not None:
        return read_lines(source)
    if sys.stdin.isatty():
        return None
    lines = parts.read_walkthrough(run.record.scenario_id)
    if not lines:
        raise click.UsageError(
            f"there is no terminal and no walkthrough for {run.record.scenario_id!r}; "
            "play it in a terminal, or give its lines with --input FILE"
        )
    return iter(lines)


DEFAULT_SCENARIOS = {"en": "door_and_key", "ja": "door_and_key_ja"}
"""The scenario that is played if none is named, by language."""


class ScenarioPlayRequest(NamedTuple):
    """Which scenario or run to play, and how."""

    scenario: str | None
    """An id or a file; None for the default scenario."""
    language: str | None
    """The language of the narration; None for the scenario's own."""
    actor: str | None
    """The character the player plays; None for the first."""
    book: str | None
    """The rulebook's name or file; None for the scenario's own."""
    seed: int
    """The seed of the random numbers."""
    resume: str | None
    """The run to resume; None for a new one."""
    again: str
    """The command that resumes it later."""


def play_scenario(
    request: ScenarioPlayRequest,
    wanted: AgentOptions,
    registry: str | None,
    store: str,
    source: TextIO | None,
) -> None:
    """Play a run in this terminal, or with the lines of a source.

    Raises:
        SaniwaError: The run, a seat, an agent or a model is invalid.
    """
    from saniwa.app.runs import RunService
    from saniwa.app.store import is_memory
    from saniwa.cli.play.scenario_terminal import ScenarioTerminal

    resumed_id = _find_resumed_run(store, request.resume)
    models = open_models(wanted, store, resumed_id)
    listener, narrator = build_listener_and_narrator(wanted, models)
    parts = RunService.open(store, registry, listener=listener, narrator=narrator)
    with closing(parts):
        run = (
            parts.resume(resumed_id)
            if resumed_id is not None
            else _begin_run(parts, request, wanted, models)
        )
        lines = select_lines(parts, run, source)
        cast = seat_agents(wanted, run, models, store)
        by_itself = lines is not None and source is None
        greeting = "walkthrough" if by_itself else "welcome"
        resume_command = "" if is_memory(store) else request.again
        terminal = ScenarioTerminal(cast, run.present_opening(), resume_command)
        terminal.play(lines, greeting, _find_translation(parts, request, run))


def _find_translation(parts: "RunService", request: ScenarioPlayRequest, run: "Run") -> str | None:
    """Return the edition of the scenario in the language that `--language` names.

    None if no language is named, or the scenario is a file.
    """
    from saniwa.app.scenarios import is_document_file

    if request.scenario is None or request.language is None or is_document_file(request.scenario):
        return None
    return parts.find_translation(run)


def _find_resumed_run(store: str, named: str | None) -> str | None:
    """Return the id of the run to resume; None for a new run."""
    from saniwa.app.store import find_run, open_existing_store

    if named is None:
        return None
    with closing(open_existing_store(store)) as opened:
        return find_run(opened, named)


def _begin_run(
    parts: "RunService", request: ScenarioPlayRequest, wanted: AgentOptions, models: "LazyModels"
) -> "Run":
    from saniwa.app.scenarios import open_scenario

    named = request.scenario or DEFAULT_SCENARIOS[request.language or _detect_language()]
    if wanted.agent or wanted.agents:
        check_seats(wanted, open_scenario(named, parts.registry), request.actor, models)
    return parts.begin(
        named, language=request.language, actor=request.actor, book=request.book, seed=request.seed
    )


def _detect_language() -> str:
    code = locale.getlocale()[0] or ""
    return "ja" if code.startswith(("ja", "Japanese")) else "en"


_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,4}")
_FRONT_MATTER_HINT = "a story says `as:` and `book:` in its front matter"
_NAME_STORY_HINT = "name one: saniwa play STORY.md"


@click.command(
    epilog="""\b
Examples:
  saniwa play                          the door-and-key garden
  saniwa play --language ja            the same in Japanese
  saniwa play coffee_trap --as あゆ
  saniwa play my_scenario.yaml --book strict
  saniwa play --resume last            go on where you stopped
  saniwa play --input words.txt        play the lines of a file (- for standard input)
  saniwa play lantern_island --agent orla --model ollama:llama3.2
  saniwa play lantern-island           a story that comes with Saniwa
  saniwa play story.md                 a story; save its file while you play
  saniwa play story.md --resume        go on where you stopped reading
  saniwa play story.md --load bridge   go on from what you saved as "bridge"
"""
)
@click.argument("scenario", metavar="[SCENARIO|STORY]", required=False)
@add_option("--language LANG", "Tell it in this language: en, ja.")
@add_option("--as WHO", "Play this character (else the first).", "actor")
@add_option("--book NAME|FILE", "Judge by this rulebook: default, strict, cooking, or a file.")
@add_option("--seed", "Where chance starts.", type=int, default=0, show_default=True)
@add_option(
    "--resume [RUN]",
    "Go on with a run: its id, a part of it, or last; or with the story.",
    is_flag=False,
    flag_value="last",
)
@add_option("--load NAME", "Go on from a save of the story.", "save")
@add_option("--fast", "Do not wait where the story pauses.")
@add_option(
    "--input",
    "Play these lines.",
    "source",
    type=click.File("r", encoding="utf-8", errors="surrogateescape"),
)
@agent_options
@registry_option
@store_option
def play(
    scenario: str | None,
    language: str | None,
    actor: str | None,
    book: str | None,
    seed: int,
    resume: str | None,
    save: str | None,
    fast: bool,
    source: TextIO | None,
    wanted: AgentOptions,
    registry: str | None,
    store: str | None,
) -> None:
    """Play a scenario (an id of the registry, or a file) or a story (an id, or STORY.md).

    Type what you do in your own words; `help` lists what can be typed beside the story.
    Agents play other characters with --agent; they need a model.
    Where standard input is no terminal, the shipped walkthrough of a scenario plays by
    itself; the lines that come in are the choices and answers of a story.
    """
    from saniwa.app.scenarios import locate_shipped_registry

    if scenario is None and resume is not None and _is_story(resume):
        scenario, resume = resume, "last"
    file = None if scenario is None else _find_story_file(scenario, language, registry)
    if scenario is not None and file is not None:
        if language is not None and not _LANGUAGE_TAG.fullmatch(language):
            raise click.BadParameter(
                f"{language!r} is no language such as 'en', 'ja' or 'pt-BR'.",
                param_hint="'--language'",
            )
        _refuse_options("a scenario", {"--as": actor, "--book": book}, _FRONT_MATTER_HINT)
        _refuse_options("a scenario", wanted.given_options, "a story is told by its author")
        story_request = _build_story_request(file, language, seed, resume, save, fast, store)
        named = "" if _is_story(scenario) else scenario
        _play_story(story_request._replace(id=named), registry, source)
        return
    _refuse_options("a story", {"--load": save, "--fast": fast}, _NAME_STORY_HINT)
    if language not in (None, *DEFAULT_SCENARIOS):
        raise click.BadParameter(
            f"{language!r} is not one of 'en', 'ja'.", param_hint="'--language'"
        )
    if resume is not None and (scenario or actor or book or language or seed):
        raise click.UsageError("--resume goes on with a run as it is; drop the rest")
    resume_command = wanted.build_resume_command(store=store, registry=registry)
    if scenario is None and resume is None:
        # The default scenario comes with Saniwa, not from the project's own registry.
        registry = registry or str(locate_shipped_registry())
    wanted.check()
    request = ScenarioPlayRequest(scenario, language, actor, book, seed, resume, resume_command)
    play_scenario(request, wanted, registry, resolve_store(store), source)


def _is_story(named: str) -> bool:
    return Path(named).suffix.lower() in (".md", ".markdown")


def _find_story_file(named: str, language: str | None, registry: str | None) -> str | None:
    """Return the first file of a story named by file or id; None for a scenario."""
    from saniwa.app.story_library import find_named_story

    if _is_story(named):
        return named
    found = find_named_story(named, registry)
    return None if found is None else os.path.relpath(found.find_edition(language).path)


def _refuse_options(what: str, given: dict[str, object], cure: str) -> None:
    for option, value in given.items():
        if value:
            raise click.UsageError(f"{option} is only for {what}; {cure}")


def _build_story_request(
    file: str,
    language: str | None,
    seed: int,
    resume: str | None,
    save: str | None,
    fast: bool,
    store: str | None,
) -> "StoryPlayRequest":
    from saniwa.cli.play.story_terminal import StoryPlayRequest

    if resume not in (None, "last"):
        raise click.UsageError(
            f"a story goes on where it was left, not with the run {resume!r}; "
            "write --resume alone, or --load NAME for a save"
        )
    if resume and save:
        raise click.UsageError("--resume and --load are two places; name one")
    if (resume or save) and seed:
        raise click.UsageError("a story that goes on keeps its seed; drop --seed")
    return StoryPlayRequest(file, language, seed, bool(resume), save, fast, store)


def _play_story(request: "StoryPlayRequest", registry: str | None, source: TextIO | None) -> None:
    from saniwa.app.runs import RunService
    from saniwa.cli.play.story_terminal import play_story

    # Bytes that are not UTF-8 are rejected by the story, not by reading the terminal.
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    if source is None and not sys.stdin.isatty():
        source = sys.stdin
    with closing(RunService.open(resolve_store(request.store), registry)) as parts:
        play_story(request, parts, None if source is None else read_lines(source))
