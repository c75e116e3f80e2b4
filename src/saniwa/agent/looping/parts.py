"""Everything a loop is made of, handed over together."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from saniwa.agent.completion.kept import Resumable
from saniwa.agent.contract import PromptResolver, SdkBridge, StepChecker
from saniwa.agent.definition import AgentDefinition
from saniwa.agent.floor import Floor
from saniwa.agent.journal.bell import Bell
from saniwa.agent.oracle import Message
from saniwa.agent.ports import Journal, Notifier
from saniwa.core.clock import Clock


class OpenBridge(SdkBridge, Protocol):
    """A bridge that is held open, and can take up a conversation again."""

    def restore(self, conversation_id: str, messages: Iterable[Message]) -> None:
        """Take up a conversation as a journal has it."""
        ...

    async def close(self) -> None:
        """Let go of everything; more than once is no mistake."""
        ...


class Warnings:
    """What a prompt lacks, gathered until the loop writes it down; each thing once."""

    def __init__(self) -> None:
        self._told: set[tuple[str, str]] = set()
        self._new: list[tuple[str, str]] = []

    def add(self, code: str, message: str) -> None:
        """Note a warning, unless it was noted before."""
        if (code, message) not in self._told:
            self._told.add((code, message))
            self._new.append((code, message))

    def taken(self) -> list[tuple[str, str]]:
        """Those that came since the last time, in order."""
        new, self._new = self._new, []
        return new


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopParts:
    """What a loop works with."""

    definition: AgentDefinition
    """The agent."""
    bridge: OpenBridge
    """Its way to a model."""
    resolver: PromptResolver
    """Its prompts."""
    warnings: Warnings
    """What they lack."""
    completion: Resumable
    """What says that it is done."""
    checkers: Mapping[str, StepChecker]
    """For each step that has a check, what checks it."""
    floor: Floor
    """Where it stands."""
    journal: Journal
    """Where it is written down."""
    notifier: Notifier
    """Who is told outside."""
    bell: Bell
    """Who listens inside."""
    clock: Clock
    """When it is."""
    arguments: Mapping[str, str]
    """What its user said, by parameter."""
    name: str
    """What this playing of the agent is called."""
    max_iterations: int
    """Where it is stopped, done or not."""
    about: Mapping[str, Any]
    """What its journal says of it, for whoever takes it up again."""
