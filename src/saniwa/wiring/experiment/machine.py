"""Where an experiment is carried out: the machine, and the commit of the project."""

import os
import platform
import re
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Final

from saniwa.core.small_file import small_file
from saniwa.experiment.ports import Done
from saniwa.experiment.publish.times import CellTime, Times

_SHA: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?").fullmatch
_LARGEST: Final = 1024 * 1024


def times_of(done: Mapping[str, Done], started: int, finished: int) -> Times:
    """What is told of when and where the cells were done."""
    return Times(
        generated=finished,
        started=started,
        finished=finished,
        cells={
            key: CellTime(
                started=each.started, took_ms=each.took_ms, worker=each.worker
            )
            for key, each in done.items()
        },
        python=platform.python_version(),
        platform=platform.platform(),
        saniwa=version("saniwa"),
        git_sha=commit_of(Path()),
    )


def commit_of(folder: Path) -> str:
    """The commit a project stands at, read without running git; empty where none is.

    Whether there are changes beside it is not known without git, and not told.
    """
    git = next((up / ".git" for up in _ups(folder) if (up / ".git").is_dir()), None)
    if git is None:
        return ""
    head = _text(git / "HEAD").strip()
    if not head.startswith("ref: "):
        return head if _SHA(head) else ""
    ref = head.removeprefix("ref: ")
    if os.pardir in ref.split("/") or ref.startswith("/"):
        return ""
    loose = _text(git / ref).strip()
    return loose if _SHA(loose) else _packed(_text(git / "packed-refs"), ref)


def _ups(folder: Path) -> tuple[Path, ...]:
    here = folder.resolve()
    return (here, *here.parents)


def _packed(text: str, ref: str) -> str:
    for line in text.split("\n"):
        sha, _, name = line.partition(" ")
        if name == ref and _SHA(sha):
            return sha
    return ""


def _text(path: Path) -> str:
    try:
        return small_file(path, _LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""
