"""A story from its files: read, compiled, checked. The room's front door.

The first file is where the story begins; others come in by links that name them, and
only from the first one's folder. Whatever is wrong is in the report; only a file that
cannot be read as text at all stops us.
"""

import os
import stat
from pathlib import Path
from typing import Final

import msgspec

from saniwa.core.document import read_file
from saniwa.core.errors import DocumentError, ScriptError
from saniwa.core.finding import Finding, Report
from saniwa.core.where import Where
from saniwa.script.asset import FolderAssets, ListedAssets, NoAssets, leads_out
from saniwa.script.compile import compile_story
from saniwa.script.beside import joined, leaves
from saniwa.script.lint import lint
from saniwa.script.markdown import read_scene
from saniwa.script.node import Scene, Target
from saniwa.script.program import Program
from saniwa.script.tree import targets

LARGEST: Final = 16 * 1024 * 1024
"""Bytes a story file may have."""
MOST_FILES: Final = 500
"""Files one story may have."""
_CAST_FILE = "characters.yaml"
_CAST_LEVELS = 4


class Story(msgspec.Struct, frozen=True, kw_only=True):
    """A story, read whole."""

    scenes: tuple[Scene, ...]
    """Its files; the story begins in the first."""
    program: Program
    """Ready to be played."""
    report: Report
    """Everything found, in reading order."""
    assets: ListedAssets
    """Its pictures and sounds."""

    @property
    def title(self) -> str:
        """What people call it."""
        return self.scenes[0].title or Path(self.scenes[0].file).stem


def read_story(path: str | os.PathLike[str]) -> Story:
    """The story that begins in a file.

    Raises:
        ScriptError: `STORY_UNREADABLE`, with the place.
    """
    file = os.fspath(path)
    return _story(file, _text_of(file), Path(file).parent)


def story_of(text: str, file: str = "story.md") -> Story:
    """The story in a text that is no file; it has no other files and no assets."""
    return _story(file, text, None)


def read_story_text(text: str, path: str | os.PathLike[str]) -> Story:
    """The story that would begin in a file if it held this text, as an editor sees it."""
    file = os.fspath(path)
    return _story(file, text, Path(file).parent)


def _story(file: str, text: str, folder: Path | None) -> Story:
    first = read_scene(text, file)
    scenes, findings = [first], list[Finding]()
    assets: ListedAssets = NoAssets()
    cast: tuple[str, ...] | None = None
    if folder is not None:
        findings += _add_others(scenes)
        cast, wrong = _cast(folder)
        findings += wrong
        if first.front.assets and not leads_out(first.front.assets):
            assets = FolderAssets(folder / first.front.assets)
    program = compile_story(scenes)
    for scene in scenes:
        findings.extend(scene.findings)
    findings.extend(lint(scenes, program, assets, cast))
    return Story(
        scenes=tuple(scenes),
        program=program,
        report=Report.of(findings),
        assets=assets,
    )


def _add_others(scenes: list[Scene]) -> list[Finding]:
    """Read every file that a link names, once, in the order of the links."""
    first = scenes[0].file
    known, findings = {first}, list[Finding]()
    for scene in scenes:  # grows while we read
        for target in targets(scene.block):
            if not target.file:
                continue
            file = joined(scene.file, target.file)
            if file in known:
                continue
            known.add(file)
            if _outside(file, first):
                findings.append(_left(scene.file, target))
            elif Path(file).is_file():
                if len(scenes) >= MOST_FILES:
                    findings.append(_too_many(scene.file, target))
                    return findings
                scenes.append(read_scene(_text_of(file), file))
    return findings


def _outside(file: str, first: str) -> bool:
    if leaves(file, first):
        return True
    # A link of the file system may lead out although its name does not.
    root = Path(first).parent.resolve()
    return not Path(file).resolve().is_relative_to(root)


def _cast(folder: Path) -> tuple[tuple[str, ...] | None, list[Finding]]:
    """The speakers of the nearest `characters.yaml`, upwards from the story."""
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
        message, place = problem.message, problem.where or Where(file=str(path))
        return None, [_bad_cast(message, place)]
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


def _too_many(file: str, target: Target) -> Finding:
    return Finding(
        code="STORY_TOO_LARGE",
        message=f"the story has more than {MOST_FILES} files",
        where=Where(file=file, line=target.line, column=target.column),
        hint="make several stories of it",
    )


def _text_of(file: str) -> str:
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
