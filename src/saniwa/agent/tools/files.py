"""Tools for files below a workspace: read, list, search, write and edit them.

Every path is opened name by name from the workspace, and no link is followed. Names
that begin with a dot and protected folders do not exist for an agent.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatchcase
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from saniwa.agent.tools.tool import (
    LONGEST_OUTPUT,
    CallOutcome,
    ReadingTool,
    ToolCallError,
    ToolEffect,
    cut_output,
    make_schema,
)
from saniwa.core import system_calls
from saniwa.core.atomic_files import write_atomically
from saniwa.core.safe_open import (
    FolderOpener,
    SymlinkError,
    UnfitFileError,
    make_folder_inside,
    open_folder_inside,
    open_folder_path,
    read_regular_inside,
)
from saniwa.core.text import quote_value, replace_surrogates
from saniwa.models.oracle import ToolOffer, ToolOutput
from saniwa.process.evidence_paths import split_file_path, split_folder_path
from saniwa.process.ports import EvidenceError

LARGEST_FILE = 1_000_000
"""The most bytes of a file that is read or written."""
MOST_ENTRIES = 1_000
"""The most files of one listing."""
MOST_HITS = 200
"""The most lines that one search returns."""
MOST_SEARCHED = 20_000_000
"""The most bytes that one search reads."""
_MOST_VISITED = 100_000
_DEEPEST = 40
_LONGEST_HIT = 300
_PATH = ("string", "A path below the workspace, such as notes/plan.md")


class WorkspaceFiles:
    """The files of one workspace."""

    def __init__(self, top: Path, protected: tuple[Path, ...] = ()) -> None:
        """Use the files below `top`, which is trusted; it is created when needed.

        Folders in `protected` and everything below them are refused, however they are
        reached.
        """
        self.top = top
        self._protected = protected

    def read(self, path: str) -> bytes:
        """Read a file.

        Raises:
            ToolCallError: It is missing, too large, or not a file of the workspace.
        """
        with self._open_folder(path) as (here, name):
            return read_regular_inside(here, name, LARGEST_FILE)

    def find_content(self, path: str) -> bytes | None:
        """Read a file; None if there is none.

        Raises:
            ToolCallError: As `read` does.
        """
        try:
            return self.read(path)
        except ToolCallError as problem:
            if isinstance(problem.__cause__, FileNotFoundError):
                return None
            raise

    def write(self, path: str, content: bytes) -> None:
        """Write a file, with its folders; other processes see all of it or nothing.

        Raises:
            ToolCallError: It cannot be written there.
        """
        self.top.mkdir(parents=True, exist_ok=True)
        with self._open_folder(path, make_folder_inside) as (here, name):
            write_atomically(here, name, content, _find_mode(here, name))

    def walk(self, folder: str) -> Iterator[str]:
        """Yield the paths of all files below a folder, in order, without links.

        Raises:
            ToolCallError: There is no such folder.
        """
        with _explain_problems(folder):
            names = _refuse_hidden(split_folder_path(folder), folder)
            with open_folder_path(self.top, names, self._make_step(open_folder_inside)) as here:
                yield from self._walk_folder(here, names)

    def _walk_folder(self, here: int, names: tuple[str, ...]) -> Iterator[str]:
        with system_calls.scan_folder(here) as listed:
            entries = sorted(islice(listed, _MOST_VISITED), key=lambda entry: entry.name)
        for entry in entries:
            if entry.name.startswith(".") or entry.is_symlink():
                continue
            if entry.is_file(follow_symlinks=False):
                yield "/".join((*names, entry.name))
            elif entry.is_dir(follow_symlinks=False) and len(names) < _DEEPEST:
                yield from self._walk_inner(here, (*names, entry.name))

    def _walk_inner(self, here: int, names: tuple[str, ...]) -> Iterator[str]:
        try:
            inner = self._make_step(open_folder_inside)(here, names[-1])
        except (OSError, ToolCallError):
            return
        try:
            yield from self._walk_folder(inner, names)
        finally:
            system_calls.close_folder(inner)

    @contextmanager
    def _open_folder(
        self, path: str, step: FolderOpener = open_folder_inside
    ) -> Iterator[tuple[int, str]]:
        with _explain_problems(path):
            names = _refuse_hidden(split_file_path(path), path)
            with open_folder_path(self.top, names[:-1], self._make_step(step)) as here:
                yield here, names[-1]

    def _make_step(self, step: FolderOpener) -> FolderOpener:
        """Return an opener that refuses protected folders by their identity."""
        protected = {_identify(each.stat()) for each in self._protected if each.exists()}

        def open_step(here: int, name: str) -> int:
            inner = step(here, name)
            if _identify(system_calls.read_folder_state(inner)) in protected:
                system_calls.close_folder(inner)
                raise ToolCallError(f"{quote_value(name)} is protected; use another folder")
            return inner

        return open_step


def _identify(state: os.stat_result) -> tuple[int, int]:
    return state.st_dev, state.st_ino


def _find_mode(here: int, name: str) -> int:
    """Return the mode for a file: that of the file it replaces, or the usual one."""
    try:
        state = system_calls.read_state(name, here)
    except FileNotFoundError:
        return 0o666
    if not stat.S_ISREG(state.st_mode):
        raise UnfitFileError(0, "is not a regular file")
    return stat.S_IMODE(state.st_mode) & 0o777


def _refuse_hidden(names: tuple[str, ...], path: str) -> tuple[str, ...]:
    if any(name.startswith(".") for name in names):
        raise ToolCallError(f"{quote_value(path)} has a part that starts with a dot")
    return names


@contextmanager
def _explain_problems(path: str) -> Iterator[None]:
    """Convert what goes wrong to a sentence about the path."""
    try:
        yield
    except EvidenceError as problem:
        raise ToolCallError(str(problem)) from problem
    except SymlinkError as problem:
        raise ToolCallError(f"{quote_value(path)} is reached through a symbolic link") from problem
    except UnfitFileError as problem:
        raise ToolCallError(f"{quote_value(path)} {problem}") from problem
    except OSError as problem:
        why = problem.strerror or type(problem).__name__
        raise ToolCallError(f"{quote_value(path)}: {why}") from problem


def _decode(content: bytes, path: str) -> str:
    try:
        text = content.decode()
    except UnicodeDecodeError as problem:
        raise ToolCallError(f"{quote_value(path)} is not UTF-8 text") from problem
    return text


class ReadFileTool(ReadingTool):
    """Reads a text file, in parts if it is long."""

    offer = ToolOffer(
        name="Read",
        description="Read a text file of the workspace.",
        parameters=make_schema(
            ("path",), path=_PATH, offset=("integer", "The character to begin with; from 0")
        ),
    )

    def __init__(self, files: WorkspaceFiles) -> None:
        self._files = files

    async def run(self, arguments: Mapping[str, Any]) -> ToolOutput:
        """Return the text from the offset on."""
        path, start = arguments["path"], max(arguments.get("offset", 0), 0)
        text = _decode(self._files.read(path), path)
        part = text[start : start + LONGEST_OUTPUT]
        rest = len(text) - start - len(part)
        more = f"\n[{rest} more characters: offset {start + len(part)}]" if rest > 0 else ""
        return ToolOutput(text=part + more, details={"sha256": _hash(text.encode())})


class ListFilesTool(ReadingTool):
    """Lists files."""

    offer = ToolOffer(
        name="Glob",
        description="List the files of the workspace, one path per line.",
        parameters=make_schema(
            path=("string", "The folder to list; everything if it is left out"),
            pattern=("string", "A pattern for the whole path, such as *.md"),
        ),
    )

    def __init__(self, files: WorkspaceFiles) -> None:
        self._files = files

    async def run(self, arguments: Mapping[str, Any]) -> ToolOutput:
        """Return the paths."""
        if not self._files.top.exists():
            return ToolOutput(text="no files")
        pattern = arguments.get("pattern", "*")[:_LONGEST_HIT]
        paths = islice(self._files.walk(arguments.get("path", ".")), _MOST_VISITED)
        found = list(islice((p for p in paths if fnmatchcase(p, pattern)), MOST_ENTRIES + 1))
        lines = found[:MOST_ENTRIES]
        if len(found) > MOST_ENTRIES:
            lines.append(f"[only the first {MOST_ENTRIES} are listed]")
        return ToolOutput(text=cut_output("\n".join(lines)) or "no files")


class SearchFilesTool(ReadingTool):
    """Searches files for a text."""

    offer = ToolOffer(
        name="Grep",
        description="Find a text in the files of the workspace: path, line number and line.",
        parameters=make_schema(
            ("text",),
            text=("string", "The text to find, as it is; no pattern"),
            path=("string", "The folder to search; everything if it is left out"),
        ),
    )

    def __init__(self, files: WorkspaceFiles) -> None:
        self._files = files

    async def run(self, arguments: Mapping[str, Any]) -> ToolOutput:
        """Return the lines that contain the text."""
        if not self._files.top.exists():
            return ToolOutput(text="nothing found")
        hits = list(islice(self._find(arguments["text"], arguments.get("path", ".")), MOST_HITS))
        return ToolOutput(text=cut_output("\n".join(hits)) or "nothing found")

    def _find(self, text: str, folder: str) -> Iterator[str]:
        size = 0
        for path in self._files.walk(folder):
            try:
                content = self._files.read(path)
            except ToolCallError:
                continue
            size += len(content)
            if size > MOST_SEARCHED:
                yield f"[only the first {MOST_SEARCHED} bytes were searched]"
                return
            if b"\0" in content:
                continue
            for number, line in enumerate(content.decode(errors="replace").split("\n"), start=1):
                if text in line:
                    yield f"{path}:{number}: {line[:_LONGEST_HIT].rstrip()}"


class _WritingTool:
    """The part that writing tools share: the new content, and whether it was written."""

    effect: ToolEffect = "edit"

    def __init__(self, files: WorkspaceFiles) -> None:
        self._files = files

    def compose(self, arguments: Mapping[str, Any], before: bytes | None) -> bytes:
        """Return the new content of the file."""
        raise NotImplementedError

    def prepare(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Note the hashes of the old and the new content."""
        before = self._files.find_content(arguments["path"])
        after = self._compose_bounded(arguments, before)
        return {"before": "" if before is None else _hash(before), "after": _hash(after)}

    async def run(self, arguments: Mapping[str, Any]) -> ToolOutput:
        """Write the new content."""
        path = arguments["path"]
        after = self._compose_bounded(arguments, self._files.find_content(path))
        self._files.write(path, after)
        return ToolOutput(
            text=f"{quote_value(path)} has {len(after)} bytes now", details={"sha256": _hash(after)}
        )

    def find_outcome(self, arguments: Mapping[str, Any], note: Mapping[str, Any]) -> CallOutcome:
        """Compare the file with its content before the call and after it."""
        try:
            content = self._files.find_content(arguments["path"])
        except ToolCallError:
            return "unknown"
        now = "" if content is None else _hash(content)
        if now == note.get("after"):
            return "done"
        return "not_done" if now == note.get("before") else "unknown"

    def _compose_bounded(self, arguments: Mapping[str, Any], before: bytes | None) -> bytes:
        after = self.compose(arguments, before)
        if len(after) > LARGEST_FILE:
            raise ToolCallError(f"a file has at most {LARGEST_FILE} bytes")
        return after


