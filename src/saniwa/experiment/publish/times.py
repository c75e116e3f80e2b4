"""When and where an experiment was carried out: all that differs from one time to the next."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from saniwa.core.errors import StoreError
from saniwa.core.ready import ready
from saniwa.core.where import Where
from saniwa.experiment.layout import TIMES
from saniwa.experiment.publish.encoding import json_page

SHORT = 7
"""Hex digits of a commit that people say."""


class CellTime(msgspec.Struct, frozen=True, kw_only=True):
    """When one cell was played."""

    started: int
    """When it was begun; milliseconds since 1970."""
    took_ms: int
    """How long it took."""
    worker: str = ""
    """Who did it."""


class Times(msgspec.Struct, frozen=True, kw_only=True):
    """When and where everything was done."""

    generated: int
    """When the files were written; milliseconds since 1970, as all moments here."""
    started: int
    """When the first cell was begun."""
    finished: int
    """When the last was done."""
    cells: dict[str, CellTime]
    """Each cell that was played, by key."""
    python: str
    """The Python version."""
    platform: str
    """The machine's kind, such as `Linux-6.1-x86_64`."""
    saniwa: str
    """The Saniwa version that wrote the files."""
    git_sha: str = ""
    """The commit of the project; empty where none is known."""


def times_page(times: Times, before: bytes | None = None) -> bytes:
    """`times.json`.

    Args:
        times: What is to be told.
        before: The file as it stands. Cells that are told of there and not in `times`
            were played before this was taken up again, and are told of still.

    Raises:
        StoreError: `TRACE_CORRUPT`: what stands there is no such file.
    """
    earlier = _earlier(before)
    cells = {key: _cell(cell) for key, cell in times.cells.items()}
    started = moment(times.started)
    if earlier:
        cells = earlier | cells
        started = min([started, *(str(cell["started"]) for cell in earlier.values())])
    return json_page(
        {
            "generated_at": moment(times.generated),
            "started": started,
            "finished": moment(times.finished),
            "python": times.python,
            "platform": times.platform,
            "saniwa_version": times.saniwa,
            **_git(times),
            "cells": cells,
        }
    )


def moment(milliseconds: int) -> str:
    """A moment in ISO 8601, UTC, to the millisecond: always as many letters."""
    whole, rest = divmod(milliseconds, 1000)
    second = datetime.fromtimestamp(whole, tz=UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{second}.{rest:03d}Z"


def _cell(cell: CellTime) -> dict[str, Any]:
    return {
        "started": moment(cell.started),
        "took_ms": cell.took_ms,
        "worker": cell.worker,
    }


def _git(times: Times) -> dict[str, str]:
    if not times.git_sha:
        return {}
    return {"git_sha": times.git_sha, "git_short": times.git_sha[:SHORT]}


class _Row(msgspec.Struct, frozen=True, kw_only=True):
    """A cell's times as they are written."""

    started: str
    took_ms: int
    worker: str


class _Before(msgspec.Struct, frozen=True, kw_only=True):
    """What is read again of the file."""

    cells: dict[str, _Row]


def _earlier(before: bytes | None) -> dict[str, dict[str, Any]]:
    """The cells of the file as it stands."""
    if before is None:
        return {}
    try:
        kept = msgspec.json.decode(before, type=_Before)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as problem:
        raise StoreError(
            "TRACE_CORRUPT",
            f"{TIMES!r} does not say when cells were done: {problem}",
            where=Where(file=TIMES),
            hint="take it away and resume: nothing but times is lost",
        ) from problem
    return {key: msgspec.structs.asdict(row) for key, row in kept.cells.items()}


ready(_Before)
