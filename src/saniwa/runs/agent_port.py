"""The port of a character's agent to a run: its words become turns of the run."""

import re
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass

import msgspec

from saniwa.agent.mind.character_view import build_view
from saniwa.agent.mind.text_similarities import TextSimilarity
from saniwa.agent.port import AgentPort, AgentSubmission, AgentView, make_port_error
from saniwa.core.idempotency import IdempotencyKey
from saniwa.core.text import replace_surrogates
from saniwa.process.ruling import Ruling
from saniwa.runs.run import Run
from saniwa.runs.run_inspector import RunMinds
from saniwa.turn.record import Turn
from saniwa.world.model import Id

_SINCE = re.compile(r"@(\d{1,18})$")


@dataclass(frozen=True)
class RunAgentPort:
    """An agent's port to a run, for one character."""

    run: Run
    """The run."""
    actor: Id
    """The character."""
    minds: RunMinds
    """The minds of the run's characters."""
    _: KW_ONLY
    told: Callable[[Turn], object] = lambda _: None
    """Called with each stored turn."""
    viewer: Callable[[], Id] | None = None
    """Returns the character for whom a turn is narrated, by default the actor."""
    request: Callable[[], IdempotencyKey | None] = lambda: None
    """Returns the host's request that a turn belongs to."""
    gate: AgentPort | None = None
    """Receives submissions, if there is one."""
    meaning: TextSimilarity | None = None
    """Ranks the memories that the view includes."""

    def view(self) -> AgentView:
        """What the character believes, and nothing else of the world.

        The facts are for the agent's completion check and are not part of any prompt.
        """
        view = build_view(self.minds.find_mind(self.actor), meaning=self.meaning)
        facts = {"goal_reached": self.run.is_finished, "turn": self.run.count}
        return msgspec.structs.replace(view, facts=view.facts | facts)

    async def speak(self, words: str, attempt: str, *, calls: int = 1) -> Turn:
        """Play the words as a turn of the character.

        Words that are no action are spoken. An attempt ends in `@N`, where N is the
        number of turns when it began. If the character has said exactly these words
        since, that turn is returned, and nothing is said again.

        Raises:
            StoreError: The turn could not be stored.
        """
        # An unpaired surrogate is no reason to stop an agent.
        words = replace_surrogates(words)
        turn = self._find_earlier_turn(words, attempt)
        if turn is None:
            viewer = self.viewer() if self.viewer else self.actor
            asked = self.request()
            turn = await self.run.speak(words, self.actor, viewer=viewer, calls=calls, asked=asked)
        self.told(turn)
        return turn

    async def submit(self, handed: AgentSubmission, attempt: str) -> Ruling:
        """Submit evidence to the gate, if this port has one.

        Raises:
            LoopError: `FLOOR_UNFIT`.
            StoreError: It could not be stored.
        """
        if self.gate is None:
            raise make_port_error("submit", "no gate")
        return await self.gate.submit(handed, attempt)

    async def wait(self) -> bool:
        """Return at once: the table decides whose turn it is."""
        return False

    def _find_earlier_turn(self, words: str, attempt: str) -> Turn | None:
        since = _SINCE.search(attempt)
        if since is None:
            return None
        for turn in self.run.read_followed_turns(int(since[1])):
            own = turn.aside is None and turn.actor_id == self.actor
            if own and turn.raw_text == words:
                return turn
        return None
