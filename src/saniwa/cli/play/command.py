"""`saniwa play`: a scenario or a story in the terminal.

Shows what StepResults say and nothing else of the story; what is typed goes to the run.
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

from saniwa.cli.options import registry_option, resolve_store, store_option
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
"""Letters of one line of input that are read; more than any parser takes."""


def read_lines(source: TextIO) -> Iterator[str]:
    """The lines of a file; of a line without end only its beginning."""
    while line := source.readline(_MAX_LINE_CHARS):
        rest = line
        while not rest.endswith("\n") and (rest := source.readline(_MAX_LINE_CHARS)):
            pass
        yield line


def select_lines(
    parts: "RunService", run: "Run", source: TextIO | None
) -> Iterator[str] | None:
    """The lines to play by themselves; None where a person types them."""
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
"""What is played when nobody names a scenario."""


class ScenarioPlayRequest(NamedTuple):
    """Which run is played."""

    scenario: str | None
    """An id or a file; None for the garden."""
    language: str | None
    """What it is told in."""
    actor: str | None
    """Whom the person plays."""
    book: str | None
    """What judges it."""
    seed: int
    """Where chance starts."""
    resume: str | None
    """The run that goes on; None for a new one."""
    again: str
    """The command that will go on with it."""


def play_scenario(
    begins: ScenarioPlayRequest,
    wanted: AgentOptions,
    registry: str | None,
    store: str,
    source: TextIO | None,
) -> None:
    """Play a run at this terminal, or the lines of a source.

    Raises:
        SaniwaError: The run, a seat, an agent or a model is not as it must be.
    """
    from saniwa.app.runs import RunService
    from saniwa.app.store import is_memory
    from saniwa.cli.play.scenario_terminal import ScenarioTerminal

    goes_on = _find_resumed_run(store, begins.resume)
    models = open_models(wanted, store, goes_on)
    listener, narrator = build_listener_and_narrator(wanted, models)
    parts = RunService.open(store, registry, listener=listener, narrator=narrator)
    with closing(parts):
        run = (
            parts.resume(goes_on)
            if goes_on is not None
            else _begin_run(parts, begins, wanted, models)
        )
        lines = select_lines(parts, run, source)
        company = seat_agents(wanted, run, models, store)
        by_itself = lines is not None and source is None
        greeting = "walkthrough" if by_itself else "welcome"
        again = "" if is_memory(store) else begins.again
        table = ScenarioTerminal(company, run.present_opening(), again)
        table.play(lines, greeting, _find_translation(parts, begins, run))


def _find_translation(
    parts: "RunService", begins: ScenarioPlayRequest, run: "Run"
) -> str | None:
    """The scenario that somebody who names a language may rather have meant."""
    from saniwa.app.scenarios import is_document_file

    if (
        begins.scenario is None
        or begins.language is None
        or is_document_file(begins.scenario)
    ):
        return None
    return parts.find_translation(run)


def _find_resumed_run(store: str, named: str | None) -> str | None:
    """The id of the run that goes on, if one does."""
    from saniwa.app.store import find_run, open_existing_store

    if named is None:
        return None
    with closing(open_existing_store(store)) as opened:
        return find_run(opened, named)


def _begin_run(
    parts: "RunService",
    begins: ScenarioPlayRequest,
    wanted: AgentOptions,
    models: "LazyModels",
) -> "Run":
    from saniwa.app.scenarios import open_scenario

    named = begins.scenario or DEFAULT_SCENARIOS[begins.language or _detect_language()]
    if wanted.agent or wanted.agents:
        check_seats(wanted, open_scenario(named, parts.registry), begins.actor, models)
    return parts.begin(
        named,
        language=begins.language,
        actor=begins.actor,
        book=begins.book,
        seed=begins.seed,
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
@click.option("--language", metavar="LANG", help="Tell it in this language: en, ja.")
@click.option(
    "--as", "actor", metavar="WHO", help="Play this character (else the first)."
)
@click.option(
    "--book",
    metavar="NAME|FILE",
    help="Judge by this rulebook: default, strict, cooking, or a file.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Where chance starts."
)
@click.option(
    "--resume",
    is_flag=False,
    flag_value="last",
    metavar="[RUN]",
    help="Go on with a run: its id, a part of it, or last; or with the story.",
)
@click.option("--load", "save", metavar="NAME", help="Go on from a save of the story.")
@click.option("--fast", is_flag=True, help="Do not wait where the story pauses.")
@click.option(
    "--input",
    "source",
    type=click.File("r", encoding="utf-8", errors="surrogateescape"),
    help="Play these lines.",
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
        _refuse_options(
            "a scenario", {"--as": actor, "--book": book}, _FRONT_MATTER_HINT
        )
        _refuse_options(
            "a scenario", wanted.given_options, "a story is told by its author"
        )
        seat = _build_story_request(file, language, seed, resume, save, fast, store)
        named = "" if _is_story(scenario) else scenario
        _play_story(seat._replace(id=named), registry, source)
        return
    _refuse_options("a story", {"--load": save, "--fast": fast}, _NAME_STORY_HINT)
    if language not in (None, *DEFAULT_SCENARIOS):
        raise click.BadParameter(
            f"{language!r} is not one of 'en', 'ja'.", param_hint="'--language'"
        )
    if resume is not None and (scenario or actor or book or language or seed):
        raise click.UsageError("--resume goes on with a run as it is; drop the rest")
    again = wanted.build_resume_command(store=store, registry=registry)
    if scenario is None and resume is None:
        # The garden comes with Saniwa, whatever scenarios the project here has.
        registry = registry or str(locate_shipped_registry())
    wanted.check()
    begins = ScenarioPlayRequest(scenario, language, actor, book, seed, resume, again)
    play_scenario(begins, wanted, registry, resolve_store(store), source)


def _is_story(named: str) -> bool:
    return Path(named).suffix.lower() in (".md", ".markdown")


def _find_story_file(
    named: str, language: str | None, registry: str | None
) -> str | None:
    """The file a story begins in, named by itself or by an id; None for a scenario."""
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


def _play_story(
    seat: "StoryPlayRequest", registry: str | None, source: TextIO | None
) -> None:
    from saniwa.app.runs import RunService
    from saniwa.cli.play.story_terminal import play_story

    # What is no text is the story's to refuse, not the terminal's to stumble over.
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    if source is None and not sys.stdin.isatty():
        source = sys.stdin
    with closing(RunService.open(resolve_store(seat.store), registry)) as parts:
        play_story(seat, parts, None if source is None else read_lines(source))
