"""A run's journal on disk: one sealed line for each entry, synced before it counts.

A writer that stays preallocates space, as empty lines, and writes into it: the file
does not grow with each event, and the disk has half as much to sync.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from saniwa.core import file_locks, system_calls
from saniwa.process.event_record import LogEntry
from saniwa.store import storage_errors
from saniwa.store.gate import file_access, log_entries
from saniwa.store.gate.file_access import FileIdentity
from saniwa.store.gate.log_entries import LARGEST_ENTRY
from saniwa.store.sealed_log import compute_first_seal, compute_seal

_SEAL_OPEN = b'{"seal":"'
_SEAL_CLOSE = b'",'
_BODY_START = len(_SEAL_OPEN) + 64 + len(_SEAL_CLOSE)
LONGEST_LINE = LARGEST_ENTRY + _BODY_START
"""Most bytes a line may have, its newline included."""
_FIRST_CHUNK = 1 << 12
_CHUNK = 1 << 20
_OBJECT_DECODER = msgspec.json.Decoder(dict[str, msgspec.Raw])


def seal_line(before: bytes, body: bytes) -> tuple[bytes, bytes]:
    """Return the seal of an entry's JSON, and its line."""
    sealed = compute_seal(before, body)
    return sealed, b'{"seal":"%b",%b\n' % (sealed.hex().encode(), body[1:])


def extract_body(line: bytes) -> bytes:
    """Return the JSON in a line without its newline; does not check the seal."""
    return b"{" + line[_BODY_START:]


def check_line(before: bytes, line: bytes) -> bytes:
    """Return a line's seal; empty if the line does not follow `before`."""
    found = sha256(before + b"{" + line[_BODY_START:]).digest()
    head = b'{"seal":"%b",' % found.hex().encode()
    return found if line.startswith(head) else b""


class SealedLineReader:
    """Reads sealed lines in order, as long as each follows the one before."""

    def __init__(self, fd: int, end: int, seal: bytes) -> None:
        """Start at a byte of the open file, after the line that has the seal.

        At the first byte, the seal is the run's `compute_first_seal`.
        """
        self._fd = fd
        self.end = end
        """The byte after the last valid line."""
        self.seal = seal
        """The seal of that line."""
        self.unended = False
        """Whether that line only lacks its newline."""
        self.clean = True
        """Whether the next line is empty or there is none."""

    def __iter__(self) -> Iterator[tuple[int, bytes, bytes]]:
        """Yield start, previous seal and JSON of each line up to the first invalid."""
        end, before = self.end, self.seal
        for lines in self._read_batches():
            for line in lines:
                # `check_line`, written out: a hundred thousand calls take a tenth of a
                # second.
                body = b"{" + line[_BODY_START:]
                found = sha256(before + body).digest()
                if line[:_BODY_START] != b'{"seal":"%b",' % found.hex().encode():
                    self.clean = not line
                    return
                self.end = end + len(line) + 1
                self.seal = found
                yield end, before, body
                end, before = self.end, found

    def _read_batches(self) -> Iterator[list[bytes]]:
        """Yield the lines in batches; an empty line marks preallocated space."""
        rest = b""
        at, chunk = self.end, _FIRST_CHUNK
        while piece := system_calls.read_at(self._fd, chunk, at):
            at += len(piece)
            chunk = min(chunk << 4, _CHUNK)
            text = rest + piece
            # Preallocated space is thousands of empty lines, and the first says it all.
            full = text.rstrip(b"\n")
            lines = full.split(b"\n")
            ends = len(text) - len(full)
            rest = b"" if ends else lines.pop()
            yield [*lines, b""] if ends > 1 else lines
            if len(rest) > LONGEST_LINE:
                break
        if rest:
            self.unended = bool(check_line(self.seal, rest))
            yield [rest]

    def count_torn_bytes(self) -> int:
        """Count the bytes after the last line; 0 if they are only preallocated space.

        Raises:
            ValueError: There is a complete line among them that does not fit: no
                interrupted write leaves that.
        """
        at, torn, rest = self.end, False, b""
        while piece := system_calls.read_at(self._fd, _CHUNK, at):
            at += len(piece)
            text = rest + piece
            full = text.strip(b"\n")
            *lines, rest = full.split(b"\n")
            if text.endswith(b"\n"):
                lines.append(rest)
                rest = b""
            for line in lines:
                torn = _is_torn(line) or torn
            rest = rest[-LONGEST_LINE:]
        torn = _is_torn(rest) or torn
        return at - self.end if torn else 0


