"""What a command means by a process: a file, or an id of the gate's library."""

from pathlib import Path
from typing import TYPE_CHECKING

from saniwa.core.document import FORMATS

if TYPE_CHECKING:
    from saniwa.process.authoring.library import FolderLibrary


def file_named(name: str, place: str | None) -> str:
    """What ends like a JSON or YAML file is a file; everything else is an id.

    Raises:
        ProcessError: `PROCESS_NOT_FOUND`.
    """
    if Path(name).suffix.lower() in FORMATS:
        return name
    return str(library_at(place).file_of(name))


def library_at(place: str | None) -> "FolderLibrary":
    """The processes of a gate, and those that come with Saniwa."""
    from saniwa.process.authoring.library import library_of
    from saniwa.wiring.gate import gate_folders

    return library_of(gate_folders(place).processes)
