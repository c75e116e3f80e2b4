"""Players for tests that say prepared lines, one per turn."""

from collections.abc import Callable, Sequence

from saniwa.agent.layer_contracts import AgentProblem, AgentResult, IterationSummary, StartOptions
from saniwa.runs.game_table import GameTable
from saniwa.runs.run import Run
from saniwa.turn.record import Turn
from saniwa.world.model import Id


class ScriptedPlayer:
    """Says its lines in order; a problem among them ends it, and an empty line is silence."""

    def __init__(
        self, run: Run, actor: Id, lines: Sequence[str | AgentProblem], told: Callable[[Turn], None]
    ) -> None:
        self.lines = list(lines)
        self.started = 0
        self.stopped = 0
        self._problem: AgentProblem | None = None
        self._run, self._actor, self._told = run, actor, told

    async def start(self, options: StartOptions) -> None:  # noqa: ARG002 - the port's signature
        """Count the call."""
        self.started += 1

    async def take_turn(self) -> IterationSummary | None:
        """Say the next line; None when there is none."""
        if not self.lines:
            return None
        line = self.lines.pop(0)
        if isinstance(line, AgentProblem):
            self._problem = line
            return None
        if line:
            self._told((await self._run.say(line, self._actor)).turn)
        return IterationSummary(iteration=1)

    async def stop(self) -> AgentResult:
        """Count the call."""
        self.stopped += 1
        return AgentResult(success=self._problem is None, error=self._problem)


class ScriptedCompany:
    """Makes scripted players for a table, and keeps them."""

    def __init__(self, run: Run, **lines: Sequence[str | AgentProblem]) -> None:
        self.players = dict[str, ScriptedPlayer]()
        self._run, self._lines = run, lines
        self.game = GameTable(run, self._seat_player)

    def _seat_player(
        self,
        actor: Id,
        name: str,  # noqa: ARG002 - the port's signature
        told: Callable[[Turn], None],
    ) -> ScriptedPlayer:
        left = self.players.get(actor)
        lines = left.lines if left else self._lines.get(actor, ())
        player = ScriptedPlayer(self._run, actor, lines, told)
        self.players[actor] = player
        return player
