"""The port of a character's agent to a run: its words become turns of the run."""

import re
from collections.abc import Callable

import msgspec

from saniwa.agent.mind.similarity import TextSimilarity
from saniwa.agent.mind.view import build_view
from saniwa.agent.port import AgentPort, AgentSubmission, AgentView, make_port_error
from saniwa.core.text_encoding import replace_surrogates
from saniwa.process.ruling import Ruling
from saniwa.runs.inspector import RunMinds
from saniwa.runs.run import Run, TurnResult
from saniwa.turn.record import IdempotencyKey, Turn
from saniwa.world.model import Id

_SINCE = re.compile(r"@(\d{1,18})$")


class RunAgentPort:
    """An agent's port to a run, for one character."""

    def __init__(
        self,
        run: Run,
        actor: Id,
        minds: RunMinds,
        *,
        told: Callable[[TurnResult], None] | None = None,
        viewer: Callable[[], Id] | None = None,
        request: Callable[[], IdempotencyKey | None] | None = None,
        gate: AgentPort | None = None,
        meaning: TextSimilarity | None = None,
    ) -> None:
        """Open a port for the actor; `told` is called with each stored turn.

        A turn is narrated for `viewer`, by default the actor. `request` returns the
        host's request that a turn belongs to. Submissions go to `gate`, if there is
        one. `meaning` ranks the memories that the view includes.
        """
        self._run = run
        self._actor = actor
        self._minds = minds
        self._on_turn = told or (lambda _: None)
        self._viewer = viewer or (lambda: actor)
        self._request = request or (lambda: None)
        self._gate = gate
        self._meaning = meaning

    def view(self) -> AgentView:
        """What the character believes, and nothing else of the world.

        The facts are for the agent's completion check and are not part of any prompt.
        """
        view = build_view(self._minds.find_mind(self._actor), meaning=self._meaning)
        facts = {"goal_reached": self._run.is_finished, "turn": self._run.count}
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
        result = self._find_earlier_turn(words, attempt)
        if result is None:
            result = await self._run.say(
                words,
                self._actor,
                viewer=self._viewer(),
                calls=calls,
                aloud=True,
                asked=self._request(),
            )
        self._on_turn(result)
        return result.turn

    async def submit(self, handed: AgentSubmission, attempt: str) -> Ruling:
        """Submit evidence to the gate, if this port has one.

        Raises:
            LoopError: `FLOOR_UNFIT`.
            StoreError: It could not be stored.
        """
        if self._gate is None:
            raise make_port_error("submit", "no gate")
        return await self._gate.submit(handed, attempt)

    async def wait(self) -> bool:
        """Return at once: the table decides whose turn it is."""
        return False

    def _find_earlier_turn(self, words: str, attempt: str) -> TurnResult | None:
        since = _SINCE.search(attempt)
        if since is None:
            return None
        for turn in self._run.read_followed_turns(int(since[1])):
            own = turn.aside is None and turn.actor_id == self._actor
            if own and turn.raw_text == words:
                return self._run.present_again(turn)
        return None
