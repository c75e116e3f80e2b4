"""A bridge that answers what the test has written down."""

from collections.abc import Sequence

from saniwa.agent.bridges.bridge import Bridge
from saniwa.agent.contract import QueryOptions, QueryResult
from saniwa.agent.oracle import Answer, Hear, Request
from saniwa.core.errors import SaniwaError


class AnsweringBridge(Bridge):
    """Answers in order, the last answer for ever; keeps what it was asked."""

    def __init__(self, *answers: str | Answer | SaniwaError) -> None:
        super().__init__(self, history=0)
        self.answers: Sequence[str | Answer | SaniwaError] = answers or ("",)
        self.asked: list[tuple[str, QueryOptions]] = []

    async def query(self, prompt: str, options: QueryOptions) -> QueryResult:
        """The next answer, or the error that stands in its place."""
        self.asked.append((prompt, options))
        return await super().query(prompt, options)

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        """What is written for this question, however it is put."""
        del request
        answer = self.answers[min(len(self.asked), len(self.answers)) - 1]
        if isinstance(answer, SaniwaError):
            raise answer
        said = (
            Answer(text=answer, model="written") if isinstance(answer, str) else answer
        )
        if hear is not None and said.text:
            hear(said.text)
        return said

    async def close(self) -> None:
        """Nothing is held."""
