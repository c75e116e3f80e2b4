"""The tables of a garden: one for each run that somebody watches from a seat."""

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final

from saniwa.core.patience import too_many
from saniwa.run.conductor import Run
from saniwa.store.plays.port import Plays
from saniwa.wiring.garden.bell import Bell
from saniwa.wiring.garden.noted import NotedModel
from saniwa.wiring.garden.table import Table

MOST: Final = 64
"""Tables that are kept, beside those at which agents play."""
GOING: Final = 8
"""Tables at which agents play by themselves, at once."""
QUICKEST: Final = 0.2
"""Seconds between two turns of agents, at all tables together: people play as well."""
_AGAIN: Final = 10


class Tables:
    """A table for each run that needs one."""

    def __init__(
        self,
        store: str,
        plays: Plays,
        bell: Bell,
        seconds: Callable[[], float] = time.monotonic,
        sync: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Tables of a store's runs; `seconds` and `sync` as for `Table`."""
        self._store, self._plays = store, plays
        self._bell, self._seconds, self._sync = bell, seconds, sync
        self._kept = OrderedDict[str, Table]()

    async def of(self, run: Run) -> Table:
        """The table of a run."""
        table, left = self._kept.get(run.id), list[Table]()
        # A run that was let go and opened again is another object with the same turns.
        if table is None or (table.run is not run and not table.busy):
            left += [] if table is None else [table]
            noted = NotedModel(self._plays, run.id)
            table = Table(
                run,
                self._store,
                noted,
                self._bell,
                self._seconds,
                self._least,
                self._sync,
            )
            self._kept[run.id] = table
        self._kept.move_to_end(run.id)
        # Others come in while these close: what is kept is settled before.
        for each in left + self._spare():
            await each.close()
        return table

    def check_room(self, table: Table) -> None:
        """Go on if agents may play by themselves at a table, or do so already.

        Raises:
            ProtocolError: `TOO_MANY_REQUESTS`.
        """
        if not table.going and self._going() >= GOING:
            raise too_many(f"agents play at {GOING} tables already", _AGAIN)

    async def close(self) -> None:
        """Let everybody go."""
        tables, self._kept = [*self._kept.values()], OrderedDict()
        for table in tables:
            await table.close()

    def _spare(self) -> list[Table]:
        """Tables at which nobody does anything and for which there is no room."""
        idle = [id for id, table in self._kept.items() if not table.busy]
        return [self._kept.pop(id) for id in idle[: max(len(idle) - MOST, 0)]]

    def _going(self) -> int:
        return sum(table.going for table in self._kept.values())

    def _least(self) -> float:
        return QUICKEST * self._going()
