"""The texts of a story: listed, read, and kept whole or not at all.

Whoever writes says what it has seen: a version, which is a hash of the file. Links of the
file system are never followed.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from saniwa.core.alone import alone
from saniwa.core.errors import ScriptError
from saniwa.core.inside import LinkError, folder_inside, open_inside, walked
from saniwa.core.lasting import USUAL, put
from saniwa.script.files import text_of_bytes
from saniwa.wiring.library import StoryPlace
from saniwa.wiring.writing.names import (
    DEEPEST,
    TEXTS,
    folder_of,
    home_of,
    is_own,
    text_parts,
)
from saniwa.wiring.writing.trouble import (
    changed,
    not_found,
    outside,
    shipped,
    too_many,
    unwritable,
)

MOST: Final = 500
"""Files of a story that are listed, and that it may have."""
LARGEST: Final = 1_000_000
"""Bytes of a text that is read for an author."""


class FileLine(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a story in one line."""

    name: str
    """Its name, as seen from the story's folder."""
    bytes: int
    """How large it is."""


class TextFile(msgspec.Struct, frozen=True, kw_only=True):
    """A text of a story."""

    name: str
    """Its name, as seen from the story's folder."""
    text: str
    """What it says."""
    version: str
    """Stands for what it says; to be sent back as `seen` with a change."""


def listed(place: StoryPlace) -> list[FileLine]:
    """The texts of a story, in order of name."""
    found = list[FileLine]()
    for name, size in _walk(folder_of(place), ()):
        if is_own(place, tuple(name.split("/"))):
            found.append(FileLine(name=name, bytes=size))
        if len(found) == MOST:
            break
    return sorted(found, key=lambda each: (each.name.count("/"), each.name))


def read_text(place: StoryPlace, name: str) -> TextFile:
    """A text of a story.

    Raises:
        ScriptError: `FILE_OUTSIDE`, `NAME_UNUSABLE`, `FILE_NOT_FOUND`; `STORY_UNREADABLE`
            if it is no text, or too large.
    """
    content = _content(place, text_parts(place, name))
    if content is None:
        raise not_found(name, (each.name for each in listed(place)))
    text = text_of_bytes(content, name)
    return TextFile(name=name, text=text, version=version_of(content))


def write_text(place: StoryPlace, name: str, text: str, seen: str) -> TextFile:
    """Keep a text; one that says so already counts as kept.

    Args:
        place: The story.
        name: The file, as seen from the story's folder.
        text: What it is to say.
        seen: The version that was read; empty for a new file.

    Raises:
        ScriptError: `READ_ONLY`, `FILE_OUTSIDE`, `NAME_UNUSABLE`, `STORY_UNREADABLE`.
        StoreError: `REVISION_CONFLICT`, `FILE_UNWRITABLE`, `LOCK_TIMEOUT`; then nothing was
            written.
    """
    if place.shipped:
        raise shipped("story", place.id)
    parts, content = text_parts(place, name), encoded(text, name)
    with alone(home_of(place)):
        before = _content(place, parts)
        current = "" if before is None else version_of(before)
        if before != content:
            if current != seen:
                raise changed(name, seen, current)
            if before is None and len(listed(place)) >= MOST:
                raise too_many(MOST)
            _put(folder_of(place), parts, content)
    return TextFile(name=name, text=text, version=version_of(content))


def version_of(content: bytes) -> str:
    """What stands for a file's content."""
    return sha256(content).hexdigest()[:16]


def encoded(text: str, name: str) -> bytes:
    """A text as the bytes of a file.

    Raises:
        ScriptError: `STORY_UNREADABLE` for what no file could hold, such as a zero byte.
    """
    content = text.encode("utf-8", "surrogatepass")
    text_of_bytes(content, name)
    return content


def _walk(folder: Path, above: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    entries = list[os.DirEntry[str]]()
    with suppress(OSError), os.scandir(folder) as found:
        entries = sorted(found, key=lambda each: each.name)
    for entry in entries:
        if entry.name.startswith("."):
            continue
        parts = (*above, entry.name)
        if entry.is_dir(follow_symlinks=False) and len(parts) < DEEPEST:
            yield from _walk(Path(entry.path), parts)
        elif entry.name.endswith(TEXTS) and entry.is_file(follow_symlinks=False):
            yield "/".join(parts), entry.stat(follow_symlinks=False).st_size


def _content(place: StoryPlace, parts: Sequence[str]) -> bytes | None:
    """What a file holds; None where there is none."""
    *folders, last = parts
    name = "/".join(parts)
    try:
        with walked(folder_of(place), folders) as here:
            file = os.fdopen(open_inside(here, last), "rb")
    except LinkError as problem:
        raise outside(name) from problem
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as problem:
        raise _unreadable(name, str(problem.strerror)) from problem
    with file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise _unreadable(name, "it is no regular file")
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise _unreadable(name, f"it has more than {LARGEST} bytes")
    return content


def _put(top: Path, parts: Sequence[str], content: bytes) -> None:
    *folders, last = parts
    name = "/".join(parts)
    try:
        with walked(top, folders, _made) as here:
            put(here, last, content, _mode(here, last))
    except LinkError as problem:
        raise outside(name) from problem
    except OSError as problem:
        raise unwritable(name, str(problem.strerror)) from problem


def _made(here: int, name: str) -> int:
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=here)
        os.fsync(here)
    return folder_inside(here, name)


def _mode(here: int, name: str) -> int:
    try:
        return stat.S_IMODE(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return USUAL


def _unreadable(name: str, why: str) -> ScriptError:
    return ScriptError(
        "STORY_UNREADABLE",
        f"{name!r} cannot be read: {why}",
        hint="change it with an editor of your own",
    )
