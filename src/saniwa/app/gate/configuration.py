"""The files and folders of a gate, its settings, and the run that is configured."""

import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path, PurePath

import msgspec
from msgspec.structs import replace

from saniwa.app import describe
from saniwa.app.run_stores import check_address_kind, get_address_kind
from saniwa.core.atomic_files import write_atomically
from saniwa.core.errors import ProcessError, StoreError
from saniwa.core.findings import SourceLocation
from saniwa.core.path_checks import does_path_exist
from saniwa.core.safe_open import UnfitFileError, read_small_file
from saniwa.core.system_calls import is_own_file
from saniwa.process.submission import Visitor

GATE_FOLDER = ".state_gate"
"""The folder of a gate, inside a project."""


CONFIG_FILE = "state-gate.json"
"""The file inside that folder that names the current run."""


SESSION_VARIABLE = "STATE_GATE_SESSION"
"""The variable that names the session of an agent's host, in the shells of that session."""


MEMORY = "memory:"
"""The address of a store in memory: its runs are lost when the program ends."""


_LARGEST_CONFIG = 100_000


class GatePlaces(msgspec.Struct, frozen=True, kw_only=True):
    """The folders and files of one gate."""

    root: Path
    """The gate's own folder."""
    project: Path
    """The folder to which named artifact folders are relative."""
    processes: Path
    """Process definitions, one file for each, named by its id."""
    runs: Path
    """The published tables."""
    metadata: Path
    """The records from which the tables are made."""
    address: str = ""
    """The database of the runs, if they are not in folders."""
    is_above: bool = False
    """Whether they were found in a folder above the current one, which has no gate."""

    @property
    def people(self) -> Path:
        """The file with the people who have credentials."""
        named = os.environ.get("STATE_GATE_PEOPLE")
        return Path(named) if named else self.root / "people.json"

    def locate_artifacts(self, run_id: str, folder: str = "") -> Path:
        """Return the folder to which the paths of a run's evidence are relative."""
        return self.project / folder if folder else self.root / "artifacts" / run_id

    def place_in_project(self, folder: str) -> str:
        """Return a folder, named from the current one, as the project names it.

        A project that was named by the caller keeps the folder as it is.
        """
        if not folder or not self.is_above or Path(folder).is_absolute():
            return folder
        return Path(os.path.relpath(folder, self.project)).as_posix()

    @property
    def is_initialized(self) -> bool:
        """Whether a gate exists here: a folder, or a database address."""
        return bool(self.address) or does_path_exist(self.root) or does_path_exist(self.runs)

    @property
    def config(self) -> Path:
        """The file that names the current run."""
        return self.root / CONFIG_FILE

    def to_absolute(self) -> "GatePlaces":
        """Return the same places as absolute paths."""
        folders = ("root", "project", "processes", "runs", "metadata")
        return replace(self, **{name: getattr(self, name).absolute() for name in folders})


def locate_gate(place: str | Path | None = None) -> GatePlaces:
    """Find a gate's places: as given, else from the environment, else `.state_gate`.

    Without a name, it is that of the current folder, or of the nearest folder above that
    has one; a gate of another user is used only if it is named.

    For a `postgresql://` address, or `memory:`, the runs are stored there, and the rest
    in the folder that would be used without it.

    Raises:
        StoreError: `STORE_UNKNOWN` for another kind of address.
    """
    named = str(place or os.environ.get("SANIWA_GATE") or "")
    project_root = os.environ.get("STATE_GATE_PROJECT_ROOT")
    project = Path(project_root or ".")
    address = named.strip() if _is_address(named) else ""
    root, above = project / GATE_FOLDER, None
    if named and not address:
        root = Path(named)
        project = Path(project_root) if project_root else root.absolute().parent
    elif not project_root:
        above = find_gate_above(root)
        if above is not None and is_own_file(above / GATE_FOLDER):
            root, project = above / GATE_FOLDER, above
        else:
            above = None
    return GatePlaces(
        root=root,
        project=project,
        processes=_read_path_variable("STATE_GATE_PROCESS_DIR", root / "processes"),
        runs=_read_path_variable("STATE_GATE_RUNS_DIR", root / "runs"),
        metadata=_read_path_variable("STATE_GATE_METADATA_DIR", root / "metadata"),
        address=address,
        is_above=above is not None,
    )


def find_gate_above(root: Path) -> Path | None:
    """Return the nearest folder above that has a gate, where the current one has none.

    None if there is none, or if `root` was named and is not that of the current folder.
    """
    if root != Path(GATE_FOLDER) or does_path_exist(root):
        return None
    try:
        here = Path.cwd()
    except FileNotFoundError:  # it was deleted
        return None
    return next((each for each in here.parents if does_path_exist(each / GATE_FOLDER)), None)


def split_folded(path: str | Path) -> tuple[str, ...]:
    """Return the parts of a path in one case: some file systems ignore the case."""
    return tuple(part.casefold() for part in PurePath(path).parts)


def prefer_written_path(path: Path, fixed: Path) -> Path:
    """Return the path as it was written, while it still leads to the same place."""
    try:
        return path if path.absolute() == fixed else fixed
    except FileNotFoundError:  # the current folder was deleted
        return fixed


def read_configured_run(places: GatePlaces) -> str:
    """Return the current run that `state-gate.json` names; empty if it names none.

    Raises:
        StoreError: `STORE_UNREADABLE`, also if the name is not a valid run id.
    """
    config = _read_config(places.config)
    run_id = config.get("run_id", "")
    if "run_id" in config and not (run_id and isinstance(run_id, str)):
        raise make_unreadable_error(places.config, "its 'run_id' is not a run id")
    return str(run_id)


