"""Whether a case is one that a check can look at."""

from typing import Literal

from saniwa.agent.contract import StepCase
from saniwa.core.errors import CompletionError


def check_type(case: StepCase, own: Literal["prompt", "action", "keyword"]) -> None:
    """See that the case is for this type of check.

    Raises:
        CompletionError: `COMPLETION_FAILED`: it is for another, and would be judged by
            what it does not hold.
    """
    if case.type != own:
        raise CompletionError(
            "COMPLETION_FAILED",
            f"a check of type {own!r} was given a case of type {case.type!r}",
            hint="give each check the cases of its own step",
        )
