"""The results of an agent's tool calls, by which a gate knows what a tool has made.

They come from the agent's journal and from nothing that a model says. Only what a tool
itself has produced counts: a file that the agent wrote, and what it read again, do not.
Nor does what a recording says, for nothing was run.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

from saniwa.models.oracle import ToolOutput


class CallResult(NamedTuple):
    """What one call has produced."""

    call: str
    """The call, as the journal names it."""
    tool: str
    """The tool."""
    text: str
    """What it produced."""
    is_replayed: bool
    """Whether it comes from a recording."""


class CallResults:
    """The results of one agent, in the order of its calls."""

    def __init__(self, entries: Iterable[Mapping[str, Any]] = ()) -> None:
        """Begin with the entries of a journal."""
        self._results = dict[str, CallResult]()
        self._is_replay = False
        for entry in entries:
            self.add_entry(entry)

    def add_entry(self, entry: Mapping[str, Any]) -> None:
        """Take the result from an entry of the journal, if it has one."""
        if entry["event"] == "initialized":
            self._is_replay = bool(entry.get("about", {}).get("model", {}).get("replay"))
        elif entry["event"] == "toolFinished":
            call, tool = str(entry["attempt"]), str(entry["tool"])
            made = msgspec.convert(entry["output"], ToolOutput).result
            if made is not None:
                self._results[call] = CallResult(call, tool, made, self._is_replay)

    def find_result(self, named: str) -> CallResult | None:
        """Return the result of a call, or the newest one of a tool."""
        if named in self._results:
            return self._results[named]
        newest = reversed(self._results.values())
        return next((each for each in newest if each.tool == named), None)

    def has_result(self, call: str, hash: str) -> bool:
        """Whether a call made content with this SHA-256."""
        made = self._results.get(call)
        if made is None or made.is_replayed:
            return False
        return sha256(made.text.encode()).hexdigest() == hash
