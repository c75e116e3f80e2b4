"""What a command means by a process: a file, or an id of the gate's library."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from saniwa.core.document import FORMATS

if TYPE_CHECKING:
    from saniwa.process.library import FolderLibrary

F = TypeVar("F", bound=Callable[..., Any])


def process_dir_option(command: F) -> F:
    """Where ids of processes are found."""
    return click.option(
        "--process-dir",
        metavar="FOLDER",
        help="Where ids are found (else $STATE_GATE_PROCESS_DIR, else "
        ".state_gate/processes); those shipped with Saniwa come after it.",
    )(command)


def file_named(name: str, folder: str | None) -> str:
    """What ends like a JSON or YAML file is a file; everything else is an id.

    Raises:
        ProcessError: `PROCESS_NOT_FOUND`.
    """
    if Path(name).suffix.lower() in FORMATS:
        return name
    return str(library_at(folder).file_of(name))


def library_at(folder: str | None) -> "FolderLibrary":
    """The processes of a folder, else of the gate's own, and those shipped."""
    from saniwa.process.library import library_of
    from saniwa.wiring.gate import gate_folders

    return library_of(folder or gate_folders().processes)
