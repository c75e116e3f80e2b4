"""Where an agent stands in its flow; plain data, kept with every iteration."""

from typing import Annotated, Literal

import msgspec

from saniwa.agent.flow import Escalation, ReturnFlow

Count = Annotated[int, msgspec.Meta(ge=0)]
"""How often something was; never less than not at all."""


class _Record(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True
):
    """Kept in camelCase."""


class Frame(_Record, frozen=True):
    """Something to come back to: a step whose sub-steps run, or one that escalated."""

    kind: Literal["subSteps", "escalation"]
    """Which of the two."""
    step: str
    """The step to come back to."""
    index: Count = 0
    """The sub-step that runs now; from 0."""
    return_flow: ReturnFlow = "resume"
    """What follows an escalation."""
    retries: Count = 0
    """How often the step to come back to was run again."""


class Position(_Record, frozen=True):
    """Where a flow stands."""

    step: str
    """The step that runs next, or is running."""
    retries: Count = 0
    """How often it was run again after a failed check."""
    runs: Count = 0
    """How often it has run in this visit."""
    in_a_row: Count = 1
    """How often it has run in a row, retries aside, the coming run included."""
    visits: dict[str, Count] = {}
    """How often each step was entered."""
    frames: tuple[Frame, ...] = ()
    """What to come back to, the innermost last."""
    subs_done: bool = False
    """Whether the sub-steps of this step have run, so that only its check is left."""
    complete: bool = False
    """Whether the flow has come to its end."""


class Notice(_Record, frozen=True):
    """An escalation that somebody outside is told of."""

    step: str
    """The step that could not be done."""
    escalation: Escalation
    """How it is told, and to whom."""
    reason: str
    """Why it could not be done."""


class Walked(_Record, frozen=True):
    """A step of the walk: where it led, and who has to be told."""

    position: Position
    """Where the flow stands now."""
    notice: Notice | None = None
    """Who has to be told."""
