"""Keeping runs in PostgreSQL: for many machines.

A turn is one statement that checks the next number and that the run still ends as it was
left, writes, and is committed to disk before `append` returns. A server that went away
and came back is connected to again: what was asked is asked once more, what was to be
written is not. Needs the extra `postgres`, imported when a store is opened.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal

from saniwa.core.errors import StoreError
from saniwa.store import lookup, row
from saniwa.store import postgres_shape as sql
from saniwa.store.layout import RunRecord, Save
from saniwa.store.ledger import Ledger
from saniwa.store.postgres_address import PATIENCE, connected, library
from saniwa.store.postgres_errors import check_shape, error, foreign
from saniwa.turn.trace import Turn

if TYPE_CHECKING:
    import psycopg

VERSION = 1
"""The shape of the tables below; a database of a later shape is not opened."""


class PostgresStore(Ledger):
    """The tables `saniwa_…` of one database."""

    _questions = sql.QUESTIONS

    def __init__(
        self,
        url: str,
        *,
        mode: Literal["create", "existing", "read"] = "create",
        patience: int = PATIENCE,
    ) -> None:
        """Connect, and make the tables where they are missing.

        Args:
            url: `postgresql://user:password@host/database`.
            mode: `create` makes the tables where there are none; `existing` and `read`
                refuse, and `read` never writes.
            patience: Seconds to wait for the server's first answer.

        Raises:
            StoreError: `EXTRA_MISSING`, `STORE_UNKNOWN`, `STORE_UNREACHABLE`,
                `STORE_UNREADABLE`, `STORE_TOO_NEW`, `TRACE_UNWRITABLE`.
        """
        self._psycopg = library()
        self._url, self._mode, self._patience = url, mode, patience
        # One connection for all threads: a transaction is nobody else's to look into.
        self._alone = RLock()
        self._bound = False
        # Never the whole address: it may hold a password.
        self.place = "postgresql:"
        self._server = self._connected()

    def create(self, record: RunRecord) -> None:
        """Keep a new run, durably.

        Raises:
            StoreError: `RUN_EXISTS` if the id is taken; `STORE_UNREACHABLE`,
                `STORE_BUSY`, `TRACE_UNWRITABLE`.
        """
        run_id, payload = record.run_id, row.pack(record)
        values = {
            "run": run_id,
            "name": record.scenario_id,
            "created": record.created,
            "line": row.seal_line(run_id, record.scenario_id, record.created),
            "seal": row.seal_record(run_id, payload),
            "record": payload,
            "saves": row.seal_saves(()),
        }
        if not self._tell(sql.CREATE, values):
            raise lookup.taken(run_id, self.place)

    def append(self, run_id: str, turn: Turn) -> None:
        """Keep a run's next turn; when this returns, it is committed.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `REVISION_CONFLICT` if it is not the next;
                `TRACE_CORRUPT` if the run no longer ends as it was left; `STORE_BUSY`,
                `TRACE_UNWRITABLE` if it could not be written; `STORE_UNREACHABLE` if
                the server went away, and then only reading the run again tells whether
                the turn was kept.
        """
        if not lookup.legible(run_id):
            raise lookup.unknown(run_id, self._ids(), self.place)
        values = {
            "run": run_id,
            "number": turn.number,
            "mark": row.mark(run_id, turn.number),
            "turn": row.pack(turn),
        }
        if not self._tell(sql.APPEND, values):
            count, _ = self._head(run_id)
            raise row.conflict(run_id, turn.number, count, self.place)

    def save(self, save: Save) -> None:
        """Keep a name for a point of a run, durably; the same name moves.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `SAVE_UNNAMED` for a name that cannot be kept;
                `STORE_UNREACHABLE`, `STORE_BUSY`, `TRACE_UNWRITABLE`.
        """
        lookup.check_name(save.name, self.place)
        run_id = save.run_id
        self._known(run_id)
        with self._together():
            self._tell(sql.ALONE, {"run": run_id})
            others = [s for s in self.saves(run_id) if s.name != save.name]
            values = {
                "run": run_id,
                "name": save.name,
                "turn": save.turn,
                "created": save.created,
                "seal": row.seal_saves([*others, save]),
            }
            self._tell(sql.SAVE, values)

    def close(self) -> None:
        """Let go of the connection; what is asked later opens another."""
        self._server.close()

    def _connected(self) -> "psycopg.Connection[Any]":
        server = connected(self._psycopg, self._url, self._patience)
        self.place = f"postgresql:{server.info.dbname}"
        try:
            self._prepare(server)
        except BaseException:
            server.close()
            raise
        return server

    def _prepare(self, server: "psycopg.Connection[Any]") -> None:
        with self._minding("TRACE_UNWRITABLE"):
            # A server may be set up to answer before a commit is on disk.
            server.execute("SET synchronous_commit = on")
            if self._mode == "read":
                server.execute("SET default_transaction_read_only = on")
            made = server.execute("SELECT to_regclass('saniwa_shape')::text").fetchone()
        if made == (None,):
            if self._mode != "create":
                raise foreign("no run was ever kept in it", self.place)
            with self._minding("TRACE_UNWRITABLE"), server.transaction():
                server.execute(sql.TABLES)
        with self._minding("STORE_UNREADABLE"):
            shape = server.execute("SELECT MAX(version) FROM saniwa_shape").fetchone()
        check_shape(shape[0] if shape else None, VERSION, self.place)

    def _ask(self, question: str, values: Mapping[str, Any]) -> list[Any]:
        """The rows of the answer; asked once more if the server went away."""
        with self._alone:
            try:
                return self._tell(question, values)
            except StoreError:
                if self._bound or not self._server.closed:
                    raise
            return self._tell(question, values)

    def _tell(self, statement: str, values: Mapping[str, Any]) -> list[Any]:
        """The rows of the answer, on a new connection where the last was cut."""
        with self._alone:
            if self._server.closed and not self._bound:
                self._server = self._connected()
            with self._minding("STORE_UNREADABLE"):
                answer = self._server.execute(statement.encode(), dict(values))
                return answer.fetchall()

    @contextmanager
    def _together(self) -> Iterator[None]:
        """All that is written inside is committed at its end, or nothing of it."""
        with self._alone:
            if self._server.closed:
                self._server = self._connected()
            with self._minding("TRACE_UNWRITABLE"), self._server.transaction():
                self._bound = True
                try:
                    yield
                finally:
                    self._bound = False

    @contextmanager
    def _minding(self, code: str) -> Iterator[None]:
        try:
            yield
        except (self._psycopg.Error, UnicodeError) as problem:
            raise error(code, problem, self.place) from problem
