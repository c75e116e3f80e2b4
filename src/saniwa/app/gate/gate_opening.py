"""Opens a gate for one visitor, finds the run meant, and makes the port of an agent there.

A visitor is a person with a credential, or an agent with a role.
"""

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from saniwa.app import describe
from saniwa.app.gate.configuration import (
    MEMORY,
    GatePlaces,
    locate_gate,
    prefer_written_path,
    read_webhook_hosts,
)
from saniwa.core.errors import ProcessError, StoreError
from saniwa.process.definition import PERSON_ROLES
from saniwa.process.gate import Gate
from saniwa.process.submission import Visitor

if TYPE_CHECKING:
    from saniwa.agent.gate_agent_port import GateAgentPort
    from saniwa.agent.tools.tool import CallResults
    from saniwa.app.gate.report_verification import SystemReportLookup
    from saniwa.core.clock import Clock
    from saniwa.core.ids import Ids
    from saniwa.process.library import FolderProcessLibrary
    from saniwa.process.ports import GateLog, Messenger, ToolJournal
    from saniwa.store.gate.people import GatePerson, People


AGENT_ROLE = "agent"
"""The role of a visitor that names none."""


def authenticate_person(
    places: GatePlaces, role: str | None, credential: str | None
) -> "GatePerson | None":
    """Return the person to whom a credential belongs; None for an agent.

    Raises:
        ProcessError: `ROLE_NEEDS_CREDENTIAL`, `ROLE_DIFFERS`, `CREDENTIAL_REFUSED`.
        StoreError: `STORE_UNREADABLE`.
    """
    credential = credential or os.environ.get("STATE_GATE_CREDENTIAL")
    role = _read_role(role)
    if not credential:
        if role in PERSON_ROLES:
            raise _make_credential_error(role)
        return None
    person = open_people(places).authenticate(credential)
    if role and role != person.role:
        raise _make_role_error(role, person)
    return person


def make_visitor(role: str | None, person: "GatePerson | None") -> Visitor:
    """Return the visitor for a credential; without one, for an agent in its role.

    A credential with the role of agents identifies an agent, not a person.
    """
    if person is None:
        return Visitor(_read_role(role) or AGENT_ROLE)
    return Visitor(person.role, person=person.role != AGENT_ROLE, name=person.name)


def _read_role(given: str | None) -> str:
    return given or os.environ.get("STATE_GATE_ROLE") or ""


def open_people(places: GatePlaces) -> "People":
    """Open the register of people who have credentials."""
    from saniwa.store.gate.people import People

    return People(places.people)


def _make_credential_error(role: str) -> ProcessError:
    return describe("ROLE_NEEDS_CREDENTIAL", role=role).to_error(ProcessError)


def _make_role_error(role: str, person: "GatePerson") -> ProcessError:
    said = describe("ROLE_DIFFERS", person=person.name, has=person.role, role=role)
    return said.to_error(ProcessError)


