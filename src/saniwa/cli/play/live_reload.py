"""Reload a story while it is played, when its author saves one of its files.

Also shows where the story continues after a reload, and what is wrong with it.
"""

import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from saniwa.cli.play.terminal_output import Screen
from saniwa.cli.render import read_source_text, show_finding, show_text
from saniwa.core.errors import SaniwaError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.runs.stored_story_playing import StoredStoryPlaying
from saniwa.runs.story_playing import StoryPlaying
from saniwa.story.assets import FOLDERS
from saniwa.story.program import EnterOp
from saniwa.story.saves import Resumption
from saniwa.story.story import Story

_MAX_FINDINGS: Final = 5
_MAX_QUOTE_CHARS: Final = 40
"""Characters of a line that are quoted at most."""
_UNMOVED: Final = frozenset({"exactly", "id"})


def show_new_position(screen: Screen, playing: StoryPlaying, found: Resumption) -> None:
    """Say where a reloaded story continues, and how many calls were lost."""
    if found.found in _UNMOVED:
        screen.show_phrase("found_same")
    else:
        gaps = {"line": found.line, "words": _quote_line(playing), "label": _find_label(playing)}
        screen.show_phrase(f"found_{found.found}", **gaps)
    if found.lost_calls:
        screen.show_phrase("lost_calls", count=found.lost_calls)


def show_edit(screen: Screen, playing: StoredStoryPlaying) -> None:
    """Say where a loaded story continues, if it was edited since it was saved."""
    if playing.resumption is not None and playing.resumption.found != "exactly":
        show_new_position(screen, playing.performance, playing.resumption)


def _quote_line(playing: StoryPlaying) -> str:
    """Return the beginning of the source line at which the story is."""
    address, _ = playing.player.locate_shown()
    place = playing.player.program.locate_op(address)
    text = next(s.text for s in playing.story.scenes if s.file == place.file)
    line = text.split("\n")[place.line - 1].strip()
    return line if len(line) <= _MAX_QUOTE_CHARS else f"{line[: _MAX_QUOTE_CHARS - 1]}…"


def _find_label(playing: StoryPlaying) -> str:
    """Return the author's name for the section in which the story is."""
    program = playing.player.program
    key = program.find_label(playing.player.locate_shown()[0])
    op = program.ops[program.labels[key]] if key else None
    return op.name if isinstance(op, EnterOp) else key


def show_story_errors(problem: SaniwaError) -> None:
    """Print the errors in a story, as `saniwa check` does."""
    documents = problem.details.get("findings", ())
    errors = [each for each in documents if each["severity"] == "error"]
    if not errors:
        show_text(str(problem))
    for each in errors[:_MAX_FINDINGS]:
        where = SourceLocation(**{key: each[key] for key in ("file", "line", "column", "path")})
        found = Finding(code=each["code"], message=each["message"], where=where, hint=each["hint"])
        show_finding(found, read_source_text(where.file))


_MISSING_ASSET: Final = "ASSET_UNRESOLVED"
_TRANSLATION_CODES: Final = frozenset(
    {"TRANSLATION_MISSING", "TRANSLATION_CHANGED", "TRANSLATION_MALFORMED"}
)


class CheckNotice:
    """Prints how many findings a story has and how to see them; the same only once."""

    def __init__(self, screen: Screen, file: str, language: str | None) -> None:
        """Create the notice for a story's first file and its language."""
        self._screen = screen
        self._file = shlex.quote(file)
        self._language = language
        self._last: tuple[int, int, int] | None = None

    def show_counts(self, story: Story) -> None:
        """Print the number of findings, unless it has not changed."""
        counts = _count_findings(story)
        if counts == self._last:
            return
        self._last = counts
        unfound, warned, untranslated = counts
        parts = [
            self._screen.format_phrase(key, count=count)
            for key, count in (("unfound", unfound), ("warned", warned))
            if count
        ]
        if parts:
            what = self._screen.format_phrase("between").join(parts)
            self._screen.show_phrase("check_it", what=what, file=self._file)
        if untranslated:
            self._screen.show_phrase(
                "untranslated", count=untranslated, file=self._file, language=self._language
            )


