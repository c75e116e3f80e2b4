"""Read the files of a story as text, following links from one to the next.

Only files in the folder of the first one are read, up to a limit; any other link is a
finding. A file that cannot be read as text raises an error.
"""

import errno
import re
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from saniwa.core.errors import DocumentError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.safe_open import UnfitFileError, read_small_file
from saniwa.core.suggestions import suggest_file
from saniwa.documents.document import load_document
from saniwa.story.elements import LinkTarget, StoryScene, list_targets
from saniwa.story.finding_collector import make_finding, make_story_error
from saniwa.story.link_parser import is_outside_folder, join_link
from saniwa.story.parser.markdown import parse_scene

LARGEST: Final = 16 * 1024 * 1024
"""The most bytes of a story file, and the most characters of all files together."""
MOST_FILES: Final = 500
"""The most files a story may have."""
_BREAK = re.compile(r"\r\n|\n|\r")
_CAST_FILE = "characters.yaml"
_CAST_LEVELS = 4


def read_linked_scenes(
    first: StoryScene, speakers: Sequence[str], opened: Mapping[str, str]
) -> tuple[list[StoryScene], list[Finding]]:
    """Return the scene and every linked file, once each, in the order of the links.

    The text in `opened`, such as an editor's unsaved text, replaces a file's content.

    Raises:
        ScriptError: `STORY_UNREADABLE`, for a file that is not text.
    """
    scenes, findings = [first], list[Finding]()
    known, characters = {first.file}, len(first.text)
    for scene in scenes:  # grows while reading
        for target in list_targets(scene.block):
            file = join_link(scene.file, target.file)
            if file in known:
                continue
            known.add(file)
            if _is_outside(file, first.file):
                findings.append(_make_link_finding("LINK_OUTSIDE", scene.file, target))
            elif file in opened or _is_file(Path(file)):
                text = opened[file] if file in opened else read_text_file(file)
                characters += len(text)
                if len(scenes) == MOST_FILES or characters > LARGEST:
                    key = "STORY_TOO_LARGE/files"
                    findings.append(_make_link_finding(key, scene.file, target))
                    return scenes, findings
                scenes.append(parse_scene(text, file, speakers))
    return scenes, findings


def _is_outside(file: str, first: str) -> bool:
    return is_outside_folder(file, first) or is_linked_outside(Path(file), Path(first).parent)


def is_linked_outside(path: Path, folder: Path) -> bool:
    """Whether a name inside a folder leads out of it through a symbolic link.

    Link cycles and impossible names count as leading out.
    """
    try:
        return not path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):
        return True


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name the file system cannot have
        return False


def find_cast(folder: Path) -> tuple[tuple[str, ...] | None, list[Finding]]:
    """Return the speakers of the nearest `characters.yaml`, upwards; None if none."""
    place = folder
    for _ in range(_CAST_LEVELS):
        path = place / _CAST_FILE
        if _is_file(path) and not is_linked_outside(path, place):
            return _read_cast(path)
        place = place / ".."
    return None, []


def _read_cast(path: Path) -> tuple[tuple[str, ...] | None, list[Finding]]:
    try:
        document = load_document(path)
    except DocumentError as problem:
        place = problem.where or SourceLocation(file=str(path))
        return None, [make_finding("CAST_UNREADABLE", place, problem=problem.message)]
    plain = document.plain
    named = plain.get("characters") if isinstance(plain, dict) else None
    if not isinstance(named, dict):
        why = "there is no mapping 'characters' in it"
        return None, [make_finding("CAST_UNREADABLE", document.locate(), problem=why)]
    return tuple(named), []


def _make_link_finding(key: str, file: str, target: LinkTarget) -> Finding:
    where = SourceLocation(file=file, line=target.line, column=target.column)
    return make_finding(key, where, file=target.file, most=MOST_FILES, largest=LARGEST)


def read_text_file(file: str) -> str:
    """Read a file as text.

    Raises:
        ScriptError: `STORY_UNREADABLE`, with the place.
    """
    where = SourceLocation(file=file)
    try:
        content = read_small_file(file, LARGEST)
    except UnfitFileError as problem:
        case = "large" if problem.errno == errno.EFBIG else "regular"
        raise make_story_error(
            f"STORY_UNREADABLE/{case}", where, file=file, largest=LARGEST
        ) from problem
    except (OSError, ValueError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else str(problem)
        missing = isinstance(problem, FileNotFoundError)
        hint = suggest_file(file) or "check the path and the file name" if missing else ""
        raise make_story_error(
            "STORY_UNREADABLE/failed", where, file=file, why=why, hint=hint
        ) from problem
    return decode_text(content, file)


def decode_text(content: bytes, file: str) -> str:
    """Decode UTF-8 text, with or without a byte order mark.

    Raises:
        ScriptError: `STORY_UNREADABLE`, with the place.
    """
    if len(content) > LARGEST:
        where = SourceLocation(file=file)
        raise make_story_error("STORY_UNREADABLE/large", where, file=file, largest=LARGEST)
    content = content.removeprefix(BOM_UTF8)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as problem:
        where = _locate_end(content[: problem.start].decode("utf-8"), file)
        byte = content[problem.start]
        raise make_story_error("STORY_UNREADABLE/encoding", where, byte=byte) from problem
    nul = text.find("\0")
    if nul >= 0:
        raise make_story_error("STORY_UNREADABLE/zero", _locate_end(text[:nul], file))
    return text


def _locate_end(text: str, file: str) -> SourceLocation:
    """The place right after some text, with any kind of line ends."""
    *lines, last = _BREAK.split(text)
    return SourceLocation(file=file, line=len(lines) + 1, column=len(last) + 1)
