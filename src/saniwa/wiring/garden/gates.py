"""The gate of a garden: one log, opened once; a door for each visitor who comes."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Final, TypeVar

from msgspec.structs import replace

from saniwa.core.clock import Clock
from saniwa.core.errors import SaniwaError
from saniwa.core.ids import Ids
from saniwa.process.authoring.library import FolderLibrary, library_of
from saniwa.process.gate import Gate
from saniwa.process.ports import ReportLookup, RunLog
from saniwa.process.visitor import Visitor
from saniwa.store.gate.people.file import Person
from saniwa.wiring.garden.evidence import GardenEvidence
from saniwa.wiring.garden.kept import Kept, gate_kept
from saniwa.wiring.gate import open_log
from saniwa.wiring.gate_marks import signer_of, witness_at
from saniwa.wiring.gate_places import gate_folders, webhook_hosts
from saniwa.wiring.webhook import Webhook

DOORS: Final = 64
"""Visitors whose doors are kept; the one that was not used longest is taken down."""
THREADS: Final = 8
"""Requests the gate looks at together. Its own threads: a file that is held, or an
address that does not answer, keeps nobody from playing."""
Given = TypeVar("Given")


class Gates:
    """Opens the gate for whoever stands before it; a role is never asked for."""

    def __init__(
        self,
        place: str,
        *,
        clock: Clock,
        ids: Ids,
        kept: Kept,
        evidence: Collection[Path] = (),
        lookup: ReportLookup | None = None,
    ) -> None:
        """The gate at a place; empty for the usual one. Nothing is opened yet.

        What it keeps to itself is added to what is kept. `evidence` are the folders of
        the project from which evidence is taken.

        Raises:
            StoreError: `STORE_UNKNOWN`.
        """
        self._places = gate_folders(place or None)
        self._lookup = lookup
        self._clock = clock
        self._ids = ids
        self._lock = Lock()
        self._log: RunLog | None = None
        self._doors = OrderedDict[tuple[Visitor, Person | None], Gate]()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="gate")
        kept.add(*gate_kept(self._places))
        self.evidence: Final = GardenEvidence(self._places, kept, evidence)
        """What was handed in."""

    @property
    def library(self) -> FolderLibrary:
        """The processes of this gate, and those that come with Saniwa."""
        return library_of(self._places.processes)

    async def ask(
        self, visitor: Visitor, person: Person | None, asked: Callable[[Gate], Given]
    ) -> Given:
        """What the gate says to a visitor; the person signs what they decide.

        Raises:
            SaniwaError: Whatever the gate raises; places are told by their last name.
        """
        loop, here = asyncio.get_running_loop(), copy_context()
        return await loop.run_in_executor(
            self._threads, here.run, self._asked, visitor, person, asked
        )

    def close(self) -> None:
        """Let go of everything; what was acknowledged lasts."""
        self._threads.shutdown(wait=True)
        if self._log is not None:
            self._log.close()

    def _asked(
        self, visitor: Visitor, person: Person | None, asked: Callable[[Gate], Given]
    ) -> Given:
        try:
            return asked(self._door(visitor, person))
        except SaniwaError as problem:
            raise _placeless(problem, self._places.processes) from problem.__cause__

    def _door(self, visitor: Visitor, person: Person | None) -> Gate:
        with self._lock:
            gate = self._doors.get((visitor, person)) or self._opened(visitor, person)
            self._doors[(visitor, person)] = gate
            self._doors.move_to_end((visitor, person))
            while len(self._doors) > DOORS:
                self._doors.popitem(last=False)
            return gate

    def _opened(self, visitor: Visitor, person: Person | None) -> Gate:
        self._log = self._log or open_log(self._places)
        return Gate(
            self._log,
            self.library,
            self.evidence,
            visitor,
            clock=self._clock,
            ids=self._ids,
            messenger=Webhook(hosts=partial(webhook_hosts, self._places)),
            signer=signer_of(person),
            witness=witness_at(self._places),
            lookup=self._lookup,
        )


def _placeless(problem: SaniwaError, processes: Path) -> SaniwaError:
    """The error, without the folders of this machine."""
    if problem.where is not None and problem.where.file:
        name = Path(problem.where.file).name
        problem.where = replace(problem.where, file=name)
    problem.hint = problem.hint.replace(f"{processes}/", "")
    for finding in problem.details.get("findings", ()):
        finding["file"] = Path(finding["file"]).name
    return problem
