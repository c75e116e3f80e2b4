"""The stories a garden offers: the project's own, and those that come with Saniwa.

A story is a file `NAME.md`, or a folder `NAME` with a `story.md` in it; beside it lie the
same story in other languages, as `story.ja.md` or as a table `story.ja.csv`. Links of
the file system are not followed.
"""

import os
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from saniwa.core.errors import ScriptError
from saniwa.core.near import nearest
from saniwa.core.quoted import quoted
from saniwa.core.there import is_file, is_folder
from saniwa.script.asset import leads_out
from saniwa.script.files import leads_elsewhere, text_of
from saniwa.script.node import Front
from saniwa.script.notes import Notes
from saniwa.script.reading.front import read_front
from saniwa.script.slug import slug

PROJECT_STORIES: Final = Path("stories")
"""Where a project keeps its stories, seen from its own folder."""
FIRST: Final = "story.md"
"""The file in which a story begins that has a folder of its own."""
_WRITTEN: Final = ".md"
_TABLE: Final = ".csv"
_WILDCARD: Final = re.compile(r"([\[?*])")
_BREAK: Final = re.compile(r"\r\n|\n|\r")
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
_ABOUT: Final = frozenset({"readme", "changelog", "license", "contributing"})
_WHERE: Final = (
    "name a story by its id; your own lie in the folder 'stories' (or --stories), "
    "and GET /api/v1/stories lists all"
)


class Root(msgspec.Struct, frozen=True, kw_only=True):
    """A folder of stories."""

    folder: Path
    """Where it lies; it need not be there."""
    shipped: bool = False
    """Whether it comes with Saniwa, and is only read."""


class Edition(msgspec.Struct, frozen=True, kw_only=True):
    """A story in one language."""

    language: str
    """The language; empty where the story does not say."""
    title: str
    """What people call it."""
    path: Path
    """The file it begins in; with a table of translations, that of the original."""
    assets: Path | None
    """The folder of its pictures and sounds; None where it has none."""


class StoryPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where a story lies, and in which languages it is told."""

    id: str
    """What it goes by here: a slug of its file's or folder's name."""
    editions: tuple[Edition, ...]
    """The original first, then the others in order of language."""
    shipped: bool
    """Whether it comes with Saniwa, and is only read."""

    @property
    def path(self) -> Path:
        """The file it begins in."""
        return self.editions[0].path

    @property
    def title(self) -> str:
        """What people call it."""
        return self.editions[0].title

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages it is told in, its own first; none where it does not say."""
        return tuple(each.language for each in self.editions if each.language)

    def edition(self, language: str | None = None) -> Edition:
        """The story in a language; the original where it is not told in that one."""
        told = (each for each in self.editions if each.language == language)
        return next(told, self.editions[0])


class Library:
    """Stories by id, in some folders; of two with one id, the earlier folder's."""

    def __init__(self, roots: tuple[Root, ...]) -> None:
        """Stories in these folders, as they are when they are asked for."""
        self.roots = roots
        """The folders, in the order in which they count."""

    @classmethod
    def of(cls, folder: Path = PROJECT_STORIES) -> "Library":
        """A project's own stories, then those that come with Saniwa."""
        shipped = Root(folder=shipped_stories(), shipped=True)
        return cls((Root(folder=folder), shipped))

    def ids(self) -> tuple[str, ...]:
        """Every story there is, in order of id; the files are not opened."""
        return tuple(sorted(self._found()))

    def find(self, story_id: str) -> StoryPlace:
        """The story of an id, its title and languages read from its files.

        Raises:
            ScriptError: `STORY_NOT_FOUND`; `STORY_UNREADABLE` if a file is no text.
        """
        found = self._found()
        if story_id not in found:
            raise _unknown(story_id, found)
        root, file = found[story_id]
        return StoryPlace(
            id=story_id, editions=_editions(file, story_id), shipped=root.shipped
        )

    def _found(self) -> dict[str, tuple[Root, Path]]:
        found: dict[str, tuple[Root, Path]] = {}
        for root in self.roots:
            for name, file in _begun_in(root.folder):
                found.setdefault(name, (root, file))
        return found


class Lying(NamedTuple):
    """Where a file lies among stories."""

    folder: Path
    """The folder of stories, as seen from here."""
    story: str
    """The story's id there."""
    language: str
    """The language, where the file says it by its name."""


