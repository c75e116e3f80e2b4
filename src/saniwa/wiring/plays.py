"""Which keeper of plays belongs to a store."""

from pathlib import Path
from typing import Final

from saniwa.store.plays.port import Plays
from saniwa.wiring.store import is_address, is_memory, make_folder_of, postgres_at

PLAYS: Final = "plays.sqlite"
"""The file of plays, beside a store that is a file."""


def open_plays(place: str | Path, *, together: bool = False) -> Plays:
    """The keeper of plays for the store at a place; `together` as for `open_store`.

    Raises:
        StoreError: `STORE_UNKNOWN` for another kind of address; whatever keeps it from
            being opened.
    """
    if is_memory(place):
        from saniwa.store.plays.memory import MemoryPlays

        return MemoryPlays()
    if is_address(place):
        from saniwa.store.plays.postgres import PostgresPlays

        return PostgresPlays(postgres_at(place))
    from saniwa.store.plays.sqlite import SqlitePlays

    file = Path(place).with_name(PLAYS)
    make_folder_of(file)
    return SqlitePlays(file, together=together)
