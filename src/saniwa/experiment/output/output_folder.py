"""The folder of an experiment: the names of its files, and how they are written.

Files are written atomically, and only if they change. No file refers to a path outside
the folder, and links are never followed, so that nothing outside can be written. With
very many files, syncing each would take longer than the experiment: those are written
to `hasty` folders. A file damaged there by a power cut differs from what it should be,
so the next write repairs it. Also escapes text for CSV and Markdown.
"""

import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from saniwa.core import system_calls
from saniwa.core.atomic_files import PendingFile, make_folder, open_pending_file
from saniwa.core.safe_open import make_folder_inside, open_folder_path, open_inside
from saniwa.core.text import replace_surrogates
from saniwa.store.storage_errors import make_unwritable_error

PREPARED: Final = "prepared.json"
"""The plan with everything it names; written first, never changed."""
CELLS: Final = "cells"
"""Finished cells, one file each: `KEY.json`."""
SIGNATURES: Final = "signatures"
"""Who ran a cell of models, signed: one file each, `KEY.json`; only with `--sign`."""
RESULTS: Final = "results.json"
TURNS_LOG: Final = "turns_log.json"
EXAMPLES: Final = "examples_index.csv"
CONVERSATION: Final = "CONVERSATION_REPORT.md"
REPORT: Final = "REPORT.md"
REPORT_PAGE: Final = "report.html"
ANALYSIS: Final = "analysis.json"
"""Estimates, comparisons and effects, as data."""
RUN_META: Final = "run_meta.json"
"""Only `run_meta`, as evidence for a gate."""
TIMES: Final = "times.json"
"""The only file with times, machines and workers: all others have the same bytes for
the same plan, seeds and answers.
"""
ARTIFACTS: Final = "artifacts"
"""One folder for each cell."""
WORLD: Final = "world_canonical.json"
WORK: Final = "work.json"
"""What an agent did at a gate, in the folder of its cell."""
RECORDING: Final = "tape.jsonl"
"""Every request with its answer, in the folder of a cell that models played."""

_UNFIT: Final = re.compile(r"^\.|[\x00-\x1f\x7f/\\%\ud800-\udfff]")
_LONGEST: Final = 200


def make_folder_name(key: str) -> str:
    """Return the name of a cell's folder: its key, if that is a valid name.

    Characters that are unsafe in a file name are escaped as `%2F`; a key that is too
    long is cut, followed by a hash of the whole.
    """
    name = _UNFIT.sub(_escape_match, key)
    encoded = name.encode()
    if len(encoded) <= _LONGEST:
        return name
    digest = sha256(encoded).hexdigest()[:16]
    return f"{encoded[: _LONGEST - 17].decode(errors='ignore')}~{digest}"