def lying(path: Path) -> Lying:
    """How a library finds the story in a file, or in a folder of its own.

    Raises:
        ScriptError: `STORY_NOT_FOUND` if no story lies there.
    """
    file, language = path / FIRST if is_folder(path) else path, ""
    if not is_file(file) or file.suffix != _WRITTEN:
        raise _unknown(str(path), {})
    if _is_edition(file):
        stem, _, language = file.stem.rpartition(".")
        file = file.with_name(f"{stem}{_WRITTEN}")
    above = ".." if file.name == FIRST else "."
    return Lying(Path(os.path.relpath(file.parent / above)), _id_of(file), language)


def shipped_stories() -> Path:
    """The folder of stories that come with Saniwa; the examples, in its repository."""
    installed = Path(str(files("saniwa"))) / "stories"
    beside = Path(str(files("experiments"))).parent / "examples"
    return installed if installed.is_dir() else beside


def _begun_in(folder: Path) -> Iterator[tuple[str, Path]]:
    """Ids and first files; names that are ids as they stand come first."""
    try:
        with os.scandir(folder) as entries:
            found = [file for each in entries if (file := _first_file(each))]
    except (FileNotFoundError, NotADirectoryError):
        return
    named = [(_id_of(file), file) for file in found]
    yield from sorted(named, key=lambda each: (each[0] != _name_of(each[1]), each[1]))


def _first_file(entry: os.DirEntry[str]) -> Path | None:
    path = Path(entry.path)
    if entry.name.startswith(".") or not _id_of(path):
        return None
    if entry.is_dir(follow_symlinks=False):
        first = path / FIRST
        return first if is_file(first) and not first.is_symlink() else None
    if path.suffix != _WRITTEN or not entry.is_file(follow_symlinks=False):
        return None
    return None if path.stem.lower() in _ABOUT or _is_edition(path) else path


def _is_edition(path: Path) -> bool:
    """Whether a file is another's story in another language."""
    stem, _, language = path.stem.rpartition(".")
    return bool(_LANGUAGE.fullmatch(language)) and is_file(
        path.with_name(f"{stem}{_WRITTEN}")
    )


def _name_of(file: Path) -> str:
    return file.absolute().parent.name if file.name == FIRST else file.stem


def _id_of(file: Path) -> str:
    return slug(_name_of(file).replace(".", "-"))


def _editions(file: Path, story_id: str) -> tuple[Edition, ...]:
    own = _edition(file, story_id)
    others: dict[str, Edition] = {}
    for other in sorted(file.parent.glob(f"{_escaped(file.stem)}.*")):
        language = other.stem[len(file.stem) + 1 :]
        if not _LANGUAGE.fullmatch(language) or other.is_symlink():
            continue
        if other.suffix == _WRITTEN:
            others[language] = _edition(other, own.title, language)
        elif other.suffix == _TABLE:
            others.setdefault(language, msgspec.structs.replace(own, language=language))
    others.pop(own.language, None)
    return (own, *(others[language] for language in sorted(others)))


def _escaped(stem: str) -> str:
    return _WILDCARD.sub(r"[\1]", stem)


def _edition(file: Path, title: str, language: str = "") -> Edition:
    text = text_of(str(file))
    lines = _BREAK.split(text)
    front = read_front(lines, Notes(str(file)))
    return Edition(
        language=language or front.language,
        title=front.title or _heading(lines) or title,
        path=file,
        assets=_assets(front, file.parent),
    )


def _heading(lines: list[str]) -> str:
    headings = (line[2:].strip() for line in lines if line.startswith("# "))
    return next(headings, "")


def _assets(front: Front, folder: Path) -> Path | None:
    named = front.assets
    if not named or leads_out(named) or leads_elsewhere(folder / named, folder):
        return None
    return folder / named


def _unknown(story_id: str, known: dict[str, tuple[Root, Path]]) -> ScriptError:
    near = nearest(story_id, known)
    hint = f"did you mean {near!r}?" if near else _WHERE
    return ScriptError(
        "STORY_NOT_FOUND",
        f"there is no story {quoted(story_id)}",
        hint=hint,
        details={"story": story_id, "nearest": near},
    )
