"""Where an agent stands when it speaks: the only way its words reach a world or a gate."""

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from saniwa.core.errors import LoopError
from saniwa.process.artifact import Claim
from saniwa.process.ruling import Ruling
from saniwa.turn.record import Turn


class AgentView(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent may know where it stands, ready for its prompt.

    The same standing gives the same view, byte for byte: sorted, no clock, no ids of the
    moment.
    """

    variables: Mapping[str, str] = {}
    """Texts for `{uv-name}`: a scene, what is missing, what was refused."""
    facts: dict[str, Any] = {}
    """What an external-state completion asks for: `state`, `goal_reached` and the like."""
    waits: str = ""
    """Why nothing can be done until somebody else acts; empty where something can."""


class AgentSubmission(msgspec.Struct, frozen=True, kw_only=True):
    """An event an agent sends to its gate, with evidence. It names no state."""

    event: str
    """The event."""
    payload: dict[str, Any] = {}
    """What is sent with it."""
    artifacts: tuple[Claim, ...] = ()
    """The evidence. One with both `path` and `content` is written there first."""


class AgentPort(Protocol):
    """A place to speak and to hand in evidence.

    `attempt` is the agent's own name for one thing it does: the same again, after a
    crash, does nothing twice and gives the same answer.
    """

    def view(self) -> AgentView:
        """What the agent may know now."""
        ...

    async def speak(self, words: str, attempt: str, *, calls: int = 1) -> Turn:
        """Say something in the world; the words take the same road as everybody's.

        `calls` are the questions to a model that this turn costs already, or will: who
        listens and tells has what is left.

        Raises:
            LoopError: `FLOOR_UNFIT` where there is no world.
            StoreError: The turn could not be kept.
        """
        ...

    async def submit(self, handed: AgentSubmission, attempt: str) -> Ruling:
        """Send an event with its evidence; a refusal is an answer.

        Raises:
            LoopError: `FLOOR_UNFIT` where there is no gate.
            StoreError: It could not be written.
        """
        ...

    async def wait(self) -> bool:
        """Wait until somebody else has acted; False where nobody waits for that here."""
        ...


def make_port_error(what: str, lacks: str) -> LoopError:
    """The error for something an agent cannot do where it stands."""
    return LoopError(
        "FLOOR_UNFIT",
        f"the agent wants to {what}, and where it stands there is {lacks}",
        hint="give it a place: a character sits in a run (saniwa play --agent), a worker "
        "at a gate (saniwa agent run --run RUN)",
        details={"action": what},
    )


class NullAgentPort:
    """Nothing to see, nowhere to speak."""

    def view(self) -> AgentView:
        """Nothing."""
        return AgentView()

    async def speak(self, words: str, attempt: str, *, calls: int = 1) -> Turn:  # noqa: ARG002 - nowhere to say them
        """Refuse: there is no world."""
        raise make_port_error("speak", "no world")

    async def submit(self, handed: AgentSubmission, attempt: str) -> Ruling:  # noqa: ARG002 - nobody to hand it to
        """Refuse: there is no gate."""
        raise make_port_error("submit", "no gate")

    async def wait(self) -> bool:
        """Nobody else will act."""
        return False
