"""Writes down what a loop does: first the journal, then whoever listens."""

from typing import Any

import msgspec

from saniwa.agent.contract import QueryResult
from saniwa.agent.journal.bell import Bell
from saniwa.agent.journal.story import Checkpoint
from saniwa.agent.ports import Journal
from saniwa.core.clock import Clock


class Scribe:
    """One loop's entries."""

    def __init__(self, journal: Journal, bell: Bell, clock: Clock) -> None:
        self._journal = journal
        self._bell = bell
        self._clock = clock
        self._system = ""

    def note(self, event: str, *, lasting: bool = False, **fields: Any) -> None:
        """Keep an entry and tell it; a listener that fails is told of, and is no longer."""
        entry = {"event": event, "at": self._clock.now(), **fields}
        self._journal.append(entry, lasting=lasting)
        for problem in self._bell.ring(entry):
            message = f"a listener failed: {type(problem).__name__}: {problem}"
            self._journal.append({"event": "warning", "message": message})

    def prompt(self, prompt: str, system: str) -> None:
        """The prompt; the system prompt only where it is another than before."""
        told: dict[str, Any] = {"prompt": prompt}
        if system != self._system:
            self._system = told["system"] = system
        self.note("promptBuilt", **told)

    def answer(self, response: QueryResult) -> None:
        """The answer, kept before anything is done with it: it is not asked for again."""
        self.note("queryExecuted", lasting=True, response=msgspec.to_builtins(response))

    def close(self, state: Checkpoint) -> None:
        """The end of an iteration, which counts from here on.

        What the model said stands in the journal already, and is not written again.
        """
        self.note("iterationEnd", lasting=True, state=msgspec.to_builtins(state))

    def hear(self, piece: str) -> None:
        """A piece of an answer that is coming; told, and not kept."""
        self._bell.ring({"event": "piece", "text": piece})

    @property
    def heard(self) -> bool:
        """Whether anybody listens."""
        return self._bell.heard
