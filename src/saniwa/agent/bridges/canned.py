"""Answers written beforehand: no model, and always the same."""

from collections import defaultdict
from collections.abc import Callable, Iterable

import msgspec

from saniwa.agent.bridges.text import tell
from saniwa.agent.oracle import Answer, Hear, Request
from saniwa.core.errors import SdkBridgeError
from saniwa.core.quoted import quoted
from saniwa.core.sound import sound

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

    def go_on(self, texts: Iterable[str]) -> None:
        """Count these as given: of each, the first answer with that text that is left.

        Texts that are none of the answers were somebody else's.
        """
        alike: dict[str, list[int]] = defaultdict(list)
        for n, line in enumerate(self._lines):
            alike[sound(line.answer.text)].append(n)
        for text in texts:
            self._count_given(alike.get(text, []))

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        """The answer for this question.

        Raises:
            SdkBridgeError: `CANNED_EXHAUSTED`.
        """
        answer = self._chosen(request)
        tell(answer.text, hear)
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

    def _count_given(self, alike: list[int]) -> None:
        if self._repeat and alike and not any(self._left[n] for n in alike):
            # They had begun again: these, and all that are in turn with them.
            when = self._lines[alike[0]].when
            for n, line in enumerate(self._lines):
                self._left[n] |= line.when == when
        taken = next((n for n in alike if self._left[n]), None)
        if taken is not None:
            self._left[taken] = False

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
