"""Opening a gate: where its runs lie, and who stands at the door."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from saniwa.core.errors import ProcessError, StoreError
from saniwa.core.quoted import quoted
from saniwa.process.definition import PEOPLE
from saniwa.process.gate import Gate
from saniwa.process.visitor import Visitor
from saniwa.wiring.gate_places import (
    MEMORY,
    GatePlaces,
    configure_run,
    configured_run,
    gate_folders,
)

if TYPE_CHECKING:
    from saniwa.core.clock import Clock
    from saniwa.core.ids import Ids
    from saniwa.process.definition import Process
    from saniwa.process.ports import Evidence, Messenger, RunLog
    from saniwa.store.gate_people import People
    from saniwa.store.gate_people_file import Person

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
    "visitor_at",
]

AGENT = "agent"
"""The role of a door for which nobody named one."""
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
) -> Gate:
    """The gate at a place, for the one visitor that role or credential name.

    Without a credential (`NAME:SECRET`; else `$STATE_GATE_CREDENTIAL`) the visitor is an
    agent. Close it with `gate.close()`, or use it in a `with`.

    Raises:
        ProcessError: `ROLE_NEEDS_CREDENTIAL`, `ROLE_DIFFERS`, `CREDENTIAL_REFUSED`.
        StoreError: The place cannot be opened.
    """
    from saniwa.wiring.gate_marks import signer_of, witness_at
    from saniwa.wiring.webhook import Webhook

    places = gate_folders(place)
    person = _person_at(places, role, credential)
    return Gate(
        open_log(places),
        _Library(places.processes),
        _evidence(places),
        _visitor(role, person),
        clock=clock,
        ids=ids,
        messenger=messenger or Webhook(),
        signer=signer_of(person),
        witness=witness_at(places),
    )


def visitor_at(
    places: GatePlaces, role: str | None = None, credential: str | None = None
) -> Visitor:
    """Who stands at the door: a person with a credential, or an agent.

    Raises:
        ProcessError: `ROLE_NEEDS_CREDENTIAL`, `ROLE_DIFFERS`, `CREDENTIAL_REFUSED`.
        StoreError: `STORE_UNREADABLE`.
    """
    return _visitor(role, _person_at(places, role, credential))


def _person_at(
    places: GatePlaces, role: str | None, credential: str | None
) -> "Person | None":
    credential = credential or os.environ.get("STATE_GATE_CREDENTIAL")
    role = _role(role)
    if not credential:
        if role in PEOPLE:
            raise _needs_credential(role)
        return None
    person = people_at(places).known(credential)
    if role and role != person.role:
        raise _differs(role, person)
    return person


def _visitor(role: str | None, person: "Person | None") -> Visitor:
    if person is None:
        return Visitor(_role(role) or AGENT)
    return Visitor(person.role, person=True, name=person.name)


def _role(said: str | None) -> str:
    return said or os.environ.get("STATE_GATE_ROLE") or ""


def people_at(places: GatePlaces) -> "People":
    """Those who may come as people."""
    from saniwa.store.gate_people import People

    return People(places.people)


def open_log(places: GatePlaces) -> "RunLog":
    """What keeps a gate's runs: files, or a database.

    Raises:
        StoreError: It cannot be opened.
    """
    if places.address == MEMORY:
        from saniwa.store.gate_memory import MemoryLog

        return MemoryLog()
    if places.address:
        from saniwa.store.gate_postgres import PostgresLog

        return PostgresLog(places.address)
    from saniwa.store.gate_files.folders import GateFolders
    from saniwa.store.gate_files.log import FileLog

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
    from saniwa.store.gate_files.folders import is_run_id

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


class _Library:
    """The processes of a folder and those that come with Saniwa, read when asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, process_id: str) -> "Process":
        """The process as its file has it now."""
        from saniwa.process.authoring.library import library_of

        return library_of(self._folder).find(process_id)

    def names(self) -> tuple[str, ...]:
        """The ids of all processes, in order."""
        from saniwa.process.authoring.library import library_of

        return library_of(self._folder).names()


def _evidence(places: GatePlaces) -> "Evidence":
    from saniwa.store.gate_evidence import FolderEvidence

    return FolderEvidence(places.root / "artifacts", places.project)


def _needs_credential(role: str) -> ProcessError:
    return ProcessError(
        "ROLE_NEEDS_CREDENTIAL",
        f"only a person may have the role {quoted(role)}, and this door is an agent's",
        hint="come with a credential: $STATE_GATE_CREDENTIAL or --credential-file",
        details={"role": role},
    )


def _differs(role: str, person: "Person") -> ProcessError:
    return ProcessError(
        "ROLE_DIFFERS",
        f"{quoted(person.name)} has the role {quoted(person.role)}, not {quoted(role)}",
        hint="leave the role out: a credential says it",
        details={"role": role, "person": person.name},
    )
