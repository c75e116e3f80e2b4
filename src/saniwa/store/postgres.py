"""Keeping runs in PostgreSQL: for many machines.

A turn is one statement that checks the next number and that the run still ends as it was
left, writes, and is committed to disk before `append` returns. Needs the extra `postgres`, imported when a
store is opened.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

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
        # Never the whole address: it may hold a password.
        self.place = "postgresql:"
        self._server: psycopg.Connection[Any] = connected(self._psycopg, url, patience)
        self.place = f"postgresql:{self._server.info.dbname}"
        try:
            self._prepare(mode)
        except BaseException:
            self._server.close()
            raise

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
        if not self._ask(sql.CREATE, values):
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
        if not self._ask(sql.APPEND, values):
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
        with self._minding("TRACE_UNWRITABLE"), self._server.transaction():
            self._ask(sql.ALONE, {"run": run_id})
            others = [s for s in self.saves(run_id) if s.name != save.name]
            values = {
                "run": run_id,
                "name": save.name,
                "turn": save.turn,
                "created": save.created,
                "seal": row.seal_saves([*others, save]),
            }
            self._ask(sql.SAVE, values)

    def close(self) -> None:
        """Let go of the connection; everything acknowledged is committed."""
        self._server.close()

    def _prepare(self, mode: str) -> None:
        with self._minding("TRACE_UNWRITABLE"):
            # A server may be set up to answer before a commit is on disk.
            self._server.execute("SET synchronous_commit = on")
            if mode == "read":
                self._server.execute("SET default_transaction_read_only = on")
        if self._ask("SELECT to_regclass('saniwa_shape')::text", {}) == [(None,)]:
            if mode != "create":
                raise foreign("no run was ever kept in it", self.place)
            with self._minding("TRACE_UNWRITABLE"), self._server.transaction():
                self._server.execute(sql.TABLES)
        ((version,),) = self._ask("SELECT MAX(version) FROM saniwa_shape", {})
        check_shape(version, VERSION, self.place)

    def _ask(self, question: str, values: Mapping[str, Any]) -> list[Any]:
        with self._minding("STORE_UNREADABLE"):
            return self._server.execute(question.encode(), dict(values)).fetchall()

    @contextmanager
    def _minding(self, code: str) -> Iterator[None]:
        try:
            yield
        except (self._psycopg.Error, UnicodeError) as problem:
            raise error(code, problem, self.place) from problem
