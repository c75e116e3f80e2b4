"""`saniwa play`: a scenario or a story in the terminal.

Shows what StepResults say and nothing else of the story; what is typed goes to the run.
"""

import os
import re
import sys
from contextlib import closing
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from saniwa.cli.lines import each_line
from saniwa.cli.options import registry_option, store_option, store_place
from saniwa.cli.scenario_play import GARDEN, Begins, play_scenario
from saniwa.cli.wanted import Wanted, company_options

if TYPE_CHECKING:
    from saniwa.cli.telling.play import Seat

_LANGUAGE = re.compile(r"[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,4}")
_IN_FRONT = "a story says `as:` and `book:` in its front matter"
_NAME_A_STORY = "name one: saniwa play STORY.md"


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
@company_options
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
    wanted: Wanted,
    registry: str | None,
    store: str | None,
) -> None:
    """Play a scenario (an id of the registry, or a file) or a story (an id, or STORY.md).

    Type what you do in your own words; `help` lists what can be typed beside the story.
    Agents play other characters with --agent; they need a model.
    Where standard input is no terminal, the shipped walkthrough of a scenario plays by
    itself; the lines that come in are the choices and answers of a story.
    """
    from saniwa.wiring import shipped_registry

    if scenario is None and resume is not None and _is_story(resume):
        scenario, resume = resume, "last"
    file = None if scenario is None else _story_file(scenario, language, registry)
    if scenario is not None and file is not None:
        if language is not None and not _LANGUAGE.fullmatch(language):
            raise click.BadParameter(
                f"{language!r} is no language such as 'en', 'ja' or 'pt-BR'.",
                param_hint="'--language'",
            )
        _only_for("a scenario", {"--as": actor, "--book": book}, _IN_FRONT)
        _only_for("a scenario", wanted.any, "a story is told by its author")
        seat = _seat(file, language, seed, resume, save, fast, store)
        named = "" if _is_story(scenario) else scenario
        _play_story(seat._replace(id=named), registry, source)
        return
    _only_for("a story", {"--load": save, "--fast": fast}, _NAME_A_STORY)
    if language not in (None, *GARDEN):
        raise click.BadParameter(
            f"{language!r} is not one of 'en', 'ja'.", param_hint="'--language'"
        )
    if resume is not None and (scenario or actor or book or language or seed):
        raise click.UsageError("--resume goes on with a run as it is; drop the rest")
    again = wanted.again(store=store, registry=registry)
    if scenario is None and resume is None:
        # The garden comes with Saniwa, whatever scenarios the project here has.
        registry = registry or str(shipped_registry())
    wanted.check()
    begins = Begins(scenario, language, actor, book, seed, resume, again)
    play_scenario(begins, wanted, registry, store_place(store), source)


def _is_story(named: str) -> bool:
    return Path(named).suffix.lower() in (".md", ".markdown")


def _story_file(named: str, language: str | None, registry: str | None) -> str | None:
    """The file a story begins in, named by itself or by an id; None for a scenario."""
    from saniwa.wiring.meant import meant_story

    if _is_story(named):
        return named
    found = meant_story(named, registry)
    return None if found is None else os.path.relpath(found.edition(language).path)


def _only_for(what: str, given: dict[str, object], cure: str) -> None:
    for option, value in given.items():
        if value:
            raise click.UsageError(f"{option} is only for {what}; {cure}")


def _seat(
    file: str,
    language: str | None,
    seed: int,
    resume: str | None,
    save: str | None,
    fast: bool,
    store: str | None,
) -> "Seat":
    from saniwa.cli.telling.play import Seat

    if resume not in (None, "last"):
        raise click.UsageError(
            f"a story goes on where it was left, not with the run {resume!r}; "
            "write --resume alone, or --load NAME for a save"
        )
    if resume and save:
        raise click.UsageError("--resume and --load are two places; name one")
    if (resume or save) and seed:
        raise click.UsageError("a story that goes on keeps its seed; drop --seed")
    return Seat(file, language, seed, bool(resume), save, fast, store)


def _play_story(seat: "Seat", registry: str | None, source: TextIO | None) -> None:
    from saniwa.cli.telling.play import play_story
    from saniwa.wiring import Parts

    # What is no text is the story's to refuse, not the terminal's to stumble over.
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    if source is None and not sys.stdin.isatty():
        source = sys.stdin
    with closing(Parts.open(store_place(seat.store), registry)) as parts:
        play_story(seat, parts, None if source is None else each_line(source))
