"""Which files of a story an author may read and write, by name."""

from pathlib import Path, PurePosixPath
from typing import Final

from saniwa.wiring.library import FIRST, StoryPlace
from saniwa.wiring.writing.trouble import outside, wrong_kind

TEXTS: Final = (".md", ".yaml", ".json", ".csv", ".txt")
"""How names of texts end."""
DEEPEST: Final = 5
"""Folders within folders, and the file itself."""
LONGEST: Final = 200
"""Bytes of one name; no file system takes many more."""


def parts_of(name: str) -> tuple[str, ...]:
    """The folders and the file of a name, each of them plain.

    Raises:
        ScriptError: `FILE_OUTSIDE`.
    """
    parts = tuple(name.split("/"))
    if len(parts) > DEEPEST or not all(map(_is_plain, parts)):
        raise outside(name)
    return parts


def text_parts(place: StoryPlace, name: str) -> tuple[str, ...]:
    """The same for a text of a story.

    Raises:
        ScriptError: `FILE_OUTSIDE`, `NAME_UNUSABLE`.
    """
    parts = parts_of(name)
    if not is_own(place, parts):
        raise outside(name)
    if PurePosixPath(name).suffix not in TEXTS:
        raise wrong_kind(name, TEXTS)
    return parts


def folder_of(place: StoryPlace) -> Path:
    """The folder in which a story lies."""
    return place.path.parent


def home_of(place: StoryPlace) -> Path:
    """The folder of stories in which a story lies, with a folder of its own or without."""
    return folder_of(place).parent if has_folder(place) else folder_of(place)


def has_folder(place: StoryPlace) -> bool:
    """Whether a story has a folder of its own; else it shares one with others."""
    return place.path.name == FIRST


def is_own(place: StoryPlace, parts: tuple[str, ...]) -> bool:
    """Whether a file belongs to a story: in a shared folder, by its name."""
    stem = place.path.stem
    return has_folder(place) or (len(parts) == 1 and parts[0].startswith(f"{stem}."))


def _is_plain(part: str) -> bool:
    return (
        0 < len(part.encode("utf-8", "replace")) <= LONGEST
        and part.isprintable()
        and "\\" not in part
        and ":" not in part
        and not part.startswith(".")
        and not part.endswith((".", " "))
    )
