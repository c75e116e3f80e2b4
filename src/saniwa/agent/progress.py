"""How far an agent has come: what each iteration said and did, and what it carries on."""

from typing import Any, Literal

import msgspec

from saniwa.models.oracle import Usage

AgentPhase = Literal["created", "started", "stopped"]
"""Where an agent's life stands; it only ever goes forward."""


class _Record(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True
):
    """Records are written in camelCase; what was not said takes no room."""


class _CompleteRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What became of an agent is told whole, what is empty included."""


class ActionResult(_Record, frozen=True):
    """What came of one thing an agent did on its floor."""

    type: str
    """What it did: `speak`, `submit`."""
    success: bool
    """Whether it came true: a verdict or a ruling said yes."""
    code: str = ""
    """Why not, for machines."""
    message: str = ""
    """Why not, for the agent: its guidance."""
    details: dict[str, Any] = {}
    """The turn's number, the event's id and the like."""


class IterationSummary(_Record, frozen=True):
    """One iteration, as it is kept."""

    iteration: int
    """Its number; from 1."""
    step: str = ""
    """The step it was."""
    conversation_id: str | None = msgspec.field(default=None, name="sessionId")
    """The conversation it was part of."""
    assistant_responses: tuple[str, ...] = ()
    """What the model said; long answers are cut here, and whole in the journal."""
    tools_used: tuple[str, ...] = ()
    """Tools the model used; none is run here, so there are none."""
    detected_actions: tuple[dict[str, Any], ...] = ()
    """What it asked to be done."""
    action_results: tuple[ActionResult, ...] = ()
    """What came of that."""
    passed: bool | None = None
    """What the step's check said; None where there was none."""
    errors: tuple[str, ...] = ()
    """What went wrong and ended nothing: a retried call, a block nobody could read."""
    usage: Usage = Usage()
    """What it cost."""


class IterationCarry(_Record, frozen=True):
    """What one iteration hands to the next."""

    previous_response: str = ""
    """What the model said last."""
    accumulated: dict[str, Any] = msgspec.field(
        default_factory=dict, name="accumulatedContext"
    )
    """What steps have put out, by `step_key`."""


class Progress(_Record, frozen=True):
    """Where a loop stands; the agent contract calls it its runtime context."""

    conversation_id: str | None = msgspec.field(default=None, name="sessionId")
    """The provider's conversation; None for a new one."""
    iteration: int = 0
    """How many iterations are done."""
    summaries: tuple[IterationSummary, ...] = ()
    """One for each of them."""
    carry: IterationCarry = IterationCarry()
    """What the next one is handed."""


class AgentProblem(_CompleteRecord, frozen=True):
    """Why an agent did not come to its end."""

    code: str
    """The error's code."""
    message: str
    """What is wrong."""
    recoverable: bool = False
    """Whether going on later may succeed."""
    hint: str = ""
    """What to do."""
    iteration: int = 0
    """The iteration it came in."""
    cause: str = ""
    """What was behind it, if something was."""


class AgentResult(_CompleteRecord, frozen=True):
    """What became of an agent: done, or stopped by an error that is named."""

    success: bool
    """Whether its completion said so; a limit reached is no success."""
    total_iterations: int = 0
    """How many iterations there were."""
    completion_reason: str = ""
    """Why it is done."""
    error: AgentProblem | None = None
    """Why it is not; set whenever `success` is false."""
    summaries: tuple[IterationSummary, ...] = ()
    """One for each iteration."""
    usage: Usage = Usage()
    """What all of it cost."""
    visits: dict[str, int] = {}
    """How often each step was entered."""
