"""A model that tells turns; what it says must be so, or the plain narrator speaks."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from saniwa.agent.contract import QueryResult, SdkBridge
from saniwa.agent.oracle import Finish, describe_end
from saniwa.agent.translate.calls import Calls
from saniwa.agent.translate.legible import fit_to_show
from saniwa.agent.translate.retelling import options, request
from saniwa.agent.translate.truth.check import LONGEST_NARRATION, check
from saniwa.core.errors import AgentError
from saniwa.core.quoted import cut
from saniwa.turn.narrate import Line, narrate
from saniwa.turn.trace import Flag, Narration, Turn
from saniwa.world.model import Id, World

_MOST_ATTEMPTS: Final = 2
_MOST_READ: Final = 4 * LONGEST_NARRATION
"""Letters of an answer that are looked at; a megabyte is too long whatever it says."""


_CODES: Final[dict[Finish, str]] = {
    "refused": "MODEL_REFUSED",
    "filtered": "MODEL_FILTERED",
}
_SHOWN: Final = 80


class _Moment(NamedTuple):
    """What is to be told, and to whom."""

    turn: Turn
    before: World
    after: World
    viewer: Id


class ModelNarrator:
    """Asks a model to tell a turn, checks its words, and asks once more if it must."""

    def __init__(self, bridge: SdkBridge, style: str = "") -> None:
        """A narrator that asks through this bridge, in the author's style if any."""
        self._bridge = bridge
        self._style = style

    async def narrate(
        self, turn: Turn, before: World, after: World, viewer: Id, calls: Calls
    ) -> Narration:
        """The model's words, if one of two attempts may be told; else none of them.

        A model that cannot be asked loses no turn: the error's code is noted.
        """
        moment = _Moment(turn, before, after, viewer)
        watcher = viewer if viewer != turn.actor_id else Id("")
        told = Narration(by="plain", attempts=0, viewer=watcher)
        plain = narrate(turn, before, after, viewer)
        while plain and _unsettled(told) and calls.take():
            told = await self._attempted(told, moment, plain)
        return told

    async def _attempted(
        self, told: Narration, moment: _Moment, plain: Sequence[Line]
    ) -> Narration:
        """The narration after one more attempt."""
        told = replace(told, attempts=told.attempts + 1)
        after = moment.after
        asked = request(plain, after, moment.viewer, self._style, told.flags)
        try:
            answer = await self._bridge.query(asked, options(after.language))
        except AgentError as problem:
            return replace(told, error=str(problem.code))
        told = replace(told, model=answer.model)
        if answer.finish in _CODES:
            return replace(told, error=_CODES[answer.finish])
        if not answer.is_whole:
            return replace(told, flags=(*told.flags, _partial(answer)))
        text = fit_to_show(answer.text[:_MOST_READ])
        flags = check(text, *moment)
        if flags:
            return replace(told, flags=(*told.flags, *flags))
        return replace(told, by="model", text=text)


def _unsettled(told: Narration) -> bool:
    """Whether asking once more may help."""
    return told.by == "plain" and not told.error and told.attempts < _MOST_ATTEMPTS


def _partial(answer: QueryResult) -> Flag:
    """What is wrong with an answer that is not whole."""
    return Flag(
        kind="too long" if answer.finish == "length" else "empty",
        words=cut(fit_to_show(answer.text[:_MOST_READ]), _SHOWN),
        message=describe_end(answer.finish, answer.reason),
    )
