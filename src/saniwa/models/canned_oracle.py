"""An oracle whose answers are written in advance: no model, always the same answers.

The answers come from a list, a function, or a file (see `canned_file`).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable

import msgspec

from saniwa.core.errors import SdkBridgeError
from saniwa.core.text import quote_value
from saniwa.core.text_encoding import replace_surrogates
from saniwa.models.oracle import OracleAnswer, OracleRequest, TextListener, stream_text

AnswerFunction = Callable[[OracleRequest], str | OracleAnswer]
"""Makes an answer from a request."""


class CannedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One prepared answer."""

    answer: OracleAnswer
    """The answer."""
    when: str = ""
    """Text that the question must contain for this answer to be used. Empty: the answer
    is used in order."""


class CannedOracle:
    """Answers from a list or with a function.

    An answer whose `when` occurs in the question comes before those without one. Each
    answer is used once. With `repeat`, they start again from the first.
    """

    def __init__(
        self,
        answers: Iterable[str | OracleAnswer | CannedAnswer] | AnswerFunction,
        *,
        repeat: bool = False,
        model: str = "canned",
    ) -> None:
        self._function = answers if callable(answers) else None
        lines = [] if callable(answers) else [_to_canned_answer(each, model) for each in answers]
        self._lines = lines
        self._unused = [True] * len(lines)
        self._repeat = repeat
        self._model = model

    def skip_given(self, texts: Iterable[str]) -> None:
        """Mark answers as used: for each text, the first unused answer with that text.

        Texts that match no answer are ignored; another oracle gave them.
        """
        alike: dict[str, list[int]] = defaultdict(list)
        for n, line in enumerate(self._lines):
            alike[replace_surrogates(line.answer.text)].append(n)
        for text in texts:
            self._mark_given(alike.get(text, []))

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """Return the answer to this question.

        Raises:
            SdkBridgeError: `CANNED_EXHAUSTED`.
        """
        answer = self._choose_answer(request)
        stream_text(answer.text, hear)
        return answer

    async def close(self) -> None:
        """Do nothing: there is nothing to release. May be called more than once."""

    def _choose_answer(self, request: OracleRequest) -> OracleAnswer:
        if self._function is not None:
            return _to_canned_answer(self._function(request), self._model).answer
        question = request.messages[-1].text
        whens = [line.when for line in self._lines]
        matching = [n for n, when in enumerate(whens) if when and when in question]
        plain = [n for n, when in enumerate(whens) if not when]
        for candidates in (matching, plain):
            taken = self._take_next(candidates, candidates)
            if taken is not None:
                return self._lines[taken].answer
        raise self._make_exhausted_error(question)

    def _mark_given(self, alike: list[int]) -> None:
        # If these answers had started again, so had all that share their `when`.
        whens = {self._lines[n].when for n in alike}
        self._take_next(alike, [n for n, line in enumerate(self._lines) if line.when in whens])

    def _take_next(self, candidates: list[int], restarted: list[int]) -> int | None:
        if self._repeat and not any(self._unused[n] for n in candidates):
            for n in restarted:
                self._unused[n] = True
        taken = next((n for n in candidates if self._unused[n]), None)
        if taken is not None:
            self._unused[taken] = False
        return taken

    def _make_exhausted_error(self, question: str) -> SdkBridgeError:
        given = self._unused.count(False)
        return SdkBridgeError(
            "CANNED_EXHAUSTED",
            f"{given} of {len(self._unused)} canned answers are given, and none of the rest"
            f" is for {quote_value(question)}",
            hint="add an answer, or let them repeat",
            details={"given": given, "answers": len(self._unused)},
        )


def _to_canned_answer(given: str | OracleAnswer | CannedAnswer, model: str) -> CannedAnswer:
    if isinstance(given, CannedAnswer):
        return given
    answer = OracleAnswer(text=given, model=model) if isinstance(given, str) else given
    return CannedAnswer(answer=answer)
