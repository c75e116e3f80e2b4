"""The port through which an agent acts: its only way to a world or a gate."""

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from saniwa.agent import describe
from saniwa.core.errors import LoopError
from saniwa.process.artifact import Claim
from saniwa.process.ruling import Ruling
from saniwa.turn.record import Turn


class AgentView(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent may know where it acts, ready for its prompt.

    The same state gives the same view, byte for byte: sorted, without clock or random
    ids.
    """

    variables: Mapping[str, str] = {}
    """Texts for `{uv-name}`: a scene, what is missing, what was refused."""
    facts: dict[str, Any] = {}
    """Facts for an external-state completion: `state`, `goal_reached` and the like."""
    waits: str = ""
    """Why the agent has to wait for another party; empty if it can act."""


class AgentSubmission(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event an agent sends to its gate, with evidence. It names no state."""

    event: str
    """The event."""
    payload: dict[str, Any] = {}
    """What is sent with it."""
    artifacts: tuple[Claim, ...] = ()
    """The evidence. An artifact with both `path` and `content` is written to a file
    first."""


class AgentPort(Protocol):
    """Where an agent speaks and submits evidence.

    `attempt` is the agent's own key for one action: repeated after a crash, it does
    nothing twice and gives the same answer.
    """

    def view(self) -> AgentView:
        """Return what the agent may know now."""

    async def speak(self, words: str, attempt: str, *, calls: int = 1) -> Turn:
        """Say something in the world; the words are processed like any player's.

        `calls` are the model calls that this turn has already used, or will use; the
        listener and the narrator get what is left.

        Raises:
            LoopError: `FLOOR_UNFIT` where there is no world.
            StoreError: The turn could not be stored.
        """

    async def submit(self, handed: AgentSubmission, attempt: str) -> Ruling:
        """Send an event with its evidence; a refusal is a result, not an error.

        Raises:
            LoopError: `FLOOR_UNFIT` where there is no gate.
            StoreError: It could not be written.
        """

    async def wait(self) -> bool:
        """Wait until another party has acted; False if this port does not wait."""


def make_port_error(what: str, lacks: str) -> LoopError:
    """Return the error for an action that the agent's port does not support."""
    return describe("FLOOR_UNFIT/port", action=what, lacks=lacks).to_error(LoopError)


class NullAgentPort:
    """A port without a world or a gate."""

    def view(self) -> AgentView:
        """Return an empty view."""
        return AgentView()

    async def speak(self, words: str, attempt: str, *, calls: int = 1) -> Turn:  # noqa: ARG002 - there is no world
        """Refuse: there is no world."""
        raise make_port_error("speak", "no world")

    async def submit(self, handed: AgentSubmission, attempt: str) -> Ruling:  # noqa: ARG002 - there is no gate
        """Refuse: there is no gate."""
        raise make_port_error("submit", "no gate")

    async def wait(self) -> bool:
        """Return False: there is no person to wait for."""
        return False
