"""The story as its files have it now: read again when its author saves."""

import shlex
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import click

from saniwa.cli.play.screen import Screen
from saniwa.cli.render import read_source_text, show_finding
from saniwa.core.errors import SaniwaError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.text import escape_control_characters
from saniwa.runs.story import StoryPlaying
from saniwa.story.assets import FOLDERS, FolderAssets
from saniwa.story.program import EnterOp
from saniwa.story.saves import Resumption
from saniwa.story.story import Story

_MAX_FINDINGS: Final = 5
_MAX_QUOTE_CHARS: Final = 40
"""Letters of a line that are quoted to recognise it by."""
_UNMOVED: Final = frozenset({"exactly", "id"})


def show_new_position(screen: Screen, playing: StoryPlaying, found: Resumption) -> None:
    """Tell how the place was found again, in a story that was read again."""
    if found.found in _UNMOVED:
        screen.show_phrase("found_same")
    else:
        gaps = {
            "line": found.line,
            "words": _quote_line(playing),
            "label": _find_label(playing),
        }
        screen.show_phrase(f"found_{found.found}", **gaps)
    if found.lost_calls:
        screen.show_phrase("lost_calls", count=found.lost_calls)


def show_edit(screen: Screen, playing: StoryPlaying, found: Resumption) -> None:
    """Tell how the place was found again, if the story was edited since it was left."""
    if found.found != "exactly":
        show_new_position(screen, playing, found)


def _quote_line(playing: StoryPlaying) -> str:
    """The beginning of the author's line where the story stands."""
    place = playing.player.program.locate_op(playing.player.address)
    text = next(s.text for s in playing.story.scenes if s.file == place.file)
    line = text.split("\n")[place.line - 1].strip()
    return line if len(line) <= _MAX_QUOTE_CHARS else f"{line[: _MAX_QUOTE_CHARS - 1]}…"


def _find_label(playing: StoryPlaying) -> str:
    """The passage where the story stands, as its author calls it."""
    program = playing.player.program
    key = program.find_label(playing.player.address)
    op = program.ops[program.labels[key]] if key else None
    return op.name if isinstance(op, EnterOp) else key


def show_story_errors(problem: SaniwaError) -> None:
    """Show what is wrong with a story, as `saniwa check` does."""
    told = problem.details.get("findings", ())
    errors = [_read_finding(each) for each in told if each["severity"] == "error"]
    if not errors:
        click.echo(escape_control_characters(str(problem)))
    for finding in errors[:_MAX_FINDINGS]:
        show_finding(finding, read_source_text(finding.where.file))


def _read_finding(told: Mapping[str, Any]) -> Finding:
    place = {key: told[key] for key in ("file", "line", "column", "path")}
    return Finding(
        code=told["code"],
        message=told["message"],
        where=SourceLocation(**place),
        hint=told["hint"],
    )


_MISSING_ASSET: Final = "ASSET_UNRESOLVED"
_TRANSLATION_CODES: Final = frozenset(
    {"TRANSLATION_MISSING", "TRANSLATION_CHANGED", "TRANSLATION_MALFORMED"}
)


class CheckNotice:
    """Tells how much is found in a story and how to see it, once for the same."""

    def __init__(self, screen: Screen, file: str, language: str | None) -> None:
        """A notice about the story that begins in a file, told in a language."""
        self._screen = screen
        self._file = shlex.quote(file)
        self._language = language
        self._last: tuple[int, int, int] | None = None

    def show_counts(self, story: Story) -> None:
        """Tell what is found now, unless that is what was told last."""
        counts = _count_findings(story)
        if counts == self._last:
            return
        self._last = counts
        unfound, warned, untranslated = counts
        told = [
            self._screen.format_phrase(key, count=count)
            for key, count in (("unfound", unfound), ("warned", warned))
            if count
        ]
        if told:
            what = self._screen.format_phrase("between").join(told)
            self._screen.show_phrase("check_it", what=what, file=self._file)
        if untranslated:
            self._screen.show_phrase(
                "untranslated",
                count=untranslated,
                file=self._file,
                language=self._language,
            )


def _count_findings(story: Story) -> tuple[int, int, int]:
    """Files that are not there, other warnings, and texts to be translated."""
    found = story.report.findings
    unfound = sum(
        _count_occurrences(each) for each in found if each.code == _MISSING_ASSET
    )
    rest = [each.code for each in story.report.warnings if each.code != _MISSING_ASSET]
    untranslated = sum(code in _TRANSLATION_CODES for code in rest)
    return unfound, len(rest) - untranslated, untranslated


def _count_occurrences(finding: Finding) -> int:
    return int(finding.details.get("count", 1))


_FileStamp = tuple[int, int, int] | None
"""When, how long, which; None for a file that is not there."""


class FileWatcher:
    """Knows some files as they were, and tells when they are different."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._known = {path: _read_stamp(path) for path in paths}
        self._last = self._known

    def follow(self, paths: Iterable[Path]) -> None:
        """Watch these from now on; those known already as they were known."""
        known = self._known
        self._known = {p: known[p] if p in known else _read_stamp(p) for p in paths}
        self._last = self._known

    def has_changed(self, *, settled: bool = True) -> bool:
        """Whether something was saved since the last yes.

        Settled means that it is the same at two looks in a row: an editor may still be
        writing.
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
"""Folders upwards in which the cast may be."""


class StoryReloader:
    """Watches the files of a story and reads them again when one was saved."""

    def __init__(
        self,
        read: Callable[[], Story],
        story: Story,
        *more: Path,
        patient: bool,
    ) -> None:
        """The editions after this one; a patient reader looks twice before it reads.

        `more` are files that it depends on beside its own.
        """
        self._read = read
        self._patient = patient
        self._last = story
        self._more = more
        self._broken = False
        self._watch = FileWatcher((*_list_watched_files(story), *more))
        self._news: Story | SaniwaError | None = None

    def poll(self) -> bool:
        """Whether there is news: another story, or the reason why there is none."""
        if not self._watch.has_changed(settled=self._patient):
            return False
        try:
            story = self._read()
        except SaniwaError as problem:
            self._news, self._broken = problem, True
            return True
        self._watch.follow((*_list_watched_files(story), *self._more))
        if _is_same_story(story, self._last) and not self._broken:
            return False
        self._broken = False
        self._news = self._last = story
        return True

    def take_update(self) -> Story | SaniwaError:
        """The news that `poll` has found."""
        news, self._news = self._news, None
        assert news is not None, "only after look() said yes"
        return news


def _is_same_story(story: Story, other: Story) -> bool:
    return (
        story.program.fingerprint == other.program.fingerprint
        and story.program.ops == other.program.ops
        and _list_assets(story) == _list_assets(other)
    )


def _list_assets(story: Story) -> list[tuple[str, ...]]:
    assets = story.assets
    if not isinstance(assets, FolderAssets):
        return []
    return [assets.list_names(kind) for kind in FOLDERS]


def _list_watched_files(story: Story) -> list[Path]:
    """Everything whose change may change the story.

    Folders are watched for files that come and go: a picture that is only repainted has
    the name it had.
    """
    first = Path(story.scenes[0].file)
    folder = first.parent
    files = [folder, *(Path(scene.file) for scene in story.scenes)]
    files += [
        folder / ("../" * up) / "characters.yaml" for up in range(_CAST_FOLDER_LEVELS)
    ]
    if named := story.scenes[0].front.assets:
        files += [folder / named / inside for inside in ("", *FOLDERS.values())]
    return files
