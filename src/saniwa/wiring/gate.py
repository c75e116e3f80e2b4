"""Opening a gate: where its runs lie, and who stands at the door."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from saniwa.core.errors import ProcessError, StoreError
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.process.definition import PEOPLE
from saniwa.process.gate import Gate
from saniwa.process.visitor import Visitor

if TYPE_CHECKING:
    from saniwa.core.clock import Clock
    from saniwa.core.ids import Ids
    from saniwa.process.definition import Process
    from saniwa.process.ports import Evidence, Messenger, RunLog
    from saniwa.store.gate_people import People, Person

FOLDER = ".state_gate"
"""The folder of a gate, inside a project."""
CONFIG = "state-gate.json"
"""The file that names the run one is working on, inside that folder."""
AGENT = "agent"
"""The role of a door for which nobody named one."""
LAST = "last"
"""What stands for the newest run wherever a run is named."""
MEMORY = "memory:"
"""A place that is none: runs kept there last as long as the program."""
_SMALL = 100_000
_SCHEME = re.compile(r"\s*([a-z][a-z0-9+.-]+):/", re.IGNORECASE)


class GatePlaces(msgspec.Struct, frozen=True, kw_only=True):
    """Where everything of one gate lies."""

    root: Path
    """The gate's own folder."""
    project: Path
    """The folder that named folders of artifacts are found in."""
    processes: Path
    """Definitions, each in a file of its id's name."""
    runs: Path
    """The published tables."""
    metadata: Path
    """The records behind them."""
    address: str = ""
    """Where the runs are kept, if none of the folders keeps them."""

    @property
    def people(self) -> Path:
        """The file of those who may come as people."""
        named = os.environ.get("STATE_GATE_PEOPLE")
        return Path(named) if named else self.root / "people.json"

    @property
    def config(self) -> Path:
        """The file that names the run one is working on."""
        return self.root / CONFIG


def gate_folders(place: str | Path | None = None) -> GatePlaces:
    """Where a gate's things lie: as said, else by the environment, else `.state_gate`.

    For a `postgresql://` address, or `memory:`, the runs lie there and the rest in the
    folder that would have been used without it.

    Raises:
        StoreError: `STORE_UNKNOWN` for another kind of address.
    """
    named = str(place or os.environ.get("SANIWA_GATE") or "")
    project = Path(os.environ.get("STATE_GATE_PROJECT_ROOT") or ".")
    address = named.strip() if _is_address(named) else ""
    if named and not address:
        root = Path(named)
        project = root.absolute().parent
    else:
        root = project / FOLDER
    return GatePlaces(
        root=root,
        project=project,
        processes=_or("STATE_GATE_PROCESS_DIR", root / "processes"),
        runs=_or("STATE_GATE_RUNS_DIR", root / "runs"),
        metadata=_or("STATE_GATE_METADATA_DIR", root / "metadata"),
        address=address,
    )


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
    agent. Close it with `gate.log.close()`.

    Raises:
        ProcessError: `ROLE_NEEDS_CREDENTIAL`, `ROLE_DIFFERS`, `CREDENTIAL_REFUSED`.
        StoreError: The place cannot be opened.
    """
    from saniwa.wiring.webhook import Webhook

    places = gate_folders(place)
    visitor = visitor_at(places, role, credential)
    return Gate(
        open_log(places),
        _Library(places.processes),
        _evidence(places),
        visitor,
        clock=clock,
        ids=ids,
        messenger=messenger or Webhook(),
    )


def visitor_at(
    places: GatePlaces, role: str | None = None, credential: str | None = None
) -> Visitor:
    """Who stands at the door: a person with a credential, or an agent.

    Raises:
        ProcessError: `ROLE_NEEDS_CREDENTIAL`, `ROLE_DIFFERS`, `CREDENTIAL_REFUSED`.
        StoreError: `STORE_UNREADABLE`.
    """
    role = role or os.environ.get("STATE_GATE_ROLE") or ""
    credential = credential or os.environ.get("STATE_GATE_CREDENTIAL")
    if not credential:
        if role in PEOPLE:
            raise _needs_credential(role)
        return Visitor(role or AGENT)
    person = people_at(places).known(credential)
    if role and role != person.role:
        raise _differs(role, person)
    return Visitor(person.role, person=True, name=person.name)


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


def configured_run(places: GatePlaces) -> str:
    """The run one is working on, as `state-gate.json` names it; empty if none is.

    Raises:
        StoreError: `STORE_UNREADABLE`.
    """
    run_id = _config(places.config).get("run_id", "")
    return run_id if isinstance(run_id, str) else ""


def configure_run(places: GatePlaces, run_id: str) -> None:
    """Name the run one is working on, so that it may be left out from now on.

    Raises:
        StoreError: `STORE_UNREADABLE`, `TRACE_UNWRITABLE`.
    """
    said = _config(places.config) | {"run_id": run_id}
    content = msgspec.json.format(msgspec.json.encode(said), indent=2) + b"\n"
    beside = places.config.with_suffix(f".{os.getpid()}.tmp")
    try:
        places.root.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(content)
        beside.replace(places.config)
    except OSError as problem:
        raise StoreError(
            "TRACE_UNWRITABLE",
            f"{CONFIG!r} cannot be written: {problem.strerror}",
            where=Where(file=str(places.config)),
            hint="name the run in each command instead",
            recoverable=True,
        ) from problem


class _Library:
    """The processes of a folder and those that come with Saniwa, read when asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, process_id: str) -> "Process":
        """The process as its file has it now."""
        from saniwa.process.library import library_of

        return library_of(self._folder).find(process_id)

    def names(self) -> tuple[str, ...]:
        """The ids of all processes, in order."""
        from saniwa.process.library import library_of

        return library_of(self._folder).names()


def _evidence(places: GatePlaces) -> "Evidence":
    from saniwa.store.gate_evidence import FolderEvidence

    return FolderEvidence(places.root / "artifacts", places.project)


def _config(path: Path) -> dict[str, object]:
    try:
        with path.open("rb") as stream:
            content = stream.read(_SMALL)
        return msgspec.json.decode(content, type=dict[str, object])
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as problem:
        raise StoreError(
            "STORE_UNREADABLE",
            f"{path.name!r} cannot be read: {problem}",
            where=Where(file=str(path)),
            hint="remove the file, and name the run in each command",
        ) from problem


def _is_address(named: str) -> bool:
    found = _SCHEME.match(named)
    if found and found[1].lower() not in ("postgresql", "postgres"):
        raise StoreError(
            "STORE_UNKNOWN",
            f"runs cannot be kept at a {found[1]!r} address",
            hint="name a folder, postgresql://…, or memory:",
        )
    return found is not None or named == MEMORY


def _or(variable: str, usual: Path) -> Path:
    return Path(os.environ.get(variable) or usual)


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
