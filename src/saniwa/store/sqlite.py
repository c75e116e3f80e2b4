"""Keeping runs in one SQLite file: the default, for one machine.

A turn is one transaction, synced to disk before `append` returns: it checks that the
turn carries the next number and that the run still ends as it was left. Several
processes may share the file. What is read is borne out or refused, never guessed.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from threading import RLock
from typing import Any, Literal, NamedTuple

from saniwa.store import lookup, row
from saniwa.store import sqlite_shape as sql
from saniwa.store.layout import RunRecord, Save
from saniwa.store.ledger import Ledger
from saniwa.store.sqlite_file import PATIENCE, Shape, SqliteFile
from saniwa.turn.trace import Turn

MARK = 0x53616E69
"""SQLite's application id of our files: "Sani"."""
VERSION = 1
"""The shape of the tables below; a file of a later shape is not opened."""

_SHAPE = Shape(mark=MARK, version=VERSION, tables=tuple(sql.TABLES), holds="runs")
_REMEMBERED = 1_000


class _Left(NamedTuple):
    """A run as we left it."""

    number: int
    """The number of its next turn."""
    seal: bytes
    """The seal of the last."""
    others: int
    """What others had committed by then, as `SqliteFile.others` counts it."""


class SqliteStore(Ledger):
    """One file of runs."""

    _questions = sql.QUESTIONS

    def __init__(
        self,
        path: Path | str,
        *,
        mode: Literal["create", "existing", "read"] = "create",
        patience: float = PATIENCE,
        together: bool = False,
    ) -> None:
        """Open the file, or make it.

        Args:
            path: The file.
            mode: `create` makes the file where there is none; `existing` and `read`
                refuse, and `read` never writes.
            patience: Seconds to wait for another process that is writing.
            together: Whether what is kept becomes durable by `written.sync` alone.

        Raises:
            StoreError: `STORE_UNREADABLE`, `STORE_TOO_NEW`, `STORE_BUSY`,
                `TRACE_CORRUPT`, `TRACE_UNWRITABLE`.
        """
        # The latest last; changed by whoever keeps a turn, one at a time.
        self._left = dict[str, _Left]()
        self._keeping = RLock()
        self._file = SqliteFile(
            path, _SHAPE, mode=mode, patience=patience, together=together
        )
        self.place = self._file.place
        self.written = self._file.written
        """What was written, and whether it is durable."""

    def create(self, record: RunRecord) -> None:
        """Keep a new run, durably.

        Raises:
            StoreError: `RUN_EXISTS` if the id is taken; `STORE_BUSY`,
                `TRACE_UNWRITABLE` if it could not be written, and then nothing was.
        """
        run_id, payload = record.run_id, row.pack(record)
        line = row.seal_line(run_id, record.scenario_id, record.created)
        sealed = row.seal_record(run_id, payload)
        kept = (run_id, record.scenario_id, record.created, line, sealed)
        with self._file.writing():
            self._write(sql.RECORDED, (payload,))
            done = self._write(sql.CREATE, kept)
            if not done or not self._write(
                sql.BEGIN, (run_id, sealed, row.seal_saves(()))
            ):
                raise lookup.taken(run_id, self.place)

    def append(self, run_id: str, turn: Turn) -> None:
        """Keep a run's next turn; when this returns, it is on the disk.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `REVISION_CONFLICT` if it is not the next;
                `TRACE_CORRUPT` if the run no longer ends as it was left; `STORE_BUSY`,
                `TRACE_UNWRITABLE` if it could not be written. Nothing was written then.
        """
        number, payload = turn.number, row.pack(turn)
        before = self._before(run_id, number)
        sealed = row.seal(before, run_id, number, payload)
        with self._keeping:
            # Until this has gone well, only the file can say how the run stands.
            self._left.pop(run_id, None)
            with self._file.writing():
                if not self._write(sql.ADVANCE, (run_id, number, sealed, before)):
                    count, _ = self._head(run_id)
                    raise row.conflict(run_id, number, count, self.place)
                self._write(sql.APPEND, (run_id, number, sealed, payload))
                others = self._file.others_before()
            self._leave(run_id, _Left(number + 1, sealed, others))

    def turns(self, run_id: str, start: int = 0) -> Iterator[Turn]:
        """The run's turns from `start` on; see `Ledger`.

        Raises:
            StoreError: As there.
        """
        left = self._left.get(run_id)
        # Where we wrote last, and nobody else anything since, there is nothing more.
        if left and left.number == start and left.others == self._file.others():
            return iter(())
        return super().turns(run_id, start)

    def _leave(self, run_id: str, left: _Left) -> None:
        self._left[run_id] = left
        if len(self._left) > _REMEMBERED:
            self._left.pop(next(iter(self._left)), None)

    def _before(self, run_id: str, number: int) -> bytes:
        """The seal that turn `number` follows, if that is the run's next."""
        # Where we left the run ourselves we need not look; writing checks it anyway.
        left = self._left.get(run_id)
        if left is not None and left.number == number:
            return left.seal
        count, head = self._head(run_id)
        if number != count:
            raise row.conflict(run_id, number, count, self.place)
        return head

    def save(self, save: Save) -> None:
        """Keep a name for a point of a run, durably; the same name moves.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `SAVE_UNNAMED` for a name that cannot be kept;
                `STORE_BUSY`, `TRACE_CORRUPT`, `TRACE_UNWRITABLE`.
        """
        lookup.check_name(save.name, self.place)
        run_id = save.run_id
        with self._file.writing():
            others = [s for s in self.saves(run_id) if s.name != save.name]
            self._write(sql.SAVE, (run_id, save.name, save.turn, save.created))
            self._write(sql.SEAL_SAVES, (run_id, row.seal_saves([*others, save])))

    def close(self) -> None:
        """Let go of the file; everything acknowledged is in it."""
        self._file.close()

    def _ask(self, question: str, values: Mapping[str, Any]) -> list[Any]:
        return self._file.ask(question, dict(values))

    def _write(self, statement: str, values: Sequence[Any]) -> bool:
        return self._file.execute(statement, values).rowcount == 1
