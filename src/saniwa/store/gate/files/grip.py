"""Taking a run's files and letting go of them: the locks around one run."""

import time
from collections.abc import Callable
from threading import Lock

from saniwa.core import lock
from saniwa.core.clock import Clock
from saniwa.core.errors import StoreError
from saniwa.core.finding import Finding
from saniwa.store.gate import entry as gate_entry
from saniwa.store.gate.files import roster, trouble
from saniwa.store.gate.files.files import RunFiles
from saniwa.store.gate.files.folders import GateFolders


class Grip:
    """A run's files, opened when they are first needed; one thread at a time has them."""

    def __init__(
        self,
        run_id: str,
        folders: GateFolders,
        *,
        patience: float,
        clock: Clock,
        report: Callable[[Finding], None],
    ) -> None:
        """A run that nobody holds yet; nothing is opened."""
        self.used = 0
        """When it was last asked for; counted by the log."""
        self._run_id = run_id
        self._folders = folders
        self._patience = patience
        self._clock = clock
        self._report = report
        self._turn = Lock()
        self._files: RunFiles | None = None
        self._dropped = False

    def close(self) -> None:
        """Let go of the files; who holds the run lets go of them when done."""
        self._dropped = True
        if self._turn.acquire(blocking=False):
            try:
                self._leave()
            finally:
                self._turn.release()

    def abandon(self) -> None:
        """Let go of everything and change nothing: what a forked child does."""
        if self._files is not None:
            self._files.abandon()
        self._files = None

    def _take_at_once(self) -> bool:
        """Take a run that is open, free and as it was left; mostly all there is to do."""
        files = self._files
        if files is None or not self._turn.acquire(blocking=False):
            return False
        try:
            if files is self._files and self._is_free(files):
                return True
        except OSError:
            # The long way, from the beginning, says what is wrong.
            self._forget()
        except BaseException:
            self._forget()
            self._turn.release()
            raise
        self._turn.release()
        return False

    def _is_free(self, files: RunFiles) -> bool:
        journal = files.journal
        if not journal.writable or not lock.taken(journal.fd, lock.ALONE):
            return False
        if files.is_unchanged():
            return True
        lock.let_go(journal.fd)
        return False

    def _take(self, kind: int) -> None:
        until = time.monotonic() + self._patience
        if not self._turn.acquire(timeout=self._patience):
            raise self._locked()
        try:
            self._make_ready(kind, until)
        except BaseException as problem:
            # Whatever was under way: the files are read again before they are used.
            self._forget()
            self._turn.release()
            if isinstance(problem, OSError):
                path = self._folders.journal(self._run_id)
                raise trouble.unreadable(path, problem) from problem
            raise

    def _make_ready(self, kind: int, until: float) -> None:
        files = self._lock(kind, until)
        whole = files.catch_up()
        if files.standing is None:
            raise self._absent()
        # Where nothing may be written, a reader takes what is whole.
        if not whole and files.journal.writable:
            self._mend(until)

    def _mend(self, until: float) -> None:
        files = self._lock(lock.ALONE, until)
        if not files.catch_up():
            files.mend()

    def _lock(self, kind: int, until: float) -> RunFiles:
        while True:
            files = self._open()
            journal = files.journal
            if kind == lock.ALONE and journal.refusal is not None:
                raise trouble.unwritable(journal.path, journal.refusal)
            if not lock.take(journal.fd, kind, until):
                raise self._locked()
            if journal.is_in_place():
                return files
            self._forget()

    def _let_go(self) -> None:
        try:
            if self._files is not None:
                lock.let_go(self._files.journal.fd)
            if self._dropped:
                self._leave()
        finally:
            self._turn.release()

    def _leave(self) -> None:
        """Write the index if nobody else is there, and let go of the files."""
        files = self._files
        if files is None:
            return
        journal = files.journal
        if journal.writable and lock.taken(journal.fd, lock.ALONE):
            if journal.is_in_place() and not journal.has_more():
                files.write_index(leaving=True)
            lock.let_go(journal.fd)
        self._forget()

    def _open(self) -> RunFiles:
        if self._files is None:
            try:
                self._files = RunFiles(
                    self._run_id, self._folders, self._clock, self._report
                )
            except FileNotFoundError as problem:
                raise self._absent() from problem
        return self._files

    def _forget(self) -> None:
        """Close the files: they are read again before they are used again."""
        files, self._files = self._files, None
        if files is not None:
            files.close()

    @property
    def _place(self) -> str:
        return str(self._folders.journal(self._run_id))

    def _locked(self) -> StoreError:
        return gate_entry.locked(self._run_id, self._patience, self._place)

    def _absent(self) -> StoreError:
        return roster.absent(self._run_id, self._folders)
