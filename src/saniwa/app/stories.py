"""A story on its world: which scenario its front matter means, and how it begins.

Everything is checked before anything runs: the story, the scenario, whom the reader
plays, the rulebook, every name that a condition asks the world about, and the words of
every deed.
"""

import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from saniwa.app.runs import RunService
from saniwa.app.scenarios import is_document_file, load_book_layers, open_scenario
from saniwa.app.story_library import FIRST_FILE, StoryPlace
from saniwa.app.story_saves import StorySaves, open_story_saves
from saniwa.core import paths
from saniwa.core.errors import SaniwaError, ScriptError, StoreError
from saniwa.core.findings import Finding, Report, SourceLocation
from saniwa.rulebook.book import add_manners
from saniwa.rulebook.loader import build_rulebook
from saniwa.runs.run import Run
from saniwa.runs.story import (
    StoryPlaying,
    check_same_run,
    decode_playing_state,
    make_unreadable_state_error,
)
from saniwa.runs.story_world import check_deeds, check_facts
from saniwa.runs.timeline import LANGUAGES, find_player_character
from saniwa.scenario.loader import Scenario
from saniwa.scenario.registry import is_inside_folder
from saniwa.story.format import StoryScene, WorldReference
from saniwa.story.saves import Resumption
from saniwa.story.step_builder import Batch
from saniwa.story.story import Story, read_story
from saniwa.story.tools.translation import translate_story
from saniwa.story.tools.translation_table import read_table
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
    return check_playable_story(
        to_language(inspect_story(path, registry), path, language)
    )


def check_playable_story(story: Story) -> Story:
    """The same story, if it has no errors.

    Raises:
        ScriptError: It has: the first, with all of them in its details.
    """
    if not story.report.has_passed:
        raise _make_story_error(story.report)
    return story


def inspect_story(path: StoryPath, registry: str | Path | None = None) -> Story:
    """A story with everything there is to say about it and the world it stands on.

    Raises:
        ScriptError: `STORY_UNREADABLE`.
    """
    return add_world_findings(read_story(path), registry)


def add_world_findings(story: Story, registry: str | Path | None = None) -> Story:
    """The same story, its report joined by what its world has to say."""
    ground = story.program.ground
    if ground is None:
        return story
    found = _check_world(story, ground, registry)
    report = Report.from_findings((*story.report.findings, *found))
    return msgspec.structs.replace(story, report=report)


def open_story(
    path: StoryPath,
    parts: RunService,
    *,
    language: str | None = None,
    seed: int = 0,
    keeping: StorySaves | None = None,
    batch: Batch = "step",
    annotate: bool = False,
) -> StoryPlaying:
    """A story at its beginning, on a new run of its scenario where it names one.

    Its place is kept from the first choice, answer or deed on; until then, the place
    where somebody left it last is still there to be resumed.

    Raises:
        ScriptError: As `load_story` does; nothing was kept.
        SaniwaError: The run cannot begin; nothing was kept.
    """
    story = load_story(path, parts.registry, language=language)
    run = begin_story_run(story, parts, language, seed)
    return _make_story_playing(path, story, run, parts, keeping, seed, batch, annotate)


async def resume_story(
    path: StoryPath,
    parts: RunService,
    *,
    language: str | None = None,
    content: bytes | None = None,
    keeping: StorySaves | None = None,
    batch: Batch = "step",
    annotate: bool = False,
) -> tuple[StoryPlaying, Resumption]:
    """A story where it was left, or where a save's content stands, and how it was found.

    Raises:
        ScriptError: As `load_story` does; `STATE_UNREADABLE`.
        StoreError: `SAVE_NOT_FOUND` if nobody has played it; the run cannot be read.
        RunError: `RUN_DIVERGED`.
    """
    keeping = keeping or open_story_saves(path, parts.place)
    left = content if content is not None else keeping.load_place()
    if left is None:
        raise _make_no_save_error(path)
    story = load_story(path, parts.registry, language=language)
    run = resume_story_run(story, decode_playing_state(left).run, parts)
    performance = _make_story_playing(
        path, story, run, parts, keeping, 0, batch, annotate
    )
    return performance, await performance.load(left)


