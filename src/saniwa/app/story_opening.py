"""Loads stories with the scenario they play on, and begins or resumes playing them.

Everything is checked before anything runs: the story, the scenario, the player's
character, the rulebook, every name that a condition looks up in the world, and the
words of every action.
"""

import os
import shlex
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Any, Final

import msgspec

from saniwa.app import describe
from saniwa.app.old_terminal_saves import OldTerminalSaves
from saniwa.app.run_service import RunService
from saniwa.app.run_stores import locate_beside
from saniwa.app.scenario_lookup import is_document_file, load_book_layers, open_scenario
from saniwa.app.story_library import FIRST_FILE, StoryLibrary, StoryPlace
from saniwa.core import path_checks
from saniwa.core.clock import SystemClock
from saniwa.core.errors import SaniwaError, ScriptError, StoreError
from saniwa.core.findings import Finding, Report, SourceLocation
from saniwa.core.ids import TimeOrderedIds
from saniwa.rulebook.book import add_manners
from saniwa.rulebook.loader import build_rulebook
from saniwa.runs import playing_record
from saniwa.runs.run import Run
from saniwa.runs.seat_order import find_player_character
from saniwa.runs.stored_story_playing import EMPTY_STEP
from saniwa.runs.story_playing import (
    StoryPlaying,
    check_same_run,
    decode_playing_state,
    make_unreadable_state_error,
)
from saniwa.runs.story_world import check_deeds, check_facts
from saniwa.runs.timeline import LANGUAGES
from saniwa.scenario.loader import Scenario
from saniwa.scenario.registry import is_inside_folder
from saniwa.story.elements import StoryScene, WorldReference
from saniwa.story.saves import Resumption
from saniwa.story.step_builder import Batch
from saniwa.story.story import Story, read_story
from saniwa.story.tools.translation import read_translations, translate_story
from saniwa.world.model import Id

StoryPath = str | os.PathLike[str]
"""The first file of a story."""


def load_story(
    path: StoryPath, registry: str | Path | None = None, *, language: str | None = None
) -> Story:
    """Load a playable story, in a language, with its world.

    Raises:
        ScriptError: It cannot be read, or has errors: the first, with all findings in
            `details["findings"]`; `LANGUAGE_UNKNOWN` if there is no translation.
    """
    return check_playable_story(to_language(inspect_story(path, registry), path, language))


def check_playable_story(story: Story) -> Story:
    """Return the same story, if it has no errors.

    Raises:
        ScriptError: It has errors: the first, with all of them in its details.
    """
    if not story.report.has_passed:
        raise _make_story_error(story.report)
    return story


def inspect_story(path: StoryPath, registry: str | Path | None = None) -> Story:
    """Read a story and check it, with the world it plays on.

    Raises:
        ScriptError: `STORY_UNREADABLE`.
    """
    return add_world_findings(read_story(path), registry)


def add_world_findings(story: Story, registry: str | Path | None = None) -> Story:
    """Return the same story, with the findings about its world added to its report."""
    ground = story.program.ground
    if ground is None:
        return story
    found = _check_world(story, ground, registry)
    report = Report.from_findings((*story.report.findings, *found))
    return msgspec.structs.replace(story, report=report)


def make_story_origin(
    path: StoryPath,
    place: str | Path,
    library: StoryLibrary | None = None,
    *,
    language: str | None = None,
    seed: int = 0,
) -> playing_record.PlayOrigin:
    """Return the origin of a story in a file: by its id if the library has it.

    Else by its path, as seen from the folder of the store at `place`.
    """
    found = (library or StoryLibrary.from_folder()).find_file(Path(path))
    if found is None:
        return playing_record.PlayOrigin(
            path=_make_relative(path, place), language=language or "", seed=seed
        )
    story, edition = found
    own = edition.language if edition.path != story.path else ""
    return playing_record.PlayOrigin(story=story.id, language=language or own, seed=seed)


