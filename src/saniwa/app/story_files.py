"""Creates stories; lists, reads and saves the text files of one; a save is atomic.

A writer sends the version it has read, which is a hash of the file. Symbolic links are
never followed. A new story is filled under a temporary name and then renamed, so that
no reader sees an incomplete one.
"""

import os
import shutil
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from errno import EEXIST, EFBIG, ENOTEMPTY
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp
from typing import Final

import msgspec

from saniwa.app import authored_file_content, describe
from saniwa.app.authored_file_content import LARGEST_TEXT, compute_version, encode_text
from saniwa.app.story_library import FIRST_FILE, StoryLibrary, StoryPlace
from saniwa.core import safe_open, system_calls
from saniwa.core.atomic_files import USUAL_MODE, make_folder, sync_folder, write_atomically
from saniwa.core.errors import ScriptError, StoreError
from saniwa.core.file_locks import lock_folder
from saniwa.core.suggestions import suggest_nearest
from saniwa.story.files import decode_text
from saniwa.story.link_parser import make_slug

TEXT_SUFFIXES: Final = (".md", ".yaml", ".json", ".csv", ".txt")
"""Allowed suffixes of text files."""
DEEPEST: Final = 5
"""The greatest depth of a path, with the file itself."""
LONGEST_NAME: Final = 200
"""The longest name in bytes; file systems allow little more."""


def split_name(name: str) -> tuple[str, ...]:
    """Split a path into its folders and its file, and check each name.

    Raises:
        ScriptError: `FILE_OUTSIDE`.
    """
    parts = tuple(name.split("/"))
    if len(parts) > DEEPEST or not all(map(_is_plain, parts)):
        raise authored_file_content.make_outside_error(name)
    return parts


def split_text_name(place: StoryPlace, name: str) -> tuple[str, ...]:
    """Split a path as `split_name` does, and require a text file of the story.

    Raises:
        ScriptError: `FILE_OUTSIDE`, `NAME_UNUSABLE`.
    """
    parts = split_name(name)
    if not is_own_file(place, parts):
        raise authored_file_content.make_outside_error(name)
    if PurePosixPath(name).suffix not in TEXT_SUFFIXES:
        raise describe(
            "NAME_UNUSABLE/split_text_name", file=name, text_suffixes=", ".join(TEXT_SUFFIXES)
        ).to_error(ScriptError)
    return parts


def locate_story_folder(place: StoryPlace) -> Path:
    """Return the folder that contains a story's first file."""
    return place.path.parent


def locate_home(place: StoryPlace) -> Path:
    """Return the folder of stories that contains a story or the story's own folder."""
    folder = locate_story_folder(place)
    return folder.parent if has_own_folder(place) else folder


def has_own_folder(place: StoryPlace) -> bool:
    """Whether a story has its own folder; otherwise it shares one with others."""
    return place.path.name == FIRST_FILE


def is_own_file(place: StoryPlace, parts: tuple[str, ...]) -> bool:
    """Whether a file belongs to a story; in a shared folder, its name decides."""
    stem = place.path.stem
    return has_own_folder(place) or (len(parts) == 1 and parts[0].startswith(f"{stem}."))


def _is_plain(part: str) -> bool:
    return (
        0 < len(part.encode("utf-8", "replace")) <= LONGEST_NAME
        and part.isprintable()
        and "\\" not in part
        and ":" not in part
        and not part.startswith(".")
        and not part.endswith((".", " "))
    )


MOST_FILES: Final = 500
"""The largest number of files that a story may have, and that are listed."""


class StoryFileEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a story in a list."""

    name: str
    """Its name, relative to the story's folder."""
    bytes: int
    """Its size."""


class StoryTextFile(msgspec.Struct, frozen=True, kw_only=True):
    """A text file of a story."""

    name: str
    """Its name, relative to the story's folder."""
    text: str
    """Its content."""
    version: str
    """A hash of the content; send it as `seen` with a change."""


def list_files(place: StoryPlace) -> list[StoryFileEntry]:
    """List the text files of a story, sorted by depth and name."""
    found = list[StoryFileEntry]()
    for name, size in _walk_texts(locate_story_folder(place), ()):
        if is_own_file(place, tuple(name.split("/"))):
            found.append(StoryFileEntry(name=name, bytes=size))
        if len(found) == MOST_FILES:
            break
    return sorted(found, key=lambda each: (each.name.count("/"), each.name))


