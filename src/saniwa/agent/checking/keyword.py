"""A check that looks for words in what the model said, and at nothing else."""

from collections.abc import Sequence

from saniwa.agent.checking.fit import check_type
from saniwa.agent.contract import StepCase, StepCheckResult
from saniwa.agent.flow import StepCheck
from saniwa.core.quoted import quoted

_SHOWN = 4


class KeywordCheck:
    """Passes when one of the words, or each, stands in one of the texts."""

    def __init__(self, wanted: StepCheck) -> None:
        self._words = wanted.keywords
        self._enough = any if wanted.mode == "any" else all

    async def check(self, case: StepCase) -> StepCheckResult:
        """Look at the texts. Changes nothing.

        Raises:
            CompletionError: `COMPLETION_FAILED`: the case is for another type.
        """
        check_type(case, "keyword")
        texts = case.response.messages
        said = {word: any(word in text for text in texts) for word in self._words}
        # Without words there is nothing that could have been said.
        if said and self._enough(said.values()):
            words = [word for word, found in said.items() if found]
            return StepCheckResult(
                passed=True, reason=f"the model said {_listed(words)}"
            )
        words = [word for word, found in said.items() if not found]
        return StepCheckResult(
            passed=False, reason=f"the model did not say {_listed(words)}"
        )


def _listed(words: Sequence[str]) -> str:
    return ", ".join(quoted(word) for word in words[:_SHOWN]) + (
        " …" if len(words) > _SHOWN else ""
    )
