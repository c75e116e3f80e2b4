"""The stories of a workspace: the project's own, and those shipped with Saniwa.

A story is a file `NAME.md`, or a folder `NAME` with a `story.md`; next to it are the
same story in other languages, as `story.ja.md` or as a table `story.ja.csv`. Symbolic
links are not followed.
"""

import glob
import os
import re
import shlex
from collections.abc import Iterator
from itertools import islice
from mimetypes import guess_type
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from saniwa.app import describe
from saniwa.app.scenario_lookup import find_entry, is_document_file, locate_shipped_registry
from saniwa.core.errors import SchemaValidationError, ScriptError
from saniwa.core.path_checks import is_file, is_folder
from saniwa.core.safe_open import read_inside
from saniwa.core.suggestions import find_nearest, suggest_file
from saniwa.core.text import quote_value
from saniwa.documents.document import FORMATS
from saniwa.scenario.registry import Registry
from saniwa.story.assets import is_outside_path
from saniwa.story.elements import FrontMatter
from saniwa.story.files import is_linked_outside, read_text_file
from saniwa.story.finding_collector import FindingCollector
from saniwa.story.link_parser import make_slug
from saniwa.story.parser.front_matter import parse_front_matter

PROJECT_STORIES: Final = Path("stories")
"""The folder of a project's stories, relative to the project."""
FIRST_FILE: Final = "story.md"
"""The first file of a story that has its own folder."""
_STORY_SUFFIX: Final = ".md"
_TABLE_SUFFIX: Final = ".csv"
_LINE_BREAK: Final = re.compile(r"\r\n|\n|\r")
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
_IGNORED_STEMS: Final = frozenset({"readme", "changelog", "license", "contributing"})
_NOT_FOUND_HINT: Final = (
    "GET /api/v1/stories lists all stories; your own are in the folder 'stories' (or --stories)"
)


class StoryRoot(msgspec.Struct, frozen=True, kw_only=True):
    """A folder of stories."""

    folder: Path
    """Its path; it need not exist."""
    shipped: bool = False
    """Whether it is included with Saniwa, and read-only."""


class StoryEdition(msgspec.Struct, frozen=True, kw_only=True):
    """A story in one language."""

    language: str
    """The language; empty if the story does not name it."""
    title: str
    """The title shown to people."""
    path: Path
    """Its first file; for a table of translations, that of the original."""
    assets: Path | None
    """The folder of its images and sounds; None if it has none."""


class StoryPlace(msgspec.Struct, frozen=True, kw_only=True):
    """The files of a story, in all its languages."""

    id: str
    """Its id: a slug of its file's or folder's name."""
    editions: tuple[StoryEdition, ...]
    """The original first, then the others sorted by language."""
    shipped: bool
    """Whether it is included with Saniwa, and read-only."""

    @property
    def path(self) -> Path:
        """Its first file."""
        return self.editions[0].path

    @property
    def title(self) -> str:
        """The title shown to people."""
        return self.editions[0].title

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages it is available in, its own first; without unnamed ones."""
        return tuple(each.language for each in self.editions if each.language)

    def find_edition(self, language: str | None = None) -> StoryEdition:
        """Return the edition in a language, or the original if there is none."""
        matching = (each for each in self.editions if each.language == language)
        return next(matching, self.editions[0])


class StoryLibrary:
    """Stories by id in several folders; for a duplicate id, the first folder wins."""

    def __init__(self, roots: tuple[StoryRoot, ...]) -> None:
        """Use these folders; they are scanned with each call."""
        self.roots = roots
        """The folders, in order of precedence."""

    @classmethod
    def from_folder(cls, folder: Path = PROJECT_STORIES) -> "StoryLibrary":
        """Return a library of a project's stories and those shipped with Saniwa."""
        shipped = StoryRoot(folder=locate_shipped_stories(), shipped=True)
        return cls((StoryRoot(folder=folder), shipped))

    def list_ids(self) -> tuple[str, ...]:
        """List the ids of all stories, sorted; the files are not opened."""
        return tuple(sorted(self._scan_roots()))

    def find(self, story_id: str) -> StoryPlace:
        """Return the story of an id, with title and languages read from its files.

        Raises:
            ScriptError: `STORY_NOT_FOUND`; `STORY_UNREADABLE` if a file is not text.
        """
        found = self._scan_roots()
        if story_id not in found:
            raise _make_unknown_error(story_id, found)
        root, file = found[story_id]
        return StoryPlace(
            id=story_id, editions=_read_editions(file, story_id), shipped=root.shipped
        )

    def find_file(self, path: Path) -> tuple[StoryPlace, StoryEdition] | None:
        """Return the story that a file is an edition of; None if it is of none here."""
        try:
            located = locate_story(path)
            if not any(_is_same_path(located.folder, root.folder) for root in self.roots):
                return None
            place = self.find(located.story)
        except ScriptError:
            return None
        same = (each for each in place.editions if _is_same_path(each.path, path))
        return next(((place, edition) for edition in same), None)

    def _scan_roots(self) -> dict[str, tuple[StoryRoot, Path]]:
        found: dict[str, tuple[StoryRoot, Path]] = {}
        for root in self.roots:
            for name, file in _scan_folder(root.folder):
                found.setdefault(name, (root, file))
        return found


