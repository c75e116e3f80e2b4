"""A story on its world: which scenario its front matter means, and how it begins.

Everything is checked before anything runs: the story, the scenario, whom the reader
plays, the rulebook, every name that a condition asks the world about, and the words of
every deed.
"""

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

import msgspec

from saniwa.core import there
from saniwa.core.errors import SaniwaError, ScriptError, StoreError
from saniwa.core.finding import Finding, Report
from saniwa.core.where import Where
from saniwa.rulebook.book import taught
from saniwa.rulebook.load import book_from_layers
from saniwa.run.conductor import Run
from saniwa.run.deeds import check_deeds
from saniwa.run.facts import check_facts
from saniwa.run.kept import check_alike, read_kept, unreadable
from saniwa.run.opening import LANGUAGES, player_of
from saniwa.run.performance import Performance
from saniwa.scenario.load import Scenario
from saniwa.scenario.registry import stays_inside
from saniwa.script.desk.translating.strings import read_table, translated_story
from saniwa.script.node import Ground, Scene
from saniwa.script.playing.player import Batch
from saniwa.script.playing.state import Resumption
from saniwa.script.story import Story, read_story
from saniwa.wiring.keeping import StoryKeeping, keeping_of
from saniwa.wiring.parts import Parts
from saniwa.wiring.scenario import book_layers, is_file, open_scenario
from saniwa.world.model import Id

StoryPath = str | os.PathLike[str]
"""The file a story begins in."""


def load_story(
    path: StoryPath, registry: str | Path | None = None, *, language: str | None = None
) -> Story:
    """A story that can be played, in a language, on a world that is there.

    Raises:
        ScriptError: It cannot be read, or has errors: the first, with all findings in
            `details["findings"]`; `LANGUAGE_UNKNOWN` if nobody has translated it.
    """
    return whole(told_in(inspect_story(path, registry), path, language))


def whole(story: Story) -> Story:
    """The same story, if it has no errors.

    Raises:
        ScriptError: It has: the first, with all of them in its details.
    """
    if not story.report.passed:
        raise _broken(story.report)
    return story


def inspect_story(path: StoryPath, registry: str | Path | None = None) -> Story:
    """A story with everything there is to say about it and the world it stands on.

    Raises:
        ScriptError: `STORY_UNREADABLE`.
    """
    return on_its_world(read_story(path), registry)


def on_its_world(story: Story, registry: str | Path | None = None) -> Story:
    """The same story, its report joined by what its world has to say."""
    ground = story.program.ground
    if ground is None:
        return story
    found = _world_findings(story, ground, registry)
    report = Report.of((*story.report.findings, *found))
    return msgspec.structs.replace(story, report=report)


def open_story(
    path: StoryPath,
    parts: Parts,
    *,
    language: str | None = None,
    seed: int = 0,
    keeping: StoryKeeping | None = None,
    batch: Batch = "step",
    annotate: bool = False,
) -> Performance:
    """A story at its beginning, on a new run of its scenario where it names one.

    Its place is kept from the first choice, answer or deed on; until then, the place
    where somebody left it last is still there to be resumed.

    Raises:
        ScriptError: As `load_story` does; nothing was kept.
        SaniwaError: The run cannot begin; nothing was kept.
    """
    story = load_story(path, parts.registry, language=language)
    run = begin_world(story, parts, language, seed)
    return _performance(path, story, run, parts, keeping, seed, batch, annotate)


async def resume_story(
    path: StoryPath,
    parts: Parts,
    *,
    language: str | None = None,
    content: bytes | None = None,
    keeping: StoryKeeping | None = None,
    batch: Batch = "step",
    annotate: bool = False,
) -> tuple[Performance, Resumption]:
    """A story where it was left, or where a save's content stands, and how it was found.

    Raises:
        ScriptError: As `load_story` does; `STATE_UNREADABLE`.
        StoreError: `SAVE_NOT_FOUND` if nobody has played it; the run cannot be read.
        RunError: `RUN_DIVERGED`.
    """
    keeping = keeping or keeping_of(path, parts.place)
    left = content if content is not None else keeping.here()
    if left is None:
        raise _not_left(path)
    story = load_story(path, parts.registry, language=language)
    run = left_in(story, read_kept(left).run, parts)
    performance = _performance(path, story, run, parts, keeping, 0, batch, annotate)
    return performance, await performance.load(left)


def left_in(story: Story, named: str, parts: Parts) -> Run | None:
    """The run a state was left in, which must be one that this story would begin.

    Raises:
        ScriptError: `STATE_UNREADABLE`.
        StoreError, RunError: The run cannot be gone on with.
    """
    ground = story.program.ground
    if ground is None or not named:
        if ground is None and not named:
            return None
        raise unreadable("it was played on another world")
    run = parts.resume(named)
    scenario = parts.opened(_named(story.scenes[0], ground.scenario))
    reader = player_of(scenario.world, ground.actor or None)
    check_alike(run, named, scenario.id, reader)
    return run


def _performance(
    path: StoryPath,
    story: Story,
    run: Run | None,
    parts: Parts,
    keeping: StoryKeeping | None,
    seed: int,
    batch: Batch,
    annotate: bool,
) -> Performance:
    keeping = keeping or keeping_of(path, parts.place)
    performance = Performance(
        story,
        run,
        seed=seed,
        keep=keeping.keep,
        reopen=parts.resume,
        batch=batch,
        annotate=annotate,
    )
    performance.player.mark_seen(keeping.seen())
    return performance