def read_text(place: StoryPlace, name: str) -> StoryTextFile:
    """Read a text file of a story.

    Raises:
        ScriptError: `FILE_OUTSIDE`, `NAME_UNUSABLE`, `FILE_NOT_FOUND`;
            `STORY_UNREADABLE` if it is not text, or too large.
    """
    content = _read_content(place, split_text_name(place, name))
    if content is None:
        known = (each.name for each in list_files(place))
        raise describe("FILE_NOT_FOUND", file=name, hint=suggest_nearest(name, known)).to_error(
            ScriptError
        )
    text = decode_text(content, name)
    return StoryTextFile(name=name, text=text, version=compute_version(content))


def write_text(place: StoryPlace, name: str, text: str, seen: str) -> StoryTextFile:
    """Save a text file; saving the content that it already has succeeds.

    Args:
        place: The story.
        name: The file, relative to the story's folder.
        text: The new content.
        seen: The version that was read; empty for a new file.

    Raises:
        ScriptError: `READ_ONLY`, `FILE_OUTSIDE`, `NAME_UNUSABLE`, `STORY_UNREADABLE`.
        StoreError: `REVISION_CONFLICT`, `FILE_UNWRITABLE`, `LOCK_TIMEOUT`; nothing was
            written.
    """
    if place.shipped:
        raise authored_file_content.make_read_only_error("story", place.id)
    parts, content = split_text_name(place, name), encode_text(text, name)
    with lock_folder(locate_home(place)):
        before = _read_content(place, parts)
        current = "" if before is None else compute_version(before)
        if before != content:
            if current != seen:
                raise authored_file_content.make_conflict_error(name, seen, current)
            if before is None and len(list_files(place)) >= MOST_FILES:
                raise describe("FILE_UNWRITABLE/files", most=MOST_FILES).to_error(StoreError)
            _write_content(locate_story_folder(place), parts, content)
    return StoryTextFile(name=name, text=text, version=compute_version(content))


