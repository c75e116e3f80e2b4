"""The stories that a file is only a part of: they begin in another file.

Looked for where a story's first file may lie: in the same folder or above.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from saniwa.core.atomic_files import open_pending_file, sync_folder
from saniwa.core.errors import ScriptError
from saniwa.story.files import read_text_file
from saniwa.story.story import Story, read_story_text

LEVELS: Final = 4
"""Folders, upwards, in which the beginning of a story is looked for."""
MOST: Final = 100
"""Files that are looked at in one folder."""
LARGEST: Final = 1024 * 1024
"""Bytes a file may have to be looked at."""


def find_parent_stories(file: str, opened: Mapping[str, str]) -> Iterator[Story]:
    """The stories that hold a file and begin in another, the nearest first.

    `opened` are texts that count instead of what their files have. Names are absolute.
    """
    for path in _list_first_files(Path(file), opened):
        story = try_read_story(str(path), opened)
        if story and any(scene.file == file for scene in story.scenes):
            yield story


def try_read_story(file: str, opened: Mapping[str, str]) -> Story | None:
    """The story that begins in a file; None if it, or one it links to, is no text."""
    try:
        text = opened[file] if file in opened else read_text_file(file)
        return read_story_text(text, file, opened)
    except (ScriptError, OSError):
        # A neighbour that is no text, or that cannot be opened, says nothing about other files.
        return None


def _list_first_files(file: Path, opened: Mapping[str, str]) -> Iterator[Path]:
    folder = file.parent
    shown = [Path(name) for name in opened]
    for _ in range(LEVELS):
        here = {
            *_list_markdown(folder),
            *(path for path in shown if path.parent == folder),
        }
        for path in sorted(here)[:MOST]:
            if path != file and _has_links(path, opened):
                yield path
        # A name too long is no folder, and a Path would raise.
        if os.path.exists(folder / ".git") or folder == folder.parent:  # noqa: PTH110
            return
        folder = folder.parent


def _list_markdown(folder: Path) -> Iterator[Path]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".md") and _is_file(entry):
                    yield Path(entry.path)
    except OSError:
        return


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        return False  # a link that leads in a circle, say


def _has_links(path: Path, opened: Mapping[str, str]) -> bool:
    """Whether a file names another; most do not and need not be read as stories."""
    if str(path) in opened:
        return ".md" in opened[str(path)]
    try:
        if path.stat().st_size > LARGEST:
            return False
        return b".md" in path.read_bytes()
    except OSError:
        return False


class FileChangedError(OSError):
    """A file is no longer what it was when it was read."""


def replace_file(
    path: str | os.PathLike[str],
    content: bytes,
    *,
    unless: Callable[[], bool] = lambda: False,
) -> None:
    """Write a file so that nobody ever sees half of it; its mode stays what it was.

    A link is followed: the file it leads to is the one that is written. `unless` is
    asked last of all whether somebody else has written there meanwhile.

    Raises:
        FileChangedError: Somebody else has; then nothing was written.
        OSError: If it cannot be written; then the old file stands untouched.
    """
    real = Path(path).resolve()
    mode = real.stat().st_mode & 0o7777 if real.exists() else None
    with open_pending_file(real.parent) as new:
        new.write(content)
        if mode is not None:
            os.fchmod(new.file.fileno(), mode)
        new.sync()
        if unless():
            raise FileChangedError
        new.replace(real.name)
    sync_folder(real.parent)