class WriteFileTool(_WritingTool):
    """Writes a whole file."""

    offer = ToolOffer(
        name="Write",
        description="Write a text file of the workspace, replacing one of that name.",
        parameters=make_schema(
            ("path", "content"), path=_PATH, content=("string", "The whole text of the file")
        ),
    )

    def compose(self, arguments: Mapping[str, Any], before: bytes | None) -> bytes:  # noqa: ARG002 - it is replaced
        """Return the given content."""
        return replace_surrogates(arguments["content"]).encode()


class EditFileTool(_WritingTool):
    """Replaces a text in a file."""

    offer = ToolOffer(
        name="Edit",
        description="Replace a text that occurs once in a file of the workspace.",
        parameters=make_schema(
            ("path", "old", "new"),
            path=_PATH,
            old=("string", "The text to replace; it must occur exactly once"),
            new=("string", "The text to put in its place"),
        ),
    )

    def compose(self, arguments: Mapping[str, Any], before: bytes | None) -> bytes:
        """Return the content with the replacement."""
        path, old = arguments["path"], arguments["old"]
        if before is None:
            raise ToolCallError(f"there is no file {quote_value(path)}")
        text = _decode(before, path)
        count = text.count(old) if old else 0
        if count != 1:
            raise ToolCallError(f"the text to replace occurs {count} times in {quote_value(path)}")
        return replace_surrogates(text.replace(old, arguments["new"])).encode()


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()


FILE_TOOLS = (ReadFileTool, ListFilesTool, SearchFilesTool, WriteFileTool, EditFileTool)
"""The tools of a workspace."""
