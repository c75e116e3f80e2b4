"""An agent's flow: its steps, how each is checked, and where each leads.

Plain data; `agent.authoring` reads it and finds its mistakes, `agent.looping` walks it.
"""

from typing import Any, Literal

import msgspec

StepType = Literal["normal", "gateway", "subStep"]
"""A prompt to run, a place where ways part or join, or a part of another step."""
CheckType = Literal["prompt", "action", "keyword"]
Exhausted = Literal["error", "fallback", "skip"]
Notification = Literal["in_agent", "webhook", "log"]
ReturnFlow = Literal["resume", "abort", "restart"]

STEP_LOOP_LIMIT = 10
"""Runs of one step in a row, retries aside, before the loop is taken for endless."""
DEFAULT_RETRIES = 3
"""Retries of a step that asks for them and names no number."""


class _Part(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True
):
    """Parts of a flow are written in camelCase."""


class PromptReference(_Part, frozen=True):
    """Where a prompt is: a path, or the three words of its folder and its edition."""

    path: str = ""
    """A file, relative to the flow's base path."""
    c1: str = ""
    """The first folder: `steps`."""
    c2: str = ""
    """The second: `initial`."""
    c3: str = ""
    """The third: `issue`."""
    edition: str = ""
    """Which edition; `default` where none is named."""
    adaptation: str = ""
    """A variant of the edition; the edition itself where there is no such file."""
    fallback: str = ""
    """A key of the agent's fallback folder, for a prompt that has no file."""

    def __str__(self) -> str:
        if self.path:
            return self.path
        name = f"f_{self.edition or 'default'}"
        adapted = f"{name}_{self.adaptation}" if self.adaptation else name
        return f"{self.c1}/{self.c2}/{self.c3}/{adapted}.md"


class RetryPolicy(_Part, frozen=True):
    """How often a step is run again, unchanged, and what happens then."""

    max_retries: int = DEFAULT_RETRIES
    """Runs beyond the first."""
    on_exhausted: Exhausted = "error"
    """What happens when they are used up."""
    fallback_step: str = ""
    """Where `fallback` leads."""


class Transition(_Part, frozen=True):
    """What follows a check: exactly one of these."""

    next: str = ""
    """Go on with this step."""
    complete: bool = False
    """The flow has come to its end."""
    retry: RetryPolicy | None = None
    """Run the same step again."""
    escalate: bool = False
    """Do what the step's escalation says."""

    @property
    def empty(self) -> bool:
        """Whether it says nothing: then the step stays."""
        return not (self.next or self.complete or self.retry or self.escalate)


class StepCheck(_Part, frozen=True):
    """How one finds out whether a step has done what it is for."""

    type: CheckType
    """Whom to ask."""
    prompt: PromptReference | None = None
    """The question for a model; only for `prompt`."""
    keywords: tuple[str, ...] = ()
    """The words to look for; only for `keyword`."""
    mode: Literal["any", "all"] = "any"
    """Whether one word, or one result, is enough."""
    on_pass: Transition = Transition()
    """What follows a yes."""
    on_fail: Transition = Transition()
    """What follows a no."""


class Escalation(_Part, frozen=True):
    """What happens when a step cannot be done here."""

    escalate_to: str
    """A step for `in_agent`, an address for `webhook`, a name for `log`."""
    notification_method: Notification = "in_agent"
    """How it is told."""
    return_flow: ReturnFlow = "resume"
    """What follows: back to the step, the agent's end, or the first step again."""


class Route(_Part, frozen=True):
    """One way out of a gateway."""

    next: str = ""
    """The step it leads to."""
    complete: bool = False
    """Whether it leads to the flow's end."""
    variable: str = ""
    """A variable, a step's output or a fact of the floor that decides; none: always."""
    equals: Any = msgspec.UNSET
    """The value it must have; unset: it only has to be there."""
    contains: str = ""
    """A word it must contain, if it is a text."""


class AgentStep(_Part, frozen=True):
    """One step of a flow."""

    id: str
    """Unique in its flow."""
    name: str = ""
    """What people call it."""
    type: StepType = "normal"
    """What kind of step it is."""
    prompt: PromptReference | None = None
    """What the model is asked; none for a gateway and for a step of sub-steps."""
    check: StepCheck | None = None
    """How it is checked; a step without one leads to `next`, or stays."""
    next: str = ""
    """Where it leads, where no check decides."""
    complete: bool = False
    """Whether the flow ends after it, where no check decides."""
    routes: tuple[Route, ...] = ()
    """A gateway's ways out, in order; the first that fits is taken."""
    sub_steps: tuple[str, ...] = ()
    """Steps that are run in order before it counts as done."""
    escalation: Escalation | None = None
    """What happens when it cannot be done."""
    min_iterations: int = 1
    """Runs before a passing check lets it go on."""
    max_iterations: int | None = None
    """Runs in a row that are no endless loop; the flow's limit where it says nothing."""
    schema: dict[str, Any] | None = None
    """A JSON Schema its answer must follow; its fields become variables."""
    variables: tuple[str, ...] = ()
    """The variables its prompt needs, as the author lists them."""


class Flow(_Part, frozen=True, kw_only=True):
    """All steps of an agent."""

    version: str = ""
    """The author's version of the flow."""
    base_path: str = "prompts"
    """The folder prompts are found in, inside the agent's."""
    entry_step: str
    """Where it begins."""
    steps: dict[str, AgentStep]
    """Every step by its id."""
    step_loop_limit: int = STEP_LOOP_LIMIT
    """Runs of one step in a row, retries aside."""
    visit_limit: int = 100
    """Visits of one step in all: the end of loops that go round several."""
    edition: str = ""
    """The edition of prompts that name none."""
    adaptation: str = ""
    """The adaptation of prompts that name none."""
