"""Keeping runs in PostgreSQL: for many machines.

A turn is one statement that checks the next number and that the run still ends as it was
left, writes, and is committed to disk before `append` returns. Needs the extra `postgres`, imported when a store is opened.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from saniwa.core.errors import StoreError
from saniwa.core.where import Where
from saniwa.store import lookup, row
from saniwa.store import postgres_shape as sql
from saniwa.store.layout import RunRecord, Save
from saniwa.store.ledger import Ledger
from saniwa.turn.trace import Turn

if TYPE_CHECKING:
    import psycopg

VERSION = 1
"""The shape of the tables below; a database of a later shape is not opened."""

PATIENCE = 10
"""Seconds to wait for a server's first answer, where the address says nothing else."""


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
        self._psycopg = _library()
        # Never the whole address: it may hold a password.
        self.place = "postgresql:"
        self._server: psycopg.Connection[Any] = self._connected(url, patience)
        self.place = f"postgresql:{self._server.info.dbname}"
        try:
            self._prepare(mode)
        except BaseException:
            self._server.close()
            raise

    def _connected(self, url: str, patience: int) -> "psycopg.Connection[Any]":
        # The library quotes the address in what it says, and with it the password: it is
        # heard, but neither repeated nor chained.
        if not lookup.legible(url):
            raise _no_address()
        try:
            given = self._psycopg.conninfo.conninfo_to_dict(url)
        except (self._psycopg.Error, UnicodeError, ValueError):
            raise _no_address() from None
        patient = {"connect_timeout": patience} | given
        try:
            return self._psycopg.connect(autocommit=True, **patient)  # type: ignore[no-any-return]
        except (self._psycopg.Error, UnicodeError, ValueError, OSError) as problem:
            told = _unreachable(str(problem))
        raise told

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
                raise self._foreign("no run was ever kept in it")
            with self._minding("TRACE_UNWRITABLE"), self._server.transaction():
                self._server.execute(sql.TABLES)
        ((version,),) = self._ask("SELECT MAX(version) FROM saniwa_shape", {})
        if version is None or version < VERSION:
            raise self._foreign(f"its shape is {version}, and there is none such")
        if version > VERSION:
            raise StoreError(
                "STORE_TOO_NEW",
                f"the database has shape {version}, "
                f"and this Saniwa reads up to {VERSION}",
                where=Where(file=self.place),
                hint="update Saniwa; the database was left as it is",
                details={"version": version, "newest": VERSION},
            )

    def _foreign(self, why: str) -> StoreError:
        return StoreError(
            "STORE_UNREADABLE",
            f"this is no database of runs: {why}",
            where=Where(file=self.place),
            hint="name another database; this one was left as it is",
        )

    def _ask(self, question: str, values: Mapping[str, Any]) -> list[Any]:
        with self._minding("STORE_UNREADABLE"):
            return self._server.execute(question.encode(), dict(values)).fetchall()

    @contextmanager
    def _minding(self, code: str) -> Iterator[None]:
        try:
            yield
        except (self._psycopg.Error, UnicodeError) as problem:
            raise self._error(code, problem) from problem

    def _error(self, code: str, problem: Exception) -> StoreError:
        state = getattr(problem, "sqlstate", None) or ""
        known = next((v for k, v in _KNOWN.items() if state.startswith(k)), None)
        if known is None and not state and code != "TRACE_UNWRITABLE":
            known = _AWAY
        code, hint = known or (code, "see whether the database can be used")
        told = str(problem).strip().splitlines()
        return StoreError(
            code,
            f"the store cannot go on: {told[0] if told else type(problem).__name__}",
            where=Where(file=self.place),
            hint=hint,
            recoverable=code in ("STORE_BUSY", "STORE_UNREACHABLE"),
            details={"sqlstate": state},
        )


def _library() -> Any:
    try:
        import psycopg
    except ImportError as problem:
        raise StoreError(
            "EXTRA_MISSING",
            "a PostgreSQL store needs psycopg, which is not installed",
            hint="pip install 'saniwa[postgres]'",
        ) from problem
    return psycopg


def _no_address() -> StoreError:
    return StoreError(
        "STORE_UNKNOWN",
        "the database's address cannot be read",
        where=Where(file="postgresql:"),
        hint="write postgresql://user:password@host/database; "
        "in a password, @ : / % and blanks are written %40 %3A %2F %25 %20",
    )


def _unreachable(said: str) -> StoreError:
    why, hint = next((v for k, v in _HEARD.items() if k in said.lower()), _SILENT)
    return StoreError(
        "STORE_UNREACHABLE",
        f"the database cannot be reached: {why}",
        where=Where(file="postgresql:"),
        hint=hint,
        recoverable=True,
    )


_SILENT = ("the connection failed", "see whether the address is right")
_HEARD = {
    "authentication failed": (
        "user or password is refused",
        "see whether the user and password are right",
    ),
    "no password supplied": ("it asks for a password", "give one in the address"),
    "does not exist": (
        "there is no such database or user",
        "see whether the database and the user exist",
    ),
    "refused": ("nobody answers there", "see whether the server runs, then try again"),
    "timeout": (
        "no answer came in time",
        "see whether the server runs, then try again",
    ),
    "no such file": (
        "nobody answers there",
        "see whether the server runs, then try again",
    ),
    "resolve": ("its host is not known", "see whether the host is spelt right"),
    "translate host": ("its host is not known", "see whether the host is spelt right"),
}
"""What the library's words mean, in our own: its own may quote a password."""

_AWAY = ("STORE_UNREACHABLE", "see whether the server runs, then read the run again")
_FULL = ("TRACE_UNWRITABLE", "make room or give the right to write; nothing was kept")
_KNOWN = {
    "08": _AWAY,
    "28": ("STORE_UNREACHABLE", "see whether the user and password are right"),
    "3D": ("STORE_UNREACHABLE", "see whether the database exists"),
    "57P": _AWAY,
    "53100": _FULL,
    "25006": _FULL,
    "42501": _FULL,
    "55P03": ("STORE_BUSY", "another process is writing; try again"),
    "57014": ("STORE_BUSY", "the server gave up waiting; try again"),
    "40": ("STORE_BUSY", "another process is writing; try again"),
    "23505": ("TRACE_CORRUPT", "bring the database back from a copy"),
    "XX001": ("TRACE_CORRUPT", "bring the database back from a copy"),
    "XX002": ("TRACE_CORRUPT", "rebuild the database's indexes"),
}
"""What the beginnings of SQLSTATE codes mean to us."""
