"""What a host is told: one step to show, and what it may do next."""

from typing import Literal

import msgspec

from saniwa.script.directive import Branch, Next, Say, StepResult
from saniwa.turn.trace import Asked

Awaits = Literal["step", "choice", "words", "choice or words", "end"]
"""What a run waits for."""


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run stands, for whoever shows it."""

    run: str
    """The run."""
    revision: int
    """Rises with everything that happens; what the next request must have seen."""
    step: StepResult
    """What to show."""
    waiting: Awaits
    """What may come next."""
    scenery: StepResult | None = None
    """Empty the stage and show this first; None where the stage is as it should be."""
    back: bool = False
    """Whether there is a step to go back to."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What a host asks of a run, beside what it asks for."""

    revision: int
    """The revision it has seen."""
    asked: Asked | None = None
    """Its own name for the request, if it has one."""


def last_line(step: StepResult, longest: int = 120) -> str:
    """The last words of a step, for lists and slots; empty where nothing is said."""
    said = [each.args.text for each in step.directives if isinstance(each, Say)]
    offered = [
        choice
        for each in step.directives
        if isinstance(each, Branch)
        for choice in each.args.choices
    ]
    words = " ".join((said or offered or [""])[-1].split())
    return words if len(words) <= longest else words[: longest - 1] + "…"


def ended(step: StepResult) -> bool:
    """Whether this is the end."""
    return step.next is Next.HALT
