"""Keeping a gate's runs in PostgreSQL: for many machines.

A passage holds the run by an advisory lock of its connection, which outlasts a commit and
ends with the connection, however that ends. So every entry is one statement, committed to
disk before `append` returns, and the run stays held for the notes that follow. The lock
only keeps others waiting: a statement moves a run on only from where its writer saw it
end. Behind a pooler, connections must be lent for a whole visit, not for a transaction.

Needs the extra `postgres`, imported when a log is opened.
"""

import hashlib
import os
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, Literal
from weakref import WeakSet

import msgspec

from saniwa.core.errors import StoreError
from saniwa.core.finding import Finding
from saniwa.process.definition import Process, decode, encode
from saniwa.process.record import Entry, Record
from saniwa.process.standing import Standing
from saniwa.store import lookup
from saniwa.store.gate import entry as gate_entry
from saniwa.store.gate import faults as gate_faults
from saniwa.store.gate.chain import Chain
from saniwa.store.gate.postgres import shape as sql
from saniwa.store.gate.postgres.fold import Fold
from saniwa.store.gate.postgres.line import Line, Lines
from saniwa.store.gate.postgres.passage import Held
from saniwa.store.gate.postgres.reading import Reading
from saniwa.store.postgres_errors import check_shape, foreign

VERSION = 1
"""The shape of the tables; a database of a later shape is not opened."""
PATIENCE = 10.0
"""Seconds to wait for a run that somebody else holds."""
_MOST_KNOWN = 256


class PostgresLog:
    """The tables `saniwa_gate_…` of one database; any number of threads may share it."""

    def __init__(
        self,
        url: str,
        *,
        mode: Literal["create", "existing", "read"] = "create",
        patience: float = PATIENCE,
    ) -> None:
        """Connect, and make the tables where they are missing.

        Args:
            url: `postgresql://user:password@host/database`.
            mode: `create` makes the tables where there are none; `existing` and `read`
                refuse, and `read` never writes.
            patience: Seconds to wait for a run that somebody else holds.

        Raises:
            StoreError: `EXTRA_MISSING`, `STORE_UNKNOWN`, `STORE_UNREACHABLE`,
                `STORE_UNREADABLE`, `STORE_TOO_NEW`, `TRACE_UNWRITABLE`.
        """
        self._patience = patience
        self._lines = Lines(url, _setup(mode, patience))
        self._folds: OrderedDict[str, Fold] = OrderedDict()
        self._lock = Lock()
        _OPEN.add(self)
        try:
            with self._lines.lent() as line:
                self.place = line.place
                _prepare(line, mode)
        except BaseException:
            self._lines.close()
            raise

    def create(self, run_id: str, record: Record, process: Process) -> None:
        """Begin a run: its first record, and the definition it stands on; durable.

        Raises:
            StoreError: `RUN_EXISTS`; `TRACE_UNWRITABLE`, `RECORD_TOO_LARGE`;
                `STORE_UNREACHABLE`, and then only reading tells whether it was kept.
        """
        link = Chain(run_id, self.place).forge(record)
        values = {"run": run_id, **link._asdict(), **_defined(process)}
        with self._lines.lent() as line:
            if not line.ask(sql.CREATE, values, "TRACE_UNWRITABLE"):
                raise lookup.taken(run_id, self.place)

    @contextmanager
    def passage(self, run_id: str) -> Iterator[Held]:
        """Hold a run alone; others wait, and those who wait too long are told.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `LOCK_TIMEOUT`, `TRACE_CORRUPT`,
                `STORE_UNREACHABLE`.
        """
        if not lookup.legible(run_id):
            raise self._unknown(run_id)
        with self._lines.lent() as line, self._alone(run_id, line):
            fold = self._caught_up(run_id, line)
            fold.write_down(line)
            yield Held(run_id, fold, line)

    def standing(self, run_id: str) -> Standing:
        """Where a run stands now; only to be read.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `TRACE_CORRUPT`, `STORE_UNREACHABLE`.
        """
        if not lookup.legible(run_id):
            raise self._unknown(run_id)
        with self._lines.lent() as line:
            fold = self._caught_up(run_id, line)
            with fold.lock:
                return gate_entry.copied(fold.standing)

    def entries(self, run_id: str, after: int = 0) -> Iterator[Entry]:
        """Records and notes in the order they were written, of revisions beyond `after`.

        Raises:
            StoreError: `RUN_NOT_FOUND`, at once; `TRACE_CORRUPT` on reaching what is not
                what was written; `STORE_UNREACHABLE`.
        """
        self._known(run_id)
        return self._reading(run_id).entries(max(after, 0))

    def runs(self) -> Iterator[str]:
        """The ids of all runs, oldest first."""
        return iter(self._ids())

    def faults(self, run_id: str) -> tuple[Finding, ...]:
        """What is wrong with how a run is kept, from its first entry to its last.

        Names the first 20 entries that are not what was written, and the definitions
        that are not here.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `STORE_UNREACHABLE`.
        """
        self._known(run_id)
        found: list[Finding] = []
        whole = self._reading(run_id).walk(found)
        found.extend(gate_faults.missing(whole, self.definition))
        return tuple(found)

    def keep_definition(self, process: Process) -> None:
        """Keep a definition under its hash; durable.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `STORE_UNREACHABLE`.
        """
        with self._lines.lent() as line:
            line.ask(sql.DEFINE, _defined(process), "TRACE_UNWRITABLE")

    def definition(self, hash: str) -> Process:
        """The definition with that hash.

        Raises:
            StoreError: `DEFINITION_MISSING`: it is not kept here, or not as it was.
        """
        kept = self._ask(sql.DEFINITION, {"hash": hash}) if lookup.legible(hash) else []
        if not kept:
            raise gate_entry.no_definition(hash, "is not kept here", self.place)
        ((content,),) = kept
        if hashlib.sha256(content).hexdigest() != hash:
            raise gate_entry.no_definition(hash, "is not what was kept", self.place)
        try:
            return decode(content)
        except msgspec.DecodeError as problem:
            why = f"cannot be read: {problem}"
            raise gate_entry.no_definition(hash, why, self.place) from problem

    def close(self) -> None:
        """Let go of the connections; everything acknowledged is committed."""
        self._lines.close()

    def abandon(self) -> None:
        """Let go without a trace: a forked child shares its parent's connections."""
        self._lock = Lock()
        self._folds = OrderedDict()
        self._lines.abandon()

    @contextmanager
    def _alone(self, run_id: str, line: Line) -> Iterator[None]:
        try:
            line.ask(sql.LOCK, {"lock": _lock_of(run_id)})
        except StoreError as problem:
            if problem.code != "STORE_BUSY":
                raise
            raise gate_entry.locked(run_id, self._patience, self.place) from problem
        except BaseException:
            # Whoever was interrupted cannot know whether the lock was given.
            line.close()
            raise
        try:
            yield
        finally:
            _let_go(run_id, line)

    def _caught_up(self, run_id: str, line: Line) -> Fold:
        fold = self._fold(run_id)
        try:
            with fold.lock:
                known = fold.catch_up(line)
        except BaseException:
            self._forget(run_id)
            raise
        if known:
            return fold
        self._forget(run_id)
        raise self._unknown(run_id)

    def _fold(self, run_id: str) -> Fold:
        with self._lock:
            fold = self._folds.pop(run_id, None) or Fold(run_id, self.place)
            self._folds[run_id] = fold
            if len(self._folds) > _MOST_KNOWN:
                self._folds.popitem(last=False)
            return fold

    def _forget(self, run_id: str) -> None:
        with self._lock:
            self._folds.pop(run_id, None)

    def _reading(self, run_id: str) -> Reading:
        return Reading(run_id, self.place, self._ask)

    def _known(self, run_id: str) -> None:
        if not lookup.legible(run_id) or not self._ask(sql.KNOWN, {"run": run_id}):
            raise self._unknown(run_id)

    def _unknown(self, run_id: str) -> StoreError:
        return lookup.unknown(run_id, self._ids(), self.place)

    def _ids(self) -> list[str]:
        return [run_id for (run_id,) in self._ask(sql.RUNS, {})]

    def _ask(self, question: str, values: dict[str, Any]) -> list[Any]:
        with self._lines.lent() as line:
            return line.ask(question, values)


