"""Writes `times.json`: when each cell was played, by which worker, and with what.

All other files of an experiment are the same whenever it is run.
"""

import os
import platform
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import asdict

from saniwa.core.errors import StoreError
from saniwa.core.findings import SourceLocation
from saniwa.core.json_values import warm_decoders
from saniwa.core.safe_open import read_small_file
from saniwa.experiment.folder_layout import TIMES
from saniwa.experiment.output.output_folder import encode_json_page
from saniwa.experiment.ports import CellCompletion

SHORT_HASH: Final = 7
"""The length of a commit as people say it."""
_SHA: Final = re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?").fullmatch
_LARGEST: Final = 1024 * 1024


def render_times(
    done: Mapping[str, CellCompletion],
    started: int,
    finished: int,
    before: bytes | None = None,
    *,
    folder: Path | None = None,
) -> bytes:
    """Render `times.json`; cells that were played before keep their times.

    Args:
        done: The cells played now, by key.
        started: When this run began, in milliseconds.
        finished: When it ended.
        before: The file as it was.
        folder: Where a repository is looked for; the working directory by default.

    Raises:
        StoreError: `TRACE_CORRUPT`: the file as it was cannot be read.
    """
    cells = _read_earlier(before)
    begun = min([format_moment(started), *(str(cell["started"]) for cell in cells.values())])
    for key, each in done.items():
        moment = format_moment(each.started)
        cells[key] = {"started": moment, "took_ms": each.took_ms, "worker": each.worker}
    sha = find_commit(folder or Path())
    return encode_json_page(
        {
            "generated_at": format_moment(finished),
            "started": begun,
            "finished": format_moment(finished),
            "python": platform.python_version(),
            "platform": platform.platform(),
            "saniwa_version": version("saniwa"),
            **({"git_sha": sha, "git_short": sha[:SHORT_HASH]} if sha else {}),
            "cells": cells,
        }
    )


def format_moment(milliseconds: int) -> str:
    """Format a time in ISO 8601, UTC, to the millisecond; the length is constant."""
    seconds, rest = divmod(milliseconds, 1000)
    second = datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{second}.{rest:03d}Z"


class _CellRow(msgspec.Struct, frozen=True, kw_only=True):
    """A cell's times as written in the file."""

    started: str
    took_ms: int
    worker: str


class _EarlierTimes(msgspec.Struct, frozen=True, kw_only=True):
    """The part of an existing file that is read."""

    cells: dict[str, _CellRow]


def _read_earlier(before: bytes | None) -> dict[str, dict[str, Any]]:
    """Return the cells of the existing file."""
    if before is None:
        return {}
    try:
        earlier = msgspec.json.decode(before, type=_EarlierTimes)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as problem:
        raise StoreError(
            "TRACE_CORRUPT",
            f"{TIMES!r} does not say when cells were done: {problem}",
            where=SourceLocation(file=TIMES),
            hint="remove it and resume: only times are lost",
        ) from problem
    return {key: asdict(row) for key, row in earlier.cells.items()}


warm_decoders(_EarlierTimes)


def find_commit(folder: Path) -> str:
    """Return the commit that a project is at, read without running git; empty if none.

    Uncommitted changes cannot be seen without git and are not reported.
    """
    here = folder.resolve()
    git = next((up / ".git" for up in (here, *here.parents) if (up / ".git").is_dir()), None)
    if git is None:
        return ""
    head = _read_text(git / "HEAD").strip()
    if not head.startswith("ref: "):
        return head if _SHA(head) else ""
    ref = head.removeprefix("ref: ")
    if os.pardir in ref.split("/") or ref.startswith("/"):
        return ""
    loose = _read_text(git / ref).strip()
    return loose if _SHA(loose) else _find_packed_ref(_read_text(git / "packed-refs"), ref)


def _find_packed_ref(text: str, ref: str) -> str:
    for line in text.split("\n"):
        sha, _, name = line.partition(" ")
        if name == ref and _SHA(sha):
            return sha
    return ""


def _read_text(path: Path) -> str:
    try:
        return read_small_file(path, _LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""
