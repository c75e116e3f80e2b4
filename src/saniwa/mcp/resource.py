"""Runs as resources: a summary for people, and the log as it is published."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Literal, NamedTuple

from saniwa.core.errors import StoreError
from saniwa.mcp.gate_answers import RunLine
from saniwa.mcp.gate_desk import SCHEME, addresses
from saniwa.mcp.gate_text import run_line, state_text
from saniwa.mcp.listing import newest_runs
from saniwa.process.export import rows
from saniwa.process.gate import Gate

PAGE = 100
"""Runs on one page of the list."""
MARKDOWN = "text/markdown"
CSV = "text/csv"
TEMPLATES = {
    f"{SCHEME}{{run_id}}/summary": (
        MARKDOWN,
        "Where a run stands, and how it got there",
    ),
    f"{SCHEME}{{run_id}}/log": (CSV, "A run's log: six columns, RFC 4180"),
}
"""Every kind of address, with its type and what is found there."""

_ADDRESS = re.compile(rf"{SCHEME}(run-[0-9A-Za-z-]{{1,100}})/(summary|log)").fullmatch


class Listed(NamedTuple):
    """One resource in the list."""

    address: str
    """Where it is read."""
    name: str
    """What it is called."""
    type: str
    """Its media type."""
    about: str
    """What it tells, in one line."""


class Read(NamedTuple):
    """What a resource says."""

    type: str
    """Its media type."""
    text: str
    """What it says."""


class Resources:
    """The runs at one gate, to be read."""

    def __init__(self, gate: Gate) -> None:
        """The runs at a gate."""
        self._gate = gate

    def page(self, before: str = "") -> tuple[tuple[Listed, ...], str]:
        """Resources of the newest runs, and where the next page begins; empty at the end."""
        found = list(islice(newest_runs(self._gate, before), PAGE + 1))
        listed = tuple(each for run in found[:PAGE] for each in _listed(run))
        return listed, found[PAGE - 1].run_id if len(found) > PAGE else ""

    def read(self, address: str) -> Read:
        """What is found at an address.

        Raises:
            StoreError: `RUN_NOT_FOUND`, also for an address that is none of ours; the
                log cannot be trusted.
        """
        found = _ADDRESS(address)
        if found is None:
            raise StoreError(
                "RUN_NOT_FOUND",
                f"there is nothing at {address!r}",
                hint=f"addresses look like {SCHEME}RUN_ID/summary",
            )
        run_id, kind = found[1], found[2]
        return self._log(run_id) if kind == "log" else self._summary(run_id)

    def _log(self, run_id: str) -> Read:
        return Read(CSV, "".join(rows(self._gate.history(run_id))))

    def _summary(self, run_id: str) -> Read:
        return Read(MARKDOWN, "\n".join(self._lines(run_id)) + "\n")

    def _lines(self, run_id: str) -> Iterator[str]:
        state = self._gate.state(run_id)
        yield f"# {state.process_id}: {state.current_state}"
        yield ""
        for line in state_text(state).split("\n"):
            yield f"- {line}"
        if state.artifact_paths:
            yield "\n## Evidence\n"
            for path in state.artifact_paths:
                yield f"- {path}"


def _listed(run: RunLine) -> Iterator[Listed]:
    kinds: tuple[tuple[Literal["summary", "log"], str], ...] = (
        ("summary", MARKDOWN),
        ("log", CSV),
    )
    for address, (kind, media) in zip(addresses(run.run_id), kinds, strict=True):
        yield Listed(address, f"{run.run_id} {kind}", media, run_line(run))
