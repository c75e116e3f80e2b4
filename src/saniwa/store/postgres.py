"""Keeping runs in PostgreSQL: for many machines.

A turn is one statement that checks the next number, writes, and is committed to disk
before `append` returns. Needs the extra `postgres`, imported when a store is opened.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from saniwa.core.errors import StoreError
from saniwa.core.where import Where
from saniwa.store import lookup, row
from saniwa.store.layout import RunRecord, RunSummary, Save
from saniwa.turn.trace import Turn

if TYPE_CHECKING:
    import psycopg

VERSION = 1
"""The shape of the tables below; a database of a later shape is not opened."""

_PAGE = 32
# One lock for everybody who makes the tables: two at once would trip over each other.
_TABLES = """
SELECT pg_advisory_xact_lock(53616);
CREATE TABLE IF NOT EXISTS saniwa_shape (version integer PRIMARY KEY);
CREATE TABLE IF NOT EXISTS saniwa_runs (
  run_id text PRIMARY KEY, scenario_id text NOT NULL, created bigint NOT NULL,
  record bytea NOT NULL, seal bytea NOT NULL
);
CREATE TABLE IF NOT EXISTS saniwa_turns (
  run_id text NOT NULL REFERENCES saniwa_runs, number bigint NOT NULL,
  turn bytea NOT NULL, seal bytea NOT NULL,
  PRIMARY KEY (run_id, number)
);
CREATE TABLE IF NOT EXISTS saniwa_saves (
  run_id text NOT NULL REFERENCES saniwa_runs, name text NOT NULL,
  turn bigint NOT NULL, created bigint NOT NULL,
  PRIMARY KEY (run_id, name)
);
INSERT INTO saniwa_shape SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM saniwa_shape);
"""
# All parts of one statement see the state before it, so `current` is what the number
# was checked against. Two writers of one number meet at the primary key: one waits, and
# then does nothing.
_APPEND = """
WITH seen AS (
  SELECT run_id, (SELECT COALESCE(MAX(number) + 1, 0) FROM saniwa_turns AS t
                  WHERE t.run_id = r.run_id) AS current
  FROM saniwa_runs AS r WHERE run_id = %(run)s
), kept AS (
  INSERT INTO saniwa_turns (run_id, number, turn, seal)
  SELECT run_id, %(number)s, %(turn)s, %(seal)s FROM seen WHERE current = %(number)s
  ON CONFLICT DO NOTHING RETURNING number
)
SELECT (SELECT COUNT(*) FROM kept), (SELECT current FROM seen)
"""
_RUNS = """
SELECT run_id, scenario_id, created,
  (SELECT COALESCE(MAX(number) + 1, 0) FROM saniwa_turns AS t WHERE t.run_id = r.run_id)
