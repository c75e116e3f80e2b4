"""Which runs there are."""

import os
from pathlib import Path

from saniwa.core.errors import StoreError
from saniwa.process.record import start_of
from saniwa.store import lookup
from saniwa.store.gate.files import disk, trouble
from saniwa.store.gate.files.folders import GateFolders, is_run_id
from saniwa.store.gate.files.sealed import Reading


def run_ids(folders: GateFolders) -> list[str]:
    """The ids of all runs, oldest first: those with a table, or with a first record.

    Raises:
        StoreError: `STORE_UNREADABLE`.
    """
    tables = _ids(folders.runs, ".csv")
    records = _ids(folders.metadata, ".jsonl")
    whole = {r for r in records - tables if _has_begun(folders.journal(r), r)}
    return sorted(tables | whole)


def absent(run_id: str, folders: GateFolders) -> StoreError:
    """The error for a run that has no record: there is none, or only its table is left.

    One that began after it was asked for was not there.
    """
    # A record comes before its table and goes after it: who sees a table, then no
    # record, then the table still, has met no beginning and no failed one.
    if (
        is_run_id(run_id)
        and is_there(folders.table(run_id))
        and not _has_begun(folders.journal(run_id), run_id)
        and is_there(folders.table(run_id))
    ):
        return trouble.recordless(
            run_id, folders.table(run_id), folders.journal(run_id)
        )
    return lookup.unknown(run_id, run_ids(folders), str(folders.metadata))


def is_there(path: Path) -> bool:
    """Whether something has the name.

    Raises:
        StoreError: `STORE_UNREADABLE`: its folder cannot be asked.
    """
    try:
        return path.exists()
    except OSError as problem:
        raise trouble.unreadable(path, problem) from problem


def _has_begun(journal: Path, run_id: str) -> bool:
    """Whether a record has a whole first line."""
    try:
        fd = disk.to_read(journal)
        try:
            return next(iter(Reading(fd, 0, start_of(run_id))), None) is not None
        finally:
            os.close(fd)
    except FileNotFoundError:
        return False
    except OSError as problem:
        raise trouble.unreadable(journal, problem) from problem


def _ids(folder: Path, ending: str) -> set[str]:
    try:
        names = os.listdir(folder)  # noqa: PTH208 - names are all that is needed
    except FileNotFoundError:
        return set()
    except OSError as problem:
        raise trouble.unreadable(folder, problem) from problem
    stems = {name.removesuffix(ending) for name in names if name.endswith(ending)}
    return {stem for stem in stems if is_run_id(stem)}
