"""Who works through a plan and where finished cells are kept, by the places people name."""

import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from saniwa.agent.definition import Limits
from saniwa.agent.oracle import Usage
from saniwa.core.clock import SystemClock
from saniwa.core.errors import StoreError
from saniwa.experiment.crews.bench import Bench
from saniwa.experiment.crews.cluster import Cluster
from saniwa.experiment.plan import Prepared
from saniwa.experiment.ports import Shelf

_SCHEME: Final = re.compile(r"\s*([a-z][a-z0-9+.-]+):/", re.IGNORECASE)
_POSTGRES: Final = ("postgresql", "postgres")


def open_cells(
    place: str | Path, experiment: str = "", *, existing: bool = False
) -> Shelf:
    """The shelf at a place: a folder, `postgresql://…`, or `memory:`.

    Args:
        place: Where it is.
        experiment: The fingerprint of the prepared plan; other plans' cells are refused.
        existing: Make no folder: somebody else has, and shares it with us.

    Raises:
        StoreError: `STORE_UNKNOWN` for another kind of address; whatever keeps the
            shelf from being opened.
    """
    named = str(place)
    if named == "memory:":
        from saniwa.store.cells.memory import MemoryCells

        return MemoryCells()
    address = _SCHEME.match(named)
    if address is None:
        from saniwa.store.cells.folder import FolderCells

        return FolderCells(Path(named), experiment=experiment, existing=existing)
    if address[1].lower() not in _POSTGRES:
        raise StoreError(
            "STORE_UNKNOWN",
            f"cells cannot be kept at a {address[1]!r} address",
            hint="name a folder, or postgresql://…",
        )
    from saniwa.store.cells.postgres import PostgresCells

    return PostgresCells(named.strip(), experiment)


class Workplace(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker is told of where and how to work; it opens everything itself.

    Keys of models come from the worker's own environment. A password in a database's
    address travels to the workers and is never shown; `PGPASSWORD` there spares it that.
    """

    cells: str
    """Where finished cells are kept: a folder that everybody shares, as an absolute path,
    or `postgresql://…`."""
    replay: str = ""
    """The cells of another experiment that answer instead of models; a folder, too."""

    def __repr__(self) -> str:
        return "Workplace(…)"

    def __call__(self, prepared: Prepared) -> Bench:
        """Open the shelf and whoever plays the characters.

        Raises:
            StoreError: The shelf cannot be opened, or is not the one that is shared.
            ConfigurationError: A model cannot be had here.
        """
        shelf = open_cells(self.cells, prepared.fingerprint, existing=True)
        return bench_for(prepared, shelf, replay=self.replay)


def bench_for(
    prepared: Prepared,
    shelf: Shelf,
    *,
    replay: str | Path = "",
    limits: Limits | None = None,
    foretold: Mapping[str, Usage] | None = None,
) -> Bench:
    """Whoever plays the characters of a plan: a recording, stand-ins, or models.

    Args:
        prepared: The plan.
        shelf: Where finished cells are kept.
        replay: The cells of the experiment that answers instead of models.
        limits: What may be spent on models here.
        foretold: The most that one call may take, by condition.

    Raises:
        StoreError: The recording cannot be opened.
        ConfigurationError: A model cannot be had here.
    """
    from saniwa.wiring.experiment import oracles

    if replay:
        answers = open_cells(replay, existing=True)
        return Bench(oracles.Recorded(answers), shelf, _closing(answers))
    if prepared.plan.mode == "sim":
        return Bench(oracles.standing_in(prepared.plan), shelf)
    models = oracles.LiveModels(prepared.plan, limits=limits, foretold=foretold)
    return Bench(models, shelf, models.close)


def _closing(shelf: Shelf) -> Callable[[], Awaitable[None]]:
    async def close() -> None:
        shelf.close()

    return close


def open_cluster(
    cells: str | Path,
    *,
    workers: int = 2,
    threads: int = 1,
    address: str = "",
    replay: str | Path = "",
) -> Cluster:
    """A crew of many for the shelf at a place; workers on this machine, or at an address.

    The shelf is opened here first, with the plan's fingerprint: workers make no folder.

    Raises:
        StoreError: `STORE_UNKNOWN`: what is kept in memory cannot be shared.
    """
    if str(cells) == "memory:":
        raise StoreError(
            "STORE_UNKNOWN",
            "workers cannot share what is kept in this process",
            hint="name a folder, or postgresql://…",
        )
    place = Workplace(cells=_everywhere(cells), replay=_everywhere(replay))
    return Cluster(
        place, clock=SystemClock(), workers=workers, threads=threads, address=address
    )


def _everywhere(place: str | Path) -> str:
    """The place by a name that does not depend on where a program was started."""
    named = str(place)
    return named if not named or _SCHEME.match(named) else str(Path(named).absolute())
