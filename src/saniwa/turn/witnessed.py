"""What a turn is to somebody else: deeds alone, and nothing that was only thought.

What was refused, not understood or asked back stays between the actor and the rulebook.
"""

import msgspec

from saniwa.turn.trace import Turn, claims_behind
from saniwa.world.model import Id


def witnessed(turn: Turn, viewer: Id) -> Turn:
    """The turn as a viewer can know it: the actor all of it, anybody else what was done."""
    if viewer == turn.actor_id:
        return turn
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


def outward(turn: Turn) -> str:
    """The words as others may read them: without what a model thought."""
    if turn.reply is None:
        return turn.raw_text
    return " ".join(
        f"*{part['text']}*" if part["kind"] == "action" else part["text"]
        for part in turn.reply.get("parts", ())
    )
