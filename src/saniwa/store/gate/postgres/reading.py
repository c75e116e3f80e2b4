"""Reading a run's entries from a PostgreSQL database, page by page."""

from collections.abc import Callable, Iterator
from typing import Any

from saniwa.core.errors import StoreError
from saniwa.core.finding import Finding
from saniwa.process.record import Entry, start_of
from saniwa.store.gate import entry as gate_entry
from saniwa.store.gate import faults as gate_faults
from saniwa.store.gate.chain import Chain, Link
from saniwa.store.gate.postgres import shape as sql

Ask = Callable[[str, dict[str, Any]], list[Any]]
"""Asks the database a question."""
PAGE = 200
"""Entries read at once: few enough that the largest ones fit into memory."""
_MOST_FAULTS = 20


def pages(
    ask: Ask, run_id: str, number: int
) -> Iterator[tuple[tuple[int, bytes], Link | None]]:
    """The links behind entry `number`, and None behind the last; nothing for no run.

    Each comes with how the run ends: how many entries it has, and the seal of the last.

    Raises:
        StoreError: The server cannot be asked.
    """
    while True:
        until = number + PAGE
        rows = ask(sql.FOLLOW, {"run": run_id, "number": number, "until": until})
        for row in rows:
            if row[2] is not None:
                yield (row[0], row[1]), Link(*row[2:])
        number = until
        # What the run's row says is believed only as far as there are entries.
        if not rows or rows[0][2] is None or rows[-1][0] < number:
            yield from (((row[0], row[1]), None) for row in rows[-1:])
            return


class Reading:
    """One run, to be read from any place to its end."""

    def __init__(self, run_id: str, place: str, ask: Ask) -> None:
        self._run_id = run_id
        self._place = place
        self._ask = ask

    def entries(self, after: int) -> Iterator[Entry]:
        """The entries of revisions beyond `after`.

        Raises:
            StoreError: `TRACE_CORRUPT` on reaching what is not what was written; the
                server cannot be asked.
        """
        # From the first entry on, the rows need not say where to begin.
        asked = {"run": self._run_id, "after": after}
        first = [(0, start_of(self._run_id))]
        starts = self._ask(sql.START, asked) if after > 0 else first
        if not starts:
            return
        ((number, before),) = starts
        chain = Chain(self._run_id, self._place, number, before)
        if before is None:
            chain.wrong(number, "it is missing")
        for end, link in pages(self._ask, self._run_id, number):
            if link is None:
                chain.end(*end)
            elif (entry := chain.follow(link)).revision > after:
                yield entry

    def walk(self, found: list[Finding]) -> Iterator[Entry]:
        """The entries that can be read; what is wrong with others is added to `found`.

        Raises:
            StoreError: The server cannot be asked.
        """
        chain = Chain(self._run_id, self._place)
        revision = 0
        for end, link in pages(self._ask, self._run_id, 0):
            try:
                if link is None:
                    chain.end(*end)
                    return
                entry = chain.follow(link)
                gate_entry.check_next(revision, entry)
            except StoreError as problem:
                found.append(gate_faults.finding(problem))
            except ValueError as problem:
                why = str(problem)
                wrong = gate_entry.corrupt(self._run_id, chain.number, why, self._place)
                found.append(gate_faults.finding(wrong))
            else:
                yield entry
            if len(found) >= _MOST_FAULTS:
                return
            if link is not None:
                chain.number, chain.seal, revision = (
                    link.number,
                    link.seal,
                    link.revision,
                )
