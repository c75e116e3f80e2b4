"""The files of a story: read as text, one after another as links name them.

Only from the folder of the first one, and never more than fits: whatever else a link
names is a finding. A file that cannot be read as text at all stops us.
"""

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from saniwa.core.document import read_file
from saniwa.core.errors import DocumentError, ScriptError
from saniwa.core.finding import Finding
from saniwa.core.where import Where
from saniwa.script.beside import joined, leaves
from saniwa.script.markdown import read_scene
from saniwa.script.node import Scene, Target
from saniwa.script.tree import targets

LARGEST: Final = 16 * 1024 * 1024
"""Bytes a story file may have; also letters of all files of a story together."""
MOST_FILES: Final = 500
"""Files one story may have."""
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
            elif file in opened or Path(file).is_file():
                text = opened[file] if file in opened else text_of(file)
                letters += len(text)
                if len(scenes) == MOST_FILES or letters > LARGEST:
                    findings.append(_too_large(scene.file, target))
                    return scenes, findings
                scenes.append(read_scene(text, file, speakers))
    return scenes, findings


def _outside(file: str, first: str) -> bool:
    if leaves(file, first) or "\0" in file:
        return True
    # A link of the file system may lead out although its name does not.
    root = Path(first).parent.resolve()
    return not Path(file).resolve().is_relative_to(root)


def speakers_beside(folder: Path) -> tuple[tuple[str, ...] | None, list[Finding]]:
    """The speakers of the nearest `characters.yaml`, upwards; None where there is none."""
    place = folder
    for _ in range(_CAST_LEVELS):
        path = place / _CAST_FILE
        if path.is_file():
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
        raise _unreadable(file, f"cannot read {file!r}: {why}") from problem
    return text_of_bytes(content, file)


def text_of_bytes(content: bytes, file: str) -> str:
    """The text in some bytes, which must be UTF-8; a byte order mark may lead them.

    Raises:
        ScriptError: `STORY_UNREADABLE`, with the place.
    """
    if len(content) > LARGEST:
        raise _unreadable(file, f"{file!r} is larger than {LARGEST} bytes")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        before = content[: problem.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8")) + 1
        byte = content[problem.start]
        raise ScriptError(
            "STORY_UNREADABLE",
            f"byte 0x{byte:02x} is not UTF-8",
            where=Where(file=file, line=line, column=column),
            hint="save the file as UTF-8 text",
        ) from problem
    nul = text.find("\0")
    if nul >= 0:
        line = text.count("\n", 0, nul) + 1
        column = nul - text.rfind("\n", 0, nul)
        raise ScriptError(
            "STORY_UNREADABLE",
            "a zero byte is no text",
            where=Where(file=file, line=line, column=column),
            hint="this may be no text file at all",
        )
    return text


def _unreadable(file: str, message: str) -> ScriptError:
    return ScriptError("STORY_UNREADABLE", message, where=Where(file=file))
