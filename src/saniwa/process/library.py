"""Find processes by id: in a folder, and among those shipped with Saniwa."""

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from saniwa.core.errors import ProcessError
from saniwa.core.findings import Report, SourceLocation
from saniwa.core.path_checks import is_file, is_folder
from saniwa.core.suggestions import suggest_nearest
from saniwa.process import describe
from saniwa.process.definition import Process
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.draft import is_file_name
from saniwa.process.reader import ProcessReadResult, read_process

EXTENSIONS = (".yaml", ".yml", ".json")
"""The suffixes of definition files, the preferred one first."""

BUNDLED_FOLDER = Path(__file__).parent / "shipped"
"""The folder of the processes shipped with Saniwa."""


class FolderProcessLibrary:
    """Processes in folders, each in a file named by its id; earlier folders win."""

    def __init__(self, *folders: str | os.PathLike[str]) -> None:
        self._folders = tuple(Path(folder) for folder in folders)

    def find(self, process_id: str) -> Process:
        """Read the process from its file, as it is now.

        Raises:
            ProcessError: `PROCESS_NOT_FOUND`; `INVALID_PROCESS` with every finding.
        """
        return require_process(self.read(process_id), process_id)

    def read(self, process_id: str) -> ProcessReadResult:
        """Read a process and check it, together with the processes of its child runs.

        Raises:
            ProcessError: `PROCESS_NOT_FOUND`.
        """
        return read_process(self.find_file(process_id), self.find_child)

    def find_child(self, process_id: str) -> Process | tuple[str, ...] | None:
        """Return a process for a check; None if it has errors, all ids if there is none."""
        try:
            return read_process(self.find_file(process_id)).process
        except ProcessError:
            return self.list_ids()

    def list_ids(self) -> tuple[str, ...]:
        """List the ids of all processes, sorted."""
        return tuple(sorted({name for each in self._folders for name in _list_names(each)}))

    def find_file(self, process_id: str) -> Path:
        """Return the file of a process.

        Raises:
            ProcessError: `PROCESS_NOT_FOUND`, also for an id that is not a plain name.
        """
        if is_file_name(process_id):
            for folder in self._folders:
                for ending in EXTENSIONS:
                    file = folder / f"{process_id}{ending}"
                    if is_file(file):
                        return file
        raise _make_not_found_error(process_id, self.list_ids())


class BundledProcessLibrary(FolderProcessLibrary):
    """The processes shipped with Saniwa."""

    def __init__(self) -> None:
        super().__init__(BUNDLED_FOLDER)


@cache
def load_shipped_hashes() -> dict[str, str]:
    """Return the hashes of the definitions shipped with Saniwa, by id."""
    library = BundledProcessLibrary()
    return {name: ProcessIndex(library.find(name)).hash for name in library.list_ids()}


def open_library(folder: str | os.PathLike[str]) -> FolderProcessLibrary:
    """Open a folder's processes, followed by those shipped with Saniwa."""
    return FolderProcessLibrary(folder, BUNDLED_FOLDER)


def _list_names(folder: Path) -> Iterator[str]:
    if not is_folder(folder):
        return
    try:
        entries = list(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if entry.suffix in EXTENSIONS and is_file_name(entry.stem) and entry.is_file():
            yield entry.stem


def require_process(read: ProcessReadResult, process_id: str = "") -> Process:
    """Return the process that was read, if it has no errors.

    Raises:
        ProcessError: `INVALID_PROCESS`: with every finding; or it has another id.
    """
    if read.process is None:
        raise _make_invalid_error(read.report, read.document.file)
    found = read.process.process_id
    if process_id and found != process_id:
        raise describe("INVALID_PROCESS/other_id", process_id=process_id, found=found).to_error(
            ProcessError, where=SourceLocation(file=read.document.file)
        )
    return read.process


def _make_not_found_error(process_id: str, names: tuple[str, ...]) -> ProcessError:
    known = f"there are: {', '.join(names[:20])}" if names else "there are none"
    return describe(
        "PROCESS_NOT_FOUND", hint=suggest_nearest(process_id, names) or known, process_id=process_id
    ).to_error(ProcessError)


def _make_invalid_error(report: Report, file: str) -> ProcessError:
    first, others = report.errors[0], len(report.errors) - 1
    more = f" (and {others} more error{'s' * (others > 1)})" if others else ""
    rest = f"list them all: saniwa gate check {file}" if file else ""
    return describe(
        "INVALID_PROCESS/invalid",
        hint="; ".join(part for part in (first.hint, rest) if part),
        findings=[found.to_document() for found in report.findings],
        more=more,
        first=first,
    ).to_error(ProcessError, where=first.where)
