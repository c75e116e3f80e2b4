"""A check that looks for words in what the model said, and at nothing else."""

from saniwa.agent.contract import StepCase, StepCheckResult
from saniwa.agent.flow import StepCheck
from saniwa.core.quoted import quoted


class KeywordCheck:
    """Passes when one of the words, or each, stands in one of the texts."""

    def __init__(self, wanted: StepCheck) -> None:
        assert wanted.keywords, "without words there is nothing to look for"
        self._words = wanted.keywords
        self._enough = any if wanted.mode == "any" else all

    async def check(self, case: StepCase) -> StepCheckResult:
        """Look at the texts. Changes nothing."""
        assert case.type == "keyword", "the case is for another type of check"
        texts = case.response.messages
        said = {word: any(word in text for text in texts) for word in self._words}
        if self._enough(said.values()):
            words = [word for word, found in said.items() if found]
            return StepCheckResult(
                passed=True, reason=f"the model said {quoted(words)}"
            )
        words = [word for word, found in said.items() if not found]
        return StepCheckResult(
            passed=False, reason=f"the model did not say {quoted(words)}"
        )
