"""Done when the model says a word."""

from saniwa.agent.completion.kept import LastLook, done_if
from saniwa.agent.contract import CompletionCase, CompletionResult
from saniwa.agent.definition import KeywordSignal
from saniwa.core.quoted import quoted


class KeywordSaid(LastLook):
    """Complete in the iteration in which one of the model's texts holds the word."""

    def __init__(self, wanted: KeywordSignal) -> None:
        super().__init__()
        self._word = wanted.completion_keyword

    def _look(self, case: CompletionCase) -> CompletionResult:
        # An empty word would stand in every text.
        said = bool(self._word) and any(
            self._word in text for text in case.response.messages
        )
        return done_if(said, f"the model said {quoted(self._word)}")