def begin_world(
    story: Story,
    parts: Parts,
    language: str | None = None,
    seed: int = 0,
    run_id: str = "",
) -> Run | None:
    """A new run of the scenario a story stands on; None where it stands on none.

    `run_id` as for `Parts.begin`.

    Raises:
        SaniwaError: The run cannot begin; nothing was kept.
    """
    ground = story.program.ground
    if ground is None:
        return None
    spoken = language or story.scenes[0].front.language
    return parts.begin(
        _named(story.scenes[0], ground.scenario),
        # A world speaks fewer languages than authors do; then it speaks its own.
        language=spoken if spoken in LANGUAGES else None,
        actor=ground.actor or None,
        book=_named(story.scenes[0], ground.book) if ground.book else None,
        seed=seed,
        run_id=run_id,
    )


def _world_findings(
    story: Story, ground: Ground, registry: str | Path | None
) -> Iterator[Finding]:
    first = story.scenes[0]
    try:
        scenario = open_scenario(_named(first, ground.scenario), registry)
    except SaniwaError as problem:
        yield _finding(problem, _place(first, "scenario"))
        return
    roles = tuple(_role_findings(first, ground, scenario))
    yield from roles
    yield from check_facts(story.scenes, scenario.world)
    if not roles:
        yield from _deed_findings(story, ground, scenario)


def _role_findings(
    first: Scene, ground: Ground, scenario: Scenario
) -> Iterator[Finding]:
    """What is wrong with whom the reader plays, and with the rulebook."""
    try:
        player_of(scenario.world, ground.actor or None)
    except SaniwaError as problem:
        yield _finding(problem, _place(first, "as"))
    try:
        book_layers(scenario, _named(first, ground.book) if ground.book else None)
    except SaniwaError as problem:
        yield _finding(problem, _place(first, "book"))


def _deed_findings(
    story: Story, ground: Ground, scenario: Scenario
) -> Iterator[Finding]:
    """What is wrong with the deeds of whom the reader plays, by the story's book."""
    book = _named(story.scenes[0], ground.book) if ground.book else None
    rules = book_from_layers(book_layers(scenario, book))
    actor = Id(player_of(scenario.world, ground.actor or None))
    return check_deeds(story.scenes, taught(scenario.world, rules), actor)


def _named(first: Scene, named: str) -> str:
    """An id as it is; a file as seen from here, if it lies with the story.

    Raises:
        ScriptError: `FILE_OUTSIDE`.
    """
    if not is_file(named):
        return named
    if not stays_inside(first.file, named):
        raise ScriptError(
            "FILE_OUTSIDE",
            f"the file {named!r} is not in the story's own folder",
            where=_place(first, "scenario"),
            hint="keep it beside the story or below it, or name an id of the registry",
        )
    return str(Path(first.file).parent / named)


def _place(scene: Scene, key: str) -> Where:
    document = scene.front.document
    return Where(file=scene.file) if document is None else document.where((key,))


def _finding(problem: SaniwaError, where: Where) -> Finding:
    return Finding(
        code=str(problem.code), message=problem.message, where=where, hint=problem.hint
    )


def told_in(story: Story, path: StoryPath, language: str | None) -> Story:
    """The same story in a language, by the table of translations beside its file.

    Raises:
        ScriptError: `LANGUAGE_UNKNOWN` if nobody has translated it.
    """
    own = story.scenes[0].front.language
    if language is None or language == own:
        return story
    table = Path(path).with_suffix(f".{language}.csv")
    if not there.is_file(table):
        other = _written_in(path, own, language)
        if not own and other is None and language in LANGUAGES:
            return story  # it does not say what it is written in
        raise _untranslated(path, other or table, language)
    return translated_story(story, read_table(table))


def _written_in(path: StoryPath, own: str, language: str) -> Path | None:
    """The same story written in another language, as `story.ja.md` beside `story.md`."""
    file = Path(path)
    stem = file.stem.removesuffix(f".{own}") if own else file.stem
    other = file.with_name(f"{stem}.{language}{file.suffix}")
    return other if there.is_file(other) else None


def _untranslated(path: StoryPath, other: Path, language: str) -> ScriptError:
    hint = f"write its translation in {other.name!r}; see: saniwa story strings"
    if there.is_file(other):
        hint = f"play {str(other)!r} instead"
    return ScriptError(
        "LANGUAGE_UNKNOWN",
        f"{os.fspath(path)!r} is not told in {language!r}",
        hint=hint,
        details={"language": language},
    )


def _broken(report: Report) -> ScriptError:
    first = report.errors[0]
    others = len(report.errors) - 1
    rest = f"{others} more mistake{'s' if others > 1 else ''}" if others else ""
    file = first.where.file
    command = (
        f"{rest or 'check it'}: saniwa check {shlex.quote(file)}" if file else rest
    )
    return ScriptError(
        first.code,
        first.message,
        where=first.where,
        hint="; ".join(part for part in (first.hint, command) if part),
        details={
            **first.details,
            "findings": [found.as_document() for found in report.findings],
        },
    )


def _not_left(path: StoryPath) -> StoreError:
    return StoreError(
        "SAVE_NOT_FOUND",
        f"nobody has left {os.fspath(path)!r} in the middle",
        hint=f"begin it: saniwa play {shlex.quote(os.fspath(path))}",
    )
