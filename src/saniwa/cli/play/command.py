"""`saniwa play`: parse the options, then play a scenario or a story in the terminal.

The two terminals are in `scenario_terminal` and `story_terminal`.
"""

import locale
import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import closing
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, TextIO

import click

from saniwa.cli.command_definition import RunToResume, define_command, resolve_store
from saniwa.cli.play import agents

if TYPE_CHECKING:
    from saniwa.app.game_table_models import LazyModels
    from saniwa.app.run_service import RunService
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


DEFAULT_SCENARIOS = {"en": "door_and_key", "ja": "door_and_key_ja"}
"""The scenario that is played if none is named, by language."""


class PlayOptions(NamedTuple):
    """The options of `saniwa play`."""

    scenario: str | None
    """An id or a file of a scenario or a story; None for the default scenario."""
    language: str | None
    """The language of the narration; None for the scenario's own."""
    actor: str | None
    """The character the player plays; None for the first."""
    book: str | None
    """The rulebook's name or file; None for the scenario's own."""
    seed: Annotated[int, {"default": 0, "required": False}]
    """The seed of the random numbers."""
    resume: RunToResume
    """The run to resume; None for a new one."""
    save: str | None
    """The save of a story to begin from."""
    fast: bool
    """Whether a story does not wait where it pauses."""
    source: Annotated[TextIO | None, click.File("r", encoding="utf-8", errors="surrogateescape")]
    """The lines to play; None for those of a person."""
    wanted: agents.AgentOptions
    """The agents and models."""
    registry: str | None
    """The registry that `--registry` names."""
    store: str | None
    """The store that `--store` names."""


def _play_scenario(options: PlayOptions, registry: str | None) -> None:
    """Play a run in this terminal, or with the lines of a source."""
    from saniwa.app.run_service import RunService
    from saniwa.app.run_stores import find_run, is_memory, open_existing_store
    from saniwa.app.scenario_lookup import is_document_file
    from saniwa.cli.play.scenario_terminal import ScenarioTerminal

    wanted, source, resumed_id = options.wanted, options.source, None
    again = wanted.build_resume_command(store=options.store, registry=options.registry)
    wanted.check()
    store = resolve_store(options.store)
    if options.resume is not None:
        with closing(open_existing_store(store)) as opened:
            resumed_id = find_run(opened, options.resume)
    models = agents.open_models(wanted, store, resumed_id)
    listener, narrator = agents.build_listener_and_narrator(wanted, models)
    parts = RunService.open(store, registry, listener=listener, narrator=narrator)
    with closing(parts):
        if resumed_id is not None:
            run = parts.resume(resumed_id)
        else:
            run = _begin_run(parts, options, models)
        plays_walkthrough = source is None and not sys.stdin.isatty()
        lines = None if source is None else read_lines(source)
        if plays_walkthrough:
            lines = _read_walkthrough(parts, run.record.scenario_id)
        cast = agents.seat_agents(wanted, run, models, store)
        begin = shlex.join(("saniwa", "play", options.scenario or run.record.scenario_id))
        again = "" if is_memory(store) else again
        terminal = ScenarioTerminal(cast, run.present_opening(), again, begin)
        # The same scenario in the language that is asked for.
        translated = options.scenario is not None and options.language is not None
        translated = translated and not is_document_file(options.scenario or "")
        terminal.play(
            lines,
            "walkthrough" if plays_walkthrough else "welcome",
            parts.find_translation(run) if translated else None,
        )


def _read_walkthrough(parts: "RunService", scenario_id: str) -> Iterator[str]:
    lines = parts.read_walkthrough(scenario_id)
    if not lines:
        raise click.UsageError(
            f"there is no terminal and no walkthrough for {scenario_id!r}; "
            "play it in a terminal, or give its lines with --input FILE"
        )
    return iter(lines)


def _begin_run(parts: "RunService", options: PlayOptions, models: "LazyModels") -> "Run":
    from saniwa.app.scenario_lookup import open_scenario

    language, wanted = options.language, options.wanted
    code = locale.getlocale()[0] or ""
    own = "ja" if code.startswith(("ja", "Japanese")) else "en"
    named = options.scenario or DEFAULT_SCENARIOS[language or own]
    if wanted.agent or wanted.agents:
        agents.check_seats(wanted, open_scenario(named, parts.registry), options.actor, models)
    return parts.begin(
        named, language=language, actor=options.actor, book=options.book, seed=options.seed
    )


