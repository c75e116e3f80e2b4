"""A gate's runs in memory, for the life of the process: for tests and experiments."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from saniwa.store.gate import entries
from saniwa.store.gate.sealed_gate_log import SealedGateLog
from saniwa.store.memory_sealed_log import MemorySealedLog
from saniwa.store.sealed_log import SealedEntry


class MemoryGateLog(SealedGateLog):
    """Runs and definitions in plain dictionaries."""

    place = "memory:"

    def __init__(self, *, patience: float = entries.LOCK_TIMEOUT) -> None:
        """Create an empty log that waits `patience` seconds for a locked run."""
        super().__init__()
        self._patience = patience
        self._log: MemorySealedLog = MemorySealedLog(self._make_unknown_error)
        self._run_locks: dict[str, Lock] = {}
        self._definitions: dict[str, bytes] = {}

    def close(self) -> None:
        """Do nothing; the runs live as long as the log object."""

    def _insert_run(self, run_id: str, first: SealedEntry, hash: str, content: bytes) -> bool:
        self._insert_definition(hash, content)
        return self._log.create(run_id, first)

    @contextmanager
    def _lock_log(self, run_id: str) -> Iterator[MemorySealedLog]:
        self._check_exists(run_id)
        lock = self._run_locks.setdefault(run_id, Lock())
        if not lock.acquire(timeout=self._patience):
            raise entries.make_lock_timeout_error(run_id, self._patience, self.place)
        try:
            yield self._log
        finally:
            lock.release()

    def _insert_definition(self, hash: str, content: bytes) -> None:
        self._definitions[hash] = content

    def _select_definition(self, hash: str) -> bytes | None:
        return self._definitions.get(hash)

    def _list_ids(self) -> list[str]:
        return self._log.list_ids()

    def _check_exists(self, run_id: str) -> None:
        self._log.count_entries(run_id)
