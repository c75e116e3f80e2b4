"""The errors that end a loop."""

from saniwa.agent.contract import QueryResult
from saniwa.agent.oracle import describe_end
from saniwa.agent.progress import ActionResult, Problem
from saniwa.agent.walking.walk import Failure
from saniwa.core.errors import LoopError, SaniwaError, StoreError
from saniwa.core.quoted import cut, quoted

FINAL = frozenset(
    {
        "STEP_LOOP_LIMIT",
        "RETRIES_EXHAUSTED",
        "AGENT_ESCALATED",
        "FLOW_ENDED",
        "ROUTE_MISSING",
    }
)
"""Ends of a walk: taking up the same definition again comes to the same end."""


def problem_of(error: SaniwaError, iteration: int) -> Problem:
    """An error as the result tells it."""
    return Problem(
        code=str(error.code),
        message=error.message,
        recoverable=error.recoverable,
        hint=error.hint,
        iteration=iteration,
        cause=_cause(error),
    )


def surprise(error: Exception, iteration: int) -> Problem:
    """An error nobody planned for."""
    return Problem(
        code="AGENT_FAILED",
        message=f"{type(error).__name__}: {error}",
        hint="this is a mistake of a part of the agent, not of its model",
        iteration=iteration,
        cause=_cause(error),
    )


def _cause(error: BaseException) -> str:
    cause = error.__cause__
    return "" if cause is None else f"{type(cause).__name__}: {cause}"


def too_many(most: int) -> LoopError:
    """The agent is not done when its hard stop comes."""
    return LoopError(
        "AGENT_MAX_ITERATIONS",
        f"the agent is not done after {most} iterations",
        hint="raise limits.maxIterations or --max-iterations and go on with --resume, or "
        "look in its journal why it does not finish",
        details={"max_iterations": most},
    )


def flow_ended(step: str) -> LoopError:
    """There is nothing left to do, and nobody says that it is done."""
    return LoopError(
        "FLOW_ENDED",
        f"the flow has come to its end at {step!r}, and the completion does not say done",
        hint="use completionType 'stepMachine', or let the flow go on",
        details={"step": step},
    )


def waiting(why: str) -> LoopError:
    """Only somebody else can go on."""
    return LoopError(
        "AGENT_WAITING",
        why,
        hint="go on with --resume when they have acted",
        recoverable=True,
    )


def repeated(event: str, times: int, result: ActionResult) -> LoopError:
    """The agent hands in what was refused before, again and again."""
    return LoopError(
        "SUBMISSION_REPEATED",
        f"the agent sent {quoted(event)} {times} times with the same content, and the "
        f"gate refused it each time ({result.code}): {cut(result.message, 1000)}",
        hint="mend what the gate names, or change the agent's prompt or model, and go on "
        "with --resume: the same submission again ends it at once",
        details={"event": event, "times": times, "code": result.code},
    )


def begun(iteration: int) -> LoopError:
    """A loop was to begin in the middle."""
    return LoopError(
        "LOOP_BEGUN",
        f"a loop begins at iteration 0, not at {iteration}",
        hint="start the agent with resume: its journal says where it stands",
    )


def differs(name: str, then: str, now: str) -> LoopError:
    """A journal belongs to another definition."""
    return LoopError(
        "JOURNAL_DIFFERS",
        f"the journal was begun with another definition of {name!r}",
        hint="bring the definition back, or begin anew",
        details={"then": then[:16], "now": now[:16]},
    )


def strange(step: str) -> StoreError:
    """A journal stands where the flow has no step."""
    return StoreError(
        "TRACE_CORRUPT",
        f"the journal stands at {quoted(step)}, and the flow has no such step",
        hint="bring the journal back from a copy, or begin anew",
        details={"step": step},
    )


def not_whole(response: QueryResult, max_tokens: int) -> Failure:
    """The failure of a step whose answer may not be acted on."""
    why = describe_end(response.finish, response.reason, max_tokens)
    match response.finish:
        case "refused":
            return Failure(
                why,
                code="MODEL_REFUSED",
                hint="say it in other words, ask another model, or say what follows: "
                "onFail, or an escalation",
            )
        case "filtered":
            return Failure(
                why,
                code="MODEL_FILTERED",
                hint="take out the words that the provider filters, ask another "
                "provider, or say what follows: onFail, or an escalation",
            )
        case "length":
            return Failure(
                why, hint="raise model.maxTokens, or ask for a shorter answer"
            )
    return Failure(why)