def locate_origin(origin: playing_record.PlayOrigin, place: str | Path) -> Path:
    """Return the file of an origin that names its path."""
    return Path(os.path.normpath(_locate_base(place) / origin.path))


def _make_relative(path: StoryPath, place: str | Path) -> str:
    # Both resolved, so that nothing depends on where the project lies.
    file, base = os.path.realpath(path), os.path.realpath(_locate_base(place))
    return Path(os.path.relpath(file, base)).as_posix()


def _locate_base(place: str | Path) -> Path:
    return locate_beside(place, "") or Path()


class StoredPosition:
    """Where a program stands in a story, in the play records that hosts use too."""

    def __init__(
        self, path: StoryPath, parts: RunService, origin: playing_record.PlayOrigin
    ) -> None:
        """Use the records next to the run store; they are created by the first `store`."""
        self._path, self._parts = path, parts
        self._origin = msgspec.structs.replace(origin, created=SystemClock().now())
        self._run_id = TimeOrderedIds().create_id("run")

    def load_state(self) -> bytes | None:
        """Return the state of the run that was played last; None if there is none.

        Raises:
            StoreError: It cannot be read.
        """
        folder = OldTerminalSaves(self._path, self._parts.place)
        if not (folder.exists or self._parts.has_plays):
            return None
        folder.import_into(self._parts.plays, self._origin)
        run_id = self._find_last().find_run_id()
        record = playing_record.load_playing_record(run_id, self._parts.plays) if run_id else None
        if record is None:
            return None
        self._run_id = run_id
        return bytes(record.passed[-1].state)

    def load_seen(self) -> frozenset[str]:
        """Return the ids of the lines that were seen.

        Raises:
            StoreError: It cannot be read.
        """
        if not self._parts.has_plays:
            return frozenset()
        return playing_record.SeenLines(self._origin, self._parts.plays).list_ids()

    def store(self, state: bytes) -> None:
        """Store the state, and let its run be the last of the story.

        Raises:
            StoreError: It could not be stored.
        """
        run_id = decode_playing_state(state).run or self._run_id
        step = playing_record.StoredStep(step=EMPTY_STEP, state=msgspec.Raw(state))
        playing_record.add_state(self._parts.plays, run_id, self._origin, step)
        self._find_last().move_to(run_id)

    def _find_last(self) -> playing_record.LastPlay:
        return playing_record.LastPlay(self._origin, os.fspath(self._path), self._parts.plays)


def open_story(
    path: StoryPath,
    parts: RunService,
    *,
    language: str | None = None,
    seed: int = 0,
    batch: Batch = "step",
    annotate: bool = False,
) -> StoryPlaying:
    """Open a story at its beginning, on a new run of its scenario if it names one.

    Its position is stored from the first choice, answer or action on; until then, the
    last position can still be resumed.

    Raises:
        ScriptError: As `load_story` does; nothing was stored.
        SaniwaError: The run cannot begin; nothing was stored.
    """
    story = load_story(path, parts.registry, language=language)
    run = begin_story_run(story, parts, language, seed)
    position = _find_position(path, parts, language, seed)
    return _make_story_playing(
        story, run, parts, position, seed=seed, batch=batch, annotate=annotate
    )


async def resume_story(
    path: StoryPath,
    parts: RunService,
    *,
    language: str | None = None,
    content: bytes | None = None,
    batch: Batch = "step",
    annotate: bool = False,
) -> tuple[StoryPlaying, Resumption]:
    """Resume a story where it was played last, or at the position of a given state.

    Also returns how that position was matched with the story's text.

    Raises:
        ScriptError: As `load_story` does; `STATE_UNREADABLE`.
        StoreError: `SAVE_NOT_FOUND` if it was never played; the run cannot be read.
        RunError: `RUN_DIVERGED`.
    """
    position = _find_position(path, parts, language)
    left = content if content is not None else position.load_state()
    if left is None:
        raise make_no_save_error(path)
    story = load_story(path, parts.registry, language=language)
    run = resume_story_run(story, decode_playing_state(left).run, parts)
    performance = _make_story_playing(story, run, parts, position, batch=batch, annotate=annotate)
    return performance, await performance.load(left)


