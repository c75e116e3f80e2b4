"""Read the files of a story as text, following links from one to the next.

Only files in the folder of the first one are read, up to a limit; any other link is a
finding. A file that cannot be read as text raises an error.
"""

import os
import re
import stat
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from saniwa.core.errors import DocumentError, ScriptError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.suggestions import suggest_file
from saniwa.documents.document import load_document
from saniwa.story.elements import LinkTarget, StoryScene, list_targets
from saniwa.story.finding_collector import make_finding
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
                message = f"{target.file!r} is outside the story's folder"
                hint = "keep all files of a story in the folder of its first file"
                findings.append(
                    _make_link_finding("LINK_OUTSIDE", message, scene.file, target, hint)
                )
            elif file in opened or _is_file(Path(file)):
                text = opened[file] if file in opened else read_text_file(file)
                characters += len(text)
                if len(scenes) == MOST_FILES or characters > LARGEST:
                    message = f"with this file the story has more than {MOST_FILES} files, "
                    message += f"or more than {LARGEST} letters"
                    hint = "make several stories of it"
                    findings.append(
                        _make_link_finding("STORY_TOO_LARGE", message, scene.file, target, hint)
                    )
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
        return None, [_make_cast_finding(problem.message, place)]
    plain = document.plain
    named = plain.get("characters") if isinstance(plain, dict) else None
    if not isinstance(named, dict):
        message = "there is no mapping 'characters' in it"
        return None, [_make_cast_finding(message, document.locate())]
    return tuple(named), []


def _make_cast_finding(message: str, where: SourceLocation) -> Finding:
    hint = "write `characters:` and under it one name a line"
    return make_finding("CAST_UNREADABLE", f"the speakers cannot be read: {message}", where, hint)


def _make_link_finding(
    code: str, message: str, file: str, target: LinkTarget, hint: str
) -> Finding:
    where = SourceLocation(file=file, line=target.line, column=target.column)
    return make_finding(code, message, where, hint)


def read_text_file(file: str) -> str:
    """Read a file as text.

    Raises:
        ScriptError: `STORY_UNREADABLE`, with the place.
    """
    try:
        # Not blocking, so that a named pipe in place of the file cannot make us wait.
        handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as stream:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise _make_unreadable_error(file, f"{file!r} is not a regular file")
            content = stream.read(LARGEST + 1)
    except (OSError, ValueError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else str(problem)
        near = suggest_file(file) if isinstance(problem, FileNotFoundError) else ""
        raise _make_unreadable_error(file, f"cannot read {file!r}: {why}", near) from problem
    return decode_text(content, file)


def decode_text(content: bytes, file: str) -> str:
    """Decode UTF-8 text, with or without a byte order mark.

    Raises:
        ScriptError: `STORY_UNREADABLE`, with the place.
    """
    if len(content) > LARGEST:
        raise _make_unreadable_error(file, f"{file!r} is larger than {LARGEST} bytes")
    content = content.removeprefix(BOM_UTF8)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as problem:
        before = content[: problem.start].decode("utf-8")
        raise ScriptError(
            "STORY_UNREADABLE",
            f"byte 0x{content[problem.start]:02x} is not UTF-8",
            where=_locate_end(before, file),
            hint="save the file as UTF-8 text",
        ) from problem
    nul = text.find("\0")
    if nul >= 0:
        raise ScriptError(
            "STORY_UNREADABLE",
            "a zero byte is no text",
            where=_locate_end(text[:nul], file),
            hint="this may be no text file at all",
        )
    return text


def _locate_end(text: str, file: str) -> SourceLocation:
    """The place right after some text, with any kind of line ends."""
    *lines, last = _BREAK.split(text)
    return SourceLocation(file=file, line=len(lines) + 1, column=len(last) + 1)


def _make_unreadable_error(file: str, message: str, hint: str = "") -> ScriptError:
    return ScriptError("STORY_UNREADABLE", message, where=SourceLocation(file=file), hint=hint)
