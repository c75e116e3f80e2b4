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
    run: str
    """The run of a gate at which the agent worked then; empty if at none."""
    is_replayed: bool
    """Whether it comes from a recording."""
    sandbox: str
    """The restrictions that the system enforced while it ran; empty for a tool that runs no
    program."""

    def find_fault(self, hash: str, run_id: str) -> str:
        """Say why it is not evidence of these bytes for a run; empty if it is."""
        if self.is_replayed:
            return "comes from a recording"
        if sha256(self.text.encode()).hexdigest() != hash:
            return "had a different result"
        return "" if self.run == run_id else "belongs to another run"


class CallResults:
    """The results of one agent, in the order of its calls."""

    def __init__(self, entries: Iterable[Mapping[str, Any]] = ()) -> None:
        """Begin with the entries of a journal."""
        self.place = ""
        """The journal's file, from the project; empty if it is outside."""
        self._results = dict[str, CallResult]()
        self._started = dict[str, Mapping[str, Any]]()
        self._run = ""
        self._is_replay = False
        for entry in entries:
            self.add_entry(entry)

    def add_entry(self, entry: Mapping[str, Any]) -> None:
        """Take the result from an entry of the journal, if it has one."""
        if entry["event"] == "initialized":
            about = entry.get("about", {})
            self._run = str(about.get("run", ""))
            self._is_replay = bool(about.get("model", {}).get("replay"))
        elif entry["event"] == "toolStarted":
            self._started[str(entry["attempt"])] = entry
        elif entry["event"] == "toolFinished":
            call, tool = str(entry["attempt"]), str(entry["tool"])
            made = msgspec.convert(entry["output"], ToolOutput).result
            started = self._started.get(call)
            # Each call is in the journal before it runs, and its result is written once.
            if made is None or started is None or started["tool"] != tool or call in self._results:
                return
            sandbox = str(started.get("note", {}).get("sandbox", ""))
            self._results[call] = CallResult(call, tool, made, self._run, self._is_replay, sandbox)

    def find_result(self, named: str) -> CallResult | None:
        """Return the result of a call, or the newest one of a tool."""
        if named in self._results:
            return self._results[named]
        newest = reversed(self._results.values())
        return next((each for each in newest if each.tool == named), None)

    def get_result(self, call: str) -> CallResult | None:
        """Return the result of a call; None if it has none."""
        return self._results.get(call)

    def has_result(self, call: str, hash: str, run_id: str) -> bool:
        """Whether a call made content with this SHA-256 while the agent worked at a run."""
        made = self._results.get(call)
        return made is not None and not made.find_fault(hash, run_id)
