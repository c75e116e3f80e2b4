"""The journals of agents on disk: found, written, summed up, and read by people over HTTP.

A journal grows while its agent works, and may be large: `JournalService` reads nothing
twice and a limited number of bytes for each request. It neither writes nor locks.
"""

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import msgspec

from saniwa.agent.definition import AgentDefinition
from saniwa.agent.journal import JournalSummary, MemoryJournal, read_journal, render_entry
from saniwa.agent.journal_view import (
    DAMAGED,
    IterationReader,
    JournalIteration,
    JournalOverview,
    JournalPart,
    JournalTally,
)
from saniwa.app import describe
from saniwa.app.agent_lookup import is_agent_folder, locate_shipped_agents
from saniwa.app.run_stores import locate_beside
from saniwa.core.errors import StoreError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.redaction import Redactor, find_environment_secrets
from saniwa.core.safe_open import open_regular_inside
from saniwa.models.oracle import AnswerHistory, Usage
from saniwa.models.recording import AgentJournal
from saniwa.store.json_lines_file import JsonLinesFile, decode_line
from saniwa.store.run_id_lookup import LAST, pick_run_id
from saniwa.store.storage_errors import make_unreadable_error, translate_os_errors

if TYPE_CHECKING:
    pass

MOST_BYTES_READ: Final = 32_000_000
"""Bytes that one request reads anew; the next one goes on from there."""
MOST_BYTES_SHOWN: Final = 2_000_000
"""Bytes of a journal that one page shows, or a little more."""
LARGEST_ENTRY: Final = 1_000_000
"""The most bytes of an entry; a larger one is not shown."""
MOST_LISTED: Final = 500
"""Journals that one list looks into."""
_MOST_OPEN: Final = 200


class JournalFile:
    """One journal: its totals, and where its parts are, as far as it was read."""

    def __init__(
        self, project: Path, names: tuple[str, ...], redaction: Redactor, problem: str = ""
    ) -> None:
        """Begin with a journal that was not read yet; `problem` is one that it has anyway."""
        self._project, self._names, self._problem = project, names, problem
        self._redaction = redaction
        self._lock = Lock()
        self._tally = self._begin()

    def _begin(self) -> JournalTally:
        tally = JournalTally(Path(self._names[-1]).stem)
        tally.overview.problem = self._problem
        return tally

    @property
    def bytes_read(self) -> int:
        """How far it was read."""
        return self._tally.overview.bytes

    def read_on(self, most: int) -> tuple[JournalOverview, list[JournalPart]]:
        """Read what is new, at least one entry; return the totals and the parts.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        with self._lock, self._open() as stream:
            size = os.fstat(stream.fileno()).st_size
            if size < self.bytes_read:
                # Another file has taken its place.
                self._tally = self._begin()
            first, tally = self.bytes_read, self._tally
            for start, end, entry in self._read_entries(stream, first):
                tally.add_entry(entry, start, end)
                if end - first >= most:
                    break
            tally.overview.size = size
            return copy(tally.overview), list(tally.parts)

    def read_part(self, part: JournalPart) -> JournalIteration:
        """Read a part again, to show it.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        reader, left = IterationReader(part.number), part.entries
        with self._open() as stream:
            for _, end, entry in self._read_entries(stream, part.start):
                reader.add_entry(entry)
                left -= 1
                if left <= 0 or end - part.start >= MOST_BYTES_SHOWN:
                    break
        return reader.finish(max(0, left))

    @contextmanager
    def _open(self) -> Iterator[BinaryIO]:
        with (
            translate_os_errors(make_unreadable_error, Path(self._names[-1])),
            open_regular_inside(self._project, self._names) as stream,
        ):
            yield stream

    def _read_entries(
        self, stream: BinaryIO, start: int
    ) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """Yield every complete entry with where it begins and ends; a damaged one says so."""
        stream.seek(start)
        while line := stream.readline(LARGEST_ENTRY):
            is_small = line.endswith(b"\n")
            while line and not line.endswith(b"\n"):
                line = stream.readline(LARGEST_ENTRY)
            if not line:
                # The end of a write that was cut short or is still under way.
                return
            entry: dict[str, Any] = {"event": DAMAGED, "message": "it is too large to be shown"}
            try:
                entry = decode_line(line) if is_small else entry
            except ValueError as problem:
                entry["message"] = str(problem)
            end = stream.tell()
            yield start, end, self._redaction.redact_values(entry)
            start = end


