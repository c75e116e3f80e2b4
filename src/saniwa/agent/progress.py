"""The progress of an agent: the record of each iteration, and the final result."""

from typing import Any, Literal

import msgspec

from saniwa.models.oracle import Usage

AgentPhase = Literal["created", "started", "stopped"]
"""The phase of an agent's life; it only moves forward."""


class _Record(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Records are written in camelCase; defaults are omitted."""


class _CompleteRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Results are written complete, including empty fields."""


class ActionResult(_Record, frozen=True):
    """The result of one action of an agent."""

    type: str
    """The action: `speak`, `submit`."""
    success: bool
    """Whether it took effect: a verdict or a ruling allowed it."""
    code: str = ""
    """Why not, as a code."""
    message: str = ""
    """Why not, as guidance for the agent."""
    details: dict[str, Any] = {}
    """The turn's number, the event's id and the like."""


class IterationSummary(_Record, frozen=True):
    """One iteration, as it is stored."""

    iteration: int
    """Its number; from 1."""
    step: str = ""
    """Its step."""
    conversation_id: str | None = msgspec.field(default=None, name="sessionId")
    """The conversation it was part of."""
    assistant_responses: tuple[str, ...] = ()
    """The model's answers; long ones are cut here, and complete in the journal."""
    tools_used: tuple[str, ...] = ()
    """Tools the model called, in order, with those that were refused."""
    detected_actions: tuple[dict[str, Any], ...] = ()
    """The actions it asked for."""
    action_results: tuple[ActionResult, ...] = ()
    """The results of these actions."""
    passed: bool | None = None
    """The result of the step's check; None if there was none."""
    errors: tuple[str, ...] = ()
    """Errors that did not end the agent: a retried call, a block that could not be
    read."""
    usage: Usage = Usage()
    """What it cost."""


class IterationCarry(_Record, frozen=True):
    """What one iteration passes to the next."""

    previous_response: str = ""
    """The model's last answer."""
    accumulated: dict[str, Any] = msgspec.field(default_factory=dict, name="accumulatedContext")
    """The outputs of steps, by `step_key`."""


class Progress(_Record, frozen=True):
    """The state of a loop; the agent contract calls it the runtime context."""

    conversation_id: str | None = msgspec.field(default=None, name="sessionId")
    """The provider's conversation; None for a new one."""
    iteration: int = 0
    """How many iterations are done."""
    summaries: tuple[IterationSummary, ...] = ()
    """One for each of them."""
    carry: IterationCarry = IterationCarry()
    """What the next iteration is given."""


class AgentProblem(_CompleteRecord, frozen=True):
    """Why an agent did not finish."""

    code: str
    """The error's code."""
    message: str
    """What went wrong."""
    recoverable: bool = False
    """Whether resuming later may succeed."""
    hint: str = ""
    """What to do."""
    iteration: int = 0
    """The iteration in which it happened."""
    cause: str = ""
    """The underlying error, if there is one."""


class AgentResult(_CompleteRecord, frozen=True):
    """The result of an agent: done, or stopped by a named error."""

    success: bool
    """Whether its completion check passed; reaching a limit is not success."""
    total_iterations: int = 0
    """How many iterations there were."""
    completion_reason: str = ""
    """Why it is done."""
    error: AgentProblem | None = None
    """Why it is not done; set whenever `success` is false."""
    summaries: tuple[IterationSummary, ...] = ()
    """One for each iteration."""
    usage: Usage = Usage()
    """What all of it cost."""
    visits: dict[str, int] = {}
    """How often each step was entered."""
