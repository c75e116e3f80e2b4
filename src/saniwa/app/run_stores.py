"""Opens run stores and play records by place, and finds runs by name."""

import re
from collections import Counter, deque
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from saniwa.app import describe
from saniwa.core import path_checks
from saniwa.core.errors import StoreError
from saniwa.store.run_id_lookup import LAST

if TYPE_CHECKING:
    from saniwa.runs.ports import RunStore
    from saniwa.store.play_records import PlayRecords
    from saniwa.store.run_records import RunRecord
    from saniwa.turn.record import Turn


def summarize_run(record: "RunRecord", turns: "Iterable[Turn]") -> dict[str, Any]:
    """Summarize a run: its scenario, length, refusals and final state."""
    refusals: Counter[str] = Counter()
    count, applied, fingerprint = 0, 0, ""
    for turn in turns:
        count += 1
        applied += len(turn.applied_actions)
        refusals.update(v.reason_code for v in turn.validation_results if not v.success)
        fingerprint = turn.world_after
    return {
        "run": record.run_id,
        "scenario": record.scenario_id,
        "scenarioHash": record.scenario_hash,
        "worldHash": record.world_hash,
        "language": record.language,
        "seed": record.seed,
        "created": format_moment(record.created),
        "turns": count,
        "applied": applied,
        "refused": dict(sorted(refusals.items())),
        "fingerprint": fingerprint,
    }


def format_moment(milliseconds: int) -> str:
    """Format a moment as ISO 8601 in UTC; as milliseconds if out of range."""
    try:
        moment = datetime.fromtimestamp(milliseconds / 1000, tz=UTC)
    except (OverflowError, ValueError, OSError):
        return f"{milliseconds} ms"
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


_SCHEME = re.compile(r"\s*([a-z][a-z0-9+.-]+):/", re.IGNORECASE)
_MEMORY = "memory:"


def open_store(
    place: str | Path,
    *,
    mode: Literal["create", "existing", "read"] = "create",
    together: bool = False,
) -> "RunStore":
    """Open the store at a place: a SQLite file, `postgresql://…`, or `memory:`.

    `together` as for `SqliteRunStore`; other stores make every write durable at once.

    Raises:
        StoreError: `STORE_UNKNOWN` for another kind of address; the store cannot be
            opened.
    """
    named = str(place)
    if named == _MEMORY:
        from saniwa.store.memory_run_store import MemoryRunStore

        return MemoryRunStore()
    if is_address(named):
        from saniwa.store.postgres_stores import PostgresRunStore

        return PostgresRunStore(to_postgres_address(named), mode=mode)
    from saniwa.store.sqlite_runs_and_plays import SqliteRunStore

    if mode == "create":
        make_parent_folder(named)
    return SqliteRunStore(named, mode=mode, together=together)


def to_postgres_address(place: str | Path) -> str:
    """Return a database address in the form that the PostgreSQL library expects.

    Raises:
        StoreError: `STORE_UNKNOWN` if it is not a PostgreSQL address.
    """
    named = str(place).strip()
    kind = get_address_kind(named) or ""
    check_address_kind(kind, "runs", "use a file, postgresql://… or memory:")
    return kind.lower() + named[len(kind) :]


def check_address_kind(kind: str, what: str, hint: str) -> None:
    """Check that a kind of address, such as `postgresql`, can be opened.

    Raises:
        StoreError: `STORE_UNKNOWN`: it says what cannot be kept there, with the hint.
    """
    if kind.lower() not in ("postgresql", "postgres"):
        raise describe("STORE_UNKNOWN", what=what, kind=kind, hint=hint).to_error(StoreError)


def get_address_kind(place: str | Path) -> str | None:
    """Return the kind of a network address, as it is written; None for a file."""
    address = _SCHEME.match(str(place))
    return address[1] if address else None


def make_parent_folder(file: str | Path) -> None:
    """Create the folder of a file, one level deep, for a first run in a new project.

    An error is ignored here: opening the file will report it.
    """
    with suppress(OSError):
        Path(file).parent.mkdir(exist_ok=True)


def is_memory(place: str | Path) -> bool:
    """Whether a place is memory: its content is lost when the process ends."""
    return str(place) == _MEMORY


def is_address(place: str | Path) -> bool:
    """Whether a place is a network address and not a file."""
    return get_address_kind(place) is not None


def locate_beside(place: str | Path, name: str) -> Path | None:
    """Return the folder of a name next to the store at a place; None for one in memory.

    For a remote database it is in the current project.
    """
    if is_memory(place):
        return None
    return (Path(".saniwa") if is_address(place) else Path(place).parent) / name


def open_existing_store(place: str | Path, *, together: bool = False) -> "RunStore":
    """Open the store at a place that must exist; no other file becomes a store.

    `together` as for `open_store`.

    Raises:
        StoreError: As `open_store` does; `STORE_UNREADABLE` if there is none.
    """
    if (
        not is_memory(place)
        and not is_address(place)
        and not path_checks.does_path_exist(Path(place))
    ):
        missing = describe("STORE_UNREADABLE/no_runs", file=str(place))
        raise missing.to_error(StoreError, where=str(place))
    return open_store(place, mode="existing", together=together)


def find_run(store: "RunStore", named: str) -> str:
    """Return the id of the run that the caller names: its id, part of it, or `last`.

    Raises:
        StoreError: `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`.
    """
    if named != LAST:
        return store.find_run(named)
    newest = deque(store.list_runs(), maxlen=1)
    if not newest:
        raise describe("RUN_NOT_FOUND/find_run").to_error(StoreError)
    return newest[0].run_id


PLAYS_FILE: Final = "plays.sqlite"
"""The file of play records, next to a store that is a file."""


def has_play_records(place: str | Path) -> bool:
    """Whether there are play records for the store at a place; in a database, maybe."""
    if is_memory(place):
        return False
    return is_address(place) or path_checks.is_file(Path(place).with_name(PLAYS_FILE))


def open_play_records(place: str | Path, *, together: bool = False) -> "PlayRecords":
    """Open the play records for the store at a place; `together` as for `open_store`.

    Raises:
        StoreError: `STORE_UNKNOWN` for another kind of address; it cannot be opened.
    """
    if is_memory(place):
        from saniwa.store.play_records import MemoryPlayRecords

        return MemoryPlayRecords()
    if is_address(place):
        from saniwa.store.postgres_stores import PostgresPlayRecords

        return PostgresPlayRecords(to_postgres_address(place))
    from saniwa.store.sqlite_runs_and_plays import SqlitePlayRecords

    file = Path(place).with_name(PLAYS_FILE)
    make_parent_folder(file)
    return SqlitePlayRecords(file, together=together)
