"""Who plays at a table, and what becomes of a turn there."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from saniwa.run.standing import Told
from saniwa.script.directive import StepResult
from saniwa.turn.trace import Turn
from saniwa.world.model import Id

if TYPE_CHECKING:
    # Late, all of it: most tables have no agents.
    from saniwa.agent.contract import StartOptions
    from saniwa.agent.progress import AgentResult, IterationSummary, Problem


class Player(Protocol):
    """An agent who takes turns when it is asked to."""

    async def start(self, options: "StartOptions") -> None:
        """Begin, or go on where it stopped."""
        ...

    async def take_turn(self) -> "IterationSummary | None":
        """One turn; None where the agent is done, or cannot go on."""
        ...

    async def stop(self) -> "AgentResult":
        """End, and say what became of it."""
        ...


class Awaited(NamedTuple):
    """A person is to act."""

    actor: Id
    """As whom."""


class Played(NamedTuple):
    """An agent's seat has had its turn."""

    actor: Id
    """Whose."""
    turns: tuple[Turn, ...]
    """The turns as they were kept; none where the agent said nothing."""
    step: StepResult
    """What the person at the table sees of it."""
    passed: bool = False
    """Whether the table let the seat wait, because nothing came of what it tried."""
    problem: "Problem | None" = None
    """Why the agent cannot go on: for this round, or for good if it is not recoverable."""


class Resting(NamedTuple):
    """No person has a seat, and no agent goes on."""


Move = Awaited | Played | Resting
Seated = Callable[[Id, str, Callable[[Told], None]], Player]
"""Makes the player for a seat: whose, the agent's name, and who is told of its turns."""
