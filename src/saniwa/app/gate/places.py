"""Where a gate keeps its files: folders, settings, the run that is configured."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from saniwa.core.atomic_files import write_atomically
from saniwa.core.errors import StoreError
from saniwa.core.findings import SourceLocation
from saniwa.core.paths import does_path_exist
from saniwa.core.safe_open import UnfitFileError, read_small_file

if TYPE_CHECKING:
    pass


GATE_FOLDER = ".state_gate"
"""The folder of a gate, inside a project."""


CONFIG_FILE = "state-gate.json"
"""The file that names the run one is working on, inside that folder."""


MEMORY = "memory:"
"""A place that is none: runs kept there last as long as the program."""


_LARGEST_CONFIG = 100_000


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

    def locate_artifacts(self, run_id: str, folder: str = "") -> Path:
        """Where paths of a run's evidence lead from."""
        return self.project / folder if folder else self.root / "artifacts" / run_id

    @property
    def is_initialized(self) -> bool:
        """Whether there is a gate here: a folder, or an address somewhere else."""
        return (
            bool(self.address)
            or does_path_exist(self.root)
            or does_path_exist(self.runs)
        )

    @property
    def config(self) -> Path:
        """The file that names the run one is working on."""
        return self.root / CONFIG_FILE

    def to_absolute(self) -> "GatePlaces":
        """The same places, wherever the program goes to from here."""
        folders = ("root", "project", "processes", "runs", "metadata")
        return replace(
            self, **{name: getattr(self, name).absolute() for name in folders}
        )


def locate_gate(place: str | Path | None = None) -> GatePlaces:
    """Where a gate's things lie: as said, else by the environment, else `.state_gate`.

    For a `postgresql://` address, or `memory:`, the runs lie there and the rest in the
    folder that would have been used without it.

    Raises:
        StoreError: `STORE_UNKNOWN` for another kind of address.
    """
    named = str(place or os.environ.get("SANIWA_GATE") or "")
    said = os.environ.get("STATE_GATE_PROJECT_ROOT")
    project = Path(said or ".")
    address = named.strip() if _is_address(named) else ""
    root = project / GATE_FOLDER
    if named and not address:
        root = Path(named)
        project = Path(said) if said else root.absolute().parent
    return GatePlaces(
        root=root,
        project=project,
        processes=_read_path_variable("STATE_GATE_PROCESS_DIR", root / "processes"),
        runs=_read_path_variable("STATE_GATE_RUNS_DIR", root / "runs"),
        metadata=_read_path_variable("STATE_GATE_METADATA_DIR", root / "metadata"),
        address=address,
    )


def prefer_written_path(path: Path, fixed: Path) -> Path:
    """The path as somebody wrote it, while it still leads to the same place."""
    try:
        return path if path.absolute() == fixed else fixed
    except FileNotFoundError:  # the folder one is in is gone
        return fixed


def read_configured_run(places: GatePlaces) -> str:
    """The run one is working on, as `state-gate.json` names it; empty if none is.

    Raises:
        StoreError: `STORE_UNREADABLE`, also where what it names can be no run.
    """
    said = _read_config(places.config)
    run_id = said.get("run_id", "")
    if "run_id" in said and not (run_id and isinstance(run_id, str)):
        raise _make_unreadable_error(places.config, "its 'run_id' is no run's id")
    return str(run_id)


def read_webhook_hosts(places: GatePlaces) -> tuple[str, ...]:
    """The hosts that the owner allows webhooks to, as `state-gate.json` lists them.

    Raises:
        StoreError: `STORE_UNREADABLE`, also where the list is none.
    """
    listed = _read_config(places.config).get("webhook_hosts", [])
    if not isinstance(listed, list) or not all(isinstance(e, str) for e in listed):
        raise _make_unreadable_error(
            places.config, "its 'webhook_hosts' is no list of hosts"
        )
    return tuple(listed)


def configure_run(places: GatePlaces, run_id: str) -> None:
    """Name the run one is working on, so that it may be left out from now on.

    Raises:
        StoreError: `STORE_UNREADABLE`, `TRACE_UNWRITABLE`.
    """
    said = _read_config(places.config) | {"run_id": run_id}
    content = msgspec.json.format(msgspec.json.encode(said), indent=2) + b"\n"
    try:
        places.root.mkdir(parents=True, exist_ok=True)
        write_atomically(places.config.parent, places.config.name, content)
    except OSError as problem:
        raise StoreError(
            "TRACE_UNWRITABLE",
            f"{CONFIG_FILE!r} cannot be written: {problem.strerror}",
            where=SourceLocation(file=str(places.config)),
            hint="name the run in each command instead",
            recoverable=True,
        ) from problem


def _read_config(path: Path) -> dict[str, object]:
    try:
        content = read_small_file(path, _LARGEST_CONFIG)
        return msgspec.json.decode(content, type=dict[str, object])
    except FileNotFoundError:
        return {}
    except UnfitFileError as problem:
        raise _make_unreadable_error(path, f"it {problem}") from problem
    except OSError as problem:
        raise _make_unreadable_error(path, str(problem.strerror)) from problem
    except (ValueError, RecursionError) as problem:
        raise _make_unreadable_error(path, str(problem)) from problem


def _make_unreadable_error(path: Path, why: str) -> StoreError:
    return StoreError(
        "STORE_UNREADABLE",
        f"{path.name!r} cannot be read: {why}",
        where=SourceLocation(file=str(path)),
        hint="remove the file, and name the run in each command",
    )


def _is_address(named: str) -> bool:
    found = _SCHEME.match(named)
    if found and found[1].lower() not in ("postgresql", "postgres"):
        raise StoreError(
            "STORE_UNKNOWN",
            f"runs cannot be kept at a {found[1]!r} address",
            hint="name a folder, postgresql://…, or memory:",
        )
    return found is not None or named == MEMORY


def _read_path_variable(variable: str, usual: Path) -> Path:
    return Path(os.environ.get(variable) or usual)