class LocatedStory(NamedTuple):
    """The place of a story's file in a library."""

    folder: Path
    """The folder of stories, relative to the current folder."""
    story: str
    """The story's id there."""
    language: str
    """The language, if the file's name contains it."""


def locate_story(path: Path) -> LocatedStory:
    """Return how a library finds the story in a file or in its own folder.

    Raises:
        ScriptError: `STORY_NOT_FOUND` if there is no story.
    """
    file, language = path / FIRST_FILE if is_folder(path) else path, ""
    if not is_file(file) or file.suffix != _STORY_SUFFIX:
        raise _make_unknown_error(str(path), {})
    if _is_edition(file):
        stem, _, language = file.stem.rpartition(".")
        file = file.with_name(f"{stem}{_STORY_SUFFIX}")
    above = ".." if file.name == FIRST_FILE else "."
    return LocatedStory(Path(os.path.relpath(file.parent / above)), _derive_id(file), language)


def read_story_place(path: Path) -> StoryPlace:
    """Return the story that begins in a file, whether or not a library has it.

    Raises:
        ScriptError: `STORY_UNREADABLE`.
    """
    return StoryPlace(id=_derive_id(path), editions=_read_editions(path, path.stem), shipped=False)


def _is_same_path(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def locate_shipped_stories() -> Path:
    """Return the folder of shipped stories; in a repository checkout, the examples."""
    installed = Path(__file__).parents[1] / "stories"
    beside = locate_shipped_registry().parents[2] / "examples"
    return installed if installed.is_dir() else beside


def _scan_folder(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield ids and first files; names that equal their id come first."""
    if not is_folder(folder):
        return
    try:
        with os.scandir(folder) as entries:
            found = [file for each in entries if (file := _find_first_file(each))]
    except (FileNotFoundError, NotADirectoryError):
        return
    named = [(_derive_id(file), file) for file in found]
    yield from sorted(named, key=lambda each: (each[0] != _derive_name(each[1]), each[1]))


def _find_first_file(entry: os.DirEntry[str]) -> Path | None:
    path = Path(entry.path)
    if entry.name.startswith(".") or not _derive_id(path):
        return None
    if entry.is_dir(follow_symlinks=False):
        first = path / FIRST_FILE
        return first if is_file(first) and not first.is_symlink() else None
    if path.suffix != _STORY_SUFFIX or not entry.is_file(follow_symlinks=False):
        return None
    return None if path.stem.lower() in _IGNORED_STEMS or _is_edition(path) else path


def _is_edition(path: Path) -> bool:
    """Whether a file is an edition of another story file in another language."""
    stem, _, language = path.stem.rpartition(".")
    return bool(_LANGUAGE.fullmatch(language)) and is_file(path.with_name(f"{stem}{_STORY_SUFFIX}"))


def _derive_name(file: Path) -> str:
    return file.absolute().parent.name if file.name == FIRST_FILE else file.stem


def _derive_id(file: Path) -> str:
    return make_slug(_derive_name(file).replace(".", "-"))


def _read_editions(file: Path, story_id: str) -> tuple[StoryEdition, ...]:
    own = _read_edition(file, story_id)
    others: dict[str, StoryEdition] = {}
    for other in sorted(file.parent.glob(f"{glob.escape(file.stem)}.*")):
        language = other.stem[len(file.stem) + 1 :]
        if not _LANGUAGE.fullmatch(language) or other.is_symlink():
            continue
        if other.suffix == _STORY_SUFFIX:
            others[language] = _read_edition(other, own.title, language)
        elif other.suffix == _TABLE_SUFFIX:
            others.setdefault(language, msgspec.structs.replace(own, language=language))
    others.pop(own.language, None)
    return (own, *(others[language] for language in sorted(others)))


def _read_edition(file: Path, title: str, language: str = "") -> StoryEdition:
    text = read_text_file(str(file))
    lines = _LINE_BREAK.split(text)
    front = parse_front_matter(lines, FindingCollector(str(file)))
    headings = (line[2:].strip() for line in lines if line.startswith("# "))
    return StoryEdition(
        language=language or front.language,
        title=front.title or next(headings, "") or title,
        path=file,
        assets=_find_assets(front, file.parent),
    )


def _find_assets(front: FrontMatter, folder: Path) -> Path | None:
    named = front.assets
    if not named or is_outside_path(named) or is_linked_outside(folder / named, folder):
        return None
    return folder / named


def _make_unknown_error(story_id: str, known: dict[str, tuple[StoryRoot, Path]]) -> ScriptError:
    near = find_nearest(story_id, known)
    hint = f"did you mean {near!r}?" if near else _NOT_FOUND_HINT
    return describe("STORY_NOT_FOUND", story=story_id, nearest=near, hint=hint).to_error(
        ScriptError
    )


LARGEST_ASSET: Final = 64_000_000
"""The largest size of an image or sound, in bytes."""
_MEDIA_TYPES: Final = frozenset(
    {"image/png", "image/jpeg", "image/webp", "image/gif", "image/avif"}
    | {"image/svg+xml"}
    | {"audio/ogg", "audio/mpeg", "audio/wav", "audio/x-wav", "audio/flac"}
    | {"audio/mp4", "audio/webm", "video/mp4", "video/webm", "video/ogg"}
)
"""Media types that are sent to hosts."""


class StoryAsset(msgspec.Struct, frozen=True, kw_only=True):
    """An image, a sound or a video."""

    media: str
    """Its media type, such as `image/png`."""
    content: bytes
    """Its bytes."""


def read_asset(place: StoryPlace, named: str) -> StoryAsset:
    """Read a file of a story, by the path in a StepResult.

    Raises:
        ScriptError: `ASSET_NOT_FOUND` for a file that is missing, outside the story's
            asset folder, or of an unsupported type.
    """
    for edition in place.editions:
        found = edition.assets and _read_asset_file(edition.assets, named)
        if found:
            return found
    raise make_no_asset_error(place.id, named)


def make_no_asset_error(story: str, named: str) -> ScriptError:
    """Return the error for a file that a story lacks; `story` may be empty."""
    whose = f"the story {quote_value(story)}" if story else "what is played"
    return describe("ASSET_NOT_FOUND", whose=whose, named=named).to_error(ScriptError)


def _read_asset_file(folder: Path, named: str) -> StoryAsset | None:
    kind = guess_type(named)[0] or ""
    parts = named.split("/")
    if kind not in _MEDIA_TYPES or any(part in ("", ".", "..") for part in parts):
        return None
    try:
        return StoryAsset(media=kind, content=read_inside(folder, parts, LARGEST_ASSET))
    except (OSError, ValueError):
        return None


def find_named_story(
    named: str, registry: str | Path | None = None, library: StoryLibrary | None = None
) -> StoryPlace | None:
    """Return the story of an id; None for a file, and for a scenario's id.

    If both have the id, the scenario is meant; the story can be played by its file.

    Raises:
        SchemaValidationError: `REGISTRY_MISSING` if neither has it, with the nearest;
            `REGISTRY_LOAD_ERROR`.
        ScriptError: `STORY_UNREADABLE`.
    """
    if is_document_file(named):
        return None
    library = library or StoryLibrary.from_folder()
    try:
        find_entry(named, registry)
    except SchemaValidationError as problem:
        if problem.code != "REGISTRY_MISSING":
            raise
        if named in library.list_ids():
            return library.find(named)
        raise _explain_unknown_name(problem, named, library) from None
    return None


def _explain_unknown_name(
    problem: SchemaValidationError, named: str, library: StoryLibrary
) -> SchemaValidationError:
    """Return the error of a name that is neither a scenario's nor a story's."""
    stories, available = library.list_ids(), problem.details["available"]
    shipped = {each.scenario_id for each in Registry.open(locate_shipped_registry()).entries}
    if named in shipped:
        return problem
    scenarios = shipped | set(available)
    near = find_nearest(named, [*scenarios, *stories])
    message = f"There is no scenario or story {quote_value(named)}"
    if named and is_folder(Path(named)):
        message = f"{quote_value(named)} is a folder, not a scenario or a story"
        hint = _suggest_files(Path(named))
    elif is_file(Path(f"{named}.md")):
        hint = f"did you mean the file {named + '.md'!r}?"
    elif is_file(Path(named)):
        hint = "the name of a story's file ends in .md, that of a scenario's in .yaml or .json"
    elif near:
        hint = f"did you mean {'' if near in scenarios else 'the story '}{near!r}?"
    else:
        hint = _suggest_near_file(named)
    return SchemaValidationError(
        problem.code,
        message,
        where=problem.where,
        hint=hint or _NAMES_HINT,
        details=problem.details | {"stories": list(stories)},
    )


_PLAYED_SUFFIXES: Final = (".md", *FORMATS)
_MOST_SUGGESTED_FILES: Final = 3


def _suggest_files(folder: Path) -> str:
    """Suggest to play the stories of a folder by their files; empty if it has none."""
    first = folder / FIRST_FILE
    files = [first] if is_file(first) else [file for _, file in _scan_folder(folder)]
    commands = (f"saniwa play {shlex.quote(file.as_posix())}" for file in files)
    shown = "; ".join(islice(commands, _MOST_SUGGESTED_FILES))
    return f"play a story in it by its file: {shown}" if shown else ""


def _suggest_near_file(named: str) -> str:
    """Suggest a file with a similar name that can be played; empty if there is none."""
    return next(filter(None, (suggest_file(f"{named}{suffix}") for suffix in _PLAYED_SUFFIXES)), "")


_NAMES_HINT: Final = (
    "list the names: saniwa scenario list, saniwa story list; "
    "or name a file, such as tale.md or world.yaml"
)