_OPEN: "WeakSet[PostgresLog]" = WeakSet()


def _after_fork() -> None:
    for log in list(_OPEN):
        log.abandon()


os.register_at_fork(after_in_child=_after_fork)


def _setup(mode: str, patience: float) -> str:
    # A server may be set up to answer before a commit is on disk.
    setup = "SET synchronous_commit = on;"
    setup += f"SET lock_timeout = {max(1, int(patience * 1000))};"
    if mode == "read":
        setup += "SET default_transaction_read_only = on;"
    return setup


def _prepare(line: Line, mode: str) -> None:
    if line.ask(sql.MADE, {}) == [(None,)]:
        if mode != "create":
            raise foreign("no run was ever kept in it", line.place)
        line.do(sql.TABLES)
    ((version,),) = line.ask(sql.VERSION, {})
    check_shape(version, VERSION, line.place)


def _let_go(run_id: str, line: Line) -> None:
    if line.broken:
        return
    try:
        line.ask(sql.UNLOCK, {"lock": _lock_of(run_id)})
    except StoreError:
        # The lock ends with the connection. To raise would make an event that was
        # acknowledged look like one that was not kept.
        line.close()


def _lock_of(run_id: str) -> int:
    # Advisory locks are numbers of 64 bits; two runs of one number only wait in vain.
    digest = hashlib.sha256(b"saniwa gate\n" + run_id.encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def _defined(process: Process) -> dict[str, Any]:
    content = encode(process)
    return {"hash": hashlib.sha256(content).hexdigest(), "content": content}