def _walk_texts(folder: Path, above: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    entries = list[os.DirEntry[str]]()
    with suppress(OSError), os.scandir(folder) as found:
        entries = sorted(found, key=lambda each: each.name)
    for entry in entries:
        if entry.name.startswith("."):
            continue
        parts = (*above, entry.name)
        if entry.is_dir(follow_symlinks=False) and len(parts) < DEEPEST:
            yield from _walk_texts(Path(entry.path), parts)
        elif entry.name.endswith(TEXT_SUFFIXES) and entry.is_file(follow_symlinks=False):
            yield "/".join(parts), entry.stat(follow_symlinks=False).st_size


def _read_content(place: StoryPlace, parts: Sequence[str]) -> bytes | None:
    """Return a file's content; None if it does not exist."""
    name = "/".join(parts)
    try:
        return safe_open.read_inside(locate_story_folder(place), parts, LARGEST_TEXT)
    except safe_open.SymlinkError as problem:
        raise authored_file_content.make_outside_error(name) from problem
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as problem:
        unfit = isinstance(problem, safe_open.UnfitFileError)
        why = f"it {problem}" if unfit else str(problem.strerror)
        raise describe("STORY_UNREADABLE", name=name, why=why).to_error(ScriptError) from problem


def _write_content(top: Path, parts: Sequence[str], content: bytes) -> None:
    *folders, last = parts
    name = "/".join(parts)
    try:
        with safe_open.open_folder_path(top, folders, _make_folder) as here:
            write_atomically(here, last, content, _read_mode(here, last))
    except safe_open.SymlinkError as problem:
        raise authored_file_content.make_outside_error(name) from problem
    except OSError as problem:
        raise authored_file_content.make_unwritable_error(name, str(problem.strerror)) from problem


def _make_folder(here: int, name: str) -> int:
    with suppress(FileExistsError):
        system_calls.make_folder(name, here)
        system_calls.sync_folder(here)
    return safe_open.open_folder_inside(here, name)


def _read_mode(here: int, name: str) -> int:
    try:
        return stat.S_IMODE(system_calls.read_state(name, here).st_mode)
    except FileNotFoundError:
        return USUAL_MODE


_MARKUP: Final = str.maketrans("", "", "#{}[]<>*_`|")
"""Characters with a meaning in Markdown or in a story, removed from a heading."""


def render_first_text(id: str, title: str, language: str) -> str:
    """Return a new story's text; the title is quoted so that YAML reads it as text."""
    plain = " ".join(title.split()) or id
    written = '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
    template = Path(__file__).with_name(f"new_story.{language}.md").read_text("utf-8")
    front, mark, rest = template.partition("---\n# ")
    heading = " ".join(plain.translate(_MARKUP).split()) or id
    return front.format(id=f'"{id}"', title=written) + mark + rest.format(title=heading)


MOST_COPIED: Final = 1_000
"""The largest number of files that are copied."""
LARGEST_COPIED: Final = 64_000_000
"""The largest size of one copied file, in bytes."""
LONGEST_ID: Final = 60
"""The longest id of a new story, in characters."""


def create_story(library: StoryLibrary, id: str, title: str, language: str) -> StoryPlace:
    """Create a story from the template.

    Raises:
        ScriptError: `NAME_UNUSABLE`, `FILE_EXISTS`.
        StoreError: `FILE_UNWRITABLE`; nothing was created.
    """
    with _fill_folder(library, id) as folder:
        write_atomically(folder, FIRST_FILE, render_first_text(id, title, language).encode())
    return library.find(id)


def copy_story(library: StoryLibrary, id: str, original: str) -> StoryPlace:
    """Create a story as a copy of another, with its images and sounds.

    Raises:
        ScriptError: `STORY_NOT_FOUND`, `NAME_UNUSABLE`, `FILE_EXISTS`.
        StoreError: `FILE_UNWRITABLE`; nothing was created.
    """
    place = library.find(original)
    with _fill_folder(library, id) as folder:
        for parts in _list_copied_files(place):
            _copy_file(locate_story_folder(place), parts, folder, _rename_parts(place, parts))
    return library.find(id)


def check_story_id(id: str) -> None:
    """Return if `id` is a valid id for a new story: lowercase letters of any script, digits, `-`.

    Raises:
        ScriptError: `NAME_UNUSABLE`.
    """
    # Normalized, so that every file system has one name for it, and none looks like another.
    plain = make_slug(unicodedata.normalize("NFKC", id)).replace("_", "")
    size = len(id.encode("utf-8", "replace"))
    if id != plain or not id[:1].isalnum() or len(id) > LONGEST_ID or size > LONGEST_NAME:
        raise authored_file_content.make_unusable_name_error("story", id)


@contextmanager
def _fill_folder(library: StoryLibrary, id: str) -> Iterator[Path]:
    """Yield a temporary folder that becomes the story's if the block succeeds."""
    check_story_id(id)
    if id in library.list_ids():
        raise authored_file_content.make_exists_error("story", id)
    home = library.roots[0].folder
    pending: Path | None = None
    try:
        make_folder(home)
        pending = Path(mkdtemp(prefix=".saniwa-", dir=home))
        pending.chmod(0o755)
        yield pending
        sync_folder(pending)
        pending.rename(home / id)
        sync_folder(home)
    except OSError as problem:
        if problem.errno in (EEXIST, ENOTEMPTY):
            raise authored_file_content.make_exists_error("story", id) from problem
        raise authored_file_content.make_unwritable_error(id, str(problem.strerror)) from problem
    finally:
        if pending is not None:
            shutil.rmtree(pending, ignore_errors=True)


def _list_copied_files(place: StoryPlace) -> list[tuple[str, ...]]:
    top = locate_story_folder(place)
    shown = {each.assets for each in place.editions if each.assets is not None}
    found = list[tuple[str, ...]]()
    for folder, folders, names in os.walk(top, followlinks=False):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        here = Path(folder)
        for name in sorted(names):
            parts = (here / name).relative_to(top).parts
            asset = any(here.is_relative_to(each) for each in shown)
            if not name.startswith(".") and (asset or is_own_file(place, parts)):
                found.append(parts)
        if len(found) > MOST_COPIED:
            raise OSError(0, f"the original has more than {MOST_COPIED} files")
        if not has_own_folder(place) and not shown:
            break
    return found


def _rename_parts(place: StoryPlace, parts: tuple[str, ...]) -> tuple[str, ...]:
    """Return a file's name in the copy: `tale.ja.md` becomes `story.ja.md`."""
    if has_own_folder(place) or len(parts) > 1:
        return parts
    return (Path(FIRST_FILE).stem + parts[0].removeprefix(place.path.stem),)


def _copy_file(top: Path, parts: tuple[str, ...], to: Path, named: tuple[str, ...]) -> None:
    try:
        content = safe_open.read_inside(top, parts, LARGEST_COPIED)
    except safe_open.UnfitFileError as problem:
        if problem.errno != EFBIG:
            return
        raise OSError(0, f"{'/'.join(parts)} {problem}") from problem
    target = to.joinpath(*named)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(target.parent, target.name, content)
