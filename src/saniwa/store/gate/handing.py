"""Files that come with an event: theirs if it is accepted, as if never written if not.

What a file replaces is kept beside it until the gate has ruled. A crash in between leaves
a note; whoever hands in next asks the log what became of that event, and settles it first.
"""

import fcntl
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from saniwa.core.inside import folder_inside as _folder
from saniwa.core.inside import open_inside, walked
from saniwa.core.quoted import quoted
from saniwa.process.ports import EvidenceError
from saniwa.process.ruling import Accepted, Ruling
from saniwa.process.weighing.place import normal, steps_of
from saniwa.store.gate.bench import LARGEST, FolderBench

ASIDE = ".handing"
"""The folder, inside the run's, of what files have replaced."""
_NOTE = "note.json"
_LOCK = "lock"


class _File(msgspec.Struct, frozen=True):
    """One file that was handed in."""

    path: str
    """Where it lies."""
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
        self._aside = FolderBench(folder / ASIDE)
        self._bench = FolderBench(folder)

    def hand_in(
        self,
        files: Mapping[str, bytes],
        attempt: str,
        submit: Callable[[], Ruling],
        kept: Callable[[str], bool],
    ) -> Ruling:
        """Write the files, send the event, and take them back if it is refused.

        `kept` says whether the log holds an event under a key.

        Raises:
            EvidenceError: A file cannot be written; then none of them is.
            StoreError: The log could not be read or written; what was written is settled
                by whoever hands in next.
        """
        files = {_placed(path): content for path, content in files.items()}
        with self._alone():
            self._settle_rest(kept)
            if not files:
                return submit()
            note = self._set_aside(files, attempt)
            try:
                for path, content in files.items():
                    self._bench.put(path, content)
            except EvidenceError:
                self._settle(note, accepted=False)
                raise
            ruling = submit()
            self._settle(note, accepted=isinstance(ruling, Accepted))
            return ruling

    def settle(self, kept: Callable[[str], bool]) -> None:
        """Settle what a crash has left open, if anything.

        Raises:
            EvidenceError: It cannot be.
            StoreError: The log could not be read.
        """
        if (self._folder / ASIDE / _NOTE).exists():
            with self._alone():
                self._settle_rest(kept)

    def _set_aside(self, files: Mapping[str, bytes], attempt: str) -> _Note:
        listed = []
        for number, path in enumerate(files):
            content = self._content(path)
            if content is not None:
                self._aside.put(str(number), content)
            listed.append(_File(path, "" if content is None else str(number)))
        note = _Note(attempt, tuple(listed))
        # Last: from here on a crash is noticed, and before it nothing was written.
        self._aside.put(_NOTE, msgspec.json.encode(note))
        return note

    def _settle_rest(self, kept: Callable[[str], bool]) -> None:
        try:
            content = (self._folder / ASIDE / _NOTE).read_bytes()
            note = msgspec.json.decode(content, type=_Note)
        except FileNotFoundError:
            return
        except (OSError, msgspec.DecodeError) as problem:
            raise EvidenceError(
                f"'{ASIDE}/{_NOTE}' cannot be read: {problem}"
            ) from problem
        self._settle(note, accepted=kept(note.attempt))

    def _settle(self, note: _Note, *, accepted: bool) -> None:
        for file in () if accepted else note.files:
            if file.aside:
                self._bench.put(
                    file.path, self._content(f"{ASIDE}/{file.aside}") or b""
                )
            else:
                self._remove(file.path)
        # The note first: what was set aside is nothing without it.
        for name in (_NOTE, *(file.aside for file in note.files if file.aside)):
            (self._folder / ASIDE / name).unlink(missing_ok=True)

    def _content(self, path: str) -> bytes | None:
        steps = steps_of(path)
        try:
            with (
                walked(self._folder, steps[:-1], _folder) as here,
                os.fdopen(open_inside(here, steps[-1]), "rb") as file,
            ):
                content = file.read(LARGEST + 1)
        except FileNotFoundError:
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
        with (
            suppress(FileNotFoundError),
            walked(self._folder, steps[:-1], _folder) as here,
        ):
            os.unlink(steps[-1], dir_fd=here)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One hands in at a time: two would take back each other's files."""
        try:
            (self._folder / ASIDE).mkdir(parents=True, exist_ok=True)
            handle = os.open(
                self._folder / ASIDE / _LOCK,
                os.O_RDWR | os.O_CREAT | os.O_CLOEXEC,
                0o666,
            )
        except OSError as problem:
            why = problem.strerror or type(problem).__name__
            raise EvidenceError(f"nothing can be written there: {why}") from problem
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


def _placed(path: str) -> str:
    if steps_of(path)[0] == ASIDE:
        raise EvidenceError(f"{quoted(path)} lies where files are set aside")
    return normal(path)
