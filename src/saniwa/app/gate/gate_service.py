"""The gate of a server: one log, opened once, and one `Gate` object per visitor."""

import asyncio
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock
from typing import Final, TypeVar

from msgspec.structs import replace

from saniwa.app.gate import port_adapters
from saniwa.app.gate.configuration import locate_gate, read_webhook_hosts
from saniwa.app.gate.gate_opening import open_gate_log
from saniwa.app.gate.remote_evidence import ProtectedPaths, RemoteEvidenceReader
from saniwa.app.gate.webhooks import HttpWebhookSender
from saniwa.core.clock import Clock
from saniwa.core.errors import SaniwaError
from saniwa.core.ids import Ids
from saniwa.process.gate import Gate
from saniwa.process.library import FolderProcessLibrary, open_library
from saniwa.process.ports import CheckRunner, GateLog
from saniwa.process.submission import Visitor
from saniwa.store.gate.people import GatePerson

MOST_GATES: Final = 64
"""Visitors whose `Gate` is cached; the least recently used is evicted."""
THREADS: Final = 8
"""Requests that the gate handles at once.

It has its own threads, so that a locked file or an address that does not answer delays
no player.
"""
Given = TypeVar("Given")


class GateService:
    """Opens the gate for the visitor of each request; no request names its own role."""

    def __init__(
        self,
        place: str,
        *,
        clock: Clock,
        ids: Ids,
        kept: ProtectedPaths,
        evidence: Collection[Path] = (),
        lookup: CheckRunner | None = None,
    ) -> None:
        """Use the gate at a place; empty for the default. Nothing is opened yet.

        The gate's own paths are added to `kept`. `evidence` are the folders of the
        project from which evidence is accepted.

        Raises:
            StoreError: `STORE_UNKNOWN`.
        """
        self._places = locate_gate(place or None)
        self._lookup = lookup
        self._clock = clock
        self._ids = ids
        self._lock = Lock()
        self._log: GateLog | None = None
        self._find_gate = lru_cache(MOST_GATES)(self._open_gate)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="gate")
        own, people = self._places, self._places.people
        kept.add(own.root, own.runs, own.metadata, people, people.with_suffix(".lock"))
        self.evidence: Final = RemoteEvidenceReader(self._places, kept, evidence)
        """The submitted evidence."""

    @property
    def library(self) -> FolderProcessLibrary:
        """The processes of this gate, and those shipped with Saniwa."""
        return open_library(self._places.processes)

    async def ask(
        self, visitor: Visitor, person: GatePerson | None, operation: Callable[[Gate], Given]
    ) -> Given:
        """Call the gate for a visitor, in a thread; the person signs their decisions.

        Raises:
            SaniwaError: Any error of the gate; paths are reduced to file names.
        """
        loop, here = asyncio.get_running_loop(), copy_context()
        return await loop.run_in_executor(
            self._threads, here.run, self._ask_redacted, visitor, person, operation
        )

    def close(self) -> None:
        """Close everything; acknowledged changes are durable."""
        self._threads.shutdown(wait=True)
        if self._log is not None:
            self._log.close()

    def _ask_redacted(
        self, visitor: Visitor, person: GatePerson | None, operation: Callable[[Gate], Given]
    ) -> Given:
        try:
            with self._lock:
                gate = self._find_gate(visitor, person)
            return operation(gate)
        except SaniwaError as problem:
            raise _redact_paths(problem, self._places.processes) from problem.__cause__

    def _open_gate(self, visitor: Visitor, person: GatePerson | None) -> Gate:
        self._log = self._log or open_gate_log(self._places)
        return Gate(
            self._log,
            self.library,
            self.evidence,
            visitor,
            clock=self._clock,
            ids=self._ids,
            messenger=HttpWebhookSender(hosts=partial(read_webhook_hosts, self._places)),
            signer=port_adapters.make_signer(person),
            witness=port_adapters.make_signature_verifier(self._places),
            lookup=self._lookup,
            calls=port_adapters.ProjectJournals(self._places.project),
        )


def _redact_paths(problem: SaniwaError, processes: Path) -> SaniwaError:
    """Return the error without the folders of this machine."""
    if problem.where is not None and problem.where.file:
        name = Path(problem.where.file).name
        problem.where = replace(problem.where, file=name)
    problem.hint = problem.hint.replace(f"{processes}/", "")
    for finding in problem.details.get("findings", ()):
        finding["file"] = Path(finding["file"]).name
    return problem
