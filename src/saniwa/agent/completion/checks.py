"""Done after so many step checks."""

from saniwa.agent.completion.kept import LastLook, done_if
from saniwa.agent.contract import CompletionCase, CompletionResult
from saniwa.agent.definition import CheckBudget


class ChecksDone(LastLook):
    """Complete from the last check of the budget on."""

    def __init__(self, wanted: CheckBudget) -> None:
        super().__init__()
        self._most = wanted.max_checks

    def _look(self, case: CompletionCase) -> CompletionResult:
        done = case.checks
        return done_if(done >= self._most, f"step checks done: {done} of {self._most}")