class JournalService:
    """Finds and reads the journals of a project's agents."""

    def __init__(self, project: Path) -> None:
        self._project = project
        # Those of the agents are removed by the agents; these are the server's own.
        self._redaction = Redactor(find_environment_secrets(os.environ))
        self._open = lru_cache(_MOST_OPEN)(JournalFile)

    def list_journals(self, run: str, after: str, limit: int) -> tuple[list[JournalOverview], str]:
        """List journals, the newest first, and where the list goes on; empty at its end.

        With `run`, only those of agents that work at this run of a gate.
        """
        found = find_project_journals(self._project)
        ids = [id for id in sorted(found, reverse=True) if not after or id < after]
        listed, left = list[JournalOverview](), MOST_BYTES_READ
        for number, id in enumerate(ids[:MOST_LISTED], 1):
            file = self._open_file(found[id])
            before = file.bytes_read
            try:
                overview, _ = file.read_on(left)
            except StoreError as problem:
                overview = JournalOverview(id=id, problem=problem.message)
            left -= max(0, file.bytes_read - before)
            if not run or overview.run == run:
                listed.append(overview)
            if len(listed) == limit or number == MOST_LISTED:
                return listed, id if number < len(ids) else ""
        return listed, ""

    def read_overview(self, id: str) -> JournalOverview:
        """Return the totals of a journal.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `STORE_UNREADABLE`.
        """
        return self._find(id).read_on(MOST_BYTES_READ)[0]

    def read_iterations(
        self, id: str, *, tool: str, refused: bool, iteration: int, after: str, limit: int
    ) -> tuple[JournalOverview, list[JournalIteration], str]:
        """Return the totals, iterations from the newest on, and where they go on.

        With `tool`, only those that called it; with `refused`, only those in which
        something was refused or failed; with `iteration`, only this one.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `STORE_UNREADABLE`.
        """
        file = self._find(id)
        overview, parts = file.read_on(MOST_BYTES_READ)
        before = int(after) if after.isdecimal() else len(parts)
        wanted = [
            part
            for part in reversed(parts[:before])
            if (not tool or tool in part.tools)
            and (part.refused or not refused)
            and (not iteration or part.iteration == iteration)
        ]
        shown, size = list[JournalIteration](), 0
        for part in wanted[:limit]:
            shown.append(file.read_part(part))
            size += part.size
            if size >= MOST_BYTES_SHOWN:
                break
        rest = str(shown[-1].number) if len(wanted) > len(shown) else ""
        return overview, shown, rest

    def _find(self, id: str) -> JournalFile:
        places = find_project_journals(self._project, id).get(id)
        if places is None:
            raise describe("RUN_NOT_FOUND/find_project_journal", id=id).to_error(StoreError)
        return self._open_file(places)

    def _open_file(self, places: list[tuple[str, ...]]) -> JournalFile:
        others = ", ".join("/".join(names) for names in places[1:])
        problem = f"other files have the same name: {others}" if others else ""
        return self._open(self._project.absolute(), places[0], self._redaction, problem)


JOURNALS_FOLDER = "agents"
"""The folder of journals, next to the store."""
_DEFAULT = Path(".saniwa")

RunJournalOpener = Callable[[str, str], AgentJournal]
"""Opens the journal of an agent in a seat, by its character and its name."""


def locate_journals(definition: AgentDefinition) -> Path:
    """Return the folder of an agent's journals.

    It is the agent's own folder, or the project's for a shipped agent.

    Raises:
        StoreError: `TRACE_UNWRITABLE` if it is reached through a symbolic link.
    """
    if Path(definition.folder).parent == locate_shipped_agents():
        return _DEFAULT / JOURNALS_FOLDER / definition.name
    own = Path(definition.folder)
    folder = own / definition.logging.directory
    if folder.resolve() != own.resolve() / definition.logging.directory:
        raise describe(
            "TRACE_UNWRITABLE/locate_journals", directory=definition.logging.directory
        ).to_error(StoreError, where=SourceLocation(file=str(folder)))
    return folder


def find_journal(folder: Path, named: str) -> Path:
    """Return the journal that the caller names.

    `named` is an agent run's id, part of it, or `last`.

    Raises:
        StoreError: `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`.
    """
    # Ids sort by time, so the last name is the newest.
    names = sorted(path.stem for path in folder.glob("agent-*.jsonl"))
    if not names:
        raise describe("RUN_NOT_FOUND/find_journal", folder=str(folder)).to_error(StoreError)
    found = names[-1] if named == LAST else pick_run_id(named, names, "")
    return folder / f"{found}.jsonl"


_match_agent_run = re.compile(r"agent-[0-9a-f-]{36}").fullmatch
_JOURNAL_PATTERNS = (
    f"{_DEFAULT}/{JOURNALS_FOLDER}/*/{{}}.jsonl",
    ".agent/*/*/{}.jsonl",
    "*/*/{}.jsonl",
)


def find_project_journals(project: Path, agent_run: str = "") -> dict[str, list[tuple[str, ...]]]:
    """Return where a project's journals are, by the ids of their agents' runs.

    They are those of agents in `.agent`, in a folder of the project, and of those shipped
    with Saniwa. With `agent_run`, only its journal is looked for. An id with two places
    belongs to one of them, and the other is a copy.
    """
    found = defaultdict[str, list[tuple[str, ...]]](list)
    if agent_run and _match_agent_run(agent_run) is None:
        return found
    top = project.absolute()
    for pattern in _JOURNAL_PATTERNS:
        for path in sorted(top.glob(pattern.format(agent_run or "agent-*"))):
            shipped = pattern == _JOURNAL_PATTERNS[0]
            if _match_agent_run(path.stem) and (shipped or is_agent_folder(path.parents[1])):
                found[path.stem].append(path.relative_to(top).parts)
    return found


