"""A bridge that answers what the test has written down."""

from collections.abc import Sequence

from saniwa.agent.contract import QueryOptions, QueryResult
from saniwa.core.errors import SaniwaError


class AnsweringBridge:
    """Answers in order, the last answer for ever; keeps what it was asked."""

    def __init__(self, *answers: str | SaniwaError) -> None:
        self.answers: Sequence[str | SaniwaError] = answers or ("",)
        self.asked: list[tuple[str, QueryOptions]] = []

    async def query(self, prompt: str, options: QueryOptions) -> QueryResult:
        """The next answer, or the error that stands in its place."""
        answer = self.answers[min(len(self.asked), len(self.answers) - 1)]
        self.asked.append((prompt, options))
        if isinstance(answer, SaniwaError):
            raise answer
        return QueryResult(messages=(answer,), conversation_id="c", model="written")

    def get_session_id(self) -> str | None:
        """Always the one conversation, once it has begun."""
        return "c" if self.asked else None