_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,4}")
_FRONT_MATTER_HINT = "a story sets `as:` and `book:` in its front matter"
_NAME_STORY_HINT = "name one: saniwa play STORY.md"


@define_command("play")
def play(options: PlayOptions) -> None:
    """Play a scenario (an id of the registry, or a file) or a story (an id, or STORY.md).

    Type what you do in your own words; `help` lists the other commands.
    With --agent, agents play other characters; they need a model.
    If standard input is not a terminal, a scenario plays its walkthrough, and a story
    reads its choices and answers from standard input.
    """
    from saniwa.app.scenario_lookup import locate_shipped_registry

    scenario, language, resume = options.scenario, options.language, options.resume
    if scenario is None and resume is not None and _is_story(resume):
        scenario, resume = resume, "last"
        options = options._replace(scenario=scenario, resume=resume)
    file = None if scenario is None else _find_story_file(scenario, language, options.registry)
    if scenario is not None and file is not None:
        if language is not None and not _LANGUAGE_TAG.fullmatch(language):
            raise click.BadParameter(
                f"{language!r} is not a language code, such as 'en', 'ja' or 'pt-BR'.",
                param_hint="'--language'",
            )
        authored: dict[str, object] = {"--as": options.actor, "--book": options.book}
        _refuse_options("a scenario", authored, _FRONT_MATTER_HINT)
        _refuse_options("a scenario", options.wanted.given_options, "a story has no narrator")
        _play_story(file, "" if _is_story(scenario) else scenario, options)
        return
    _refuse_options("a story", {"--load": options.save, "--fast": options.fast}, _NAME_STORY_HINT)
    if language not in (None, *DEFAULT_SCENARIOS):
        raise click.BadParameter(
            f"{language!r} is not one of 'en', 'ja'.", param_hint="'--language'"
        )
    changes = (scenario, options.actor, options.book, language, options.seed)
    if resume is not None and any(changes):
        raise click.UsageError(
            "--resume continues a run with its own settings; remove the other options"
        )
    registry = options.registry
    if scenario is None and resume is not None and _resume_story(options):
        return
    if scenario is None and resume is None:
        # The default scenario comes with Saniwa, not from the project's own registry.
        registry = registry or str(locate_shipped_registry())
    _play_scenario(options, registry)


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


def _resume_story(options: PlayOptions) -> bool:
    """Play the run that is to be resumed, if it is a story's; return whether it is."""
    from saniwa.app.run_service import RunService
    from saniwa.cli.play.story_plays import find_story_run

    with closing(RunService.open(resolve_store(options.store), options.registry)) as parts:
        found = find_story_run(parts, options.resume or "")
    if found is None:
        return False
    _refuse_options("a scenario", options.wanted.given_options, "a story has no narrator")
    run_id, file = found
    _play_story(file, "", options._replace(resume="last"), run_id)
    return True


def _play_story(file: str, story_id: str, options: PlayOptions, run_id: str = "") -> None:
    from saniwa.app.run_service import RunService
    from saniwa.cli.play.story_terminal import StoryPlayRequest, play_story

    resume, save, seed, source = options.resume, options.save, options.seed, options.source
    if resume not in (None, "last"):
        raise click.UsageError(
            f"a story continues where you stopped, not with the run {resume!r}; "
            "use --resume alone, or --load NAME for a save; "
            f"or resume the run without the story: saniwa play --resume {resume}"
        )
    if resume and save:
        raise click.UsageError("--resume and --load exclude each other; give one of them")
    if (resume or save) and seed:
        raise click.UsageError("a continued story keeps its seed; remove --seed")
    request = StoryPlayRequest(
        file,
        options.language,
        seed,
        bool(resume),
        save,
        options.fast,
        options.store,
        story_id,
        run_id,
    )
    # Bytes that are not UTF-8 are rejected by the story, not by reading the terminal.
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    if source is None and not sys.stdin.isatty():
        source = sys.stdin
    with closing(RunService.open(resolve_store(options.store), options.registry)) as parts:
        play_story(request, parts, None if source is None else read_lines(source))