def read_webhook_hosts(places: GatePlaces) -> tuple[str, ...]:
    """Return the hosts to which the owner allows webhooks, from `state-gate.json`.

    Raises:
        StoreError: `STORE_UNREADABLE`, also if the value is not a list of hosts.
    """
    return _read_texts(places, "webhook_hosts", "hosts")


def read_model_hosts(places: GatePlaces) -> tuple[str, ...]:
    """Return the hosts whose models the owner trusts, from `state-gate.json`.

    Raises:
        StoreError: `STORE_UNREADABLE`, also if the value is not a list of hosts.
    """
    return _read_texts(places, "model_hosts", "hosts")


def read_check_commands(places: GatePlaces) -> tuple[str, ...]:
    """Return the programs that the owner lets checks run, from `state-gate.json`.

    Raises:
        StoreError: `STORE_UNREADABLE`, also if the value is not a list of programs.
    """
    return _read_texts(places, "check_commands", "programs")


def allow_check_commands(
    places: GatePlaces, programs: Sequence[str], visitor: Visitor
) -> tuple[str, ...]:
    """Let checks run these programs too; return all that are allowed now.

    Raises:
        ProcessError: `FORBIDDEN`: the visitor is no person.
        StoreError: `STORE_UNREADABLE`, `TRACE_UNWRITABLE`.
    """
    if not visitor.person:
        raise describe("FORBIDDEN/allow_command").to_error(ProcessError)
    allowed = tuple(dict.fromkeys([*read_check_commands(places), *programs]))
    _write_config(places.config, _read_config(places.config) | {"check_commands": allowed})
    return allowed


def _read_texts(places: GatePlaces, name: str, what: str) -> tuple[str, ...]:
    listed = _read_config(places.config).get(name, [])
    if not isinstance(listed, list) or not all(isinstance(e, str) for e in listed):
        raise make_unreadable_error(places.config, f"its {name!r} is not a list of {what}")
    return tuple(listed)


def configure_run(places: GatePlaces, run_id: str) -> None:
    """Store the current run, so that later commands need not name it.

    Raises:
        StoreError: `STORE_UNREADABLE`, `TRACE_UNWRITABLE`.
    """
    _write_config(places.config, _read_config(places.config) | {"run_id": run_id})


def find_default_run(places: GatePlaces, session: str = "") -> str:
    """Return the run that is meant where none is named; empty if there is none.

    The run of the session, or of the session that $STATE_GATE_SESSION names, else the one
    that `state-gate.json` names.

    Raises:
        StoreError: `STORE_UNREADABLE`.
    """
    return read_session_run(places, session or _read_session()) or read_configured_run(places)


def read_session_run(places: GatePlaces, session: str) -> str:
    """Return the run that a session of an agent's host works on; empty if it has none.

    Raises:
        StoreError: `STORE_UNREADABLE`.
    """
    if not session:
        return ""
    return str(_read_config(_locate_session(places, session)).get("run_id", ""))


def bind_session(places: GatePlaces, run_id: str, session: str = "") -> None:
    """Store which run a session works on; without one, that of $STATE_GATE_SESSION.

    Each session has a file of its own, so sessions never wait for each other. Without any
    session nothing is stored.

    Raises:
        StoreError: `TRACE_UNWRITABLE`.
    """
    session = session or _read_session()
    if session:
        path = _locate_session(places, session)
        _write_config(path, {"session_id": session, "run_id": run_id})


def _read_session() -> str:
    return os.environ.get(SESSION_VARIABLE, "")


def _locate_session(places: GatePlaces, session: str) -> Path:
    # The id is another program's text, and may not be a valid file name.
    name = sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return places.root / "sessions" / f"{name}.json"


def _write_config(path: Path, config: dict[str, object]) -> None:
    content = msgspec.json.format(msgspec.json.encode(config), indent=2) + b"\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path.parent, path.name, content)
    except OSError as problem:
        raise describe(
            "TRACE_UNWRITABLE/configure_run", config_file=path.name, strerror=problem.strerror
        ).to_error(StoreError, where=SourceLocation(file=str(path))) from problem


def _read_config(path: Path) -> dict[str, object]:
    try:
        content = read_small_file(path, _LARGEST_CONFIG)
        return msgspec.json.decode(content, type=dict[str, object])
    except FileNotFoundError:
        return {}
    except UnfitFileError as problem:
        raise make_unreadable_error(path, f"it {problem}") from problem
    except OSError as problem:
        raise make_unreadable_error(path, str(problem.strerror)) from problem
    except (ValueError, RecursionError) as problem:
        raise make_unreadable_error(path, str(problem)) from problem


def make_unreadable_error(path: Path, why: str) -> StoreError:
    """Return the error for a file of settings that cannot be used."""
    return describe("STORE_UNREADABLE/unreadable", name=path.name, why=why).to_error(
        StoreError, where=SourceLocation(file=str(path))
    )


def _is_address(named: str) -> bool:
    kind = get_address_kind(named)
    if kind is not None:
        check_address_kind(kind, "runs", "use a folder, postgresql://… or memory:")
    return kind is not None or named == MEMORY


def _read_path_variable(variable: str, usual: Path) -> Path:
    return Path(os.environ.get(variable) or usual)
