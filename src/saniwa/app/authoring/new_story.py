"""Creates a story: a folder with a template text, or with a copy of another story.

The folder is filled under a temporary name and then renamed, so that no reader sees an
incomplete story.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EEXIST, EFBIG, ENOTEMPTY
from importlib.resources import files
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from saniwa.app.authoring import errors
from saniwa.app.authoring.story_files import has_own_folder, is_own_file, locate_story_folder
from saniwa.app.story_library import FIRST_FILE, StoryLibrary, StoryPlace
from saniwa.core.atomic_files import make_folder, sync_folder, write_atomically
from saniwa.core.safe_open import UnfitFileError, read_inside

_MARKUP: Final = str.maketrans("", "", "#{}[]<>*_`|")
"""Characters with a meaning in Markdown or in a story, removed from a heading."""


def render_first_text(id: str, title: str, language: str) -> str:
    """Return a new story's text; the title is quoted so that YAML reads it as text."""
    plain = " ".join(title.split()) or id
    written = '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
    template = files("saniwa.app.authoring").joinpath(f"new_story.{language}.md").read_text("utf-8")
    front, mark, rest = template.partition("---\n# ")
    heading = " ".join(plain.translate(_MARKUP).split()) or id
    return front.format(id=f'"{id}"', title=written) + mark + rest.format(title=heading)


MOST_COPIED: Final = 1_000
"""The largest number of files that are copied."""
LARGEST_COPIED: Final = 64_000_000
"""The largest size of one copied file, in bytes."""
_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,59}").fullmatch


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
    """Return if `id` is a valid id for a new story.

    Raises:
        ScriptError: `NAME_UNUSABLE`.
    """
    if _ID(id) is None:
        raise errors.make_unusable_name_error("story", id)


@contextmanager
def _fill_folder(library: StoryLibrary, id: str) -> Iterator[Path]:
    """Yield a temporary folder that becomes the story's if the block succeeds."""
    check_story_id(id)
    if id in library.list_ids():
        raise errors.make_exists_error("story", id)
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
            raise errors.make_exists_error("story", id) from problem
        raise errors.make_unwritable_error(id, str(problem.strerror)) from problem
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
        content = read_inside(top, parts, LARGEST_COPIED)
    except UnfitFileError as problem:
        if problem.errno != EFBIG:
            return
        raise OSError(0, f"{'/'.join(parts)} {problem}") from problem
    target = to.joinpath(*named)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(target.parent, target.name, content)
