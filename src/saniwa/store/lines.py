"""JSON lines that last: appended, never edited, readable after any crash.

An entry is one line with its seal, written at once, and synced before it counts where it
must last.
What a crash leaves half-written at the end was never acknowledged; whoever opens the file
to write cuts it off and tells of it.
"""

import fcntl
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from saniwa.core.errors import StoreError
from saniwa.core.finding import Finding
from saniwa.core.lasting import make_folder, sync_folder
from saniwa.core.where import Where
from saniwa.store.line_file import open_regular, whole_bytes
from saniwa.store.line_seal import sealed, unsealed

LONGEST: Final = 64_000_000
"""Bytes of a line."""
_ENCODER: Final = msgspec.json.Encoder(order="deterministic")
_DECODER: Final = msgspec.json.Decoder(dict[str, Any])


class Lines:
    """A file of JSON lines. Only one may write it at a time; anybody may read."""

    def __init__(self, path: str | Path) -> None:
        """Open nothing yet: the file is made by the first `append`."""
        self._path = Path(path)
        self._fd = -1
        self._size = 0
        self._closed = False
        self.mended: list[Finding] = []
        """What was cut off on opening; `LOG_MENDED`, once."""

    def append(self, entry: Mapping[str, Any], *, lasting: bool = False) -> None:
        """Keep an entry; when this returns, it survives the end of this process.

        A `lasting` one, and with it all before it, would survive a power cut.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `STORE_BUSY` where somebody else writes it.
        """
        line = sealed(_ENCODER.encode(entry)) + b"\n"
        self.open()
        try:
            if len(line) > LONGEST:
                raise OSError(0, f"an entry of {len(line)} bytes is too long")
            self._write(line, lasting=lasting)
        except OSError as problem:
            raise self._unwritable(problem) from problem

    def entries(self) -> Iterator[dict[str, Any]]:
        """Every whole entry in order; none where there is no file yet.

        Raises:
            StoreError: `STORE_UNREADABLE`, `TRACE_CORRUPT`.
        """
        for number, line in enumerate(self._lines(), start=1):
            try:
                yield _DECODER.decode(unsealed(line[:-1]))
            except (ValueError, msgspec.DecodeError, RecursionError) as problem:
                raise self._corrupt(number, str(problem)) from problem

    def open(self) -> None:
        """Make ready for writing: take the file, and cut off what was never finished.

        Raises:
            StoreError: `STORE_BUSY`, `TRACE_UNWRITABLE`.
        """
        if self._fd >= 0:
            return
        try:
            if self._closed:
                raise OSError(0, "it is closed")
            self._fd = self._taken()
        except BlockingIOError as problem:
            raise self._busy() from problem
        except OSError as problem:
            raise self._unwritable(problem) from problem

    def _taken(self) -> int:
        """The file, held against everybody else who writes."""
        make_folder(self._path.parent)
        fd = open_regular(self._path, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._size = self._mend(fd)
            sync_folder(self._path.parent)
        except BaseException:
            os.close(fd)
            raise
        return fd

    def close(self) -> None:
        """Let go of the file; everything appended lasts. More than once is no mistake.

        Raises:
            StoreError: `TRACE_UNWRITABLE` if what was not lasting yet cannot be made so.
        """
        self._closed = True
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            try:
                os.fdatasync(fd)
            except OSError as problem:
                raise self._unwritable(problem) from problem
            finally:
                os.close(fd)

    def _write(self, line: bytes, *, lasting: bool) -> None:
        try:
            # One call: a reader sees the whole line or a part that no newline ends.
            written = os.pwrite(self._fd, line, self._size)
            if written != len(line):
                raise OSError(0, f"only {written} of {len(line)} bytes were taken")
            if lasting:
                os.fdatasync(self._fd)
        except OSError:
            # What is not acknowledged must not be there for the next reader either.
            os.ftruncate(self._fd, self._size)
            raise
        self._size += len(line)

    def _mend(self, fd: int) -> int:
        size = os.fstat(fd).st_size
        whole = whole_bytes(fd, size)
        if whole < size:
            os.ftruncate(fd, whole)
            os.fsync(fd)
            self.mended.append(self._cut(size - whole))
        return whole

    def _lines(self) -> Iterator[bytes]:
        try:
            with os.fdopen(open_regular(self._path, os.O_RDONLY), "rb") as stream:
                size = LONGEST + 1
                while line := stream.readline(size):
                    if not line.endswith(b"\n"):
                        # The end of a write that was cut short, or is under way.
                        if len(line) == size:
                            raise OSError(0, f"a line has more than {LONGEST} bytes")
                        return
                    yield line
        except FileNotFoundError:
            return
        except OSError as problem:
            raise StoreError(
                "STORE_UNREADABLE",
                f"{self._path.name!r} cannot be read: {problem.strerror}",
                where=Where(file=str(self._path)),
                hint="allow reading it, or bring it back from a copy",
            ) from problem

    def _cut(self, torn: int) -> Finding:
        return Finding(
            code="LOG_MENDED",
            severity="warning",
            message=f"{self._path.name!r} was left unfinished: {torn} bytes cut off",
            where=Where(file=str(self._path)),
            hint="nothing that was acknowledged is missing",
        )

    def _unwritable(self, problem: OSError) -> StoreError:
        return StoreError(
            "TRACE_UNWRITABLE",
            f"{self._path.name!r} cannot be written: {problem.strerror}",
            where=Where(file=str(self._path)),
            hint="make room, or allow writing there; everything acknowledged is still there",
            recoverable=True,
        )

    def _busy(self) -> StoreError:
        return StoreError(
            "STORE_BUSY",
            f"{self._path.name!r} is being written by somebody else",
            where=Where(file=str(self._path)),
            hint="wait until they have finished, or name another file",
            recoverable=True,
        )

    def _corrupt(self, number: int, why: str) -> StoreError:
        return StoreError(
            "TRACE_CORRUPT",
            f"line {number} of {self._path.name!r} is not what was written: {why}",
            where=Where(file=str(self._path), line=number),
            hint="bring the file back from a copy; the lines before it can still be read, and one without its seal is taken as it is",
            details={"line": number},
        )
