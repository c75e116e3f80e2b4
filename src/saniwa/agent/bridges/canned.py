"""Answers written beforehand: no model, and always the same."""

from collections.abc import Callable, Iterable

import msgspec

from saniwa.agent.bridges.text import pieces
from saniwa.agent.oracle import Answer, Hear, Request
from saniwa.core.errors import SdkBridgeError
from saniwa.core.quoted import quoted

Reply = Callable[[Request], str | Answer]
"""Makes an answer from a request."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One answer that is ready."""

    answer: Answer
    """The answer."""
    when: str = ""
    """Words the question must contain for it to be given; none: it is the next in turn."""


class Canned:
    """Gives answers from a list, or by a function.

    An answer whose `when` stands in the question comes before those without one; each is
    given once. With `repeat` they begin again from the first.
    """

    def __init__(
        self,
        answers: Iterable[str | Answer | Line] | Reply,
        *,
        repeat: bool = False,
        model: str = "canned",
    ) -> None:
        self._reply = answers if callable(answers) else None
        lines = [] if callable(answers) else [_line(each, model) for each in answers]
        self._lines = lines
        self._left = [True] * len(lines)
        self._repeat = repeat
        self._model = model

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        """The answer for this question.

        Raises:
            SdkBridgeError: `CANNED_EXHAUSTED`.
        """
        answer = self._chosen(request)
        if hear is not None:
            for piece in pieces(answer.text):
                hear(piece)
        return answer

    async def close(self) -> None:
        """Nothing is held; more than once is no mistake."""

    def _chosen(self, request: Request) -> Answer:
        if self._reply is not None:
            return _line(self._reply(request), self._model).answer
        question = request.messages[-1].text
        whens = [line.when for line in self._lines]
        named = [n for n, when in enumerate(whens) if when and when in question]
        plain = [n for n, when in enumerate(whens) if not when]
        for fitting in (named, plain):
            taken = self._next(fitting)
            if taken is not None:
                return self._lines[taken].answer
        raise self._exhausted(question)

    def _next(self, fitting: list[int]) -> int | None:
        if self._repeat and not any(self._left[n] for n in fitting):
            for n in fitting:
                self._left[n] = True
        taken = next((n for n in fitting if self._left[n]), None)
        if taken is not None:
            self._left[taken] = False
        return taken

    def _exhausted(self, question: str) -> SdkBridgeError:
        given = self._left.count(False)
        return SdkBridgeError(
            "CANNED_EXHAUSTED",
            f"{given} of {len(self._left)} canned answers are given, and none of the rest"
            f" is for {quoted(question)}",
            hint="add an answer, or let them repeat",
            details={"given": given, "answers": len(self._left)},
        )


def _line(said: str | Answer | Line, model: str) -> Line:
    if isinstance(said, Line):
        return said
    answer = Answer(text=said, model=model) if isinstance(said, str) else said
    return Line(answer=answer)