def find_line_number(fd: int, at: int) -> int:
    """Return the number of the line, from 1, that starts at a byte of the open file."""
    number, place = 1, 0
    while place < at and (piece := system_calls.read_at(fd, min(_CHUNK, at - place), place)):
        number += piece.count(b"\n")
        place += len(piece)
    return number


def _is_torn(line: bytes) -> bool:
    """Whether the line is a torn write; a complete line raises `ValueError`.

    NULs after a line are in the place of its newline, so it was never complete.
    """
    full = line.lstrip(b"\0")
    if not full.startswith(b"{") or not full.endswith(b"}"):
        return bool(line)
    try:
        _OBJECT_DECODER.decode(full)
    except (ValueError, RecursionError):
        return True
    raise ValueError("it is complete, but does not follow the entry before it")


PREALLOCATION = b"\n" * (1 << 18)
"""The empty lines that are written at the end as preallocated space."""
_LINE_END = b"\n"
_EMPTY_LINES = b"\n\n"
_APPENDS_BEFORE_PREALLOCATION = 16
"""Lines after which a writer counts as one that stays."""
_USUAL_LINE_LENGTH = 4096
"""Bytes within which most lines end."""


class RunJournal:
    """An open journal; it knows how far it has been read, not what it says."""

    def __init__(self, path: Path, run_id: str) -> None:
        """Open a run's journal, read-only if nothing else is allowed.

        Raises:
            FileNotFoundError: There is none.
            OSError: It cannot be opened.
        """
        self.path = path
        self._name = str(path)
        self._run_id = run_id
        self.fd, self.refusal = file_access.open_file(path)
        self.writable = self.refusal is None
        self._place = FileIdentity(path, self.fd)
        self.end = 0
        self.seal = compute_first_seal(run_id)
        self.synced = 0
        """The byte up to which everything is known to be durable."""
        self._room = 0
        self._added = 0

    def is_in_place(self) -> bool:
        """Whether the path still leads to the open file, and it was not shortened."""
        if not self._place.is_in_place():
            return False
        return self.end == 0 or system_calls.read_at(self.fd, 1, self.end - 1) != b""

    def has_more(self) -> bool:
        """Whether another process has written since; reads a single byte."""
        beyond = system_calls.read_at(self.fd, 1, self.end)
        if not beyond:
            self._room = 0
        elif beyond != b"\n":
            return True
        elif self._room <= 0:
            self._room = 1
        return False

    def is_unchanged(self) -> bool:
        """Whether it is in place and no other process has written; one read."""
        if not self._place.is_recently_in_place():
            return False
        around = system_calls.read_at(self.fd, 2, self.end - 1)
        self._room = 0 if len(around) < len(_EMPTY_LINES) else max(self._room, 1)
        return around in (_LINE_END, _EMPTY_LINES)

    def move_to(self, end: int, seal: bytes) -> None:
        """Move to the end of the line that ends here and has this seal."""
        self.end, self.seal = end, seal

    def append(self, body: bytes) -> int:
        """Write an entry's JSON as the next line, sync it, and return its start.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, and nothing was stored; `LOG_UNCERTAIN`.
        """
        seal, line = seal_line(self.seal, body)
        start = self.end
        if self._room <= 0 and self._added >= _APPENDS_BEFORE_PREALLOCATION:
            self._preallocate()
        try:
            written = system_calls.write_at(self.fd, line, start)
            if written != len(line):
                raise OSError(0, f"it took {written} of {len(line)} bytes")
        except OSError as problem:
            with suppress(OSError):
                self.truncate()
            raise storage_errors.make_append_error(self.path, problem) from problem
        self._sync()
        self.synced = self.end = start + len(line)
        self.seal = seal
        self._room -= len(line)
        self._added += 1
        return start

    def sync_foreign_lines(self) -> None:
        """Sync lines of another process, which may have died before its sync.

        Raises:
            StoreError: `LOG_UNCERTAIN`.
        """
        if self.synced < self.end:
            self._sync()
            self.synced = self.end

    def read_line(self, start: int) -> bytes:
        """Return the line that starts at a byte, without its newline."""
        line = system_calls.read_at(self.fd, _USUAL_LINE_LENGTH, start)
        if b"\n" not in line:
            line = system_calls.read_at(self.fd, LONGEST_LINE, start)
        return line.partition(b"\n")[0]

    def truncate(self) -> None:
        """Remove everything after the last line, durably.

        Raises:
            OSError: It cannot be cut.
        """
        os.ftruncate(self.fd, self.end)
        self._room = 0
        # Otherwise a power cut could leave its first half before the next line's
        # second.
        system_calls.sync_content(self.fd)

    def close(self) -> None:
        """Free unused preallocated space, if no process is writing; close the file."""
        # Space that remains does no harm.
        with suppress(OSError):
            if (
                self._room > 0
                and self.writable
                and file_locks.try_lock(self.fd, file_locks.EXCLUSIVE)
            ):
                if self.is_in_place() and not self.has_more():
                    os.ftruncate(self.fd, self.end)
                file_locks.release_lock(self.fd)
        self.abandon()

    def abandon(self) -> None:
        """Close the file without changing it: after a fork it belongs to the parent."""
        os.close(self.fd)

    def _sync(self) -> None:
        try:
            system_calls.sync_content(self.fd)
        except OSError as problem:
            with suppress(OSError):
                self.truncate()
            why = problem.strerror or "it was not synced"
            raise log_entries.make_uncertain_error(self._run_id, why, self._name) from problem

    def _preallocate(self) -> None:
        # Without preallocated space, writing is only slower.
        try:
            system_calls.write_at(self.fd, PREALLOCATION, self.end)
            system_calls.sync_content(self.fd)
        except OSError:
            with suppress(OSError):
                self.truncate()
            return
        self._room = len(PREALLOCATION)


