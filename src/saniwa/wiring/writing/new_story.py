"""A new story: a folder of its own with a text to begin from, or with a copy of another.

The folder is filled beside its place and put there whole, so that nobody meets half of it.
"""

import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EEXIST, ENOTEMPTY
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from saniwa.core.inside import open_inside, walked
from saniwa.core.lasting import make_folder, put, sync_folder
from saniwa.wiring.library import FIRST, Library, StoryPlace
from saniwa.wiring.writing.first_text import first_text
from saniwa.wiring.writing.names import folder_of, has_folder, is_own
from saniwa.wiring.writing.trouble import exists, unusable, unwritable

MOST: Final = 1_000
"""Files that are copied."""
LARGEST: Final = 64_000_000
"""Bytes of one of them."""
_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,59}").fullmatch


def new_story(library: Library, id: str, title: str, language: str) -> StoryPlace:
    """Make a story to begin from.

    Raises:
        ScriptError: `NAME_UNUSABLE`, `FILE_EXISTS`.
        StoreError: `FILE_UNWRITABLE`; then nothing was made.
    """
    with _folder(library, id) as folder:
        put(folder, FIRST, first_text(id, title, language).encode())
    return library.find(id)


def copy_story(library: Library, id: str, original: str) -> StoryPlace:
    """Make a story that is a copy of another, with its pictures and sounds.

    Raises:
        ScriptError: `STORY_NOT_FOUND`, `NAME_UNUSABLE`, `FILE_EXISTS`.
        StoreError: `FILE_UNWRITABLE`; then nothing was made.
    """
    place = library.find(original)
    with _folder(library, id) as folder:
        for parts in _files(place):
            _copy(folder_of(place), parts, folder, _renamed(place, parts))
    return library.find(id)


def check_id(id: str) -> None:
    """Go on if a new story may go by this.

    Raises:
        ScriptError: `NAME_UNUSABLE`.
    """
    if _ID(id) is None:
        raise unusable("story", id)


@contextmanager
def _folder(library: Library, id: str) -> Iterator[Path]:
    """A folder to be filled, which is the story's when all went well."""
    check_id(id)
    if id in library.ids():
        raise exists("story", id)
    home = library.roots[0].folder
    begun: Path | None = None
    try:
        make_folder(home)
        begun = Path(mkdtemp(prefix=".saniwa-", dir=home))
        begun.chmod(0o755)
        yield begun
        sync_folder(begun)
        begun.rename(home / id)
        sync_folder(home)
    except OSError as problem:
        if problem.errno in (EEXIST, ENOTEMPTY):
            raise exists("story", id) from problem
        raise unwritable(id, str(problem.strerror)) from problem
    finally:
        if begun is not None:
            shutil.rmtree(begun, ignore_errors=True)


def _files(place: StoryPlace) -> list[tuple[str, ...]]:
    top = folder_of(place)
    shown = {each.assets for each in place.editions if each.assets is not None}
    found = list[tuple[str, ...]]()
    for folder, folders, names in os.walk(top, followlinks=False):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        here = Path(folder)
        for name in sorted(names):
            parts = (here / name).relative_to(top).parts
            asset = any(here.is_relative_to(each) for each in shown)
            if not name.startswith(".") and (asset or is_own(place, parts)):
                found.append(parts)
        if len(found) > MOST:
            raise OSError(0, f"the original has more than {MOST} files")
        if not has_folder(place) and not shown:
            break
    return found


def _renamed(place: StoryPlace, parts: tuple[str, ...]) -> tuple[str, ...]:
    """The name in a folder of its own: `tale.ja.md` becomes `story.ja.md`."""
    if has_folder(place) or len(parts) > 1:
        return parts
    return (Path(FIRST).stem + parts[0].removeprefix(place.path.stem),)


def _copy(top: Path, parts: tuple[str, ...], to: Path, named: tuple[str, ...]) -> None:
    *folders, last = parts
    with (
        walked(top, folders) as here,
        os.fdopen(open_inside(here, last), "rb") as file,
    ):
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise OSError(0, f"{'/'.join(parts)} has more than {LARGEST} bytes")
    target = to.joinpath(*named)
    target.parent.mkdir(parents=True, exist_ok=True)
    put(target.parent, target.name, content)
