"""A model that tells turns; what it says must be so, or the plain narrator speaks."""

from saniwa.agent.contract import SdkBridge
from saniwa.agent.translate.calls import Calls
from saniwa.agent.translate.telling import fit_to_show, options, request
from saniwa.agent.translate.truth.check import LONGEST_NARRATION, check
from saniwa.core.errors import AgentError
from saniwa.turn.narrate import narrate
from saniwa.turn.trace import Flag, Narration, Turn
from saniwa.world.model import Id, World


class ModelNarrator:
    """Asks a model to tell a turn, checks its words, and asks once more if it must."""

    def __init__(self, bridge: SdkBridge, style: str = "") -> None:
        """A narrator that asks through this bridge, in the author's style if there is one."""
        self._bridge = bridge
        self._style = style

    async def narrate(
        self, turn: Turn, before: World, after: World, viewer: Id, calls: Calls
    ) -> Narration:
        """The model's words, if one of two attempts may be told; else none of them.

        A model that cannot be asked loses no turn: the error's code is noted.
        """
        watcher = viewer if viewer != turn.actor_id else Id("")
        found: tuple[Flag, ...] = ()
        attempts, model, text, error = 0, "", "", ""
        plain = narrate(turn, before, after, viewer)
        while plain and attempts < 2 and not text and not error and calls.take():
            attempts += 1
            asked = request(plain, after, viewer, self._style, found)
            try:
                answer = await self._bridge.query(asked, options(after.language))
            except AgentError as problem:
                error = str(problem.code)
                continue
            model = answer.model
            # Cut before it is looked at: a megabyte is too long whatever it says.
            said = fit_to_show(answer.text[: 4 * LONGEST_NARRATION])
            flags = check(said, turn, before, after, viewer)
            found, text = (*found, *flags), "" if flags else said
        return Narration(
            by="model" if text else "plain",
            text=text,
            flags=found,
            attempts=attempts,
            model=model,
            viewer=watcher,
            error=error,
        )
