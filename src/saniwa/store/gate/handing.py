"""Files that come with an event: theirs if it is accepted, as if never written if not.

What a file replaces is kept beside it until the gate has ruled. A crash in between leaves
a note; whoever hands in next asks the log what became of that event, and settles it first.
A file that somebody has changed since, or that the log holds as evidence, is left alone.
"""

import fcntl
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from saniwa.core.inside import folder_inside, folder_made, open_inside, walked
from saniwa.core.quoted import quoted
from saniwa.core.ready import ready
from saniwa.process.ports import EvidenceError, Holding
from saniwa.process.ruling import Accepted, Ruling
from saniwa.process.weighing.place import normal, steps_of
from saniwa.store.gate.bench import LARGEST, FolderBench

ASIDE = ".handing"
"""The folder, inside the run's, of what files have replaced."""
_NOTE = "note.json"
_LOCK = "lock"
_OPENED = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class _File(msgspec.Struct, frozen=True):
    """One file that is handed in."""

    path: str
    """Where it lies."""
    hash: str
    """What it holds."""
    aside: str = ""
    """Where what it replaced is kept; empty where nothing was there."""


class _Note(msgspec.Struct, frozen=True):
    """What is being handed in."""

    attempt: str
    """The event's key."""
    files: tuple[_File, ...]
    """Its files."""


class HandingBench:
    """Hands in files with events, in one run's folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._bench = FolderBench(folder)

    def hand_in(
        self,
        files: Mapping[str, bytes],
        attempt: str,
        submit: Callable[[], Ruling],
        holding: Holding,
    ) -> Ruling:
        """Write the files, send the event, and take them back if it is refused.

        Raises:
            EvidenceError: A file cannot be written; then none of them is.
            StoreError: The log could not be read or written; what was written is settled
                by whoever hands in next.
        """
        files = {_placed(path): content for path, content in files.items()}
        with self._alone():
            self._settle_rest(holding)
            if not files:
                return submit()
            note = self._set_aside(files, attempt)
            try:
                for path, content in files.items():
                    self._bench.put(path, content)
            except EvidenceError:
                self._take_back(note, holding)
                raise
            ruling = submit()
            if isinstance(ruling, Accepted):
                self._forget(note)
            else:
                self._take_back(note, holding)
            return ruling

    def settle(self, holding: Holding) -> None:
        """Settle what a crash has left open, if anything.

        Raises:
            EvidenceError: The note cannot be read.
            StoreError: The log could not be read.
        """
        if os.path.lexists(self._folder / ASIDE / _NOTE):
            with self._alone():
                self._settle_rest(holding)

    def read(self, path: str, most: int) -> bytes | None:
        """The first `most` bytes of a file in the folder; None where there is none.

        Raises:
            EvidenceError: The path leads elsewhere, through a link, or to no file.
        """
        content = self._content(path)
        return None if content is None else content[:most]

    def _set_aside(self, files: Mapping[str, bytes], attempt: str) -> _Note:
        listed = []
        for number, (path, new) in enumerate(files.items()):
            old = self._content(path)
            if old is not None:
                self._bench.put(f"{ASIDE}/{number}", old)
            aside = "" if old is None else str(number)
            listed.append(_File(path, _hash(new), aside))
        note = _Note(attempt, tuple(listed))
        # Last: from here on a crash is noticed, and before it nothing was written.
        self._bench.put(f"{ASIDE}/{_NOTE}", msgspec.json.encode(note))
        return note

    def _settle_rest(self, holding: Holding) -> None:
        content = self._content(f"{ASIDE}/{_NOTE}")
        if content is None:
            return
        try:
            note = msgspec.json.decode(content, type=_Note)
            for file in note.files:
                steps_of(file.path)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
            raise EvidenceError(f"'{ASIDE}/{_NOTE}' is no note of ours") from problem
        with holding() as log:
            accepted = log.kept(note.attempt)
        if accepted:
            self._forget(note)
        else:
            self._take_back(note, holding)

    def _take_back(self, note: _Note, holding: Holding) -> None:
        """As if the files had never been written; what is no longer ours is left alone."""
        with holding() as log:
            for file in note.files:
                if self._is_ours(file) and not log.stands(file.path, file.hash):
                    self._restore(file)
        self._forget(note)

    def _is_ours(self, file: _File) -> bool:
        """Whether there lies what was written, and nothing that came since."""
        try:
            content = self._content(file.path)
        except EvidenceError:
            return False
        return content is not None and _hash(content) == file.hash

    def _restore(self, file: _File) -> None:
        old = self._content(f"{ASIDE}/{file.aside}") if file.aside else None
        if old is None:
            self._remove(file.path)
        else:
            self._bench.put(file.path, old)

    def _forget(self, note: _Note) -> None:
        # The note first: what was set aside is nothing without it.
        for name in (_NOTE, *(file.aside for file in note.files if file.aside)):
            self._remove(f"{ASIDE}/{name}")

    def _content(self, path: str) -> bytes | None:
        steps = steps_of(path)
        try:
            with (
                walked(self._folder, steps[:-1], folder_inside) as here,
                os.fdopen(open_inside(here, steps[-1]), "rb") as file,
            ):
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise EvidenceError(f"{quoted(path)} is no regular file")
                content = file.read(LARGEST + 1)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as problem:
            why = problem.strerror or type(problem).__name__
            raise EvidenceError(
                f"{quoted(path)} cannot be replaced: {why}"
            ) from problem
        if len(content) > LARGEST:
            raise EvidenceError(f"{quoted(path)} is there, and too large to replace")
        return content

    def _remove(self, path: str) -> None:
        steps = steps_of(path)
        # What cannot be removed is no file of ours, or not there.
        with (
            suppress(OSError),
            walked(self._folder, steps[:-1], folder_inside) as here,
        ):
            os.unlink(steps[-1], dir_fd=here)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One hands in at a time: two would take back each other's files."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with walked(self._folder, (ASIDE,), folder_made) as here:
                handle = os.open(_LOCK, _OPENED, 0o666, dir_fd=here)
        except OSError as problem:
            why = problem.strerror or type(problem).__name__
            raise EvidenceError(f"nothing can be written there: {why}") from problem
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()


def _placed(path: str) -> str:
    if steps_of(path)[0].casefold() == ASIDE:
        raise EvidenceError(f"{quoted(path)} lies where files are set aside")
    return normal(path)


ready(_Note)
