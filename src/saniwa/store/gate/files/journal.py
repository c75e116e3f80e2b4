"""A run's record on disk: one sealed line for each entry, synced before it counts.

A writer that stays makes room beforehand, as empty lines, and writes into it: the file
does not grow with each event, and the disk has half as much to sync.
"""

import os
from contextlib import suppress
from pathlib import Path

from saniwa.core import lock
from saniwa.process.record import start_of
from saniwa.store.gate import entry as gate_entry
from saniwa.store.gate.files import disk, sealed, trouble
from saniwa.store.gate.files.place import Place
from saniwa.store.gate.files.sealed import Reading

ROOM = b"\n" * (1 << 18)
"""What is put at the end beforehand."""
_END = b"\n"
_ROOM = b"\n\n"
_STAYING = 16
"""Lines after which a writer is taken for one that stays."""
_MOSTLY = 4096
"""Bytes that most lines do not have."""


class Journal:
    """An open record; it knows how far it has been read, not what it says."""

    def __init__(self, path: Path, run_id: str) -> None:
        """Open a run's record, for reading only where nothing else is allowed.

        Raises:
            FileNotFoundError: There is none.
            OSError: It cannot be opened.
        """
        self.path = path
        self._name = str(path)
        self._run_id = run_id
        self.fd, self.refusal = disk.opened(path)
        self.writable = self.refusal is None
        self._place = Place(path, self.fd)
        self.end = 0
        self.seal = start_of(run_id)
        self.synced = 0
        """The byte up to which everything is known to last."""
        self._room = 0
        self._added = 0

    def is_in_place(self) -> bool:
        """Whether the open file still has the name, and nobody has put less into it."""
        return self._place.holds() and self._ends_here()

    def has_more(self) -> bool:
        """Whether somebody has written since; one look at one byte."""
        beyond = os.pread(self.fd, 1, self.end)
        if not beyond:
            self._room = 0
        elif beyond != b"\n":
            return True
        elif self._room <= 0:
            self._room = 1
        return False

    def is_as_left(self) -> bool:
        """Whether it is in place and nobody has written since; the same, at once."""
        if not self._place.held_just_now():
            return False
        around = os.pread(self.fd, 2, self.end - 1)
        self._room = 0 if len(around) < len(_ROOM) else max(self._room, 1)
        return around in (_END, _ROOM)

    def _ends_here(self) -> bool:
        return self.end == 0 or os.pread(self.fd, 1, self.end - 1) != b""

    def reading(self) -> Reading:
        """A way through what has not been read yet."""
        return Reading(self.fd, self.end, self.seal)

    def move_to(self, end: int, seal: bytes) -> None:
        """Stand after the line that ends here and has this seal."""
        self.end, self.seal = end, seal

    def add(self, body: bytes) -> int:
        """Write an entry's JSON as the next line, and sync it; where it starts.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, and nothing was kept; `LOG_UNCERTAIN`.
        """
        seal, line = sealed.line_of(self.seal, body)
        start = self.end
        if self._room <= 0 and self._added >= _STAYING:
            self._make_room()
        try:
            written = os.pwrite(self.fd, line, start)
            if written != len(line):
                raise OSError(0, f"it took {written} of {len(line)} bytes")
        except OSError as problem:
            with suppress(OSError):
                self.cut()
            raise trouble.unwritable(self.path, problem) from problem
        self._sync()
        self.synced = self.end = start + len(line)
        self.seal = seal
        self._room -= len(line)
        self._added += 1
        return start

    def settle(self) -> None:
        """Make last whatever was read, if somebody else wrote it and may have died.

        Raises:
            StoreError: `LOG_UNCERTAIN`.
        """
        if self.synced < self.end:
            self._sync()
            self.synced = self.end

    def line_at(self, start: int) -> bytes:
        """The line that starts at a byte, without its end."""
        line = os.pread(self.fd, _MOSTLY, start)
        if b"\n" not in line:
            line = os.pread(self.fd, sealed.LONGEST, start)
        return line.partition(b"\n")[0]

    def cut(self) -> None:
        """Take away whatever stands after the last line, for good.

        Raises:
            OSError: It cannot be cut.
        """
        os.ftruncate(self.fd, self.end)
        self._room = 0
        # Else a power cut could leave its first half before the next line's second.
        os.fdatasync(self.fd)

    def finish(self) -> None:
        """Give the last line the end it lacks.

        Raises:
            OSError: It cannot be written.
        """
        os.pwrite(self.fd, b"\n", self.end - 1)

    def close(self) -> None:
        """Take back the room that was not used, if nobody is writing; let go."""
        # Room that stays is in nobody's way.
        with suppress(OSError):
            if self._room > 0 and self.writable and lock.taken(self.fd, lock.ALONE):
                if self.is_in_place() and not self.has_more():
                    os.ftruncate(self.fd, self.end)
                lock.let_go(self.fd)
        self.abandon()

    def abandon(self) -> None:
        """Let go, and change nothing: after a fork the file belongs to the parent."""
        os.close(self.fd)

    def _sync(self) -> None:
        try:
            os.fdatasync(self.fd)
        except OSError as problem:
            with suppress(OSError):
                self.cut()
            why = problem.strerror or "it was not synced"
            raise gate_entry.uncertain(self._run_id, why, self._name) from problem

    def _make_room(self) -> None:
        # Without room it is only slower.
        try:
            os.pwrite(self.fd, ROOM, self.end)
            os.fdatasync(self.fd)
        except OSError:
            with suppress(OSError):
                self.cut()
            return
        self._room = len(ROOM)