def _count_findings(story: Story) -> tuple[int, int, int]:
    """Count missing asset files, other warnings, and texts to be translated."""
    found = story.report.findings
    unfound = sum(
        int(each.details.get("count", 1)) for each in found if each.code == _MISSING_ASSET
    )
    rest = [each.code for each in story.report.warnings if each.code != _MISSING_ASSET]
    untranslated = sum(code in _TRANSLATION_CODES for code in rest)
    return unfound, len(rest) - untranslated, untranslated


_FileStamp = tuple[int, int, int] | None
"""Modification time, size and inode; None for a missing file."""


class FileWatcher:
    """Notices when one of some files changes."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._known = {path: _read_stamp(path) for path in paths}
        self._last = self._known

    def follow(self, paths: Iterable[Path]) -> None:
        """Watch these files from now on; files already watched keep their known state."""
        known = self._known
        self._known = {p: known[p] if p in known else _read_stamp(p) for p in paths}
        self._last = self._known

    def has_changed(self, *, settled: bool = True) -> bool:
        """Whether a file has changed since the last True.

        With `settled`, only if two calls in a row see the same state: an editor may
        still be writing.
        """
        now = {path: _read_stamp(path) for path in self._known}
        still, self._last = now == self._last, now
        if now == self._known or (settled and not still):
            return False
        self._known = now
        return True


def _read_stamp(path: Path) -> _FileStamp:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


_CAST_FOLDER_LEVELS: Final = 4
"""Folders, from the story's upwards, in which `characters.yaml` may be."""


class StoryReloader:
    """Watches the files of a story and reads the story again when one is saved."""

    def __init__(self, read: Callable[[], Story], story: Story, *more: Path, patient: bool) -> None:
        """Watch the files of `story`, and the further files `more` it depends on.

        Args:
            read: Reads the story again.
            story: The story as it is played now.
            more: Files to watch besides the story's own.
            patient: Whether to wait until a changed file is no longer being written.
        """
        self._read = read
        self._patient = patient
        self._last = story
        self._more = more
        self._broken = False
        self._watch = FileWatcher((*_list_watched_files(story), *more))
        self._update: Story | SaniwaError | None = None

    def poll(self) -> bool:
        """Whether there is an update: a changed story, or the error in reading it."""
        if not self._watch.has_changed(settled=self._patient):
            return False
        try:
            story = self._read()
        except SaniwaError as problem:
            self._update, self._broken = problem, True
            return True
        self._watch.follow((*_list_watched_files(story), *self._more))
        if _is_same_story(story, self._last) and not self._broken:
            return False
        self._broken = False
        self._update = self._last = story
        return True

    def take_update(self) -> Story | SaniwaError:
        """Return the update that `poll` has found, once."""
        update, self._update = self._update, None
        assert update is not None, "only after look() said yes"
        return update


def _is_same_story(story: Story, other: Story) -> bool:
    return (
        story.program.fingerprint == other.program.fingerprint
        and story.program.ops == other.program.ops
        and _list_assets(story) == _list_assets(other)
    )


def _list_assets(story: Story) -> list[tuple[str, ...]]:
    return [story.assets.list_names(kind) for kind in FOLDERS]


def _list_watched_files(story: Story) -> list[Path]:
    """Return every path whose change may change the story.

    Folders are watched for added and removed files: a changed picture keeps its name,
    so its content does not matter.
    """
    first = Path(story.scenes[0].file)
    folder = first.parent
    files = [folder, *(Path(scene.file) for scene in story.scenes)]
    files += [folder / ("../" * up) / "characters.yaml" for up in range(_CAST_FOLDER_LEVELS)]
    if named := story.scenes[0].front.assets:
        files += [folder / named / inside for inside in ("", *FOLDERS.values())]
    return files
