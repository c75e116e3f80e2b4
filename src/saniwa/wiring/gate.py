"""Opening a gate: where its runs lie, and who stands at the door."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from saniwa.core.errors import StoreError
from saniwa.process.gate import Gate
from saniwa.wiring.gate_places import (
    MEMORY,
    GatePlaces,
    as_written,
    configure_run,
    configured_run,
    gate_folders,
    webhook_hosts,
)
from saniwa.wiring.gate_visitor import people_at, person_at, visitor_of

if TYPE_CHECKING:
    from saniwa.core.clock import Clock
    from saniwa.core.ids import Ids
    from saniwa.process.definition import Process
    from saniwa.process.ports import Messenger, RunLog

__all__ = [
    "LAST",
    "GatePlaces",
    "configure_run",
    "configured_run",
    "gate_folders",
    "open_gate",
    "open_log",
    "people_at",
    "run_named",
]

LAST = "last"
"""What stands for the newest run wherever a run is named."""


def open_gate(
    place: str | Path | None = None,
    *,
    role: str | None = None,
    credential: str | None = None,
    clock: "Clock | None" = None,
    ids: "Ids | None" = None,
    messenger: "Messenger | None" = None,
    as_written: bool = False,
    store: str | Path | None = None,
    registry: str | Path | None = None,
) -> Gate:
    """The gate at a place, for the one visitor that role or credential name.

    Without a credential (`NAME:SECRET`; else `$STATE_GATE_CREDENTIAL`) the visitor is an
    agent. Close it with `gate.close()`, or use it in a `with`. A program that never
    changes its folder may have places told `as_written`, and not in full.

    What reports say about scenarios and runs is looked up in `store` and `registry`;
    where they are not named, in those that the `saniwa` commands use in the project.

    Raises:
        ProcessError: `ROLE_NEEDS_CREDENTIAL`, `ROLE_DIFFERS`, `CREDENTIAL_REFUSED`.
        StoreError: The place cannot be opened.
    """
    from saniwa.wiring.gate_evidence import evidence_at
    from saniwa.wiring.gate_marks import signer_of, witness_at
    from saniwa.wiring.webhook import Webhook

    places = gate_folders(place)
    # A program may change its folder; what it has opened stays where it is.
    fixed = places if as_written else places.fixed()
    person = person_at(places, role, credential)
    return Gate(
        open_log(fixed),
        _Library(places.processes, fixed.processes),
        evidence_at(places, fixed),
        visitor_of(role, person),
        clock=clock,
        ids=ids,
        messenger=messenger or Webhook(hosts=partial(webhook_hosts, fixed)),
        signer=signer_of(person),
        witness=witness_at(fixed),
        lookup=_LateLookup(fixed.project.absolute(), store, registry),
    )


def open_log(places: GatePlaces) -> "RunLog":
    """What keeps a gate's runs: files, or a database.

    Raises:
        StoreError: It cannot be opened.
    """
    if places.address == MEMORY:
        from saniwa.store.gate.memory import MemoryLog

        return MemoryLog()
    if places.address:
        from saniwa.store.gate.postgres.log import PostgresLog

        return PostgresLog(places.address)
    from saniwa.store.gate.files.folders import GateFolders
    from saniwa.store.gate.files.log import FileLog

    return FileLog(
        GateFolders(
            runs=places.runs,
            metadata=places.metadata,
            definitions=places.root / "definitions",
            index=places.root / "index",
        )
    )


def run_named(gate: Gate, named: str) -> str:
    """The id of the run somebody means: its id, a part of it, or `last`.

    Raises:
        StoreError: `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`.
    """
    from saniwa.store.gate.files.folders import is_run_id

    if is_run_id(named):
        return named
    runs = list(gate.log.runs())
    if named != LAST:
        from saniwa.store.lookup import pick

        return pick(named, runs, "")
    if not runs:
        raise StoreError(
            "RUN_NOT_FOUND",
            "no run is kept here yet",
            hint="begin one: saniwa gate create-run --process exploration",
        )
    return runs[-1]


class _LateLookup:
    """The lookup of a project, imported with the first report that needs it."""

    def __init__(
        self, project: Path, store: str | Path | None, registry: str | Path | None
    ) -> None:
        self._project = project
        self._store = store
        self._registry = registry

    def look_up(self, subject: str, report: object) -> str:
        """Compare a report with what it is about."""
        from saniwa.wiring.gate_lookup import lookup_at

        lookup = lookup_at(self._project, self._store, self._registry)
        return lookup.look_up(subject, report)


class _Library:
    """The processes of a folder and those that come with Saniwa, read when asked for."""

    def __init__(self, folder: Path, fixed: Path) -> None:
        self._written = folder
        self._fixed = fixed

    def find(self, process_id: str) -> "Process":
        """The process as its file has it now."""
        from saniwa.process.authoring.library import library_of

        return library_of(self._folder).find(process_id)

    @property
    def _folder(self) -> Path:
        return as_written(self._written, self._fixed)

    def names(self) -> tuple[str, ...]:
        """The ids of all processes, in order."""
        from saniwa.process.authoring.library import library_of

        return library_of(self._folder).names()
