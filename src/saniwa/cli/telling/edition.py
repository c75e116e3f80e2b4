"""The story as its files have it now: read again when its author saves."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from saniwa.cli.telling.watch import Watch
from saniwa.core.errors import SaniwaError
from saniwa.script.asset import FOLDERS, FolderAssets
from saniwa.script.story import Story

_CAST_LEVELS: Final = 4
"""Folders upwards in which the cast may be."""


class Editions:
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
        self._watch = Watch((*_files_of(story), *more))
        self._news: Story | SaniwaError | None = None

    def look(self) -> bool:
        """Whether there is news: another story, or the reason why there is none."""
        if not self._watch.changed(settled=self._patient):
            return False
        try:
            story = self._read()
        except SaniwaError as problem:
            self._news, self._broken = problem, True
            return True
        self._watch.follow((*_files_of(story), *self._more))
        if _same(story, self._last) and not self._broken:
            return False
        self._broken = False
        self._news = self._last = story
        return True

    def take(self) -> Story | SaniwaError:
        """The news that `look` has found."""
        news, self._news = self._news, None
        assert news is not None, "only after look() said yes"
        return news


def _same(story: Story, other: Story) -> bool:
    return (
        story.program.fingerprint == other.program.fingerprint
        and story.program.ops == other.program.ops
        and _listed(story) == _listed(other)
    )


def _listed(story: Story) -> list[tuple[str, ...]]:
    assets = story.assets
    if not isinstance(assets, FolderAssets):
        return []
    return [assets.names(kind) for kind in FOLDERS]


def _files_of(story: Story) -> list[Path]:
    """Everything whose change may change the story.

    Folders are watched for files that come and go: a picture that is only repainted has
    the name it had.
    """
    first = Path(story.scenes[0].file)
    folder = first.parent
    files = [folder, *(Path(scene.file) for scene in story.scenes)]
    files += [folder / ("../" * up) / "characters.yaml" for up in range(_CAST_LEVELS)]
    if named := story.scenes[0].front.assets:
        files += [folder / named / inside for inside in ("", *FOLDERS.values())]
    return files
