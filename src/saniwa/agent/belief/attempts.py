"""What was tried in a turn, one by one, with the worlds around each attempt."""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from saniwa.rulebook.verdict import Verdict
from saniwa.turn.own_words import claims_of_actions
from saniwa.turn.play import worlds_after
from saniwa.turn.trace import Turn
from saniwa.world import action as act
from saniwa.world.model import Id, World


class Attempt(NamedTuple):
    """One action, and what came of it."""

    action: act.Action
    """What was tried."""
    verdict: Verdict
    """Whether it came to pass."""
    claim: object
    """The rough claim it was made from."""
    before: World
    """The world in which it was tried."""
    after: World
    """The world it led to; the same one where it was refused."""

    @property
    def named(self) -> tuple[Id, ...]:
        """Everything it was done to or with."""
        parts = (getattr(self.action, role) for role in self.action.roles)
        return tuple(part for part in parts if part is not None)


def attempts(turn: Turn, before: World) -> Iterator[Attempt]:
    """Each action of the turn in order, those that came to nothing too."""
    worlds = worlds_after(turn, before)
    for action, verdict, claim in zip(
        turn.normalized_actions,
        turn.validation_results,
        claims_of_actions(turn),
        strict=True,
    ):
        after = next(worlds) if verdict.success else before
        yield Attempt(action, verdict, claim, before, after)
        before = after


def told_alone(turn: Turn, attempt: Attempt) -> Turn:
    """A turn of nothing but this attempt, for a narrator to tell."""
    return msgspec.structs.replace(
        turn,
        parsed_actions=(attempt.claim,),
        normalized_actions=(attempt.action,),
        validation_results=(attempt.verdict,),
        applied_actions=(attempt.action,) if attempt.verdict.success else (),
        rejections=(),
        claimed=(),
        clarification=None,
    )
