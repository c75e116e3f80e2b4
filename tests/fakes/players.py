"""Players for tests: they say what the test has written down, one line a turn."""

from collections.abc import Callable, Sequence

from saniwa.agent.contract import StartOptions
from saniwa.agent.progress import AgentResult, IterationSummary
from saniwa.core.errors import SaniwaError
from saniwa.run.conductor import Run, Told
from saniwa.run.gathering import Gathering
from saniwa.world.model import Id


class ScriptedPlayer:
    """Says its lines in order; an error among them is raised, an empty one is silence."""

    def __init__(
        self,
        run: Run,
        actor: Id,
        lines: Sequence[str | SaniwaError],
        told: Callable[[Told], None],
    ) -> None:
        self.lines = list(lines)
        self.started = 0
        self.stopped = 0
        self._run, self._actor, self._told = run, actor, told

    async def start(self, options: StartOptions) -> None:  # noqa: ARG002 - the port's signature
        """Begin."""
        self.started += 1

    async def take_turn(self) -> IterationSummary | None:
        """Say the next line; done when there is none."""
        if not self.lines:
            return None
        line = self.lines.pop(0)
        if isinstance(line, SaniwaError):
            raise line
        if line:
            self._told(await self._run.say(line, self._actor))
        return IterationSummary(iteration=1)

    async def stop(self) -> AgentResult:
        """End."""
        self.stopped += 1
        return AgentResult(success=True)


class Company:
    """Makes scripted players for a gathering, and remembers them."""

    def __init__(self, run: Run, **lines: Sequence[str | SaniwaError]) -> None:
        self.players = dict[str, ScriptedPlayer]()
        self._run, self._lines = run, lines
        self.gathering = Gathering(run, self._seated)

    def _seated(
        self,
        actor: Id,
        name: str,  # noqa: ARG002 - the port's signature
        told: Callable[[Told], None],
    ) -> ScriptedPlayer:
        player = ScriptedPlayer(self._run, actor, self._lines.get(actor, ()), told)
        self.players[actor] = player
        return player
