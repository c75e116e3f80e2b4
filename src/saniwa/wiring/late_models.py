"""The models of a table that most tables never ask: set up when one is first wanted."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from saniwa.agent.oracle import Usage

if TYPE_CHECKING:
    # Late, all of it: that is what this module is for.
    from saniwa.agent.bridges.bridge import Bridge
    from saniwa.agent.definition import AgentDefinition
    from saniwa.wiring.shared_models import SharedModels


class LateModels:
    """What `SharedModels` are, from the first question on."""

    def __init__(self, opened: "Callable[[], SharedModels]") -> None:
        """Models that `opened` sets up."""
        self._opened = opened
        self._models: SharedModels | None = None

    @property
    def usage(self) -> Usage:
        """What all of them have cost at this table."""
        return Usage() if self._models is None else self._models.usage

    def bridge(self, agent: "AgentDefinition | None" = None) -> "Bridge":
        """As `SharedModels.bridge`."""
        if self._models is None:
            self._models = self._opened()
        return self._models.bridge(agent)

    async def close(self) -> None:
        """Let all of them go, where there are any."""
        if self._models is not None:
            await self._models.close()