def stream_entries(
    path: Path, run_id: str, span: tuple[int, bytes, int], after: int = 0
) -> Iterator[LogEntry]:
    """Yield the entries in a span of a run's journal, of revisions after `after`.

    The span is the first byte, the seal before it and the last byte. If the seal, which
    may come from an index, does not fit, the journal is read from its beginning.

    Raises:
        StoreError: `TRACE_CORRUPT`, `STORE_UNREADABLE`, on reaching the fault.
    """
    with (
        storage_errors.translate_os_errors(storage_errors.make_unreadable_error, path),
        os.fdopen(file_access.open_for_reading(path), "rb", 0) as file,
    ):
        yield from _stream_entries(file.fileno(), path, run_id, span, after)


def _stream_entries(
    fd: int, path: Path, run_id: str, span: tuple[int, bytes, int], after: int
) -> Iterator[LogEntry]:
    start, before, end = span
    reading = SealedLineReader(fd, start, before)
    good = start
    try:
        for _, _, body in reading:
            entry = log_entries.decode_entry(body)
            good = reading.end
            if entry.revision > after:
                yield entry
            if good >= end:
                return
        why = "it does not follow the one before it"
    except msgspec.DecodeError as problem:
        why = str(problem)
    if 0 < start == good:
        everything = (0, compute_first_seal(run_id), end)
        yield from _stream_entries(fd, path, run_id, everything, after)
        return
    raise storage_errors.make_corrupt_line_error(path, find_line_number(fd, good), why)
