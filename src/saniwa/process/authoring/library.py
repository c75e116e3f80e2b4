"""Where processes are found by their id: in a folder, and among those shipped with us."""

import os
from collections.abc import Iterator
from pathlib import Path

from saniwa.core.errors import ProcessError
from saniwa.core.finding import Report
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.core.there import is_file, is_folder
from saniwa.core.where import Where
from saniwa.process.authoring.naming import is_plain
from saniwa.process.authoring.reading import Read, read_process
from saniwa.process.definition import Process

ENDINGS = (".yaml", ".yml", ".json")
"""The ends of a definition's file name, the preferred one first."""

SHIPPED = Path(__file__).parent / "shipped"
"""Where the processes lie that come with Saniwa."""


class FolderLibrary:
    """The processes in folders, each in a file of its id's name; the first folder counts."""

    def __init__(self, *folders: str | os.PathLike[str]) -> None:
        self._folders = tuple(Path(folder) for folder in folders)

    def find(self, process_id: str) -> Process:
        """The process as its file has it now.

        Raises:
            ProcessError: `PROCESS_NOT_FOUND`; `INVALID_PROCESS` with every finding.
        """
        return checked(read_process(self.file_of(process_id)), process_id)

    def names(self) -> tuple[str, ...]:
        """The ids of all processes, in order."""
        return tuple(sorted({name for each in self._folders for name in _names(each)}))

    def file_of(self, process_id: str) -> Path:
        """The file of a process.

        Raises:
            ProcessError: `PROCESS_NOT_FOUND`, also for an id that is no plain name.
        """
        if is_plain(process_id):
            for folder in self._folders:
                for ending in ENDINGS:
                    file = folder / f"{process_id}{ending}"
                    if is_file(file):
                        return file
        raise _not_found(process_id, self.names())


class ShippedLibrary(FolderLibrary):
    """The processes that come with Saniwa."""

    def __init__(self) -> None:
        super().__init__(SHIPPED)


def library_of(folder: str | os.PathLike[str]) -> FolderLibrary:
    """A folder's processes, then those that come with Saniwa."""
    return FolderLibrary(folder, SHIPPED)


def _names(folder: Path) -> Iterator[str]:
    if not is_folder(folder):
        return
    try:
        entries = list(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if entry.suffix in ENDINGS and is_plain(entry.stem) and entry.is_file():
            yield entry.stem


def checked(read: Read, process_id: str = "") -> Process:
    """The process that was read, if nothing is wrong with it.

    Raises:
        ProcessError: `INVALID_PROCESS`: with every finding; or it has another id.
    """
    if read.process is None:
        raise _broken(read.report, read.document.file)
    found = read.process.process_id
    if process_id and found != process_id:
        raise ProcessError(
            "INVALID_PROCESS",
            f"the file of {quoted(process_id)} holds the process {quoted(found)}",
            where=Where(file=read.document.file),
            hint="give the file the name of its process",
        )
    return read.process


def _not_found(process_id: str, names: tuple[str, ...]) -> ProcessError:
    known = f"there are: {', '.join(names[:20])}" if names else "there are none yet"
    return ProcessError(
        "PROCESS_NOT_FOUND",
        f"there is no process {quoted(process_id)}",
        hint=did_you_mean(process_id, names) or known,
        details={"process_id": process_id},
    )


def _broken(report: Report, file: str) -> ProcessError:
    first, others = report.errors[0], len(report.errors) - 1
    more = f" (and {others} more mistake{'s' * (others > 1)})" if others else ""
    rest = f"see all of it: saniwa gate check {file}"
    return ProcessError(
        "INVALID_PROCESS",
        f"{first.code}: {first.message}{more}",
        where=first.where,
        hint="; ".join(part for part in (first.hint, rest) if part),
        details={"findings": [found.as_document() for found in report.findings]},
    )