def _escape_match(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogatepass"))


def name_attempt_file(turn: int, attempt: int) -> str:
    """Return the file name of an answer that was tried before the final one."""
    return f"turn_{turn:03d}_attempt_{attempt}_raw_output.txt"


def name_raw_file(turn: int) -> str:
    """Return the file name of the final answer, unchanged."""
    return f"turn_{turn:03d}_raw_output.txt"


def name_repaired_file(turn: int) -> str:
    """Return the file name of the repaired answer; exists only if it was repaired."""
    return f"turn_{turn:03d}_repaired_output.txt"


def name_parsed_file(turn: int) -> str:
    """Return the file name of the parsed answer."""
    return f"turn_{turn:03d}_parsed.json"


def encode_json_line(value: Any) -> bytes:
    """Encode a value on one line with sorted keys, without a line end.

    Lone surrogates, which no file can store, become U+FFFD.
    """
    try:
        return msgspec.json.encode(value, order="deterministic")
    except UnicodeEncodeError:
        plain = _clean_strings(msgspec.to_builtins(value))
        return msgspec.json.encode(plain, order="deterministic")


def encode_json_page(value: Any) -> bytes:
    """Encode a value for people to read: indented, keys sorted, with a line end."""
    return msgspec.json.format(encode_json_line(value), indent=2) + b"\n"


def _clean_strings(value: Any) -> Any:
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, dict):
        return {replace_surrogates(str(key)): _clean_strings(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_clean_strings(each) for each in value]
    return value


_BLOCK: Final = 1 << 16


class OutputFolder:
    """An open folder that files are written to."""

    def __init__(self, path: Path, fd: int, *, hasty: bool = False) -> None:
        self.path = path
        """Its path, only for error messages."""
        self.changed = False
        """Whether anything was written or removed."""
        self._fd = fd
        self._hasty = hasty

    def write(self, name: str, content: bytes) -> None:
        """Write a file; one that already has this content is not touched.

        Raises:
            StoreError: `TRACE_UNWRITABLE`; the earlier file is then unchanged.
        """
        if not self._has_content(name, content):
            with self._open_new(name, self._replace_file) as file:
                file.write(content)

    @contextmanager
    def open_stream(self, name: str) -> Iterator[BinaryIO]:
        """Open a file to write piece by piece; it appears when the block ends.

        Raises:
            StoreError: `TRACE_UNWRITABLE`; the earlier file is then unchanged.
        """
        with self._open_new(name, self._replace_if_different) as file:
            yield file

    @contextmanager
    def _open_new(self, name: str, end: Callable[[PendingFile, str], None]) -> Iterator[BinaryIO]:
        try:
            with open_pending_file(self._fd) as new:
                yield new.file
                new.file.flush()
                if not self._hasty:
                    new.sync()
                end(new, name)
        except OSError as problem:
            raise make_unwritable_error(self.path / name, problem) from problem

    def read(self, name: str) -> bytes | None:
        """Return a file's content; None if there is no readable file."""
        file = self._open_existing(name)
        if file is None:
            return None
        with file:
            return file.read()

    def list_names(self) -> list[str]:
        """List the names in the folder, sorted."""
        with system_calls.scan_folder(self._fd) as found:
            return sorted(entry.name for entry in found)

    def remove(self, name: str) -> None:
        """Remove a file, if it exists.

        Raises:
            StoreError: `TRACE_UNWRITABLE`: it cannot be removed.
        """
        try:
            with suppress(FileNotFoundError):
                system_calls.remove_file(name, self._fd)
                self.changed = True
        except OSError as problem:
            raise make_unwritable_error(self.path / name, problem) from problem

    def remove_empty(self, name: str) -> None:
        """Remove a folder if it is empty."""
        with suppress(OSError):
            system_calls.remove_folder(name, self._fd)
            self.changed = True

    def sync(self) -> None:
        """Sync the folder's entries to disk if any has changed."""
        if self.changed and not self._hasty:
            system_calls.sync_folder(self._fd)

    def _replace_file(self, new: PendingFile, name: str) -> None:
        new.replace(name)
        self.changed = True

    def _replace_if_different(self, new: PendingFile, name: str) -> None:
        if not self._is_same_file(new.name, name):
            self._replace_file(new, name)

    def _has_content(self, name: str, content: bytes) -> bool:
        file = self._open_existing(name)
        if file is None:
            return False
        with file:
            size = os.fstat(file.fileno()).st_size
            return size == len(content) and file.read(size + 1) == content

    def _is_same_file(self, first: str, second: str) -> bool:
        other = self._open_existing(second)
        if other is None:
            return False
        with other, os.fdopen(open_inside(self._fd, first), "rb") as one:
            while (block := one.read(_BLOCK)) == other.read(_BLOCK):
                if not block:
                    return True
        return False

    def _open_existing(self, name: str) -> BinaryIO | None:
        """Open the file; None if there is no readable file."""
        try:
            fd = open_inside(self._fd, name)
        except OSError:
            return None
        if stat.S_ISREG(os.fstat(fd).st_mode):
            return os.fdopen(fd, "rb")
        os.close(fd)
        return None


@contextmanager
def open_output_folder(folder: Path, *names: str, hasty: bool = False) -> Iterator[OutputFolder]:
    """Open the folder at these names below `folder`, and create it if needed.

    With `hasty`, nothing is synced to disk.

    Raises:
        StoreError: `TRACE_UNWRITABLE`: it cannot be created, or there is a link on the
            way.
    """
    path = folder.joinpath(*names)
    try:
        make_folder(folder)
        with open_folder_path(folder, names, make_folder_inside) as fd:
            place = OutputFolder(path, fd, hasty=hasty)
            yield place
            place.sync()
    except OSError as problem:
        raise make_unwritable_error(path, problem) from problem


_ALLOWED: Final = frozenset("\n\u3000\u200d\ufe0f")
"""Line ends, the wide space of Japanese, and the joiners of emoji."""
_LINE_END: Final = re.compile(
    r"(?:(?<! ) ++)?[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]"
    r"[ \t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]*+"
)
_SPECIAL: Final = re.compile(r"([\\`*_\[\]|~$#]|<(?=[A-Za-z/!?]))")
_WWW: Final = re.compile(r"(?<=www)\.", re.IGNORECASE)


def make_visible(text: str) -> str:
    """Escape invisible characters, such as direction marks and control characters."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter in _ALLOWED else repr(letter)[1:-1]
        for letter in text.replace("\r\n", "\n").expandtabs(4)
    )


def make_visible_line(text: str) -> str:
    """Escape invisible characters, with all line ends replaced by spaces."""
    return text if text.isprintable() else make_visible(_LINE_END.sub(" ", text))


def escape_markdown(text: str) -> str:
    """Escape text so that Markdown shows it unchanged, on one line.

    Not for the beginning of a line, where a number or a dash would start a list.
    """
    shown = _SPECIAL.sub(r"\\\1", make_visible_line(text).replace("&", "&amp;"))
    shown = shown.replace("://", "&#58;//").replace("@", "&#64;")
    return _WWW.sub("&#46;", shown)
