"""The errors that end a loop, and their form in the result."""

from typing import Any, Final

from saniwa.agent import describe
from saniwa.agent.contract import ActionResult, AgentProblem, QueryResult
from saniwa.agent.flow import StepFailure
from saniwa.core.errors import LoopError, SaniwaError, StoreError
from saniwa.core.text import truncate
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
    return describe("AGENT_MAX_ITERATIONS", max_iterations=most).to_error(LoopError)


def make_flow_ended_error(step: str) -> LoopError:
    """Return the error for a complete flow whose completion says not done."""
    return describe("FLOW_ENDED", step=step).to_error(LoopError)


def make_waiting_error(why: str) -> LoopError:
    """Return the error for an agent that has to wait for another party."""
    return LoopError(
        "AGENT_WAITING", why, hint="go on with --resume when they have acted", recoverable=True
    )


def make_repetition_error(event: str, times: int, result: ActionResult) -> LoopError:
    """Return the error for an agent that keeps sending a refused submission."""
    return describe(
        "SUBMISSION_REPEATED",
        event=event,
        times=times,
        code=result.code,
        problem=truncate(result.message, 1000),
    ).to_error(LoopError)


def make_begun_error(iteration: int) -> LoopError:
    """Return the error for a loop that is started with progress already made."""
    return describe("LOOP_BEGUN", iteration=iteration).to_error(LoopError)


def make_definition_mismatch_error(name: str, then: str, now: str) -> LoopError:
    """Return the error for a journal of another definition."""
    return describe("JOURNAL_DIFFERS", then=then[:16], now=now[:16], name=name).to_error(LoopError)


def make_unknown_step_error(step: str) -> StoreError:
    """Return the error for a journal at a step that the flow does not have."""
    return describe("TRACE_CORRUPT/unknown_step", step=step).to_error(StoreError)


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
