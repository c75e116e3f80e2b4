"""The journals of a project's agents, for people who look at them over HTTP.

A journal grows while its agent works, and may be large: what was read once is not read
again, and a request reads a limited number of bytes. Nothing here writes, or locks.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, Final

from saniwa.agent.journal_view import (
    DAMAGED,
    IterationReader,
    JournalIteration,
    JournalOverview,
    JournalPart,
    JournalTally,
)
from saniwa.app import describe
from saniwa.app.agents import find_project_journals
from saniwa.core.errors import StoreError
from saniwa.core.redaction import Redactor, find_environment_secrets
from saniwa.core.safe_open import open_regular_inside
from saniwa.store.file_errors import make_unreadable_error, translate_os_errors
from saniwa.store.json_lines import decode_line

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