def load_journal(path: Path) -> JournalSummary:
    """Read and summarize a journal.

    Raises:
        StoreError: It cannot be read.
    """
    return read_journal(read_entries(path))


def read_entries(path: Path) -> Iterator[dict[str, Any]]:
    """Read the entries of a journal.

    Raises:
        StoreError: It cannot be read.
    """
    return JsonLinesFile(path).read_entries()


def prune_journals(folder: Path, most: int) -> None:
    """Delete the oldest finished journals, so that at most `most` remain.

    Journals that can be resumed and journals that cannot be read are never deleted.
    """
    paths = sorted(folder.glob("agent-*.jsonl"))
    for path in paths[: max(0, len(paths) - most)]:
        if _is_finished(path):
            path.unlink(missing_ok=True)
            path.with_suffix(".log").unlink(missing_ok=True)


def _is_finished(path: Path) -> bool:
    try:
        return load_journal(path).ended
    except StoreError:
        return False


class FileJournal:
    """A journal in a JSON Lines file, with the environment's secrets redacted."""

    def __init__(self, path: Path) -> None:
        self._lines = JsonLinesFile(path)
        self._redaction = Redactor(find_environment_secrets(os.environ))

    def append(self, entry: Mapping[str, Any], *, lasting: bool = False) -> None:
        """Write an entry.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `STORE_BUSY`.
        """
        plain = msgspec.to_builtins(entry, str_keys=True)
        # The event name is one of our constants. It stays, even if it equals a secret.
        names = {"event": plain["event"]} if "event" in plain else {}
        self._lines.append(self._redaction.redact_values(plain) | names, lasting=lasting)

    @property
    def repairs(self) -> list[Finding]:
        """Incomplete entries of an earlier crash that were cut off on opening."""
        return self._lines.repairs

    def read_entries(self) -> Iterator[dict[str, Any]]:
        """Return all entries written so far.

        Raises:
            StoreError: `STORE_UNREADABLE`, `TRACE_CORRUPT`.
        """
        # Open for writing before reading, so that no other process continues the same
        # journal.
        try:
            self._lines.open()
        except OSError as problem:
            raise describe("TRACE_UNWRITABLE/read_entries", strerror=problem.strerror).to_error(
                StoreError
            ) from problem
        return self._lines.read_entries()

    def close(self) -> None:
        """Flush and close the file."""
        self._lines.close()


class JournalTextLog:
    """A readable text version of a journal, next to it, with secrets redacted."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._redaction = Redactor(find_environment_secrets(os.environ))

    def write_entry(self, entry: Mapping[str, Any]) -> None:
        """Write an entry's lines."""
        lines = render_entry(entry)
        if lines:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as log:
                log.write(self._redaction.redact_text("\n".join(lines)) + "\n")


def make_journal_opener(store: str | Path, run_id: str) -> RunJournalOpener:
    """Return a function that opens journals of a run's agents, next to the store.

    For a store in memory the journals are in memory too; for a remote database they are
    in the current folder.
    """
    folder = _locate_run_journals(store, run_id)
    if folder is None:
        return make_memory_journal
    return lambda actor, name: FileJournal(folder / f"{_make_file_name((actor, name))}.jsonl")


def sum_run_usage(store: str | Path, run_id: str) -> Usage:
    """Add up what a run's agents have cost so far, from their journals.

    Raises:
        StoreError: A journal cannot be read.
    """
    return sum((story.total_usage for story in _read_run_journals(store, run_id)), Usage())


def read_run_past(store: str | Path, run_id: str) -> AnswerHistory:
    """Collect the questions and answers of a run's agents so far, from their journals.

    Raises:
        StoreError: A journal cannot be read.
    """
    return sum((story.past for story in _read_run_journals(store, run_id)), AnswerHistory())


def _read_run_journals(store: str | Path, run_id: str) -> list[JournalSummary]:
    folder = _locate_run_journals(store, run_id)
    if folder is None or not folder.is_dir():
        return []
    return [load_journal(path) for path in sorted(folder.glob("*.jsonl"))]


def make_memory_journal(*_: str) -> "AgentJournal":
    """Return a journal in memory, which is lost when the process ends."""
    return MemoryJournal()


def _locate_run_journals(store: str | Path, run_id: str) -> Path | None:
    folder = locate_beside(store, JOURNALS_FOLDER)
    return folder and folder / _make_file_name((run_id,))


def _make_file_name(words: Iterable[str]) -> str:
    """Return a valid file name for words that may contain any character."""
    joined = "\0".join(words)
    plain = "".join(c if c.isalnum() else "_" for c in joined[:40])
    return f"{plain}-{sha256(joined.encode()).hexdigest()[:12]}"
