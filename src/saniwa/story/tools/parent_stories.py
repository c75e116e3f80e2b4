"""Find the stories that include a file, on disk or as an editor has them.

A story's first file is searched in the folder of the file and the folders above it.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from saniwa.core.errors import ScriptError
from saniwa.story.files import read_text_file
from saniwa.story.story import Story, read_story_text

FOLDER_LEVELS: Final = 4
"""How many folders, upwards, are searched."""
MOST_EXAMINED: Final = 100
"""The most files examined in one folder."""
LARGEST_EXAMINED: Final = 1024 * 1024
"""The largest file that is examined, in bytes."""


def find_parent_stories(file: str, opened: Mapping[str, str]) -> Iterator[Story]:
    """Yield the stories that include a file and begin in another, the nearest first.

    The texts in `opened` replace the content of their files. Names are absolute.
    """
    for path in _list_first_files(Path(file), opened):
        story = try_read_story(str(path), opened)
        if story and any(scene.file == file for scene in story.scenes):
            yield story


def try_read_story(file: str, opened: Mapping[str, str]) -> Story | None:
    """Read the story that begins in a file; None if one of its files is unreadable."""
    try:
        text = opened[file] if file in opened else read_text_file(file)
        return read_story_text(text, file, opened)
    except (ScriptError, OSError):
        # A neighbour that is unreadable says nothing about other files.
        return None


def _list_first_files(file: Path, opened: Mapping[str, str]) -> Iterator[Path]:
    folder = file.parent
    shown = [Path(name) for name in opened]
    for _ in range(FOLDER_LEVELS):
        here = {*_list_markdown(folder), *(path for path in shown if path.parent == folder)}
        for path in sorted(here)[:MOST_EXAMINED]:
            if path != file and _has_links(path, opened):
                yield path
        # Returns False for a name that is too long; a `Path` would raise.
        if os.path.exists(folder / ".git") or folder == folder.parent:  # noqa: PTH110 - see above
            return
        folder = folder.parent


def _list_markdown(folder: Path) -> Iterator[Path]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".md") and _is_file_entry(entry):
                    yield Path(entry.path)
    except OSError:
        return


def _is_file_entry(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        return False  # for example a link cycle


def _has_links(path: Path, opened: Mapping[str, str]) -> bool:
    """Whether a file links to another; most do not and need not be parsed."""
    if str(path) in opened:
        return ".md" in opened[str(path)]
    try:
        if path.stat().st_size > LARGEST_EXAMINED:
            return False
        return b".md" in path.read_bytes()
    except OSError:
        return False
