"""What all stores share: run ids, names, versions, encoding, places in messages."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from saniwa.core.errors import StoreError
from saniwa.core.suggestions import find_nearest
from saniwa.core.text import quote_value

OpenMode = Literal["create", "existing", "read"]
"""Whether missing tables are created; `read` never writes."""
_PASSWORD_PATTERN = re.compile(r"(password\s*=\s*).*", re.IGNORECASE | re.DOTALL)
_MOST_NAMED = 5
_SHORTEST_PART = 4
LAST = "last"
"""The word that means the newest run."""
LONGEST_NAME = 100
"""Most characters the name of a save may have."""


def is_storable_text(text: str) -> bool:
    """Whether every backend can store the text: no NUL, no lone surrogates."""
    return "\x00" not in text and not any("\ud800" <= c <= "\udfff" for c in text)


def redact_place(place: str | Path) -> str:
    """Return the place as it may be shown to people: without a password."""
    text = str(place)
    before, _, after = text.partition(":")
    if "@" in after:
        text = f"{before}:…@{after.rpartition('@')[2]}"
    return _PASSWORD_PATTERN.sub(r"\1…", text)


def pick_run_id(text: str, run_ids: Iterable[str], place: str) -> str:
    """Return the one run whose id is `text`, or begins or ends with it.

    The leading `run-` may be left out. Fewer than four characters match only a complete
    id, so that a typing mistake opens no other run.

    Raises:
        StoreError: `RUN_NOT_FOUND`, or `RUN_AMBIGUOUS` if several match.
    """
    known = sorted(run_ids)
    if text in known:
        return text
    found = [run_id for run_id in known if _matches_id(text, run_id)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise make_unknown_run_error(text, known, place)
    named = ", ".join(found[:_MOST_NAMED])
    raise StoreError(
        "RUN_AMBIGUOUS",
        f"{len(found)} runs match {quote_value(text)}",
        where=place,
        hint=f"give a longer part of the id: {named}" + (" …" if found[_MOST_NAMED:] else ""),
        details={"run": text, "candidates": found[:_MOST_NAMED]},
    )


def make_unknown_run_error(run_id: str, known: Iterable[str], place: str) -> StoreError:
    """Build the error for an unknown run; suggests the nearest id."""
    near = find_nearest(run_id, known)
    hint = f"did you mean {near!r}?" if near else "list the runs first"
    return StoreError(
        "RUN_NOT_FOUND",
        f"there is no run {quote_value(run_id)}",
        where=place,
        hint=hint,
        details={"run": run_id, "nearest": near},
    )


def make_run_exists_error(run_id: str, place: str) -> StoreError:
    """Build the error for a second run under one id."""
    return StoreError(
        "RUN_EXISTS",
        f"run {quote_value(run_id)} already exists",
        where=place,
        hint="continue it, or give the new run another id",
        details={"run": run_id},
    )


def make_foreign_error(kind: str, why: str, place: str, cure: str = "") -> StoreError:
    """Build the error for a file or database that is not ours; `kind`: `file of runs`."""
    cure = cure or f"name another {kind.split()[0]}"
    return StoreError(
        "STORE_UNREADABLE",
        f"this is not a {kind}: {why}",
        where=place,
        hint=f"{cure}; this one was not changed",
    )


def check_schema_version(version: int | None, newest: int, kind: str, place: str) -> None:
    """Refuse tables that this version of Saniwa cannot read; `kind`: `file of runs`.

    Raises:
        StoreError: `STORE_UNREADABLE`; `STORE_TOO_NEW` if a later version made them.
    """
    if version is None or version < newest:
        why = f"its schema version {version} does not exist"
        raise make_foreign_error(kind, why, place)
    if version > newest:
        place_kind = kind.split()[0]
        raise StoreError(
            "STORE_TOO_NEW",
            f"the {place_kind} has schema version {version}, but this version of Saniwa reads only up to {newest}",
            where=place,
            hint=f"update Saniwa; the {place_kind} was not changed",
            details={"version": version, "newest": newest},
        )


def check_save_name(name: str, place: str) -> None:
    """Refuse a save's name that people could not read or type again.

    Raises:
        StoreError: `SAVE_UNNAMED`.
    """
    if 0 < len(name) <= LONGEST_NAME and name.isprintable() and is_storable_text(name):
        return
    raise StoreError(
        "SAVE_UNNAMED",
        f"{name[:LONGEST_NAME]!r} cannot be the name of a save",
        where=place,
        hint=f"use 1 to {LONGEST_NAME} printable characters",
    )


def _matches_id(text: str, run_id: str) -> bool:
    if len(text.removeprefix("run-")) < _SHORTEST_PART:
        return False
    bare = run_id.removeprefix("run-")
    return run_id.startswith(text) or bare.startswith(text) or bare.endswith(text)
