"""Runs, processes and histories in lists: one that cannot be read hides no other."""

from collections.abc import Iterator

import msgspec

from saniwa.core.errors import ProcessError, StoreError
from saniwa.mcp.gate_answers import ProcessLine, RunLine
from saniwa.process.gate import Gate
from saniwa.process.record import Entry
from saniwa.process.summary import summary_of

MOST_BYTES = 1_000_000
"""Bytes of a history after which a page ends."""


def newest_runs(gate: Gate, before: str = "") -> Iterator[RunLine]:
    """Runs, the newest first; with `before`, only those older than that one."""
    for run_id in sorted(gate.runs(), reverse=True):
        if not before or run_id < before:
            yield _run(gate, run_id)


def _run(gate: Gate, run_id: str) -> RunLine:
    try:
        line = summary_of(gate.log.standing(run_id))
        return msgspec.convert(line, RunLine, from_attributes=True)
    except StoreError as problem:
        told = f"{problem.code}: {problem.message}"
        return RunLine(run_id=run_id, problem=told)


def processes(gate: Gate) -> Iterator[ProcessLine]:
    """The processes a run can be begun of, by their ids."""
    for process_id in gate.library.names():
        yield _process(gate, process_id)


def _process(gate: Gate, process_id: str) -> ProcessLine:
    try:
        found = gate.library.find(process_id)
    except ProcessError as problem:
        told = f"{problem.code}: {problem.message}"
        return ProcessLine(process_id=process_id, problem=told)
    return ProcessLine(
        process_id=process_id,
        name=found.name,
        description=found.description,
        initial_state=found.initial_state,
    )


def whole_revisions(entries: Iterator[Entry], limit: int) -> tuple[list[Entry], bool]:
    """At most so many entries, cut between revisions so that none is lost in paging."""
    found: list[Entry] = []
    size = 0
    for entry in entries:
        full = len(found) >= limit or size >= MOST_BYTES
        if full and entry.revision != found[-1].revision:
            return found, True
        found.append(entry)
        size += len(msgspec.json.encode(entry))
    return found, False
