"""Requests, answers and errors without the secrets that stand in them."""

import msgspec

from saniwa.agent.oracle import Answer, Message, Request
from saniwa.core.errors import SdkBridgeError
from saniwa.core.redaction import Redaction


def clean_request(request: Request, redaction: Redaction) -> Request:
    """The request as others may read it."""
    return msgspec.structs.replace(
        request,
        messages=tuple(
            Message(role=each.role, text=redaction.text(each.text))
            for each in request.messages
        ),
        system=redaction.text(request.system),
        schema=redaction.values(request.schema),
    )


def clean_answer(answer: Answer, redaction: Redaction) -> Answer:
    """The answer as others may read it."""
    return msgspec.structs.replace(
        answer,
        text=redaction.text(answer.text),
        reason=redaction.text(answer.reason),
        model=redaction.text(answer.model),
        mended=tuple(redaction.text(each) for each in answer.mended),
    )


def clean_error(problem: SdkBridgeError, redaction: Redaction) -> SdkBridgeError:
    """An error like this one as others may read it; nothing comes along with it."""
    return type(problem)(
        problem.code,
        redaction.text(problem.message),
        where=problem.where,
        hint=redaction.text(problem.hint),
        recoverable=problem.recoverable,
        details=redaction.values(msgspec.to_builtins(problem.details, str_keys=True)),
    )
