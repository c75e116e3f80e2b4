"""The errors that end a loop, and their form in the result."""

from typing import Any, Final

from saniwa.agent.contract import QueryResult
from saniwa.agent.flow import StepFailure
from saniwa.agent.progress import ActionResult, AgentProblem
from saniwa.core.errors import LoopError, SaniwaError, StoreError
from saniwa.core.text import quote_value, truncate
from saniwa.models.oracle import describe_finish

FINAL_CODES = frozenset(
    {"STEP_LOOP_LIMIT", "RETRIES_EXHAUSTED", "AGENT_ESCALATED", "FLOW_ENDED", "ROUTE_MISSING"}
)
"""Final errors of the flow: resuming with the same definition gives the same error."""


def to_problem(error: Exception, iteration: int) -> AgentProblem:
    """Convert an error, expected or not, to its form in the result."""
    cause = error.__cause__
    where: dict[str, Any] = {
        "iteration": iteration,
        "cause": "" if cause is None else f"{type(cause).__name__}: {cause}",
    }
    if not isinstance(error, SaniwaError):
        return AgentProblem(
            code="AGENT_FAILED",
            message=f"{type(error).__name__}: {error}",
            hint="this is a mistake of a part of the agent, not of its model",
            **where,
        )
    return AgentProblem(
        code=str(error.code),
        message=error.message,
        recoverable=error.recoverable,
        hint=error.hint,
        **where,
    )


def make_iteration_limit_error(most: int) -> LoopError:
    """Return the error for an agent that is not done at its hard limit."""
    return LoopError(
        "AGENT_MAX_ITERATIONS",
        f"the agent is not done after {most} iterations",
        hint="raise limits.maxIterations or --max-iterations and go on with --resume, or "
        "look in its journal why it does not finish",
        details={"max_iterations": most},
    )


def make_flow_ended_error(step: str) -> LoopError:
    """Return the error for a complete flow whose completion says not done."""
    return LoopError(
        "FLOW_ENDED",
        f"the flow has come to its end at {step!r}, and the completion does not say done",
        hint="use completionType 'stepMachine', or let the flow go on",
        details={"step": step},
    )


def make_waiting_error(why: str) -> LoopError:
    """Return the error for an agent that has to wait for another party."""
    return LoopError(
        "AGENT_WAITING", why, hint="go on with --resume when they have acted", recoverable=True
    )


def make_repetition_error(event: str, times: int, result: ActionResult) -> LoopError:
    """Return the error for an agent that keeps sending a refused submission."""
    return LoopError(
        "SUBMISSION_REPEATED",
        f"the agent sent {quote_value(event)} {times} times with the same content, and the "
        f"gate refused it each time ({result.code}): {truncate(result.message, 1000)}",
        hint="mend what the gate names, or change the agent's prompt or model, and go on "
        "with --resume: the same submission again ends it at once",
        details={"event": event, "times": times, "code": result.code},
    )


def make_begun_error(iteration: int) -> LoopError:
    """Return the error for a loop that is started with progress already made."""
    return LoopError(
        "LOOP_BEGUN",
        f"a loop begins at iteration 0, not at {iteration}",
        hint="start the agent with resume: its journal says where it stands",
    )


def make_definition_mismatch_error(name: str, then: str, now: str) -> LoopError:
    """Return the error for a journal of another definition."""
    return LoopError(
        "JOURNAL_DIFFERS",
        f"the journal was begun with another definition of {name!r}",
        hint="bring the definition back, or begin anew",
        details={"then": then[:16], "now": now[:16]},
    )


def make_unknown_step_error(step: str) -> StoreError:
    """Return the error for a journal at a step that the flow does not have."""
    return StoreError(
        "TRACE_CORRUPT",
        f"the journal stands at {quote_value(step)}, and the flow has no such step",
        hint="bring the journal back from a copy, or begin anew",
        details={"step": step},
    )


def make_partial_answer_failure(response: QueryResult, max_tokens: int) -> StepFailure:
    """Return the failure of a step whose answer may not be acted on."""
    why = describe_finish(response.finish, response.reason, max_tokens)
    return StepFailure(why, **_PARTIAL_ANSWERS.get(response.finish, {}))


_PARTIAL_ANSWERS: Final[dict[str, dict[str, str]]] = {
    "refused": {
        "code": "MODEL_REFUSED",
        "hint": "say it in other words, ask another model, or say what follows: "
        "onFail, or an escalation",
    },
    "filtered": {
        "code": "MODEL_FILTERED",
        "hint": "take out the words that the provider filters, ask another "
        "provider, or say what follows: onFail, or an escalation",
    },
    "length": {"hint": "raise model.maxTokens, or ask for a shorter answer"},
}
