"""Writing to one run in a PostgreSQL database, while nobody else can."""

from typing import Any

from saniwa.core.errors import StoreError
from saniwa.process.record import Entry, Note, Record
from saniwa.process.standing import Standing
from saniwa.store.gate import entry as gate_entry
from saniwa.store.gate.chain import Chain, Link, mark_of
from saniwa.store.gate.postgres import shape as sql
from saniwa.store.gate.postgres.fold import Fold
from saniwa.store.gate.postgres.line import Line

_REPEATED = "23505"
"""How the server says that something would be there twice."""


class Held:
    """A run that this connection holds alone."""

    def __init__(self, run_id: str, fold: Fold, line: Line) -> None:
        self._run_id = run_id
        self._fold = fold
        self._line = line

    @property
    def standing(self) -> Standing:
        """Where the run stands, everything written so far included."""
        return self._fold.standing

    def kept(self, key: str) -> Record | None:
        """The event that was accepted under an idempotency key.

        Raises:
            StoreError: `TRACE_CORRUPT`; the server cannot be asked.
        """
        mark = mark_of(key)
        if mark is None:
            return None
        for *row, before in self._line.ask(
            sql.KEPT, {"run": self._run_id, "mark": mark}
        ):
            link = Link(*row)
            number, place = link.number - 1, self._fold.place
            chain = Chain(self._run_id, place, number, before)
            found = chain.follow(link)
            assert isinstance(found, Record), "only events have keys"
            return found
        return None

    def append(self, record: Record) -> None:
        """Keep the run's next event; when this returns, it is committed to disk.

        Raises:
            StoreError: `REVISION_CONFLICT`, `IDEMPOTENCY_CONFLICT`; `TRACE_CORRUPT` if
                the run no longer ends as it was left; `TRACE_UNWRITABLE`,
                `RECORD_TOO_LARGE`; `LOG_UNCERTAIN` if the connection was lost.
        """
        current = self.standing.revision
        if record.revision != current + 1:
            raise gate_entry.conflict(self._run_id, record, current, self._fold.place)
        self._keep(record)

    def note(self, note: Note) -> None:
        """Keep a note beside the log; when this returns, it is committed to disk.

        Raises:
            StoreError: As `append` does.
        """
        self._keep(note)

    def _keep(self, entry: Entry) -> None:
        fold = self._fold
        with fold.lock:
            link = fold.chain.forge(entry)
            values = {
                "run": self._run_id,
                "before": fold.chain.seal,
                **link._asdict(),
                "number": fold.chain.number,
            }
            if not self._written(values, entry):
                self._moved(entry)
            fold.take(link)

    def _written(self, values: dict[str, Any], entry: Entry) -> bool:
        try:
            return bool(self._line.ask(sql.APPEND, values, "TRACE_UNWRITABLE"))
        except StoreError as problem:
            place = self._fold.place
            if self._line.broken:
                said = problem.message
                raise gate_entry.uncertain(self._run_id, said, place) from problem
            if problem.details["sqlstate"] != _REPEATED or isinstance(entry, Note):
                raise
            earlier = self.kept(entry.key)
            if earlier is None:
                raise
            raise gate_entry.used(
                self._run_id, entry.key, earlier.revision, place
            ) from problem

    def _moved(self, entry: Entry) -> None:
        """Say why nothing was written: the lock was lost, or the last entry was."""
        before = self._fold.chain.number
        self._fold.catch_up(self._line)
        if before == self._fold.chain.number or isinstance(entry, Note):
            self._fold.chain.wrong(before, "the run no longer ends as it was left")
        raise gate_entry.conflict(
            self._run_id, entry, self.standing.revision, self._fold.place
        )
