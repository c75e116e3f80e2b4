"""Done after so many iterations."""

from saniwa.agent.completion.kept import LastLook, done_if
from saniwa.agent.contract import CompletionCase, CompletionResult
from saniwa.agent.definition import IterationBudget


class IterationsDone(LastLook):
    """Complete from the last iteration of the budget on."""

    def __init__(self, wanted: IterationBudget) -> None:
        super().__init__()
        self._most = wanted.max_iterations

    def _look(self, case: CompletionCase) -> CompletionResult:
        done = case.iteration
        return done_if(done >= self._most, f"iterations done: {done} of {self._most}")