FROM saniwa_runs AS r ORDER BY created, run_id COLLATE "C"
"""
_TURNS = """
SELECT number, turn, seal FROM saniwa_turns
WHERE run_id = %s AND number >= %s ORDER BY number LIMIT %s
"""
_SAVE = """
INSERT INTO saniwa_saves VALUES (%s, %s, %s, %s)
ON CONFLICT (run_id, name) DO UPDATE
SET turn = EXCLUDED.turn, created = EXCLUDED.created
"""
_SAVES = """
SELECT name, turn, created FROM saniwa_saves
WHERE run_id = %s ORDER BY name COLLATE "C"
"""


class PostgresStore:
    """The tables `saniwa_…` of one database."""

    def __init__(self, url: str) -> None:
        """Connect, and make the tables where they are missing.

        Raises:
            StoreError: `EXTRA_MISSING`, `STORE_UNREACHABLE`, `STORE_TOO_NEW`,
                `TRACE_UNWRITABLE`.
        """
        self._psycopg = _library()
        # Never the whole address: it may hold a password.
        self.place = "postgresql:"
        with self._minding("STORE_UNREACHABLE"):
            self._server: psycopg.Connection[Any] = self._psycopg.connect(
                url, autocommit=True
            )
            self.place = f"postgresql:{self._server.info.dbname}"
        try:
            self._prepare()
        except BaseException:
            self._server.close()
            raise

    def create(self, record: RunRecord) -> None:
        """Keep a new run, durably.

        Raises:
            StoreError: `RUN_EXISTS` if the id is taken; `STORE_UNREACHABLE`,
                `STORE_BUSY`, `TRACE_UNWRITABLE`.
        """
        payload = row.pack(record)
        sealed = row.seal(record.run_id, -1, payload)
        done = self._ask(
            "INSERT INTO saniwa_runs VALUES (%s, %s, %s, %s, %s)"
            " ON CONFLICT DO NOTHING RETURNING 1",
            (record.run_id, record.scenario_id, record.created, payload, sealed),
        )
        if not done:
            raise lookup.taken(record.run_id, self.place)

    def append(self, run_id: str, turn: Turn) -> None:
        """Keep a run's next turn; when this returns, it is committed.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `REVISION_CONFLICT` if it is not the next;
                `STORE_BUSY`, `TRACE_UNWRITABLE` if it could not be written;
                `STORE_UNREACHABLE` if the server went away, and then only reading the
                run again tells whether the turn was kept.
        """
        if not lookup.legible(run_id):
            raise lookup.unknown(run_id, self._ids(), self.place)
        payload = row.pack(turn)
        sealed = row.seal(run_id, turn.number, payload)
        values = {"run": run_id, "number": turn.number, "turn": payload, "seal": sealed}
        ((kept, current),) = self._ask(_APPEND, values)
        if current is None:
            raise lookup.unknown(run_id, self._ids(), self.place)
        if not kept:
            # Equal means beaten while we wrote: the winner has the number we wanted.
            current += current == turn.number
            raise row.conflict(run_id, turn.number, current, self.place)

    def record(self, run_id: str) -> RunRecord:
        """What the run began with.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `TRACE_CORRUPT`, `STORE_UNREACHABLE`.
        """
        self._known(run_id)
        ask = "SELECT record, seal FROM saniwa_runs WHERE run_id = %s"
        ((payload, sealed),) = self._ask(ask, (run_id,))
        return row.unpack_record(run_id, payload, sealed, self.place)

    def turns(self, run_id: str, start: int = 0) -> Iterator[Turn]:
        """The run's turns from `start` on, a few at a time in memory.

        Raises:
            StoreError: `RUN_NOT_FOUND`, at once; `TRACE_CORRUPT` on reaching a turn
                that is missing or not what was written.
        """
        self._known(run_id)
        return self._each(run_id, max(start, 0))

    def _each(self, run_id: str, number: int) -> Iterator[Turn]:
        while page := self._ask(_TURNS, (run_id, number, _PAGE)):
            for found, payload, sealed in page:
                if found != number:
                    raise row.corrupt(run_id, number, self.place, "it is missing")
                yield row.unpack_turn(run_id, number, payload, sealed, self.place)
                number += 1

    def runs(self) -> Iterator[RunSummary]:
        """One line for each run, oldest first."""
        for run_id, scenario_id, created, turns in self._ask(_RUNS):
            yield RunSummary(
                run_id=run_id, scenario_id=scenario_id, created=created, turns=turns
            )

    def find(self, text: str) -> str:
        """The one run whose id is, begins or ends with `text`.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`.
        """
        return lookup.pick(text, self._ids(), self.place)

    def save(self, save: Save) -> None:
        """Keep a name for a point of a run, durably; the same name moves.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `SAVE_UNNAMED` for a name that cannot be kept;
                `STORE_UNREACHABLE`, `STORE_BUSY`, `TRACE_UNWRITABLE`.
        """
        lookup.check_name(save.name, self.place)
        self._known(save.run_id)
        self._ask(
            _SAVE + " RETURNING 1", (save.run_id, save.name, save.turn, save.created)
        )

    def saves(self, run_id: str) -> Iterator[Save]:
        """The run's saves, in order of name.

        Raises:
            StoreError: `RUN_NOT_FOUND`, at once.
        """
        self._known(run_id)
        return iter(
            [
                Save(run_id=run_id, name=name, turn=turn, created=created)
                for name, turn, created in self._ask(_SAVES, (run_id,))
            ]
        )

    def close(self) -> None:
        """Let go of the connection; everything acknowledged is committed."""
        self._server.close()

    def _prepare(self) -> None:
        with self._minding("TRACE_UNWRITABLE"):
            # A server may be set up to answer before a commit is on disk.
            self._server.execute("SET synchronous_commit = on")
        if self._ask("SELECT to_regclass('saniwa_shape')::text") == [(None,)]:
            with self._minding("TRACE_UNWRITABLE"), self._server.transaction():
                self._server.execute(_TABLES)
        ((version,),) = self._ask("SELECT MAX(version) FROM saniwa_shape")
        if version > VERSION:
            raise StoreError(
                "STORE_TOO_NEW",
                f"the database has shape {version}, "
                f"and this Saniwa reads up to {VERSION}",
                where=Where(file=self.place),
                hint="update Saniwa; the database was left as it is",
                details={"version": version, "newest": VERSION},
            )

    def _known(self, run_id: str) -> None:
        ask = "SELECT 1 FROM saniwa_runs WHERE run_id = %s"
        if not lookup.legible(run_id) or not self._ask(ask, (run_id,)):
            raise lookup.unknown(run_id, self._ids(), self.place)

    def _ids(self) -> list[str]:
        return [run_id for (run_id,) in self._ask("SELECT run_id FROM saniwa_runs")]

    def _ask(
        self, statement: str, values: Sequence[Any] | dict[str, Any] = ()
    ) -> list[Any]:
        with self._minding("STORE_UNREADABLE"):
            return self._server.execute(statement.encode(), values).fetchall()

    @contextmanager
    def _minding(self, code: str) -> Iterator[None]:
        try:
            yield
        except (self._psycopg.Error, UnicodeEncodeError) as problem:
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
    "XX001": ("TRACE_CORRUPT", "bring the database back from a copy"),
    "XX002": ("TRACE_CORRUPT", "rebuild the database's indexes"),
}
"""What the beginnings of SQLSTATE codes mean to us."""
