"""A turn as somebody else at the table sees it.

Deeds are told where the viewer is; what came to nothing stays between the actor and the
rulebook.
"""

import msgspec

from saniwa.run import present
from saniwa.script.directive import Next, StepResult
from saniwa.turn.narrate import narrate
from saniwa.turn.trace import Turn, claims_behind
from saniwa.world.model import Id, World
from saniwa.world.view import goal_reached


def deeds_of(turn: Turn) -> Turn:
    """The turn with nothing in it but what happened."""
    judged = zip(
        turn.normalized_actions,
        turn.validation_results,
        claims_behind(turn),
        strict=True,
    )
    done = [each for each in judged if each[1].success]
    return msgspec.structs.replace(
        turn,
        normalized_actions=tuple(action for action, _, _ in done),
        validation_results=tuple(verdict for _, verdict, _ in done),
        claimed=tuple(claim for _, _, claim in done),
        rejections=(),
        clarification=None,
    )


def watched(turn: Turn, before: World, after: World, viewer: Id) -> StepResult:
    """What the viewer is shown of somebody else's turn that has been kept.

    A model's words for it are told only where there is something to be told.
    """
    deeds = deeds_of(turn)
    if not narrate(deeds, before, after, viewer):
        return StepResult(
            next=Next.HALT if goal_reached(after) else Next.WAIT_USER, directives=()
        )
    return present.present(deeds, before, after, viewer)
