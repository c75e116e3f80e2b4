"""Which store a place means, and which run a name means."""

import re
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Literal

from saniwa.core.errors import StoreError
from saniwa.run.ports import Store

LAST = "last"
"""What stands for the newest run wherever a run is named."""

_SCHEME = re.compile(r"\s*([a-z][a-z0-9+.-]+):/", re.IGNORECASE)
_POSTGRES = ("postgresql", "postgres")
_MEMORY = "memory:"


def open_store(
    place: str | Path,
    *,
    mode: Literal["create", "existing", "read"] = "create",
    together: bool = False,
) -> Store:
    """The store at a place: a SQLite file, `postgresql://…`, or `memory:`.

    `together` as for `SqliteStore`; elsewhere everything is durable when it is kept.

    Raises:
        StoreError: `STORE_UNKNOWN` for another kind of address; whatever keeps the
            store from being opened.
    """
    named = str(place)
    if named == _MEMORY:
        from saniwa.store.memory import MemoryStore

        return MemoryStore()
    if is_address(named):
        from saniwa.store.postgres import PostgresStore

        return PostgresStore(postgres_at(named), mode=mode)
    from saniwa.store.sqlite import SqliteStore

    if mode == "create":
        make_folder_of(named)
    return SqliteStore(named, mode=mode, together=together)


def postgres_at(place: str | Path) -> str:
    """The address of a place on a network, as the library wants it written.

    Raises:
        StoreError: `STORE_UNKNOWN` if it is no address of a PostgreSQL.
    """
    named = str(place)
    address = _SCHEME.match(named)
    if address and address[1].lower() in _POSTGRES:
        return address[1].lower() + named[address.end(1) :].rstrip()
    kind = named.partition(":")[0].strip()
    raise StoreError(
        "STORE_UNKNOWN",
        f"runs cannot be kept at a {kind!r} address",
        hint="name a file, postgresql://…, or memory:",
    )


def make_folder_of(file: str | Path) -> None:
    """The folder a file is to lie in: one folder deep, for a first run in a fresh place.

    Where this fails, whoever opens the file says why it cannot be opened.
    """
    with suppress(OSError):
        Path(file).parent.mkdir(exist_ok=True)


def is_memory(place: str | Path) -> bool:
    """Whether a place is none at all: what is kept there goes when we go."""
    return str(place) == _MEMORY


def is_address(place: str | Path) -> bool:
    """Whether a place is somewhere on a network and no file."""
    return _SCHEME.match(str(place)) is not None


def existing_store(place: str | Path, *, together: bool = False) -> Store:
    """The store at a place that must be there already; nothing is made of another file.

    `together` as for `open_store`.

    Raises:
        StoreError: As `open_store` does; `STORE_UNREADABLE` where there is none.
    """
    return open_store(place, mode="existing", together=together)


def find_run(store: Store, named: str) -> str:
    """The id of the run somebody means: its id, a part of it, or `last`.

    Raises:
        StoreError: `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`.
    """
    if named != LAST:
        return store.find(named)
    newest = deque(store.runs(), maxlen=1)
    if not newest:
        raise StoreError(
            "RUN_NOT_FOUND", "no run is kept here yet", hint="begin one: saniwa play"
        )
    return newest[0].run_id
