"""Why an agent at a table could not go on, for whoever watches."""

import msgspec

from saniwa.core.errors import RunError, SaniwaError


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """Why an agent could not go on."""

    code: str
    """The error's code."""
    message: str
    """What is wrong."""
    hint: str = ""
    """What to do."""


def trouble_of(problem: SaniwaError) -> Trouble:
    """What an error says."""
    return Trouble(code=str(problem.code), message=problem.message, hint=problem.hint)


def surprise(problem: Exception) -> Trouble:
    """What is told of a mistake of ours; the rest is for the server's log."""
    return Trouble(
        code="SYSTEM_ERROR",
        message=f"something we did not foresee: {type(problem).__name__}",
        hint="what was acknowledged is kept; report it",
    )


def no_agent(why: str, cure: str) -> RunError:
    """The error for a turn that is no agent's."""
    return RunError("SEATING_UNFIT", why, hint=cure)
