"""Files that come with an event: stored if it is accepted, undone if it is refused.

What a file replaces is backed up next to it until the gate has ruled. A crash in between
leaves a note; the next submission asks the log what became of that event, and settles
it first. A file that was changed since, or that the log has as evidence, is not
touched.
"""

import math
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from saniwa.core import file_locks, system_calls
from saniwa.core.atomic_files import write_atomically
from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.safe_open import make_folder_inside, open_folder_path, open_inside
from saniwa.core.text import quote_value
from saniwa.process.evidence_paths import normalize_path, split_file_path
from saniwa.process.ports import EvidenceError, LogLocker
from saniwa.process.ruling import EventAcceptance, Ruling

LARGEST_SUBMITTED_FILE = 10_000_000
"""Most bytes of one file."""


BACKUP_FOLDER = ".handing"
"""The folder, inside the run's, of backups of replaced files."""
_NOTE_FILE = "note.json"
_LOCK_FILE = "lock"
_LOCK_FLAGS = os.O_RDWR | os.O_CREAT | system_calls.NO_WAITING


class _SubmittedFile(msgspec.Struct, frozen=True):
    """One file that is submitted."""

    path: str
    """Its path."""
    hash: str
    """The hash of its content."""
    aside: str = ""
    """The name of the backup of what it replaced; empty if there was nothing."""


class _SubmissionNote(msgspec.Struct, frozen=True):
    """The submission in progress."""

    attempt: str
    """The event's key."""
    files: tuple[_SubmittedFile, ...]
    """Its files."""


