"""Done when the flow has come to its end."""

from saniwa.agent.completion.kept import LastLook, done_if
from saniwa.agent.contract import CompletionCase, CompletionResult
from saniwa.core.quoted import quoted


class FlowEnded(LastLook):
    """Complete when the flow is through; never before, however long it takes."""

    def _look(self, case: CompletionCase) -> CompletionResult:
        last = case.summary.step
        at = f" after {quoted(last)}" if last else ""
        return done_if(case.flow_complete, f"the flow has come to its end{at}")