def resume_story_run(story: Story, named: str, parts: RunService) -> Run | None:
    """The run a state was left in, which must be one that this story would begin.

    Raises:
        ScriptError: `STATE_UNREADABLE`.
        StoreError, RunError: The run cannot be gone on with.
    """
    ground = story.program.ground
    if ground is None or not named:
        if ground is None and not named:
            return None
        raise make_unreadable_state_error("it was played on another world")
    run = parts.resume(named)
    scenario = parts.open_scenario(_resolve_name(story.scenes[0], ground.scenario))
    reader = find_player_character(scenario.world, ground.actor or None)
    check_same_run(run, named, scenario.id, reader)
    return run


def _make_story_playing(
    path: StoryPath,
    story: Story,
    run: Run | None,
    parts: RunService,
    keeping: StorySaves | None,
    seed: int,
    batch: Batch,
    annotate: bool,
) -> StoryPlaying:
    keeping = keeping or open_story_saves(path, parts.place)
    performance = StoryPlaying(
        story,
        run,
        seed=seed,
        keep=keeping.save_place,
        reopen=parts.resume,
        batch=batch,
        annotate=annotate,
    )
    performance.player.mark_seen(keeping.load_seen())
    return performance


def begin_story_run(
    story: Story,
    parts: RunService,
    language: str | None = None,
    seed: int = 0,
    run_id: str = "",
) -> Run | None:
    """A new run of the scenario a story stands on; None where it stands on none.

    `run_id` as for `RunService.begin`.

    Raises:
        SaniwaError: The run cannot begin; nothing was kept.
    """
    ground = story.program.ground
    if ground is None:
        return None
    spoken = language or story.scenes[0].front.language
    return parts.begin(
        _resolve_name(story.scenes[0], ground.scenario),
        # A world speaks fewer languages than authors do; then it speaks its own.
        language=spoken if spoken in LANGUAGES else None,
        actor=ground.actor or None,
        book=_resolve_name(story.scenes[0], ground.book) if ground.book else None,
        seed=seed,
        run_id=run_id,
    )


def _check_world(
    story: Story, ground: WorldReference, registry: str | Path | None
) -> Iterator[Finding]:
    first = story.scenes[0]
    try:
        scenario = open_scenario(_resolve_name(first, ground.scenario), registry)
    except SaniwaError as problem:
        yield _to_finding(problem, _locate_key(first, "scenario"))
        return
    roles = tuple(_check_roles(first, ground, scenario))
    yield from roles
    yield from check_facts(story.scenes, scenario.world)
    if not roles:
        yield from _check_actions(story, ground, scenario)


def _check_roles(
    first: StoryScene, ground: WorldReference, scenario: Scenario
) -> Iterator[Finding]:
    """What is wrong with whom the reader plays, and with the rulebook."""
    try:
        find_player_character(scenario.world, ground.actor or None)
    except SaniwaError as problem:
        yield _to_finding(problem, _locate_key(first, "as"))
    try:
        load_book_layers(
            scenario, _resolve_name(first, ground.book) if ground.book else None
        )
    except SaniwaError as problem:
        yield _to_finding(problem, _locate_key(first, "book"))


def _check_actions(
    story: Story, ground: WorldReference, scenario: Scenario
) -> Iterator[Finding]:
    """What is wrong with the deeds of whom the reader plays, by the story's book."""
    book = _resolve_name(story.scenes[0], ground.book) if ground.book else None
    rules = build_rulebook(load_book_layers(scenario, book))
    actor = Id(find_player_character(scenario.world, ground.actor or None))
    return check_deeds(story.scenes, add_manners(scenario.world, rules), actor)


def _resolve_name(first: StoryScene, named: str) -> str:
    """An id as it is; a file as seen from here, if it lies with the story.

    Raises:
        ScriptError: `FILE_OUTSIDE`.
    """
    if not is_document_file(named):
        return named
    if not is_inside_folder(first.file, named):
        raise ScriptError(
            "FILE_OUTSIDE",
            f"the file {named!r} is not in the story's own folder",
            where=_locate_key(first, "scenario"),
            hint="keep it beside the story or below it, or name an id of the registry",
        )
    return str(Path(first.file).parent / named)