class DiskSubmissionFolder:
    """Submits files with events, in one run's folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def hand_in(
        self,
        files: Mapping[str, bytes],
        attempt: str,
        submit: Callable[[], Ruling],
        holding: LogLocker,
    ) -> Ruling:
        """Write the files, send the event, and undo the files if it is refused.

        Raises:
            EvidenceError: A file cannot be written; then none of them is.
            StoreError: The log could not be read or written; the next submission
                settles what was written.
        """
        files = {_check_path(path): content for path, content in files.items()}
        with self._lock_folder():
            self._settle_note(holding)
            if not files:
                return submit()
            note = self._back_up(files, attempt)
            try:
                for path, content in files.items():
                    self._write_file(path, content)
            except EvidenceError:
                self._finish(note, holding, accepted=False)
                raise
            ruling = submit()
            self._finish(note, holding, accepted=isinstance(ruling, EventAcceptance))
            return ruling

    def settle(self, holding: LogLocker) -> None:
        """Settle a submission that a crash interrupted, if there is one.

        Raises:
            EvidenceError: The note cannot be read.
            StoreError: The log could not be read.
        """
        if os.path.lexists(self._folder / BACKUP_FOLDER / _NOTE_FILE):
            with self._lock_folder():
                self._settle_note(holding)

    def read(self, path: str, most: int) -> bytes | None:
        """Return the first `most` bytes of a file in the folder; None if there is none.

        Raises:
            EvidenceError: The path leads elsewhere, through a link, or to no file.
        """
        content = self._read_content(path)
        return content and content[:most]

    def _back_up(self, files: Mapping[str, bytes], attempt: str) -> _SubmissionNote:
        listed = []
        for number, (path, new) in enumerate(files.items()):
            old = self._read_content(path)
            if old is not None:
                self._write_file(f"{BACKUP_FOLDER}/{number}", old)
            aside = "" if old is None else str(number)
            listed.append(_SubmittedFile(path, _hash_content(new), aside))
        note = _SubmissionNote(attempt, tuple(listed))
        # Last: from here on a crash is noticed, and before it nothing was written.
        self._write_file(f"{BACKUP_FOLDER}/{_NOTE_FILE}", msgspec.json.encode(note))
        return note

    def _settle_note(self, holding: LogLocker) -> None:
        content = self._read_content(f"{BACKUP_FOLDER}/{_NOTE_FILE}")
        if content is None:
            return
        try:
            note = msgspec.json.decode(content, type=_SubmissionNote)
            for file in note.files:
                split_file_path(file.path)
        except (ValueError, RecursionError) as problem:
            raise EvidenceError(
                f"'{BACKUP_FOLDER}/{_NOTE_FILE}' was not written by Saniwa"
            ) from problem
        with holding() as log:
            accepted = log.has_event(note.attempt)
        self._finish(note, holding, accepted=accepted)

    def _finish(self, note: _SubmissionNote, holding: LogLocker, *, accepted: bool) -> None:
        """Undo files that were not accepted, and remove the backups.

        Files that changed since are not touched.
        """
        if not accepted:
            with holding() as log:
                for file in note.files:
                    if self._is_unchanged(file) and not log.has_evidence(file.path, file.hash):
                        self._restore_file(file)
        # The note first: the backups mean nothing without it.
        for name in (_NOTE_FILE, *(file.aside for file in note.files if file.aside)):
            self._remove_file(f"{BACKUP_FOLDER}/{name}")

    def _is_unchanged(self, file: _SubmittedFile) -> bool:
        """Whether the file still has the content that was written."""
        try:
            content = self._read_content(file.path)
        except EvidenceError:
            return False
        return content is not None and _hash_content(content) == file.hash

    def _restore_file(self, file: _SubmittedFile) -> None:
        old = self._read_content(f"{BACKUP_FOLDER}/{file.aside}") if file.aside else None
        if old is None:
            self._remove_file(file.path)
        else:
            self._write_file(file.path, old)

    def _write_file(self, path: str, content: bytes) -> None:
        """Write a file and the folders that lead to it."""
        steps = split_file_path(path)
        if len(content) > LARGEST_SUBMITTED_FILE:
            raise EvidenceError(f"{quote_value(path)} has more than {LARGEST_SUBMITTED_FILE} bytes")
        with _refuse(f"{quote_value(path)} cannot be written"):
            self._folder.mkdir(parents=True, exist_ok=True)
            with open_folder_path(self._folder, steps[:-1], make_folder_inside) as here:
                if _is_irregular(here, steps[-1]):
                    raise OSError(0, "it exists and is not a regular file")
                write_atomically(here, steps[-1], content)

    def _read_content(self, path: str) -> bytes | None:
        steps = split_file_path(path)
        with (
            _refuse(f"{quote_value(path)} cannot be replaced"),
            suppress(FileNotFoundError, NotADirectoryError),
            open_folder_path(self._folder, steps[:-1]) as here,
            os.fdopen(open_inside(here, steps[-1]), "rb") as file,
        ):
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise EvidenceError(f"{quote_value(path)} is not a regular file")
            content = file.read(LARGEST_SUBMITTED_FILE + 1)
            if len(content) > LARGEST_SUBMITTED_FILE:
                raise EvidenceError(f"{quote_value(path)} exists and is too large to replace")
            return content
        return None

    def _remove_file(self, path: str) -> None:
        steps = split_file_path(path)
        # What cannot be removed is missing, or not ours.
        with suppress(OSError), open_folder_path(self._folder, steps[:-1]) as here:
            system_calls.remove_file(steps[-1], here)

    @contextmanager
    def _lock_folder(self) -> Iterator[None]:
        """Lock the folder: two submissions at once would undo each other's files."""
        with _refuse("nothing can be written there"):
            self._folder.mkdir(parents=True, exist_ok=True)
            with open_folder_path(self._folder, (BACKUP_FOLDER,), make_folder_inside) as here:
                handle = system_calls.open_file(_LOCK_FILE, _LOCK_FLAGS, here=here, follow=False)
        try:
            file_locks.acquire_lock(handle, file_locks.EXCLUSIVE, math.inf)
            yield
        finally:
            os.close(handle)


@contextmanager
def _refuse(what: str) -> Iterator[None]:
    """Refuse the evidence if the operating system refuses something in the block."""
    try:
        yield
    except OSError as problem:
        why = problem.strerror or type(problem).__name__
        raise EvidenceError(f"{what}: {why}") from problem


def _is_irregular(here: int, name: str) -> bool:
    with suppress(FileNotFoundError):
        return not stat.S_ISREG(system_calls.read_state(name, here).st_mode)
    return False


def _hash_content(content: bytes) -> str:
    return sha256(content).hexdigest()


def _check_path(path: str) -> str:
    if split_file_path(path)[0].casefold() == BACKUP_FOLDER:
        raise EvidenceError(f"{quote_value(path)} is in the folder of backups")
    return normalize_path(path)


warm_decoders(_SubmissionNote)
