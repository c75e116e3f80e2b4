"""Inspects evidence of one run, as the gate does."""

import hashlib
import socket
import sys
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

from saniwa.process.artifact import Artifact, Author, Claim
from saniwa.process.ports import EvidenceInspection
from saniwa.store.gate.evidence_reader import FolderEvidenceReader

RUN = "run-1"
SECRET = b"nobody outside may read this"
AT_OPENING: dict[str, Callable[[], object]] = {}
"""What happens once, just before a file of that name is opened."""


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and AT_OPENING and isinstance(arguments[0], str):
        AT_OPENING.pop(arguments[0], lambda: None)()


sys.addaudithook(_hear)


def make_reader(folder: Path) -> FolderEvidenceReader:
    """A reader of a project's evidence, where one run has this folder."""
    return FolderEvidenceReader(folder.parent, folder.parent.parent)


def inspect_file(folder: Path, path: str, *, read: bool = False, **more: Any) -> EvidenceInspection:
    """The result of inspecting a file of the run."""
    claim = Claim(path=path, **more)
    return make_reader(folder).inspect(RUN, "", claim, read=read)


def inspect_inline(content: Any, *, read: bool = False, **more: Any) -> EvidenceInspection:
    """The result of inspecting inline content."""
    nowhere = FolderEvidenceReader(Path("nowhere"), Path("nowhere"))
    return nowhere.inspect(RUN, "", Claim(content=content, **more), read=read)


def make_artifact(seen: EvidenceInspection, **more: Any) -> Artifact:
    """The artifact made from an inspection."""
    return Artifact(
        artifact_id="1",
        run_id=RUN,
        type="report",
        hash=seen.hash,
        size=seen.size,
        created_at="2026-01-01T00:00:00Z",
        created_by=Author("agent", "agent"),
        **more,
    )


def compute_sha256(content: bytes) -> str:
    """The hash of some bytes."""
    return hashlib.sha256(content).hexdigest()


def put_socket(folder: Path) -> None:
    # From inside the folder, because the address of a socket must be short.
    """Put a socket where a file should be."""
    with chdir(folder), socket.socket(socket.AF_UNIX) as made:
        made.bind("a.md")
