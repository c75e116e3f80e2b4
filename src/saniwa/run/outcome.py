"""What came of a deed, in the words a story understands."""

from saniwa.run.standing import Told
from saniwa.script.directive import Say
from saniwa.script.playing.player import Outcome
from saniwa.turn.narrate import number_options
from saniwa.turn.trace import Turn


def outcome_of(told: Told) -> Outcome:
    """A turn as the answer to a story's request.

    It came true if anything of it did, as a turn passes if anything in it was applied;
    the reason tells what did not, also where something else did.
    """
    said = (each.args for each in told.step.directives if isinstance(each, Say))
    asked = told.turn.clarification
    options = () if asked is None else number_options(asked)
    return Outcome(
        allowed=bool(told.turn.applied_actions),
        reason=_reason(told.turn),
        lines=(
            *((line.speaker, line.text) for line in said),
            *((line.speaker, line.text.strip()) for line in options),
        ),
    )


def _reason(turn: Turn) -> str:
    """The code of the first thing in the way; empty where nothing was."""
    if turn.clarification is not None:
        return turn.clarification.code
    for verdict in turn.validation_results:
        if not verdict.success:
            return str(verdict.reason_code)
    return turn.rejections[0].code if turn.rejections else ""
