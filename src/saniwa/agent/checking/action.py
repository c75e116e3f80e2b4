"""A check that looks at what came of the agent's actions, and at nothing else."""

from saniwa.agent.checking.fit import check_type
from saniwa.agent.contract import StepCase, StepCheckResult
from saniwa.agent.flow import StepCheck
from saniwa.agent.progress import ActionResult
from saniwa.core.quoted import cut, quoted

_LONGEST = 300


class ActionCheck:
    """Passes when something was done and one action, or each, came true."""

    def __init__(self, wanted: StepCheck) -> None:
        self._enough = any if wanted.mode == "any" else all

    async def check(self, case: StepCase) -> StepCheckResult:
        """Look at the results. Changes nothing.

        Raises:
            CompletionError: `COMPLETION_FAILED`: the case is for another type.
        """
        check_type(case, "action")
        results = case.action_results
        if not results:
            return StepCheckResult(passed=False, reason="nothing was done")
        done = sum(result.success for result in results)
        counted = f"actions that came true: {done} of {len(results)}"
        if self._enough(result.success for result in results):
            return StepCheckResult(passed=True, reason=counted)
        failed = next(result for result in results if not result.success)
        return StepCheckResult(passed=False, reason=f"{counted}; {_why(failed)}")


def _why(failed: ActionResult) -> str:
    why = ": ".join(part for part in (failed.code, failed.message) if part)
    said = f"{quoted(failed.type)} did not"
    return cut(f"{said}: {why}" if why else said, _LONGEST)
