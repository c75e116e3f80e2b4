"""Run ids as users type them: which run is meant, and the errors if none or several are."""

from collections.abc import Iterable

from saniwa.core.errors import StoreError
from saniwa.core.suggestions import find_nearest
from saniwa.core.text import quote_value

_MOST_NAMED = 5
_SHORTEST_PART = 4
LAST = "last"
"""The word that means the newest run."""


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


def _matches_id(text: str, run_id: str) -> bool:
    if len(text.removeprefix("run-")) < _SHORTEST_PART:
        return False
    bare = run_id.removeprefix("run-")
    return run_id.startswith(text) or bare.startswith(text) or bare.endswith(text)
