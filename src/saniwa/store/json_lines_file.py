"""Durable JSON lines: appended, never edited, readable after any crash.

An entry is one line with its seal, written in one call, and synced before it counts
where it must be durable. A line that a crash cut short was never acknowledged; opening
the file for writing removes it and reports that.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import msgspec

from saniwa.core import file_locks, system_calls
from saniwa.core.atomic_files import make_folder, sync_folder
from saniwa.core.errors import StoreError
from saniwa.core.findings import Finding
from saniwa.store import storage_errors
from saniwa.store.storage_errors import translate_os_errors

_BLOCK: Final = 1 << 16


def count_whole_bytes(fd: int, size: int) -> int:
    """Count the bytes up to and including the last newline."""
    end = size
    while end > 0:
        start = max(end - _BLOCK, 0)
        found = system_calls.read_at(fd, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def open_regular_file(path: Path, flags: int) -> int:
    """Open a regular file; never waits for a pipe.

    Raises:
        OSError: It cannot be opened, or is not a regular file.
    """
    fd = system_calls.open_file(path, flags | system_calls.NO_WAITING, 0o600)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(0, "it is not a regular file")
    return fd


_SEAL_PREFIX: Final = b',"seal":"'
_SEAL_SUFFIX: Final = b'"}'
_SEAL_LENGTH: Final = 32


def seal_line(entry: bytes) -> bytes:
    """Add a seal to a JSON object in one line."""
    if entry == b"{}":
        return entry
    return entry[:-1] + _SEAL_PREFIX + _compute_seal(entry) + _SEAL_SUFFIX


def unseal_line(line: bytes) -> bytes:
    """Return the object without its seal.

    Raises:
        ValueError: The seal does not match the content.
    """
    start = len(line) - len(_SEAL_SUFFIX) - _SEAL_LENGTH
    seal = line[start : start + _SEAL_LENGTH]
    if not line.endswith(_SEAL_SUFFIX) or not line[:start].endswith(_SEAL_PREFIX):
        return line
    entry = line[: start - len(_SEAL_PREFIX)] + b"}"
    if seal != _compute_seal(entry):
        raise ValueError("its seal does not match its content")
    return entry


def _compute_seal(entry: bytes) -> bytes:
    return sha256(entry).hexdigest()[:_SEAL_LENGTH].encode()


LONGEST_LINE: Final = 64_000_000
"""Most bytes of a line."""
_ENCODER: Final = msgspec.json.Encoder(order="deterministic")
_DECODER: Final = msgspec.json.Decoder(dict[str, Any])


def decode_line(line: bytes) -> dict[str, Any]:
    """Return the entry of a complete line, without its seal.

    Raises:
        ValueError: It is damaged.
    """
    try:
        return _DECODER.decode(unseal_line(line[:-1]))
    except (msgspec.DecodeError, RecursionError) as problem:
        raise ValueError(str(problem)) from problem


class JsonLinesFile:
    """A file of JSON lines. One process may write at a time; any number may read."""

    def __init__(self, path: str | Path) -> None:
        """Open nothing yet: the first `append` creates the file."""
        self._path = Path(path)
        self._fd = -1
        self._size = 0
        self._closed = False
        self.repairs: list[Finding] = []
        """What was cut off on opening; `LOG_MENDED`, once."""

    def append(self, entry: Mapping[str, Any], *, lasting: bool = False) -> None:
        """Append an entry; when this returns, it survives the end of this process.

        A `lasting` entry, and all before it, also survives a power cut.

        Raises:
            StoreError: `TRACE_UNWRITABLE`; `STORE_BUSY` if another process is writing.
        """
        line = seal_line(_ENCODER.encode(entry)) + b"\n"
        self.open()
        # Not `translate_os_errors`: a generator costs more than the rest of a small entry.
        try:
            if len(line) > LONGEST_LINE:
                raise OSError(0, f"an entry of {len(line)} bytes is too long")
            self._write(line, lasting=lasting)
        except OSError as problem:
            raise storage_errors.make_append_error(self._path, problem) from problem

    def read_entries(self) -> Iterator[dict[str, Any]]:
        """Yield every complete entry in order; none if there is no file yet.

        Raises:
            StoreError: `STORE_UNREADABLE`, `TRACE_CORRUPT`.
        """
        for number, line in enumerate(self._read_lines(), start=1):
            try:
                yield decode_line(line)
            except ValueError as problem:
                more = ", and one without its seal is taken as it is"
                raise storage_errors.make_corrupt_line_error(
                    self._path, number, str(problem), more
                ) from problem

    def open(self) -> None:
        """Prepare for writing: lock the file, and cut off an unfinished line.

        Raises:
            StoreError: `STORE_BUSY`, `TRACE_UNWRITABLE`.
        """
        if self._fd >= 0:
            return
        with translate_os_errors(storage_errors.make_append_error, self._path):
            if self._closed:
                raise OSError(0, "it is closed")
            self._fd = self._acquire()

    def _acquire(self) -> int:
        """Open the file and lock it against other writers."""
        make_folder(self._path.parent)
        fd = open_regular_file(self._path, os.O_RDWR | os.O_CREAT)
        try:
            if not file_locks.try_lock(fd, file_locks.EXCLUSIVE):
                raise _make_busy_error(self._path)
            self._size = self._cut_torn_line(fd)
            sync_folder(self._path.parent)
        except BaseException:
            os.close(fd)
            raise
        return fd

    def close(self) -> None:
        """Close the file; everything appended is durable. May be called more than once.

        Raises:
            StoreError: `TRACE_UNWRITABLE` if entries that were not lasting cannot be
                synced.
        """
        self._closed = True
        if self._fd >= 0:
            with (
                translate_os_errors(storage_errors.make_append_error, self._path),
                os.fdopen(self._fd, "rb") as file,
            ):
                self._fd = -1
                system_calls.sync_content(file.fileno())

    def _write(self, line: bytes, *, lasting: bool) -> None:
        try:
            # One call: a reader sees the whole line, or a part without a newline at its
            # end.
            written = system_calls.write_at(self._fd, line, self._size)
            if written != len(line):
                raise OSError(0, f"only {written} of {len(line)} bytes were taken")
            if lasting:
                system_calls.sync_content(self._fd)
        except OSError:
            # An entry that is not acknowledged must not be visible to the next reader.
            os.ftruncate(self._fd, self._size)
            raise
        self._size += len(line)

    def _cut_torn_line(self, fd: int) -> int:
        size = os.fstat(fd).st_size
        complete = count_whole_bytes(fd, size)
        if complete < size:
            os.ftruncate(fd, complete)
            os.fsync(fd)
            torn = f"{size - complete} bytes cut off"
            self.repairs.append(storage_errors.make_repair_finding(self._path, torn))
        return complete

    def _read_lines(self) -> Iterator[bytes]:
        with (
            translate_os_errors(storage_errors.make_unreadable_error, self._path),
            suppress(FileNotFoundError),
            os.fdopen(open_regular_file(self._path, os.O_RDONLY), "rb") as stream,
        ):
            size = LONGEST_LINE + 1
            while line := stream.readline(size):
                if not line.endswith(b"\n"):
                    # The end of a write that was cut short or is still under way.
                    if len(line) == size:
                        raise OSError(0, f"a line has more than {LONGEST_LINE} bytes")
                    return
                yield line


def _make_busy_error(path: Path) -> StoreError:
    return StoreError(
        "STORE_BUSY",
        f"{path.name!r} is being written by another process",
        where=str(path),
        hint="wait until it has finished, or use another file",
        recoverable=True,
    )