def _find_position(
    path: StoryPath, parts: RunService, language: str | None, seed: int = 0
) -> StoredPosition:
    origin = make_story_origin(path, parts.place, language=language, seed=seed)
    return StoredPosition(path, parts, origin)


def resume_story_run(story: Story, named: str, parts: RunService) -> Run | None:
    """Resume the run of a saved state, which must be one that this story would begin.

    Raises:
        ScriptError: `STATE_UNREADABLE`.
        StoreError, RunError: The run cannot be continued.
    """
    ground = story.program.ground
    if ground is None or not named:
        if ground is None and not named:
            return None
        raise make_unreadable_state_error("it was played in another world")
    run = parts.resume(named)
    scenario = parts.open_scenario(_resolve_name(story.scenes[0], ground.scenario))
    reader = find_player_character(scenario.world, ground.actor or None)
    check_same_run(run, named, scenario.id, reader)
    return run


def _make_story_playing(
    story: Story, run: Run | None, parts: RunService, position: StoredPosition, **more: Any
) -> StoryPlaying:
    performance = StoryPlaying(story, run, keep=position.store, reopen=parts.resume, **more)
    performance.player.mark_seen(position.load_seen())
    return performance


def begin_story_run(
    story: Story, parts: RunService, language: str | None = None, seed: int = 0, run_id: str = ""
) -> Run | None:
    """Begin a run of the scenario that a story names; None if it names none.

    `run_id` as for `RunService.begin`.

    Raises:
        SaniwaError: The run cannot begin; nothing was stored.
    """
    ground = story.program.ground
    if ground is None:
        return None
    spoken = language or story.scenes[0].front.language
    return parts.begin(
        _resolve_name(story.scenes[0], ground.scenario),
        # Worlds support fewer languages than stories; otherwise use the world's own.
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
        yield problem.to_finding(_locate_key(first, "scenario"))
        return
    roles = tuple(_check_roles(first, ground, scenario, registry))
    yield from roles
    yield from check_facts(story.scenes, scenario.world)
    if not roles:
        yield from _check_actions(story, ground, scenario, registry)


def _check_roles(
    first: StoryScene, ground: WorldReference, scenario: Scenario, registry: str | Path | None
) -> Iterator[Finding]:
    """Check the player's character and the rulebook."""
    try:
        find_player_character(scenario.world, ground.actor or None)
    except SaniwaError as problem:
        yield problem.to_finding(_locate_key(first, "as"))
    try:
        book = _resolve_name(first, ground.book) if ground.book else None
        load_book_layers(scenario, book, registry)
    except SaniwaError as problem:
        yield problem.to_finding(_locate_key(first, "book"))


def _check_actions(
    story: Story, ground: WorldReference, scenario: Scenario, registry: str | Path | None
) -> Iterator[Finding]:
    """Check the actions of the player's character by the story's rulebook."""
    book = _resolve_name(story.scenes[0], ground.book) if ground.book else None
    rules = build_rulebook(load_book_layers(scenario, book, registry))
    actor = Id(find_player_character(scenario.world, ground.actor or None))
    return check_deeds(story.scenes, add_manners(scenario.world, rules), actor)


def _resolve_name(first: StoryScene, named: str) -> str:
    """Return an id unchanged, and a file's path if the file is in the story's folder.

    Raises:
        ScriptError: `FILE_OUTSIDE`.
    """
    if not is_document_file(named):
        return named
    if not is_inside_folder(first.file, named):
        raise describe("FILE_OUTSIDE/resolve_name", named=named).to_error(
            ScriptError, where=_locate_key(first, "scenario")
        )
    return str(Path(first.file).parent / named)


def _locate_key(scene: StoryScene, key: str) -> SourceLocation:
    document = scene.front.document
    return SourceLocation(file=scene.file) if document is None else document.locate((key,))


def to_language(story: Story, path: StoryPath, language: str | None) -> Story:
    """Return the story in a language, from the translation table next to its file.

    Raises:
        ScriptError: `LANGUAGE_UNKNOWN` if there is no translation.
    """
    own = story.scenes[0].front.language
    if language is None or language == own:
        return story
    table = Path(path).with_suffix(f".{language}.csv")
    if not path_checks.is_file(table):
        other = _find_other_edition(path, own, language)
        if not own and other is None and language in LANGUAGES:
            return story  # the story does not name its own language
        raise _make_untranslated_error(path, other or table, language)
    return translate_story(story, read_translations(table))


def _find_other_edition(path: StoryPath, own: str, language: str) -> Path | None:
    """Return the edition in a language, such as `story.ja.md` next to `story.md`."""
    file = Path(path)
    stem = file.stem.removesuffix(f".{own}") if own else file.stem
    other = file.with_name(f"{stem}.{language}{file.suffix}")
    return other if path_checks.is_file(other) else None


def _make_untranslated_error(path: StoryPath, other: Path, language: str) -> ScriptError:
    hint = f"write its translation in {other.name!r}; see: saniwa story strings"
    if path_checks.is_file(other):
        hint = f"play {str(other)!r} instead"
    return describe(
        "LANGUAGE_UNKNOWN", language=language, path=os.fspath(path), hint=hint
    ).to_error(ScriptError)


def _make_story_error(report: Report) -> ScriptError:
    first = report.errors[0]
    others = len(report.errors) - 1
    rest = f"{others} more error{'s' if others > 1 else ''}" if others else ""
    file = first.where.file
    command = f"{rest or 'check it'}: saniwa check {shlex.quote(file)}" if file else rest
    return ScriptError(
        first.code,
        first.message,
        where=first.where,
        hint="; ".join(part for part in (first.hint, command) if part),
        details={**first.details, "findings": [found.to_document() for found in report.findings]},
    )


def make_no_save_error(path: StoryPath) -> StoreError:
    """Return the error for a story that has no saved position."""
    named = os.fspath(path)
    said = describe("SAVE_NOT_FOUND/story", path=named, quoted=shlex.quote(named))
    return said.to_error(StoreError)


MOST_CHECKED_BYTES: Final = 400_000
"""The total size of stories that are read for one list; about half a second."""

_FileSignature = tuple[int, int]


class StoryFaultCheck:
    """Finds errors that prevent stories from beginning; remembers those without."""

    def __init__(self, registry: str | None) -> None:
        """Check stories on the worlds of a registry; none was checked yet."""
        self._registry = registry
        self._valid = dict[Path, _FileSignature]()
        self._left = 0

    def start_check(self, most: int = MOST_CHECKED_BYTES) -> "StoryFaultCheck":
        """Start a pass over several stories, reading at most so many bytes."""
        fresh = copy(self)
        fresh._left = most
        return fresh

    def find_fault(self, place: StoryPlace) -> SaniwaError | None:
        """Return the error that keeps a story from beginning; None if none is known."""
        try:
            look, size = _read_signature(place.path), _measure_size(place.path)
        except OSError:
            return None
        if self._valid.get(place.path) == look or size > self._left:
            return None
        self._left -= size
        try:
            load_story(place.path, self._registry)
        except SaniwaError as problem:
            return problem
        self._valid[place.path] = look
        return None


def _read_signature(path: Path) -> _FileSignature:
    found = path.stat()
    return found.st_mtime_ns, found.st_size


def _measure_size(path: Path) -> int:
    """Return a story's size; in its own folder, with the other files there."""
    files = path.parent.glob("*.md") if path.name == FIRST_FILE else (path,)
    return sum(each.stat().st_size for each in files)
