"""The files of a story: read as text, one after another as links name them.

Only from the folder of the first one, and never more than fits: whatever else a link
names is a finding. A file that cannot be read as text at all stops us.
"""

import os
import re
import stat
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from saniwa.core.beside import near_file
from saniwa.core.document import read_file
from saniwa.core.errors import DocumentError, ScriptError
from saniwa.core.finding import Finding
from saniwa.core.where import Where
from saniwa.script.beside import joined, leaves
from saniwa.script.node import Scene, Target
from saniwa.script.reading.markdown import read_scene
from saniwa.script.tree import targets

LARGEST: Final = 16 * 1024 * 1024
"""Bytes a story file may have; also letters of all files of a story together."""
MOST_FILES: Final = 500
"""Files one story may have."""
_BREAK = re.compile(r"\r\n|\n|\r")
_CAST_FILE = "characters.yaml"
_CAST_LEVELS = 4


def with_linked(
    first: Scene, speakers: Sequence[str], opened: Mapping[str, str]
) -> tuple[list[Scene], list[Finding]]:
    """The scene and every file that a link names, once each, in the order of the links.

    What somebody has open counts as it stands there, not as the file has it.

    Raises:
        ScriptError: `STORY_UNREADABLE`, for a file that is no text.
    """
    scenes, findings = [first], list[Finding]()
    known, letters = {first.file}, len(first.text)
    for scene in scenes:  # grows while we read
        for target in targets(scene.block):
            file = joined(scene.file, target.file)
            if file in known:
                continue
            known.add(file)
            if _outside(file, first.file):
                findings.append(_left(scene.file, target))
            elif file in opened or _is_file(Path(file)):
                text = opened[file] if file in opened else text_of(file)
                letters += len(text)
                if len(scenes) == MOST_FILES or letters > LARGEST:
                    findings.append(_too_large(scene.file, target))
                    return scenes, findings
                scenes.append(read_scene(text, file, speakers))
    return scenes, findings


def _outside(file: str, first: str) -> bool:
    return leaves(file, first) or leads_elsewhere(Path(file), Path(first).parent)


def leads_elsewhere(path: Path, folder: Path) -> bool:
    """Whether a name inside a folder leads out of it by a link of the file system.

    What leads round in a circle, or nowhere that could be, leads elsewhere too.
    """
    try:
        return not path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):
        return True


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name no system could hold
        return False


def speakers_beside(folder: Path) -> tuple[tuple[str, ...] | None, list[Finding]]:
    """The speakers of the nearest `characters.yaml`, upwards; None where there is none."""
    place = folder
    for _ in range(_CAST_LEVELS):
        path = place / _CAST_FILE
        if _is_file(path) and not leads_elsewhere(path, place):
            return _speakers(path)
        place = place / ".."
    return None, []


def _speakers(path: Path) -> tuple[tuple[str, ...] | None, list[Finding]]:
    try:
        document = read_file(path)
    except DocumentError as problem:
        place = problem.where or Where(file=str(path))
        return None, [_bad_cast(problem.message, place)]
    plain = document.plain
    named = plain.get("characters") if isinstance(plain, dict) else None
    if not isinstance(named, dict):
        message = "there is no mapping 'characters' in it"
        return None, [_bad_cast(message, document.where())]
    return tuple(named), []


def _bad_cast(message: str, where: Where) -> Finding:
    return Finding(
        code="CAST_UNREADABLE",
        message=f"the speakers cannot be read: {message}",
        where=where,
        hint="write `characters:` and under it one name a line",
    )


def _left(file: str, target: Target) -> Finding:
    return Finding(
        code="LINK_OUTSIDE",
        message=f"{target.file!r} is outside the story's folder",
        where=Where(file=file, line=target.line, column=target.column),
        hint="keep all files of a story in the folder of its first file",
    )


def _too_large(file: str, target: Target) -> Finding:
    return Finding(
        code="STORY_TOO_LARGE",
        message=f"with this file the story has more than {MOST_FILES} files, "
        f"or more than {LARGEST} letters",
        where=Where(file=file, line=target.line, column=target.column),
        hint="make several stories of it",
    )


def text_of(file: str) -> str:
    """The text of a file.

    Raises:
        ScriptError: `STORY_UNREADABLE`, with the place.
    """
    try:
        # Not blocking, so that a pipe somebody left there cannot hold us up.
        handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as stream:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise _unreadable(file, f"{file!r} is not a regular file")
            content = stream.read(LARGEST + 1)
    except (OSError, ValueError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else str(problem)
        near = near_file(file) if isinstance(problem, FileNotFoundError) else ""
        raise _unreadable(file, f"cannot read {file!r}: {why}", near) from problem
    return text_of_bytes(content, file)


def text_of_bytes(content: bytes, file: str) -> str:
    """The text in some bytes, which must be UTF-8; a byte order mark may lead them.

    Raises:
        ScriptError: `STORY_UNREADABLE`, with the place.
    """
    if len(content) > LARGEST:
        raise _unreadable(file, f"{file!r} is larger than {LARGEST} bytes")
    content = content.removeprefix(BOM_UTF8)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as problem:
        before = content[: problem.start].decode("utf-8")
        raise ScriptError(
            "STORY_UNREADABLE",
            f"byte 0x{content[problem.start]:02x} is not UTF-8",
            where=_after(before, file),
            hint="save the file as UTF-8 text",
        ) from problem
    nul = text.find("\0")
    if nul >= 0:
        raise ScriptError(
            "STORY_UNREADABLE",
            "a zero byte is no text",
            where=_after(text[:nul], file),
            hint="this may be no text file at all",
        )
    return text


def _after(text: str, file: str) -> Where:
    """The place right behind some text, whatever its line ends are."""
    *lines, last = _BREAK.split(text)
    return Where(file=file, line=len(lines) + 1, column=len(last) + 1)


def _unreadable(file: str, message: str, hint: str = "") -> ScriptError:
    return ScriptError("STORY_UNREADABLE", message, where=Where(file=file), hint=hint)
