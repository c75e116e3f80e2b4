"""Removes secrets from requests, answers and errors.

Which texts are secret is decided by `saniwa.core.redaction`.
"""

import msgspec

from saniwa.core.errors import SdkBridgeError
from saniwa.core.redaction import Redactor
from saniwa.core.text import replace_surrogates
from saniwa.models.oracle import (
    Oracle,
    OracleAnswer,
    OracleMessage,
    OracleRequest,
    OracleWrapper,
    TextListener,
    ToolCall,
)


def redact_request(request: OracleRequest, redaction: Redactor) -> OracleRequest:
    """Return the request without secrets."""
    return msgspec.structs.replace(
        request,
        messages=tuple(
            msgspec.structs.replace(
                each, text=redaction.redact_text(each.text), calls=redact_calls(each, redaction)
            )
            for each in request.messages
        ),
        system=redaction.redact_text(request.system),
        tools=tuple(
            msgspec.structs.replace(each, description=redaction.redact_text(each.description))
            for each in request.tools
        ),
        schema=redaction.redact_values(request.schema),
    )


def redact_calls(
    message: OracleMessage | OracleAnswer, redaction: Redactor
) -> tuple[ToolCall, ...]:
    """Return the tool calls of a message without secrets in their arguments."""
    return tuple(
        msgspec.structs.replace(each, arguments=redaction.redact_values(each.arguments))
        for each in message.calls
    )


def redact_answer(answer: OracleAnswer, redaction: Redactor) -> OracleAnswer:
    """Return the answer without secrets."""
    return msgspec.structs.replace(
        answer,
        text=redaction.redact_text(answer.text),
        reason=redaction.redact_text(answer.reason),
        model=redaction.redact_text(answer.model),
        mended=tuple(redaction.redact_text(each) for each in answer.mended),
        calls=redact_calls(answer, redaction),
    )


def redact_error(problem: SdkBridgeError, redaction: Redactor) -> SdkBridgeError:
    """Return a copy of the error without secrets, cause and traceback."""
    return type(problem)(
        problem.code,
        redaction.redact_text(problem.message),
        where=problem.where,
        hint=redaction.redact_text(problem.hint),
        recoverable=problem.recoverable,
        details=redaction.redact_values(msgspec.to_builtins(problem.details, str_keys=True)),
    )


class RedactingListener:
    """Passes pieces on as they arrive, without secrets, even split ones."""

    def __init__(self, hear: TextListener, redaction: Redactor) -> None:
        self._hear = hear
        self._redaction = redaction
        self._held_back = ""
        self.failed: BaseException | None = None
        """An error that the listener raised; not a mistake of the model."""

    def __call__(self, piece: str) -> None:
        """Take the next piece."""
        text = self._redaction.redact_text(self._held_back + replace_surrogates(piece))
        count = self._redaction.count_held_back(text)
        self._held_back = text[len(text) - count :]
        self._pass_on(text[: len(text) - count])

    def finish(self) -> None:
        """Pass the rest on: no more pieces come."""
        self._pass_on(self._held_back)
        self._held_back = ""

    def _pass_on(self, text: str) -> None:
        if not text:
            return
        try:
            self._hear(text)
        except BaseException as problem:
            self.failed = problem
            raise


class RedactingOracle(OracleWrapper):
    """Answers as its oracle does, without the secrets it knows.

    No secret that a model or a provider repeats reaches a trace, a journal, a recording
    or a screen. The oracle itself gets the request unchanged.
    """

    def __init__(self, oracle: Oracle, redaction: Redactor) -> None:
        super().__init__(oracle)
        self._redaction = redaction

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """Return the oracle's answer.

        No secret is in it, in a piece of it, or in an error.

        Raises:
            SdkBridgeError: As the oracle.
        """
        listener = RedactingListener(hear, self._redaction) if hear is not None else None
        redacted = None
        try:
            answer = await self._oracle.answer(request, listener)
        except SdkBridgeError as problem:
            redacted = redact_error(problem, self._redaction)
        # Raised outside of `except`: otherwise the error with the secrets would be
        # attached.
        if redacted is not None:
            raise redacted
        if listener is not None:
            listener.finish()
        return redact_answer(answer, self._redaction)
