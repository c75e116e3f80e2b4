"""Requests, answers and errors without the secrets that stand in them."""

import msgspec

from saniwa.core.errors import SdkBridgeError
from saniwa.core.redaction import Redactor
from saniwa.core.text_encoding import replace_surrogates
from saniwa.models.oracle import (
    Oracle,
    OracleAnswer,
    OracleMessage,
    OracleRequest,
    TextListener,
)


def redact_request(request: OracleRequest, redaction: Redactor) -> OracleRequest:
    """The request as others may read it."""
    return msgspec.structs.replace(
        request,
        messages=tuple(
            OracleMessage(role=each.role, text=redaction.redact_text(each.text))
            for each in request.messages
        ),
        system=redaction.redact_text(request.system),
        schema=redaction.redact_values(request.schema),
    )


def redact_answer(answer: OracleAnswer, redaction: Redactor) -> OracleAnswer:
    """The answer as others may read it."""
    return msgspec.structs.replace(
        answer,
        text=redaction.redact_text(answer.text),
        reason=redaction.redact_text(answer.reason),
        model=redaction.redact_text(answer.model),
        mended=tuple(redaction.redact_text(each) for each in answer.mended),
    )


def redact_error(problem: SdkBridgeError, redaction: Redactor) -> SdkBridgeError:
    """An error like this one as others may read it; nothing comes along with it."""
    return type(problem)(
        problem.code,
        redaction.redact_text(problem.message),
        where=problem.where,
        hint=redaction.redact_text(problem.hint),
        recoverable=problem.recoverable,
        details=redaction.redact_values(
            msgspec.to_builtins(problem.details, str_keys=True)
        ),
    )


class RedactingListener:
    """Passes pieces on as they come, but no secret, also none that comes in two."""

    def __init__(self, hear: TextListener, redaction: Redactor) -> None:
        self._hear = hear
        self._redaction = redaction
        self._waiting = ""
        self.failed: BaseException | None = None
        """What went wrong with whoever listens: no mistake of the model's."""

    def __call__(self, piece: str) -> None:
        """Hear the next piece."""
        known = self._redaction.redact_text(self._waiting + replace_surrogates(piece))
        held = self._redaction.count_held_back(known)
        self._waiting = known[len(known) - held :]
        self._pass_on(known[: len(known) - held])

    def finish(self) -> None:
        """Nothing more comes."""
        self._pass_on(self._waiting)
        self._waiting = ""

    def _pass_on(self, text: str) -> None:
        if not text:
            return
        try:
            self._hear(text)
        except BaseException as problem:
            self.failed = problem
            raise


class RedactingOracle:
    """Answers as its oracle does, without the secrets it knows.

    So none that a model or a provider repeats reaches a trace, a journal, a tape or a
    screen, whichever of them there are. The oracle is asked what was asked.
    """

    def __init__(self, oracle: Oracle, redaction: Redactor) -> None:
        self._oracle = oracle
        self._redaction = redaction

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """The oracle's answer; no secret is in it, in a piece of it, or in an error.

        Raises:
            SdkBridgeError: What the oracle says.
        """
        ear = RedactingListener(hear, self._redaction) if hear is not None else None
        met = None
        try:
            answer = await self._oracle.answer(request, ear)
        except SdkBridgeError as problem:
            met = redact_error(problem, self._redaction)
        # Raised outside of `except`: the one with the secrets would come along.
        if met is not None:
            raise met
        if ear is not None:
            ear.finish()
        return redact_answer(answer, self._redaction)

    async def close(self) -> None:
        """Let go of the oracle; more than once is no mistake."""
        await self._oracle.close()
