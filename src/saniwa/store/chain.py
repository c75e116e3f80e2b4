"""Reading a run's turns back as one chain: none changed, missing, added or cut off.

Each row's seal covers the seal before it, and the run's head keeps how many turns there
are and the seal of the last. Knows no database: whoever reads hands the rows over.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, NoReturn

from saniwa.store import row
from saniwa.turn.trace import Turn


class Link(NamedTuple):
    """One row of a reading: a turn, and the run's head as it stood at that moment."""

    turns: int
    """How many turns the head says there are."""
    head: bytes
    """The seal the head says the last of them has."""
    number: int | None
    """The turn; None where no turn is left to read."""
    seal: bytes | None
    """The turn's own seal."""
    payload: bytes | None
    """The turn as bytes."""


class Chain:
    """A reading of one run, from some turn to its end."""

    def __init__(self, run_id: str, place: str, number: int, before: bytes) -> None:
        """Stand before turn `number`, whose predecessor has the seal `before`."""
        self._run_id = run_id
        self._place = place
        self._number = number
        self._before = before

    def turns(
        self, page: Callable[[int], Sequence[Sequence[object]]]
    ) -> Iterator[Turn]:
        """The turns to the end; `page` gives some rows (see `Link`) from a number on.

        Raises:
            StoreError: `TRACE_CORRUPT` on reaching what is not what was written.
        """
        while True:
            links = [Link(*values) for values in page(self._number)]  # type: ignore[arg-type]
            if not links:
                self._wrong(row.RECORD, "the run's head is missing")
            for link in links:
                if link.number is None:
                    return self._end(link)
                yield self._follow(link)

    def _follow(self, link: Link) -> Turn:
        number, payload, sealed = self._number, link.payload, link.seal
        if link.number != number:
            self._wrong(number, "it is missing")
        if number >= link.turns:
            self._wrong(number, f"the run has {link.turns} turns")
        if payload is None or sealed is None:
            self._wrong(number, "part of it is missing")
        if row.seal(self._before, self._run_id, number, payload) != sealed:
            self._wrong(number, "its bytes have changed since")
        self._number, self._before = number + 1, sealed
        return row.unpack_turn(self._run_id, number, payload, self._place)

    def _end(self, link: Link) -> None:
        if self._number < link.turns:
            self._wrong(self._number, f"it is missing; the run has {link.turns} turns")
        if self._number > link.turns or self._before != link.head:
            self._wrong(self._number - 1, "the run's head knows it otherwise")

    def _wrong(self, number: int, why: str) -> NoReturn:
        raise row.corrupt(self._run_id, number, self._place, why)
