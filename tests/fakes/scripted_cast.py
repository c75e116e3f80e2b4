"""A person and two agents in the garden, with answers that depend on the question only."""

from collections.abc import Callable, Mapping
from typing import Any

from saniwa.agent.journal import MemoryJournal
from saniwa.app.agent_cast import Cast, JournalOpener
from saniwa.app.agent_lookup import open_agent
from saniwa.app.model_factory import SharedModels
from saniwa.core.clock import FixedClock
from saniwa.core.ids import CountingIds
from saniwa.models.canned_answers import CannedOracle
from saniwa.models.oracle import Oracle, OracleRequest
from saniwa.models.recording import AgentJournal
from saniwa.runs.game_table import PersonTurn
from saniwa.runs.run import Run
from saniwa.world.model import Id
from tests.fakes.runs import GARDEN

THREE: dict[str, Any] = GARDEN | {
    "characters": {
        "player": {"location": "yard"},
        "keeper": {"location": "yard"},
        "cook": {"location": "shed", "goals": ["a quiet evening"]},
    }
}
"""The garden with a cook in its shed."""
AGENTS: Mapping[str, str] = {"keeper": "character", "cook": "character"}
"""Both of them are agents."""
EVENING = ("say good evening", "take the brass key", "go east", "give the key to cook")
"""The turns of the person."""


def reply_to(request: OracleRequest) -> str:
    """A model's answer, which depends on the question only."""
    asked = request.messages[-1].text
    if "“cook”" in request.system:
        said = "*eat the loaf*" if "“loaf”" in asked else "Who is there?"
    else:
        said = "*take the rusty key*" if "“rusty key” on" in asked else "Hm."
    return f"Thought: {request.key[:6]}\nOutput: {said}"


def make_cast(
    run: Run,
    oracle: Callable[[], Oracle] = lambda: CannedOracle(reply_to),
    journals: JournalOpener = lambda *_: MemoryJournal(),
) -> Cast:
    """A cast whose agents all use this oracle."""
    models = SharedModels(lambda *_: oracle(), use="canned:reply")
    return Cast(run, models, open_agent, journals=journals, ids=CountingIds(), clock=FixedClock())


async def play_on(company: Cast) -> None:
    """Play the rest of the evening; turns that the run already has are not repeated."""
    gathering, run = company.game, company.game.run
    if run.seating is None:
        await gathering.seat_agents(AGENTS)
    said = sum(1 for turn in run.read_turns() if turn.actor_id == run.actor) - 1
    for line in (*EVENING[said:], None):
        while not isinstance(await gathering.play_next(), PersonTurn):
            pass
        if line is not None:
            await run.say(line)
    await company.close()


class PowerCut(BaseException):
    """The simulated end of the machine."""


class PowerFuse:
    """Stops the machine after a number of writes, wherever they are made."""

    def __init__(self, left: int) -> None:
        self.left = left

    def burn_once(self) -> None:
        """Count a write that is about to start or has just ended."""
        self.left -= 1
        if self.left < 0:
            raise PowerCut


class FusedJournal:
    """A journal whose machine may stop before or after an entry is kept."""

    def __init__(self, kept: AgentJournal, fuse: PowerFuse) -> None:
        self._kept, self._fuse = kept, fuse

    def append(self, entry: Mapping[str, Any], *, lasting: bool = False) -> None:
        """Keep the entry, unless the machine stops."""
        self._fuse.burn_once()
        self._kept.append(entry, lasting=lasting)
        self._fuse.burn_once()

    def read_entries(self) -> Any:
        """Every entry kept so far."""
        return self._kept.read_entries()

    def close(self) -> None:
        """Do nothing: the entries stay in memory for the next machine."""


def make_fused_journals(kept: dict[Id, AgentJournal], fuse: PowerFuse) -> JournalOpener:
    """Journals that remain when their machine stops."""

    def open_fused(actor: Id, name: str) -> AgentJournal:  # noqa: ARG001 - the port's signature
        return FusedJournal(kept.setdefault(actor, MemoryJournal()), fuse)

    return open_fused
