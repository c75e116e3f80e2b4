"""Outcomes of experiment cells in PostgreSQL: for many machines that share no disk.

A cell is one row under the experiment's fingerprint and the cell's key; the first one
committed stays. Needs the extra `postgres`, imported when a store is opened.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from saniwa.store.outcome_store import check_key, check_outcome
from saniwa.store.postgres_connection import PostgresDatabase, PostgresSchema

RETRY_PAUSES: Final = (0.0, 1.0, 3.0)
"""Seconds before each further attempt, if the server went away."""

# One lock for all processes that create the tables: two at once would fail.
_SCHEMA: Final = PostgresSchema(
    "saniwa_cells_shape",
    """
SELECT pg_advisory_xact_lock(53618);
CREATE TABLE IF NOT EXISTS saniwa_cells_shape (version integer PRIMARY KEY);
CREATE TABLE IF NOT EXISTS saniwa_cells (
  experiment text NOT NULL, key text NOT NULL, outcome bytea NOT NULL,
  PRIMARY KEY (experiment, key)
);
INSERT INTO saniwa_cells_shape
  SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM saniwa_cells_shape);
""",
)
_INSERT: Final = """
INSERT INTO saniwa_cells VALUES (%(experiment)s, %(key)s, %(outcome)s)
ON CONFLICT DO NOTHING RETURNING 1
"""
_DELETE: Final = """
DELETE FROM saniwa_cells
WHERE experiment = %(experiment)s AND key = %(key)s AND outcome = %(outcome)s
RETURNING 1
"""
_SELECT_OUTCOME: Final = """
SELECT outcome FROM saniwa_cells WHERE experiment = %(experiment)s AND key = %(key)s
"""
_SELECT_KEYS: Final = """
SELECT key FROM saniwa_cells WHERE experiment = %(experiment)s ORDER BY key COLLATE "C"
"""


class PostgresOutcomeStore:
    """The cells of one experiment in the table `saniwa_cells` of a database."""

    def __init__(
        self,
        url: str,
        experiment: str,
        *,
        pauses: Sequence[float] = RETRY_PAUSES,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Connect, and create missing tables.

        Args:
            url: `postgresql://user:password@host/database`.
            experiment: The fingerprint of the prepared plan.
            pauses: Seconds before each further attempt, if the server went away.
            sleep: Waits that long.

        Raises:
            StoreError: `EXTRA_MISSING`, `STORE_UNKNOWN`, `STORE_UNREACHABLE`,
                `STORE_TOO_NEW`, `TRACE_UNWRITABLE`.
        """
        self._database = PostgresDatabase(url, _SCHEMA, pauses=pauses, sleep=sleep)
        self.place = self._database.place
        """The database's name in messages."""
        self._experiment = experiment

    def keep(self, key: str, outcome: bytes) -> bool:
        """Store a cell's outcome durably; False if it has one already, which stays.

        If the server goes away in the middle, this tries again and may find its own
        first attempt: it then returns False although the outcome was stored.

        Raises:
            StoreError: `NAME_UNUSABLE`; `STORE_UNREACHABLE`, `STORE_BUSY`,
                `TRACE_UNWRITABLE`.
        """
        check_key(key, self.place)
        return bool(self._query(_INSERT, "TRACE_UNWRITABLE", key=key, outcome=outcome))

    def discard(self, key: str, outcome: bytes) -> bool:
        """Remove a cell's outcome durably; False if another or none is stored.

        If the server goes away in the middle, this tries again and may find that its
        own first attempt succeeded: it then returns False although the outcome was
        removed.

        Raises:
            StoreError: `NAME_UNUSABLE`; `STORE_UNREACHABLE`, `STORE_BUSY`,
                `TRACE_UNWRITABLE`.
        """
        check_key(key, self.place)
        return bool(self._query(_DELETE, "TRACE_UNWRITABLE", key=key, outcome=outcome))

    def get_outcome(self, key: str) -> bytes | None:
        """Return a cell's outcome; None if the cell is not finished.

        Raises:
            StoreError: `NAME_UNUSABLE`; `STORE_UNREACHABLE`, `STORE_BUSY`,
                `STORE_UNREADABLE`; `TRACE_CORRUPT` if it is not an outcome of the cell.
        """
        check_key(key, self.place)
        for (outcome,) in self._query(_SELECT_OUTCOME, "STORE_UNREADABLE", key=key):
            check_outcome(key, outcome, self.place)
            return bytes(outcome)
        return None

    def list_keys(self) -> Iterator[str]:
        """List the finished cells, sorted.

        Raises:
            StoreError: `STORE_UNREACHABLE`, `STORE_BUSY`, `STORE_UNREADABLE`.
        """
        return iter([key for (key,) in self._query(_SELECT_KEYS, "STORE_UNREADABLE")])

    def close(self) -> None:
        """Close the connection; a later query opens another."""
        self._database.close()

    def _query(self, question: str, code: str, **values: Any) -> list[Any]:
        return self._database.query(question, {"experiment": self._experiment, **values}, code)
