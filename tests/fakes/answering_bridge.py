"""A bridge that gives prepared answers."""

from collections.abc import Sequence

from saniwa.agent.bridge import OracleBridge
from saniwa.agent.layer_contracts import QueryOptions, QueryResult
from saniwa.core.errors import SaniwaError
from saniwa.models.oracle import OracleAnswer, OracleRequest, TextListener


class AnsweringBridge(OracleBridge):
    """Answers in order, repeats the last answer, and records what it was asked."""

    def __init__(self, *answers: str | OracleAnswer | SaniwaError) -> None:
        super().__init__(self, history=0)
        self.answers: Sequence[str | OracleAnswer | SaniwaError] = answers or ("",)
        self.asked: list[tuple[str, QueryOptions]] = []

    async def query(self, prompt: str, options: QueryOptions) -> QueryResult:
        """The next answer, or the error in its place."""
        self.asked.append((prompt, options))
        return await super().query(prompt, options)

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """The prepared answer, whatever the request."""
        del request
        answer = self.answers[min(len(self.asked), len(self.answers)) - 1]
        if isinstance(answer, SaniwaError):
            raise answer
        said = OracleAnswer(text=answer, model="written") if isinstance(answer, str) else answer
        if hear is not None and said.text:
            hear(said.text)
        return said

    async def close(self) -> None:
        """Do nothing."""