def open_gate(
    place: str | Path | GatePlaces | None = None,
    *,
    role: str | None = None,
    credential: str | None = None,
    clock: "Clock | None" = None,
    ids: "Ids | None" = None,
    messenger: "Messenger | None" = None,
    as_written: bool = False,
    store: str | Path | None = None,
    registry: str | Path | None = None,
    journal: "ToolJournal | None" = None,
) -> Gate:
    """Open the gate at a place, for the one visitor that role or credential names.

    Without a credential (`NAME:SECRET`; else `$STATE_GATE_CREDENTIAL`) the visitor is
    an agent. Close it with `gate.close()`, or use it in a `with`. With `as_written`,
    paths are kept as written instead of made absolute: for programs that never change
    their current folder. With places instead of a place, the environment names nothing,
    and the visitor is an agent.

    What reports say about scenarios and runs is looked up in `store` and `registry`; by
    default, in those that the `saniwa` commands use in the project. `journal` is the
    journal of the agent that visits; without it, nothing counts as made by a tool.

    Raises:
        ProcessError: `ROLE_NEEDS_CREDENTIAL`, `ROLE_DIFFERS`, `CREDENTIAL_REFUSED`.
        StoreError: The place cannot be opened.
    """
    from saniwa.app.gate import port_adapters
    from saniwa.app.gate.webhooks import HttpWebhookSender

    chosen = isinstance(place, GatePlaces)
    places = place if isinstance(place, GatePlaces) else locate_gate(place)
    # A program may change its current folder; an open gate must stay where it is.
    fixed = places if as_written else places.to_absolute()
    person = None if chosen else authenticate_person(places, role, credential)
    return Gate(
        open_gate_log(fixed),
        port_adapters.LazyPort(lambda: _open_library(places, fixed)),
        port_adapters.ProjectEvidenceReader(places, fixed),
        Visitor(AGENT_ROLE) if chosen else make_visitor(role, person),
        clock=clock,
        ids=ids,
        messenger=messenger or HttpWebhookSender(hosts=partial(read_webhook_hosts, fixed)),
        signer=port_adapters.make_signer(person),
        witness=port_adapters.make_signature_verifier(fixed),
        lookup=port_adapters.LazyPort(partial(_open_lookup, fixed, store, registry)),
        journal=journal,
        calls=port_adapters.ProjectJournals(fixed.project),
    )


def open_gate_log(places: GatePlaces) -> "GateLog":
    """Open the log of a gate's runs: files, or a database.

    Raises:
        StoreError: It cannot be opened.
    """
    if places.address == MEMORY:
        from saniwa.store.gate.sealed_gate_log import MemoryGateLog

        return MemoryGateLog()
    if places.address:
        from saniwa.store.gate.postgres_log import PostgresGateLog

        return PostgresGateLog(places.address)
    from saniwa.store.gate.file_access import GateFolders
    from saniwa.store.gate.file_log import FileGateLog

    return FileGateLog(
        GateFolders(
            runs=places.runs,
            metadata=places.metadata,
            definitions=places.root / "definitions",
            index=places.root / "index",
        )
    )


def find_gate_run(gate: Gate, named: str) -> str:
    """Return the id of the run that the caller names: its id, part of it, or `last`.

    Raises:
        StoreError: `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`.
    """
    from saniwa.process.run_search import find_last_run
    from saniwa.store.gate.file_access import is_run_id
    from saniwa.store.run_id_lookup import LAST, pick_run_id

    if is_run_id(named):
        return named
    if named != LAST:
        return pick_run_id(named, list(gate.log.list_runs()), "")
    newest = find_last_run(gate.log)
    if not newest:
        raise describe("RUN_NOT_FOUND/find_gate_run").to_error(StoreError)
    return newest


def _open_lookup(
    places: GatePlaces, store: str | Path | None, registry: str | Path | None
) -> "SystemReportLookup":
    from saniwa.app.gate.report_verification import make_project_lookup

    return make_project_lookup(places.project.absolute(), store, registry, places)


def _open_library(written: GatePlaces, fixed: GatePlaces) -> "FolderProcessLibrary":
    from saniwa.process.library import open_library

    return open_library(prefer_written_path(written.processes, fixed.processes))


def make_gate_port(
    gate: Gate, places: GatePlaces, run_id: str, *, wait: bool, results: "CallResults | None" = None
) -> "GateAgentPort":
    """Return an agent's port at a gate run; with `wait`, it polls for work."""
    from saniwa.agent.gate_agent_port import GateAgentPort
    from saniwa.app.model_factory import SystemPause
    from saniwa.store.gate.submission_folder import DiskSubmissionFolder

    run = gate.log.load_run(run_id)
    submissions = DiskSubmissionFolder(places.locate_artifacts(run.home, run.opening.folder))
    pause = SystemPause() if wait else None
    return GateAgentPort(gate, run_id, submissions, pause=pause, results=results)