def _locate_key(scene: StoryScene, key: str) -> SourceLocation:
    document = scene.front.document
    return (
        SourceLocation(file=scene.file) if document is None else document.locate((key,))
    )


def _to_finding(problem: SaniwaError, where: SourceLocation) -> Finding:
    return Finding(
        code=str(problem.code), message=problem.message, where=where, hint=problem.hint
    )


def to_language(story: Story, path: StoryPath, language: str | None) -> Story:
    """The same story in a language, by the table of translations beside its file.

    Raises:
        ScriptError: `LANGUAGE_UNKNOWN` if nobody has translated it.
    """
    own = story.scenes[0].front.language
    if language is None or language == own:
        return story
    table = Path(path).with_suffix(f".{language}.csv")
    if not paths.is_file(table):
        other = _find_other_edition(path, own, language)
        if not own and other is None and language in LANGUAGES:
            return story  # it does not say what it is written in
        raise _make_untranslated_error(path, other or table, language)
    return translate_story(story, read_table(table))


def _find_other_edition(path: StoryPath, own: str, language: str) -> Path | None:
    """The same story written in another language, as `story.ja.md` beside `story.md`."""
    file = Path(path)
    stem = file.stem.removesuffix(f".{own}") if own else file.stem
    other = file.with_name(f"{stem}.{language}{file.suffix}")
    return other if paths.is_file(other) else None


def _make_untranslated_error(
    path: StoryPath, other: Path, language: str
) -> ScriptError:
    hint = f"write its translation in {other.name!r}; see: saniwa story strings"
    if paths.is_file(other):
        hint = f"play {str(other)!r} instead"
    return ScriptError(
        "LANGUAGE_UNKNOWN",
        f"{os.fspath(path)!r} is not told in {language!r}",
        hint=hint,
        details={"language": language},
    )


def _make_story_error(report: Report) -> ScriptError:
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
            "findings": [found.to_document() for found in report.findings],
        },
    )


def _make_no_save_error(path: StoryPath) -> StoreError:
    return StoreError(
        "SAVE_NOT_FOUND",
        f"nobody has left {os.fspath(path)!r} in the middle",
        hint=f"begin it: saniwa play {shlex.quote(os.fspath(path))}",
    )


MOST_CHECKED_BYTES: Final = 400_000
"""Bytes of stories that are read for one list; about half a second."""

_FileSignature = tuple[int, int]


class StoryFaultCache:
    """Finds out what keeps stories from beginning."""

    def __init__(self, registry: str | None) -> None:
        """Stories on the worlds of a registry; none of them is known yet."""
        self._registry = registry
        self._whole = dict[Path, _FileSignature]()

    def start_check(self, most: int = MOST_CHECKED_BYTES) -> "StoryFaultCheck":
        """Look at some stories one after the other, and read no more than so much."""
        return StoryFaultCheck(self._registry, self._whole, most)


class StoryFaultCheck:
    """One look at some stories."""

    def __init__(
        self, registry: str | None, whole: dict[Path, _FileSignature], left: int
    ) -> None:
        """Those in `whole` were without faults when their files looked like that."""
        self._registry = registry
        self._whole = whole
        self._left = left

    def find_fault(self, place: StoryPlace) -> SaniwaError | None:
        """What keeps a story from beginning; None where nothing is known to."""
        try:
            look, size = _read_signature(place.path), _measure_size(place.path)
        except OSError:
            return None
        if self._whole.get(place.path) == look or size > self._left:
            return None
        self._left -= size
        try:
            load_story(place.path, self._registry)
        except SaniwaError as problem:
            return problem
        self._whole[place.path] = look
        return None


def _read_signature(path: Path) -> _FileSignature:
    found = path.stat()
    return found.st_mtime_ns, found.st_size


def _measure_size(path: Path) -> int:
    """Bytes of a story; of one in a folder of its own, with the files beside it."""
    files = path.parent.glob("*.md") if path.name == FIRST_FILE else (path,)
    return sum(each.stat().st_size for each in files)
